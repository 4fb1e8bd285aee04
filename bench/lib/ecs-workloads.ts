/** A workload that a library has set up: one step of all its systems, and what it left. */
export interface Prepared {
  /** Runs every system once; a promise where the library is asynchronous. */
  readonly step: () => void | Promise<void>;
  /** Returns sums of columns and counts, which tell whether every step did its work. */
  readonly check: () => readonly number[];
}

/** Position x, y and velocity x, y of the entity that was made `index`-th. */
export type Start = (index: number) => readonly [number, number, number, number];

/** The same workloads in every library, each in the form that the library itself calls fast. */
export interface Comparator {
  packed5(): Prepared | Promise<Prepared>;
  simpleIter(): Prepared | Promise<Prepared>;
  fragIter(): Prepared | Promise<Prepared>;
  entityCycle(): Prepared | Promise<Prepared>;
  addRemove(): Prepared | Promise<Prepared>;
  /** In f32 wherever a library lets one choose: so the flock's own columns are. */
  integrate(count: number, start: Start, dt: number): Prepared | Promise<Prepared>;
  /** Whether what `integrate` stores is rounded to f32. */
  readonly storesSingles?: boolean;
}

/** One line of the bench. */
export interface Workload {
  readonly name: string;
  readonly entities: number;
  /** The most that our time may be of the best other's. */
  readonly bound: number;
  prepare(comparator: Comparator): Prepared | Promise<Prepared>;
  /** Returns what `check` must return after that many steps, to the last bit. */
  expected(steps: number, storesSingles: boolean): readonly number[];
}

/** Seconds of one step of the integrator. */
const DT = 1 / 60;

/**
 * The five of noctjs/ecs-benchmark and one tick of an integrator between walls at -1 and 1.
 * Numbers are doubles wherever a library lets one choose, but for the integrator's.
 */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'packed_5',
    entities: 1000,
    bound: 1,
    prepare: (comparator) => comparator.packed5(),
    expected: (steps) => [0, 1, 2, 3, 4].map((first) => (499_500 + 1000 * first) * 2 ** steps),
  },
  {
    name: 'simple_iter',
    entities: 4000,
    bound: 1,
    prepare: (comparator) => comparator.simpleIter(),
    expected: (steps) =>
      steps % 2 === 0 ? [4000, 8000, 9000, 4000, 5000] : [8000, 4000, 12_000, 3000, 3000],
  },
  {
    name: 'frag_iter',
    entities: 2600,
    bound: 1,
    prepare: (comparator) => comparator.fragIter(),
    expected: (steps) => [2600 * 2 ** steps, 100 * 2 ** steps, 100],
  },
  {
    name: 'entity_cycle',
    entities: 1000,
    bound: 1.5,
    prepare: (comparator) => comparator.entityCycle(),
    expected: (steps) => [1000, 1000 * steps],
  },
  {
    name: 'add_remove',
    entities: 1000,
    bound: 1.5,
    prepare: (comparator) => comparator.addRemove(),
    expected: (steps) => [1000, 1000 * steps],
  },
  integrator(10_000),
  integrator(100_000),
];

function integrator(entities: number): Workload {
  return {
    name: 'integrate',
    entities,
    bound: 1,
    prepare: (comparator) => comparator.integrate(entities, startOf, DT),
    expected: (steps, storesSingles) => integrated(entities, steps, storesSingles),
  };
}

/** Spreads places and speeds evenly: fractions of the golden and of other ratios. */
function startOf(index: number): readonly [number, number, number, number] {
  return [
    spread(index, 0.618_033_988_75),
    spread(index, 0.754_877_666_25),
    spread(index, 0.569_840_290_99),
    spread(index, 0.819_172_513_4),
  ];
}

function spread(index: number, ratio: number): number {
  const turns = (index + 1) * ratio;
  return 2 * (turns - Math.floor(turns)) - 1;
}

/** The integrator without any library: the sums of x and of y after so many steps. */
function integrated(entities: number, steps: number, singles: boolean): readonly number[] {
  const stored = singles ? Math.fround : (value: number): number => value;
  let sumX = 0;
  let sumY = 0;
  for (let i = 0; i < entities; i++) {
    const [x, y, vx, vy] = startOf(i);
    sumX += bounced(x, vx, steps, stored);
    sumY += bounced(y, vy, steps, stored);
  }
  return [sumX, sumY];
}

function bounced(
  start: number,
  velocity: number,
  steps: number,
  stored: (value: number) => number,
): number {
  let x = stored(start);
  let v = stored(velocity);
  for (let step = 0; step < steps; step++) {
    let next = x + v * DT;
    if (next > 1) {
      next = 2 - next;
      v = -v;
    } else if (next < -1) {
      next = -2 - next;
      v = -v;
    }
    x = stored(next);
  }
  return x;
}
