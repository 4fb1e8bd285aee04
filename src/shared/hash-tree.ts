/*
 * The hashes that a state hash is made of, as plain data, so that two runs can be told apart by
 * component and by block of slots.
 */

/** What a part of a {@link HashTree} covers; several are components. */
export type HashPartKind = 'entities' | 'component' | 'globals' | 'random' | 'foreign';

/** One part of a state: its hash, and the hashes of its blocks of 1024 slots, ascending. */
export interface HashPart {
  readonly kind: HashPartKind;
  /** The component's name; for the others their kind. */
  readonly name: string;
  readonly hash: string;
  /** Of entities and components: one for each 1024 slots below the highest living one. */
  readonly blocks: readonly string[];
}

/** The hashes of a state: 16 lowercase hexadecimal digits each. */
export interface HashTree {
  /** The tick after which it was taken; part of the root. */
  readonly tick: number;
  readonly root: string;
  /** Entities, each component by id, globals, random, and foreign where there is such a state. */
  readonly parts: readonly HashPart[];
}

/** A part in which two states differ. */
export interface HashDifference {
  readonly kind: HashPartKind;
  readonly name: string;
  /** Blocks that differ or that only one has, ascending; block b holds slots from 1024 b on. */
  readonly blocks: readonly number[];
}

/**
 * Compares two trees part by part. Returns the parts that differ or that only one has, in the order
 * of `a`, then those of `b` alone; none where only the tick differs.
 */
export function compareHashTrees(a: HashTree, b: HashTree): HashDifference[] {
  const rest = new Map(b.parts.map((part) => [keyOf(part), part]));
  const differences: HashDifference[] = [];
  for (const part of a.parts) {
    const other = rest.get(keyOf(part));
    rest.delete(keyOf(part));
    if (part.hash !== other?.hash) differences.push(differenceOf(part, other?.blocks ?? []));
  }
  for (const part of rest.values()) differences.push(differenceOf(part, []));
  return differences;
}

function keyOf({ kind, name }: HashPart): string {
  return `${kind} ${name}`;
}

function differenceOf({ kind, name, blocks }: HashPart, others: readonly string[]): HashDifference {
  const length = Math.max(blocks.length, others.length);
  const all = Array.from({ length }, (_, block) => block);
  return { kind, name, blocks: all.filter((block) => blocks[block] !== others[block]) };
}
