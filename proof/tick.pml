/*
 * The tick for waiters, who pin nothing: three words that must be seen as one.
 *
 * Each record has its tick (two halves) and its epoch. The writer stores them with Atomics, one by
 * one, then stores `current`, then adds 1 to `sequence`. A waiter loads `sequence`, then `current`,
 * then the three words of that record, then `sequence` again, and looks once more when it changed.
 * Between two equal loads at most one store to `current` can lie, and the record it left behind is
 * not rewritten before the next; so the three words belong together.
 *
 * Claim: what a waiter accepts is a tick and epoch that were published together.
 */

#ifndef PUBLICATIONS
#define PUBLICATIONS 5
#endif
#define RECORDS 3

byte sequence, current;
byte low[RECORDS], high[RECORDS], epoch[RECORDS];

/* For the claim only: publication n is tick HIGH(n), LOW(n) of epoch EPOCH(n). */
#define LOW(n) ((n) % 2)
#define HIGH(n) ((n) / 2)
#define EPOCH(n) ((n) / 3)

active proctype Writer() {
  byte n, next;

  do
  :: n == PUBLICATIONS -> break
  :: n < PUBLICATIONS ->
    n++;
#ifdef WITHOUT_RECORDS_OF_THEIR_OWN
    current = 0;                     /* one place for all, stored after the record is in force */
#else
    if                               /* any record that is not in force */
    :: current != 0 -> next = 0
    :: current != 1 -> next = 1
    :: current != 2 -> next = 2
    fi;
#endif
#ifdef WITHOUT_WORDS_BEFORE_CURRENT
    current = next;
#endif
    low[next] = LOW(n);
    high[next] = HIGH(n);
    epoch[next] = EPOCH(n);
#ifndef WITHOUT_WORDS_BEFORE_CURRENT
    current = next;
#endif
    sequence++
  od
}

active proctype Waiter() {
  byte seen, record, gotLow, gotHigh, gotEpoch;

again:
  seen = sequence;
  record = current;
  gotLow = low[record];
  gotHigh = high[record];
  gotEpoch = epoch[record];
#ifndef WITHOUT_SECOND_LOAD
  if
  :: sequence != seen -> goto again
  :: sequence == seen
  fi;
#endif
  assert(gotEpoch == EPOCH(2 * gotHigh + gotLow));
  assert(2 * gotHigh + gotLow >= seen);
end:
  goto again
}
