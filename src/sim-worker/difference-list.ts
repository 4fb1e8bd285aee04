/**
 * What differs: who lives, a slot's handle, whether an entity has a component or is seen or is
 * blended, a number of a component, a global, a generator, a `state` input, state kept elsewhere.
 */
export type DifferenceKind =
  | 'lives'
  | 'handle'
  | 'visible'
  | 'blended'
  | 'has'
  | 'value'
  | 'global'
  | 'generator'
  | 'input'
  | 'foreign';

/** One thing in which two states differ. */
export interface StateDifference {
  readonly kind: DifferenceKind;
  /** The component; the name of a global or an input, or whose generator it is; empty if none. */
  readonly name: string;
  /** Slot index, -1 where it is no entity's. */
  readonly slot: number;
  /** The handle at that slot, in the first state if it lives there; 0 for none. */
  readonly entity: number;
  /** Place of the number in the component, -1 for none. */
  readonly field: number;
  /** The same for people; empty for a component of one number. */
  readonly fieldName: string;
  readonly a: number | boolean;
  readonly b: number | boolean;
  /** The bits of two floats, in hexadecimal. */
  readonly bits?: readonly [a: string, b: string] | undefined;
}

/** How many differences there are of one kind, in one component. */
export interface DifferenceGroup {
  readonly kind: DifferenceKind;
  readonly name: string;
  readonly count: number;
}

/** In what two states differ. */
export interface StateDiff {
  /** All differences, listed or not. */
  readonly total: number;
  readonly groups: readonly DifferenceGroup[];
  /** The first of them: who lives, then by component and slot, then the rest. */
  readonly differences: readonly StateDifference[];
}

/** A difference as it is found; what is left out is none. */
export type FoundDifference = Pick<StateDifference, 'kind' | 'name' | 'a' | 'b'> &
  Partial<StateDifference>;

/** Counts all differences and keeps the first ones. */
export class DifferenceList implements StateDiff {
  total = 0;
  readonly differences: StateDifference[] = [];
  readonly #limit: number;
  readonly #groups: Map<string, { kind: DifferenceKind; name: string; count: number }> = new Map();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get groups(): readonly DifferenceGroup[] {
    return [...this.#groups.values()];
  }

  add(found: FoundDifference): void {
    this.total++;
    const { kind, name } = found;
    const key = `${kind} ${name}`;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { kind, name, count: 1 });
    else group.count++;
    if (this.differences.length >= this.#limit) return;
    this.differences.push({ slot: -1, entity: 0, field: -1, fieldName: '', ...found });
  }
}
