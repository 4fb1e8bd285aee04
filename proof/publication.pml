/*
 * The publication protocol of src/shared/publication-writer.ts and publication-reader.ts.
 *
 * One writer, READERS readers. What the code does with one Atomics access is one step here; a block
 * of plain accesses is at least two, so that half of it can be seen. SPIN explores every
 * interleaving of those steps under sequential consistency. Atomics promise that by themselves;
 * plain accesses have it as long as no two conflicting ones ever meet, which is claim 1 below.
 * docs/memory-model.md has the argument.
 *
 * Claims
 *   1. nobody writes to a record, or to a slot it names, while a reader has it pinned;
 *   2. what a reader finds is whole: each slot holds the tick that the record promises for it;
 *   3. the writer always finds a free record and free slots: it never waits;
 *   4. a try that fails was overtaken by a publication: an undisturbed reader succeeds at once;
 *   5. a reader gets the publication in force at its confirming load, so that what one reader sees
 *      never goes back.
 *
 * A reader may stop for ever at any step, with whatever it has announced. Its index is then lost,
 * or, when the end of its thread is certain, given to a new reader.
 *
 * READERS       how many readers, 1 or 2.
 * FRESH         how many fresh slots one publication may take: an advance of many ticks takes 3.
 * RECORDS       records of the region, READERS + 2 in the code.
 * SLOTS         slots of the region, 3 * READERS + 3 + FRESH; 3 * READERS + 6 in the code.
 * PUBLICATIONS  how many the writer makes.
 * ROSTERS       the slots are rosters (entity lists): a tick may also name the newest one again.
 *               The pools of slots and rosters never look at each other, so each is checked alone.
 * WITHOUT_...   takes one guard away; SPIN must find a counterexample.
 * CLAIM         asserts that claim only: without a guard, SPIN then shows each claim it breaks.
 */

#ifndef READERS
#define READERS 2
#endif
#ifndef FRESH
#define FRESH 3
#endif
#ifndef RECORDS
#define RECORDS (READERS + 2)
#endif
#ifndef SLOTS
#define SLOTS (3 * READERS + 3 + FRESH)
#endif

#ifndef PUBLICATIONS
#define PUBLICATIONS 2
#endif

#ifndef CLAIM
#define CLAIM 0
#endif
#define CLAIMED(n) (CLAIM == 0 || CLAIM == (n))

#define POISON 255                   /* stands in free room: no tick, no slot, no serial number */
#define CONFIRMED 128                /* for WITHOUT_UNCONFIRMED_PINS */
#define BIT(i) (1 << (i))

/* Shared words: every access is one Atomics operation. */
byte current = 0;                    /* index of the record in force; written by the writer */
byte hazard[READERS];                /* record index + 1, or 0 for none; written by its reader */

/* Shared bytes: every access is plain. */
typedef Record {
  byte serial;                       /* number of the publication */
  byte tick;
  byte depth;                        /* how many consecutive ticks stand before it: 0, 1 or 2 */
  byte slot[3];                      /* where T-2, T-1 and T lie */
};
Record record[RECORDS];
byte head[SLOTS];                    /* the first half of a slot and the second */
byte tail[SLOTS];

/* The writer's own copy of what each record names. No reader's step depends on it. */
typedef Names {
  byte slot[3];
#ifdef ROSTERS
  byte stamp[3];                     /* for claim 2: which list each of them holds */
#endif
};
Names names[RECORDS];

/* For the claims only: no step of the protocol depends on these. */
byte inForceSerial = 0;
byte remembered[READERS];            /* record index + 1 that a reader has loaded, not confirmed */
byte pin[READERS];                   /* record index + 1 that a reader takes for its own */
bool overtaken[READERS];             /* `current` was stored since the first load of this try */

#define MASK(r) (BIT(names[r].slot[0]) | BIT(names[r].slot[1]) | BIT(names[r].slot[2]))
#define PINS_SLOT(reader, s) (pin[reader] != 0 && (MASK(pin[reader] - 1) & BIT(s)))
#define PINS_RECORD(reader, i) (pin[reader] == (i) + 1)

#if !CLAIMED(1)
#define CLAIM_SLOT_UNPINNED(s) skip
#define CLAIM_RECORD_UNPINNED(i) skip
#elif READERS == 1
#define CLAIM_SLOT_UNPINNED(s) assert(!PINS_SLOT(0, s))
#define CLAIM_RECORD_UNPINNED(i) assert(!PINS_RECORD(0, i))
#else
#define CLAIM_SLOT_UNPINNED(s) assert(!PINS_SLOT(0, s) && !PINS_SLOT(1, s))
#define CLAIM_RECORD_UNPINNED(i) assert(!PINS_RECORD(0, i) && !PINS_RECORD(1, i))
#endif

/* ------------------------------------------------------------------------------------ writer */

/* Loads every hazard word, one by one. An announcement binds, confirmed or not. */
inline scan() {
  announced = 0;
  r = 0;
  do
  :: r < READERS ->
    atomic {
#ifdef WITHOUT_UNCONFIRMED_PINS
      if
      :: hazard[r] >= CONFIRMED -> announced = announced | BIT(hazard[r] - CONFIRMED - 1)
      :: else
      fi;
#elif !defined(WITHOUT_SCAN)
      if
      :: hazard[r] != 0 -> announced = announced | BIT(hazard[r] - 1)
      :: else
      fi;
#endif
      r++
    }
  :: else -> break
  od;
  r = 0
}

#define FREE(i) ((i) < RECORDS && !(busy & BIT(i)))
#define REMEMBERED(r) (remembered[r] != 0 && FREE(remembered[r] - 1))

/*
 * Takes the lowest free record, or one that a slow reader still remembers and is about to announce.
 * Other free records differ in nothing, so that these choices stand for all.
 */
inline takeRecord() {
  busy = announced;
#ifndef WITHOUT_CURRENT_RECORD_SPARED
  busy = busy | BIT(inForce);
#endif
  next = 0;
  do
  :: next < RECORDS && !FREE(next) -> next++
  :: else -> break
  od;
  assert(next < RECORDS);            /* claim 3: a free record exists */
  if
  :: skip
  :: REMEMBERED(0) -> next = remembered[0] - 1
#if READERS > 1
  :: REMEMBERED(1) -> next = remembered[1] - 1
#endif
  fi;
  busy = 0
}

/*
 * Marks the slots that may not be touched, then spoils all others and every free record. Any bytes
 * may stand where nobody may read; spoiled ones cannot pass for good, and states that differ only
 * in rubbish become one.
 */
inline settle() {
  taken = 0;
  r = 0;
  do
  :: r < RECORDS ->
    if
#ifdef WITHOUT_CURRENT_SLOTS_SPARED
    :: announced & BIT(r) -> taken = taken | MASK(r)
    :: r == inForce && !(announced & BIT(r)) -> skip
#else
    :: r == inForce || (announced & BIT(r)) -> taken = taken | MASK(r)
#endif
    :: else ->
#if CLAIM != 0
      skip
#else
      record[r].serial = POISON;
      record[r].tick = POISON;
      record[r].depth = 0;
      record[r].slot[0] = POISON;
      record[r].slot[1] = POISON;
      record[r].slot[2] = POISON;
      names[r].slot[0] = 0;
      names[r].slot[1] = 0;
      names[r].slot[2] = 0;
#ifdef ROSTERS
      names[r].stamp[0] = 0;
      names[r].stamp[1] = 0;
      names[r].stamp[2] = 0;
#endif
#endif
    fi;
    r++
  :: else -> break
  od;
  r = 0;
#if CLAIM == 0
  do
  :: r < SLOTS ->
    if
    :: taken & BIT(r)
    :: else -> head[r] = POISON; tail[r] = POISON
    fi;
    r++
  :: else -> break
  od;
  r = 0
#endif
}

/* Takes the lowest free slot. Free slots differ in nothing, so that this choice stands for all. */
inline takeSlot() {
  slot = 0;
  do
  :: slot < SLOTS && (taken & BIT(slot)) -> slot++
  :: else -> break
  od;
  assert(slot < SLOTS);              /* claim 3: a free slot exists */
  taken = taken | BIT(slot)
}

/* Moves each place on by one tick: what was T-1 becomes T-2, what was T becomes T-1. */
inline push(newest, list) {
  mine.slot[0] = mine.slot[1];
  mine.slot[1] = mine.slot[2];
  mine.slot[2] = newest;
#ifdef ROSTERS
  mine.stamp[0] = mine.stamp[1];
  mine.stamp[1] = mine.stamp[2];
  mine.stamp[2] = list;
#endif
  skip
}

inline advanceTick() {
  tick++;
  depth = (depth < 2 -> depth + 1 : 2)
}

/* Rewrites the record with plain stores, field by field. */
inline writeRecord() {
  atomic {
    CLAIM_RECORD_UNPINNED(next);
    record[next].serial = serial;
    record[next].tick = tick;
    record[next].depth = depth
  };
  atomic { CLAIM_RECORD_UNPINNED(next); record[next].slot[0] = mine.slot[0] };
  atomic { CLAIM_RECORD_UNPINNED(next); record[next].slot[1] = mine.slot[1] };
  atomic { CLAIM_RECORD_UNPINNED(next); record[next].slot[2] = mine.slot[2] }
}

/* Notes what the record names; the store to `current` is the one shared access. */
inline storeCurrent() {
  atomic {
    names[next].slot[0] = mine.slot[0];
    names[next].slot[1] = mine.slot[1];
    names[next].slot[2] = mine.slot[2];
#ifdef ROSTERS
    names[next].stamp[0] = mine.stamp[0];
    names[next].stamp[1] = mine.stamp[1];
    names[next].stamp[2] = mine.stamp[2];
#endif
    current = next;
    inForce = next;
    inForceSerial = serial;
    r = 0;
    do
    :: r < READERS -> overtaken[r] = (remembered[r] != 0); r++
    :: else -> break
    od;
    r = 0
  }
}

active proctype Writer() {
  Names mine;                        /* slots of the last three ticks, for the next record */
  byte inForce, next, slot, r, fresh;
  byte tick = 2, depth = 2, serial;
  bool anew;
  int announced, busy, taken;        /* bits of records, of records, of slots */

  atomic {                           /* ticks 0, 1 and 2 are published, readers come */
    mine.slot[1] = 1; mine.slot[2] = 2;
    names[0].slot[1] = 1; names[0].slot[2] = 2;
    record[0].slot[1] = 1; record[0].slot[2] = 2;
    record[0].tick = 2; record[0].depth = 2;
    head[1] = 1; tail[1] = 1; head[2] = 2; tail[2] = 2;
#ifdef ROSTERS
    mine.stamp[1] = 1; mine.stamp[2] = 2;
    names[0].stamp[1] = 1; names[0].stamp[2] = 2;
#endif
    do
    :: r < READERS -> run Reader(r); r++
    :: else -> break
    od;
    r = 0
  };
#ifdef WITHOUT_LATE_SCAN
  scan();
#endif

  do
  :: serial == PUBLICATIONS -> break
  :: serial < PUBLICATIONS ->
#ifndef WITHOUT_LATE_SCAN
    scan();                          /* after the last store to `current` */
#endif
    atomic {
      takeRecord();
      settle();
      announced = 0;
      serial++;
      if
      :: fresh = 1                   /* an advance of one tick, or of many: three are kept */
#if FRESH == 3
      :: fresh = 3
#endif
      :: skip                        /* a pause, a change of speed: the same slots again */
      :: fresh = 1; anew = true      /* a seek, a restore: a fresh slot, named for every place */
#ifdef ROSTERS
      :: advanceTick(); push(mine.slot[2], mine.stamp[2])       /* nobody came or went */
      :: advanceTick();              /* the same behind a tick that was not published */
         push(mine.slot[2], mine.stamp[2]);
         push(mine.slot[2], mine.stamp[2]);
         depth = 0
#endif
      fi
    };
#ifdef WITHOUT_FILL_BEFORE_STORE
    storeCurrent();
#endif

    do
    :: fresh > 0 ->                  /* plain stores to a fresh slot, in two steps */
      atomic {
        advanceTick();
        takeSlot();
        CLAIM_SLOT_UNPINNED(slot);
        head[slot] = tick
      };
      atomic {
        CLAIM_SLOT_UNPINNED(slot);
        tail[slot] = tick;
        push(slot, tick);
        if
        :: anew -> push(slot, tick); push(slot, tick); depth = 0; anew = false
        :: else
        fi;
        slot = 0;
        fresh--
      }
    :: else -> taken = 0; break
    od;

    writeRecord();
#ifdef WITHOUT_LATE_SCAN
    scan();
#endif
#ifndef WITHOUT_FILL_BEFORE_STORE
    storeCurrent();
#endif
    next = 0
  od
}

/* ------------------------------------------------------------------------------------ reader */

/* Reads what the record says of itself and of one place; any place, so that all are covered. */
inline readFields() {
  atomic {
    serial = record[c].serial;
    tick = record[c].tick;
    depth = record[c].depth;
    if
    :: place = 0
    :: place = 1
    :: place = 2
    fi
  };
  slot = record[c].slot[place]
}

#define BACK (2 - place < depth -> 2 - place : depth)
#ifdef ROSTERS
#define PROMISED names[c].stamp[place]
#else
#define PROMISED (tick - BACK)
#endif

#if CLAIMED(2)
#define CLAIM_WHOLE(half) assert(slot < SLOTS && half[slot] == PROMISED)
#else
#define CLAIM_WHOLE(half) skip
#endif
#if CLAIMED(4)
#define CLAIM_OVERTAKEN assert(overtaken[me])
#else
#define CLAIM_OVERTAKEN skip
#endif
#if CLAIMED(5)
#define CLAIM_IN_FORCE assert(serial == due)
#else
#define CLAIM_IN_FORCE skip
#endif

#define FORGET_FIELDS serial = 0; tick = 0; depth = 0; place = 0; slot = 0
#define FORGET c = 0; due = 0; FORGET_FIELDS; pin[me] = 0; remembered[me] = 0; overtaken[me] = false
#define CONFIRM pin[me] = c + 1; due = inForceSerial; remembered[me] = 0; overtaken[me] = false
#define OR_DIE :: goto ended

proctype Reader(byte me) {
  byte c, due, serial, tick, depth, place, slot;

idle:
  if
  :: atomic { c = current; remembered[me] = c + 1; overtaken[me] = false }
  OR_DIE
  fi;
  if
  :: hazard[me] = c + 1
  OR_DIE
  fi;
#ifdef WITHOUT_CONFIRMED_FIELDS
  readFields();
#endif
  if
#ifdef WITHOUT_CONFIRMATION
  :: atomic { CONFIRM }
#else
  :: atomic { current == c -> CONFIRM }
  :: atomic {
       current != c ->
       CLAIM_OVERTAKEN;
       FORGET;
       if                            /* however many tries the code allows itself */
       :: goto idle
       :: goto busy
       fi
     }
#endif
  OR_DIE
  fi;
#ifdef WITHOUT_UNCONFIRMED_PINS
  hazard[me] = CONFIRMED + c + 1;
#endif
#ifdef WITHOUT_LATE_RELEASE
  hazard[me] = 0;
#endif

pinned:
#ifndef WITHOUT_CONFIRMED_FIELDS
  if
  :: readFields()
  OR_DIE
  fi;
#endif
  if
  :: atomic {
       CLAIM_IN_FORCE;
       CLAIM_WHOLE(head)
     }
  OR_DIE
  fi;
  if
  :: CLAIM_WHOLE(tail)
  OR_DIE
  fi;
#ifndef WITHOUT_CONFIRMED_FIELDS
  if
  :: atomic { FORGET_FIELDS; goto pinned }     /* another place, or the same one again */
  :: skip
  fi;
#endif

busy:
  if
  :: atomic { FORGET; hazard[me] = 0; goto idle }                         /* release */
  OR_DIE
  fi;

ended:
  atomic { FORGET };
  if
  :: true                            /* not certain: what it announced stays for ever */
  :: hazard[me] = 0; goto idle       /* certain: the index is free, a new reader takes it */
  fi
}

#ifdef WITHOUT_CERTAIN_END
/* Frees the index of reader 0 while its thread may still run. */
active proctype Host() { hazard[0] = 0 }
#endif
