import type { Entity } from './entity.ts';
import type { ComponentSpec, FieldType, ParamValue, ScalarType } from './schema.ts';

/** Parameters by name, given at start and part of a run's identity. */
export type Params = Readonly<Record<string, ParamValue>>;

/** An input as declared: its fields, and whether the last value wins or each one counts. */
export interface InputSpec {
  readonly as: 'state' | 'event';
  readonly [field: string]: FieldType | 'state' | 'event';
}

/** An event as declared: its fields. */
export type EventSpec = Readonly<Record<string, FieldType>>;

/** What a simulation is made of, as types alone: this is what crosses the thread boundary. */
export interface SimulationTypes {
  readonly params: Params;
  readonly components: Readonly<Record<string, ComponentSpec>>;
  readonly published: string;
  readonly globals: Readonly<Record<string, ScalarType>>;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly events: Readonly<Record<string, EventSpec>>;
  /** Functions that the host may ask between ticks. */
  readonly queries: Readonly<Record<string, unknown>>;
}

/** Carries a simulation's types; never present at run time. */
export interface Typed<T extends SimulationTypes> {
  readonly __types?: T;
}

/** The types of a definition or a handle. */
export type TypesOf<D> = D extends Typed<infer T> ? T : never;

/** A field's value: bool is boolean, entity a handle, everything else a number. */
export type ValueOf<F> = F extends 'bool' ? boolean : F extends 'entity' ? Entity : number;

/** The values of an input. */
export type InputValues<I extends InputSpec> = {
  [K in Exclude<keyof I, 'as'>]: ValueOf<I[K]>;
};

/** The values of an event as emitted. */
export type EventValues<E extends EventSpec> = { [K in keyof E]: ValueOf<E[K]> };

/** An event as drained: its name as `type`, the tick that emitted it, its values. */
export type SimulationEvent<T extends SimulationTypes> = {
  [K in keyof T['events'] & string]: { readonly type: K; readonly tick: number } & Readonly<
    EventValues<T['events'][K]>
  >;
}[keyof T['events'] & string];

/** Literal types given in a definition, widened: 10_000 becomes number. */
export type Widen<P> = {
  [K in keyof P]: P[K] extends number
    ? number
    : P[K] extends string
      ? string
      : P[K] extends boolean
        ? boolean
        : never;
};
