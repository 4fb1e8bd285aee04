/** One word that two threads touch: who writes it, who reads it, which edge publishes it. */
export interface SharedWord {
  readonly name: string;
  readonly writer: string;
  readonly readers: string;
  readonly edge: string;
  readonly meaning: string;
}

/** Bytes of a cache line; hot words stand alone on one. */
export const LINE_BYTES = 64;

/**
 * Indices of the header's words in the region's `Int32Array`. Each hot word has a line of its own
 * (16 words apart); the cold identity words share the first line.
 */
export const HEADER = {
  magic: 0,
  layoutHashHigh: 1,
  layoutHashLow: 2,
  sharingProbe: 3,
  sharingAnswer: 4,
  current: 16,
  sequence: 32,
  wake: 48,
  state: 64,
  messagesPosted: 80,
  followed: 96,
  driver: 112,
} as const;

/** Words the header takes. */
export const HEADER_WORDS = 128;

/** The value of `magic`: "ESC1" in ASCII. */
export const MAGIC = 0x45534331;

/**
 * Words of one reader's block: its hazard word alone on a line, its ownership and the clock probe
 * on the two lines behind it.
 */
export const READER = {
  hazard: 0,
  owner: 16,
  probeAsked: 32,
  probeAnswered: 48,
  probeSeconds: 49,
  probeNanos: 50,
} as const;

/** Words one reader's block takes. */
export const READER_WORDS = 64;

/** Values of the `state` word. */
export const REGION_STATE = {
  created: 0,
  running: 1,
  stopped: 2,
  failed: 3,
  /** Stopped because a restart made another region; views move over. */
  replaced: 4,
} as const;

/** Values of the `owner` word of a reader or a controller. */
export const CLAIM = { free: 0, claimed: 1 } as const;

/**
 * Values of the `driver` word; any other is the number of the follower whose thread drives, plus
 * one.
 */
export const DRIVER = { nobody: 0, simulation: -1 } as const;

/**
 * Words of one follower's block: its ownership alone on a line, then what it says of itself, all
 * written by the follower.
 */
export const FOLLOWER = {
  /** Counts claims and releases: odd while claimed, so that no claim is taken for another. */
  owner: 0,
  period: 16,
  /** The epoch that `done` belongs to; 0 while both change. */
  epoch: 17,
  /** Number of the last boundary whose step was run and published, modulo 2^32. */
  done: 18,
} as const;

/** Words one follower's block takes. */
export const FOLLOWER_WORDS = 32;

/** Every word two threads touch. `docs/memory-model.md` shows the same rows; a test compares. */
export const SHARED_WORDS: readonly SharedWord[] = [
  {
    name: 'magic, layoutHashHigh, layoutHashLow',
    writer: 'host, before the region is handed on',
    readers: 'all',
    edge: 'the message that carries the region',
    meaning: 'identity: the region is ours and both sides computed one layout',
  },
  {
    name: 'sharingProbe',
    writer: 'host',
    readers: 'simulation',
    edge: 'itself',
    meaning: 'a nonce the worker must find: proof that the memory is really shared',
  },
  {
    name: 'sharingAnswer',
    writer: 'simulation',
    readers: 'host',
    edge: 'itself',
    meaning: 'the nonce, written back by the worker',
  },
  {
    name: 'current',
    writer: 'simulation',
    readers: 'readers',
    edge: 'its store publishes the record and the slots it names',
    meaning: 'index of the record in force, -1 before the first',
  },
  {
    name: 'sequence',
    writer:
      'simulation; host when it marks the region stopped or failed, or wakes one that is led ' +
      '(add only)',
    readers: 'waiters',
    edge: 'itself; raised after current, tick, epoch and state',
    meaning: 'counts publications; waiters sleep on it',
  },
  {
    name: 'wake',
    writer: 'host, readers (add only)',
    readers: 'simulation',
    edge: 'itself; raised after a ring, a probe or messagesPosted changed',
    meaning: 'the driver sleeps on it',
  },
  {
    name: 'state',
    writer: 'simulation; host when the worker stopped or died',
    readers: 'all',
    edge: 'itself, then sequence',
    meaning: 'created, running, stopped, failed or replaced',
  },
  {
    name: 'messagesPosted',
    writer: 'host',
    readers: 'simulation',
    edge: 'itself, then wake',
    meaning: 'messages posted so far; the driver stays in its event loop until it handled as many',
  },
  {
    name: 'followed',
    writer: 'followers; simulation and host when an epoch or the run ends (add only)',
    readers: 'waiters for followers',
    edge: 'itself; raised after a follower’s words or the state changed',
    meaning: 'counts what followers did; who waits for them sleeps on it',
  },
  {
    name: 'driver',
    writer: 'host, before the region is handed on; who takes or ends a role (compare-exchange)',
    readers: 'followers that may drive',
    edge: 'itself',
    meaning: 'who advances the clock: the simulation’s thread, a follower’s, or nobody',
  },
  {
    name: 'tickLow, tickHigh, epoch (one set per record)',
    writer: 'simulation, before current',
    readers: 'readers, and waiters that pin nothing',
    edge: 'current',
    meaning:
      'the tick and epoch a record publishes; waiters check with sequence that it is still it',
  },
  {
    name: 'hazard (one per reader)',
    writer: 'that reader',
    readers: 'simulation',
    edge: 'itself',
    meaning: 'record index + 1 that the reader announces, 0 for none',
  },
  {
    name: 'owner (one per reader)',
    writer: 'a thread that claims the index (compare-exchange); host when it frees it',
    readers: 'all',
    edge: 'itself',
    meaning: 'free or claimed; if its thread dies without giving it back, claimed for good',
  },
  {
    name: 'probeAsked (one per reader)',
    writer: 'that reader',
    readers: 'simulation',
    edge: 'itself, then wake',
    meaning: 'number of the clock probe the reader asks for',
  },
  {
    name: 'probeSeconds, probeNanos (one per reader)',
    writer: 'simulation, before probeAnswered',
    readers: 'that reader',
    edge: 'probeAnswered',
    meaning: "the simulation thread's clock reading for the probe",
  },
  {
    name: 'probeAnswered (one per reader)',
    writer: 'simulation',
    readers: 'that reader',
    edge: 'itself',
    meaning: 'number of the last clock probe answered',
  },
  {
    name: 'ring head (one per ring)',
    writer: "the ring's producer",
    readers: "the ring's consumer",
    edge: 'itself; stored after the payload words',
    meaning: 'words ever written, modulo 2^32',
  },
  {
    name: 'ring tail (one per ring)',
    writer: "the ring's consumer",
    readers: "the ring's producer",
    edge: 'itself; stored after the payload was copied out',
    meaning: 'words ever consumed, modulo 2^32',
  },
  {
    name: 'ring dropped (one per ring)',
    writer: "the ring's producer",
    readers: 'all',
    edge: 'itself',
    meaning: 'records refused because the ring was full',
  },
  {
    name: 'owner (one per controller)',
    writer: 'a thread that claims the controller (compare-exchange) and gives it back',
    readers: 'all',
    edge: 'itself',
    meaning: 'free or claimed; if its thread dies without giving it back, claimed for good',
  },
  {
    name: 'ticket results (one set per controller)',
    writer: 'simulation, before ticket done',
    readers: 'that controller',
    edge: 'ticket done',
    meaning: 'what each of the last 64 commands came to',
  },
  {
    name: 'ticket done (one per controller)',
    writer: 'simulation',
    readers: 'that controller',
    edge: 'itself, then sequence',
    meaning: 'number of the last command carried out',
  },
  {
    name: 'owner (one per follower)',
    writer:
      'a thread that claims the block or gives it back; host when it retires it (compare-exchange)',
    readers: 'all',
    edge: 'itself; given back, then followed',
    meaning: 'counts claims and releases; odd while claimed, and then waited for',
  },
  {
    name: 'period, epoch, done (one set per follower)',
    writer: 'that follower',
    readers: 'waiters for followers',
    edge: 'epoch: 0 while the others change; then followed',
    meaning: 'how far the follower has come: boundaries run and published, in which epoch',
  },
];
