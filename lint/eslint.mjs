/*
 * Rules for simulation code, as an ESLint flat config: what oxlint.json beside it holds, and the
 * operator `**`, which oxlint has no rule for.
 */

const POWER = "Engines round it differently. Multiply, or use pow of 'escapement/sim'.";

/** The rules alone, for files with names of your own. */
export const rules = {
  'no-restricted-globals': [
    'error',
    {
      name: 'Date',
      message: "It reads the machine's clock. Use tick, dt and time of the context.",
    },
    {
      name: 'performance',
      message: "It reads the machine's clock. Use tick, dt and time of the context.",
    },
    { name: 'crypto', message: 'It differs in every run. Use random of the context.' },
    {
      name: 'setTimeout',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
    {
      name: 'setInterval',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
    {
      name: 'setImmediate',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
  ],
  'no-restricted-properties': [
    'error',
    {
      object: 'Math',
      property: 'sin',
      message: "Engines round it differently. Use sin of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'cos',
      message: "Engines round it differently. Use cos of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'tan',
      message: "Engines round it differently. Use sin(x) / cos(x) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'asin',
      message:
        "Engines round it differently. Use atan2(x, Math.sqrt(1 - x * x)) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'acos',
      message:
        "Engines round it differently. Use atan2(Math.sqrt(1 - x * x), x) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'atan',
      message: "Engines round it differently. Use atan2(x, 1) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'atan2',
      message: "Engines round it differently. Use atan2 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'sinh',
      message: "Engines round it differently. Use (exp(x) - exp(-x)) / 2 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'cosh',
      message: "Engines round it differently. Use (exp(x) + exp(-x)) / 2 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'tanh',
      message: "Engines round it differently. Use 1 - 2 / (exp(2 * x) + 1) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'asinh',
      message:
        "Engines round it differently. Use log(x + Math.sqrt(x * x + 1)) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'acosh',
      message:
        "Engines round it differently. Use log(x + Math.sqrt(x * x - 1)) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'atanh',
      message: "Engines round it differently. Use log((1 + x) / (1 - x)) / 2 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'exp',
      message: "Engines round it differently. Use exp of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'expm1',
      message: "Engines round it differently. Use exp(x) - 1 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'log',
      message: "Engines round it differently. Use log of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'log2',
      message: "Engines round it differently. Use log2 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'log10',
      message: "Engines round it differently. Use log10 of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'log1p',
      message: "Engines round it differently. Use log(1 + x) of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'pow',
      message: "Engines round it differently. Use pow of 'escapement/sim', or multiply.",
    },
    {
      object: 'Math',
      property: 'cbrt',
      message: "Engines round it differently. Use cbrt of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'hypot',
      message: "Engines round it differently. Use hypot of 'escapement/sim'.",
    },
    {
      object: 'Math',
      property: 'random',
      message: 'It differs in every run. Use random of the context.',
    },
    {
      object: 'process',
      property: 'hrtime',
      message: "It reads the machine's clock. Use tick, dt and time of the context.",
    },
    {
      object: 'globalThis',
      property: 'Date',
      message: "It reads the machine's clock. Use tick, dt and time of the context.",
    },
    {
      object: 'globalThis',
      property: 'performance',
      message: "It reads the machine's clock. Use tick, dt and time of the context.",
    },
    {
      object: 'globalThis',
      property: 'crypto',
      message: 'It differs in every run. Use random of the context.',
    },
    {
      object: 'globalThis',
      property: 'setTimeout',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
    {
      object: 'globalThis',
      property: 'setInterval',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
    {
      object: 'globalThis',
      property: 'setImmediate',
      message: 'It acts outside of the ticks. Count ticks, and act in the one that is due.',
    },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: "BinaryExpression[operator='**']", message: POWER },
    { selector: "AssignmentExpression[operator='**=']", message: POWER },
  ],
};

/** The rules for every file that is named as simulation code: `*.sim.ts` and its kin. */
export default [
  {
    name: 'escapement/simulation-code',
    files: ['**/*.sim.ts', '**/*.sim.mts', '**/*.sim.js', '**/*.sim.mjs'],
    rules,
  },
];
