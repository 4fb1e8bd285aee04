/** Names what is forbidden, why, and what to use in its place. */
export interface Restriction {
  readonly name?: string;
  readonly object?: string;
  readonly property?: string;
  readonly selector?: string;
  readonly message: string;
}

/** One entry of an ESLint flat config. */
export interface SimulationRules {
  name: string;
  files: string[];
  rules: Record<string, ['error', ...Restriction[]]>;
}

/** The rules alone, for files with names of your own. */
export declare const rules: SimulationRules['rules'];

/** The rules for every file that is named as simulation code: `*.sim.ts` and its kin. */
declare const config: SimulationRules[];
export default config;
