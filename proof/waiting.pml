/*
 * Waiting: who sleeps on which word, and why no wake-up is lost.
 *
 * Two words are slept on. Waiters sleep on `sequence`: whatever they wait for is stored first, then
 * 1 is added to `sequence`, then all are notified; a waiter loads `sequence`, looks, and sleeps only
 * while `sequence` is still what it loaded. The driver sleeps on `wake` in the same way: a command is
 * written, then 1 is added to `wake`, then the driver is notified; the driver loads `wake`, drains
 * its rings and sleeps only while `wake` is still what it loaded. A message is counted in
 * `messagesPosted` before `wake` is raised: the driver does not sleep before it handled as many.
 *
 * Here a host gives COMMANDS commands, posts one message and at last marks the region as stopped;
 * the driver publishes one tick for each command; WAITERS waiters each wait for a tick, or the end.
 * No sleep has a timeout here, so nothing is repaired by one. Claims:
 *   1. when nothing can move any more, every waiter has been told, and unless the region is stopped
 *      every command has been obeyed and the message handled;
 *   2. a waiter returns only when the tick it waits for is there, or the region is stopped.
 *
 * A waiter's thread may end while it sleeps. A sleeper may be woken by a late notification that was
 * meant for another round. WITHOUT_... takes one guard away; SPIN must find a counterexample.
 */

#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef COMMANDS
#define COMMANDS 3
#endif

/* Shared words: every access is one Atomics operation. */
byte sequence, wake;
byte tick;                           /* tick of the newest publication */
bool stopped;
byte ringHead, ringTail;             /* commands written and commands drained */
byte messagesPosted;

/* The driver's event queue, and the waiter lists that the engine keeps. */
byte messagesQueued;
bool driverAsleep, asleep[WAITERS];

/* For the claims only. */
byte messagesHandled;
byte told;                           /* waiters that returned, or whose thread ended */

/* Atomics.wait compares and goes to sleep in one step of the engine. */
#ifdef WITHOUT_COMPARISON
#define ENTER_SLEEP(word, expected, flag) flag = true
#else
#define ENTER_SLEEP(word, expected, flag) flag = (word == expected)
#endif

/* Atomics.notify on `sequence`: wakes all who sleep at this moment. */
inline notifySequence() {
  atomic {
    i = 0;
    do
    :: i < WAITERS ->
#ifdef WITHOUT_NOTIFY_ALL
      if
      :: asleep[i] -> asleep[i] = false; break
      :: else
      fi;
#else
      asleep[i] = false;
#endif
      i++
    :: else -> break
    od;
    i = 0
  }
}

inline raiseSequence() {
#ifdef WITHOUT_ADD_BEFORE_NOTIFY
  notifySequence();
  sequence++
#else
  sequence++;
  notifySequence()
#endif
}

inline raiseWake() {
#ifdef WITHOUT_ADD_BEFORE_NOTIFY
  driverAsleep = false;
  wake++
#else
  wake++;
  driverAsleep = false
#endif
}

active proctype Driver() {
  byte i, seen, posted;
  bool ending;

  do
  :: ending -> break
  :: else ->
#ifndef WITHOUT_WAKE_LOADED_FIRST
    seen = wake;
#endif
    do
    :: ringTail < ringHead ->
      ringTail++;
#ifdef WITHOUT_STORE_BEFORE_ADD
      sequence++;
      tick++;
      notifySequence()
#else
      tick++;
      raiseSequence()
#endif
    :: ringTail == ringHead -> break
    od;
    posted = messagesPosted;
    do
    :: messagesHandled < posted ->   /* stays in its event loop */
      messagesQueued > 0;
      atomic { messagesQueued--; messagesHandled++ }
    :: else -> break
    od;
    if
    :: stopped -> ending = true
    :: !stopped ->
#ifdef WITHOUT_WAKE_LOADED_FIRST
      seen = wake;
#endif
      atomic { ENTER_SLEEP(wake, seen, driverAsleep) };
endParked:
      !driverAsleep
    fi
  od
}

active proctype Host() {
  byte i, given;

  do
  :: given < COMMANDS ->
#ifdef WITHOUT_COMMAND_BEFORE_WAKE
    raiseWake();
    ringHead++;
#else
    ringHead++;
    raiseWake();
#endif
    given++
  :: given == COMMANDS -> break
  od;
#ifdef WITHOUT_COUNT_BEFORE_WAKE
  raiseWake();
  messagesPosted++;
#else
  messagesPosted++;
  raiseWake();
#endif
  messagesQueued++;
  if
  :: skip
  :: stopped = true;                 /* may come while the driver still has something to do */
     raiseSequence();
     raiseWake()
  fi
}

active [WAITERS] proctype Waiter() {
  byte me = _pid - 2, seen, target;

  if                                 /* any tick, the last included */
  :: target = 1
  :: target = COMMANDS
  fi;
again:
#ifndef WITHOUT_SEQUENCE_LOADED_FIRST
  seen = sequence;
#endif
  if
  :: tick >= target -> goto returns
  :: tick < target
  fi;
  if
  :: stopped -> goto returns
  :: !stopped
  fi;
#ifdef WITHOUT_SEQUENCE_LOADED_FIRST
  seen = sequence;
#endif
  atomic { ENTER_SLEEP(sequence, seen, asleep[me]) };
  if
  :: !asleep[me]
  :: asleep[me] -> asleep[me] = false          /* a late notification of another round */
  :: asleep[me] -> goto ended                  /* the thread ends; its place in the list stays */
  fi;
#ifndef WITHOUT_SECOND_LOOK
  goto again;
#endif
returns:
  assert(tick >= target || stopped);           /* claim 2 */
ended:
  told++
}

/* Claim 1: `timeout` is true when no other process can take a step. */
active proctype Judge() {
  timeout ->
  assert(told == WAITERS);
  assert(stopped || (ringTail == ringHead && tick == COMMANDS && messagesHandled == 1))
}
