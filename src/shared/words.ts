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
} as const;

/** Words the header takes. */
export const HEADER_WORDS = 96;

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

/** Values of a reader's `owner` word. */
export const READER_OWNER = { free: 0, claimed: 1 } as const;

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
    writer: 'simulation; host when it marks the region stopped or failed (add only)',
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
    name: 'ticket results',
    writer: 'simulation, before ticket done',
    readers: 'host',
    edge: 'ticket done',
    meaning: 'result code of each of the last 64 commands',
  },
  {
    name: 'ticket done',
    writer: 'simulation',
    readers: 'host',
    edge: 'itself, then sequence',
    meaning: 'number of the last command carried out',
  },
];
