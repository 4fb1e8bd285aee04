/*
 * Waiting: who sleeps on which word, and why no wake-up is lost.
 *
 * Two words are slept on. Waiters sleep on `sequence`: whatever they wait for is stored first,
 * then 1 is added to `sequence`, then all are notified; a waiter loads `sequence`, looks, and
 * sleeps only while `sequence` is still what it loaded. The driver sleeps on `wake` in the same
 * way: a command is written, then 1 is added to `wake`, then the driver is notified; the driver
 * loads `wake`, drains its rings and sleeps only while `wake` is still what it loaded. A message
 * is counted in `messagesPosted` before `wake` is raised: the driver does not sleep before it
 * handled as many.
 *
 * Here a host gives up to COMMANDS commands, may post a message, and may mark the region as
 * stopped; the driver publishes one tick for each command; each of WAITERS waiters waits for a
 * tick, or the end.
 * No sleep has a timeout, so that nothing is repaired by one. Claims:
 *   1. when nothing can move any more, nobody sleeps on something that has happened: every command
 *      is obeyed, the message handled, every waiter whose tick is there or whose region is stopped
 *      has returned;
 *   2. a waiter returns only when the tick it waits for is there, or the region is stopped.
 *
 * Waiter 0 may be woken by a late notification that was meant for another round, and its thread may
 * end while it sleeps. WITHOUT_... takes one guard away; SPIN must find a counterexample.
 */

#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef COMMANDS
#define COMMANDS 2
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
byte goal[WAITERS];                  /* the tick that a waiter waits for, 0 once it has returned */
bool dying;                          /* the thread of waiter 0 ends at its next sleep */

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

inline giveCommand() {
#ifdef WITHOUT_COMMAND_BEFORE_WAKE
  raiseWake();
  ringHead++
#else
  ringHead++;
  raiseWake()
#endif
}

inline postMessage() {
#ifdef WITHOUT_COUNT_BEFORE_WAKE
  raiseWake();
  messagesPosted++;
#else
  messagesPosted++;
  raiseWake();
#endif
  messagesQueued++
}

active proctype Host() {
  byte i;

  do
  :: ringHead < COMMANDS -> giveCommand()
  :: messagesPosted == 0 -> postMessage()
  :: break
  od;
  if
  :: skip
  :: stopped = true;                 /* perhaps while the driver still has something to do */
     raiseSequence();
     raiseWake()
  fi
}

active [WAITERS] proctype Waiter() {
  byte me = _pid - 2, seen;

  if                                 /* any tick, the last included */
  :: goal[me] = 1
  :: goal[me] = COMMANDS
  fi;
again:
#ifndef WITHOUT_SEQUENCE_LOADED_FIRST
  seen = sequence;
#endif
  if
  :: stopped -> goto returns
  :: !stopped
  fi;
  if
  :: tick >= goal[me] -> goto returns
  :: tick < goal[me]
  fi;
#ifdef WITHOUT_SEQUENCE_LOADED_FIRST
  seen = sequence;
#endif
  atomic { ENTER_SLEEP(sequence, seen, asleep[me]) };
endAsleep:
  if
  :: !asleep[me]
  :: me == 0 && dying -> goto ended            /* its place in the engine's list stays */
  fi;
#ifndef WITHOUT_SECOND_LOOK
  goto again;
#endif
returns:
  assert(tick >= goal[me] || stopped);         /* claim 2 */
ended:
  goal[me] = 0
}

/* Wakes waiter 0 for nothing, ends its thread, both or neither. */
active proctype Fate() {
  if
  :: asleep[0] = false
  :: skip
  fi;
  if
  :: dying = true
  :: skip
  fi
}

/* Claim 1: `timeout` is true when no process can take a step. */
active proctype Judge() {
  byte i;

  timeout ->
  assert(stopped ||
    (ringTail == ringHead && tick == ringHead && messagesHandled == messagesPosted));
  do
  :: i < WAITERS -> assert(goal[i] == 0 || (goal[i] > tick && !stopped)); i++
  :: else -> break
  od
}
