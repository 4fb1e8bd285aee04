/** Which entities a query is about: those that have all, at least one of any, and none. */
export interface QuerySpec<N extends string = string> {
  /** Components that each must have. */
  readonly all?: readonly N[];
  /** Components of which each must have one at least. Without names it asks for nothing. */
  readonly any?: readonly N[];
  /** Components that none may have. */
  readonly none?: readonly N[];
}
