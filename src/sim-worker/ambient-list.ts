/** Names a function that simulation code may not call, and what to use in its place. */
export interface AmbientName {
  /** The global object that it is a property of; empty for a global of its own. */
  readonly object: string;
  readonly property: string;
  /** What is wrong with it: a sentence. */
  readonly why: string;
  /** A sentence too. */
  readonly instead: string;
}

const ROUNDS = 'Engines round it differently.';
const CLOCK = {
  why: "It reads the machine's clock.",
  instead: 'Use tick, dt and time of the context.',
};
const CHANCE = { why: 'It differs in every run.', instead: 'Use random of the context.' };
const LATER = {
  why: 'It acts outside of the ticks.',
  instead: 'Count ticks, and act in the one that is due.',
};

const MATHS: Readonly<Record<string, string>> = {
  sin: "Use sin of 'escapement/sim'.",
  cos: "Use cos of 'escapement/sim'.",
  tan: "Use sin(x) / cos(x) of 'escapement/sim'.",
  asin: "Use atan2(x, Math.sqrt(1 - x * x)) of 'escapement/sim'.",
  acos: "Use atan2(Math.sqrt(1 - x * x), x) of 'escapement/sim'.",
  atan: "Use atan2(x, 1) of 'escapement/sim'.",
  atan2: "Use atan2 of 'escapement/sim'.",
  sinh: "Use (exp(x) - exp(-x)) / 2 of 'escapement/sim'.",
  cosh: "Use (exp(x) + exp(-x)) / 2 of 'escapement/sim'.",
  tanh: "Use 1 - 2 / (exp(2 * x) + 1) of 'escapement/sim'.",
  asinh: "Use log(x + Math.sqrt(x * x + 1)) of 'escapement/sim'.",
  acosh: "Use log(x + Math.sqrt(x * x - 1)) of 'escapement/sim'.",
  atanh: "Use log((1 + x) / (1 - x)) / 2 of 'escapement/sim'.",
  exp: "Use exp of 'escapement/sim'.",
  expm1: "Use exp(x) - 1 of 'escapement/sim'.",
  log: "Use log of 'escapement/sim'.",
  log2: "Use log2 of 'escapement/sim'.",
  log10: "Use log10 of 'escapement/sim'.",
  log1p: "Use log(1 + x) of 'escapement/sim'.",
  pow: "Use pow of 'escapement/sim', or multiply.",
  cbrt: "Use cbrt of 'escapement/sim'.",
  hypot: "Use hypot of 'escapement/sim'.",
};

/**
 * Lists what simulation code may not call: what reads the machine's time or its chance, what acts
 * at some later time, and the maths that engines round each in their own way. The rules in `lint/`
 * name the same; a test compares them.
 */
export const AMBIENT_NAMES: readonly AmbientName[] = [
  ...Object.entries(MATHS).map(([property, instead]) => {
    return { object: 'Math', property, why: ROUNDS, instead };
  }),
  { object: 'Math', property: 'random', ...CHANCE },
  { object: '', property: 'Date', ...CLOCK },
  { object: 'Date', property: 'now', ...CLOCK },
  { object: 'performance', property: 'now', ...CLOCK },
  { object: 'process', property: 'hrtime', ...CLOCK },
  { object: 'crypto', property: 'getRandomValues', ...CHANCE },
  { object: 'crypto', property: 'randomUUID', ...CHANCE },
  { object: '', property: 'setTimeout', ...LATER },
  { object: '', property: 'setInterval', ...LATER },
  { object: '', property: 'setImmediate', ...LATER },
];
