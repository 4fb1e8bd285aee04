import type { ColumnOf, ComponentSpec } from '../shared/schema.ts';
import type { ComponentValue } from './component-store.ts';

/** The components of a simulation by name. */
export type ComponentSpecs = Readonly<Record<string, ComponentSpec>>;

/** Values by component name, as spawn and teleport take them: `true` for a tag. */
export type ComponentValues<C extends ComponentSpecs> = {
  readonly [K in keyof C]?: C[K]['width'] extends 0 ? ComponentValue : number | ArrayLike<number>;
};

/** The raw columns by component name: `width` numbers per slot index; packed rows if sparse. */
export type Columns<C extends ComponentSpecs> = {
  readonly [K in keyof C]: ColumnOf<C[K]['scalar']>;
};
