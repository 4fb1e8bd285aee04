import { EscapementError } from '../shared/error.ts';
import type { ComponentStore } from './component-store.ts';
import type { QuerySpec } from '../shared/query-spec.ts';
import { Query, type QueryTerms } from './query.ts';
import type { Structure } from './structure.ts';
import type { WorldCensus } from './world-census.ts';

/** The queries of a world: one for the same terms, however often they are asked for. */
export class QueryRegistry {
  readonly #structure: Structure;
  readonly #census: WorldCensus | undefined;
  readonly #bySpec: WeakMap<object, Query> = new WeakMap();
  readonly #byTerms: Map<string, Query> = new Map();

  constructor(structure: Structure, census: WorldCensus | undefined) {
    this.#structure = structure;
    this.#census = census;
  }

  /** Returns the query of a spec; one seen before is found without an allocation. */
  of(spec: QuerySpec): Query {
    const known = this.#bySpec.get(spec);
    if (known !== undefined) return known;
    checkTerms(spec);
    const terms: QueryTerms = {
      all: this.#pick(spec, 'all'),
      any: this.#pick(spec, 'any'),
      none: this.#pick(spec, 'none'),
    };
    const ids = [terms.all, terms.any, terms.none].map((term) => term.map(({ id }) => id));
    const key = JSON.stringify(ids);
    const query = this.#byTerms.get(key) ?? new Query(this.#structure, terms, this.#census);
    this.#byTerms.set(key, query);
    this.#bySpec.set(spec, query);
    return query;
  }

  #pick(spec: QuerySpec, term: keyof QuerySpec): readonly ComponentStore[] {
    const { stores } = this.#structure;
    const named = new Set<ComponentStore>();
    for (const name of spec[term] ?? []) {
      const store = stores.find((known) => known.name === name);
      if (store === undefined) throw unknown(name, term, stores);
      named.add(store);
    }
    return [...named].sort((a, b) => a.id - b.id);
  }
}

const TERMS: readonly string[] = ['all', 'any', 'none'];

/** A misspelt term would ask for nothing, and so for everybody. */
function checkTerms(spec: QuerySpec): void {
  for (const [term, names] of Object.entries(spec)) {
    if (TERMS.includes(term) && Array.isArray(names)) continue;
    throw new EscapementError('VALUE_INVALID', 'That is no term of a query.', {
      given: `${term}: ${Array.isArray(names) ? 'a list' : String(names)}`,
      allowed: 'all, any and none, each a list of component names',
    });
  }
}

function unknown(name: string, term: string, stores: readonly ComponentStore[]): EscapementError {
  return new EscapementError('NAME_UNKNOWN', `A query's \`${term}\` names no component.`, {
    given: JSON.stringify(name),
    allowed: stores.map((store) => store.name).join(', ') || 'none is declared',
    fix: 'Correct the name, or declare the component.',
  });
}
