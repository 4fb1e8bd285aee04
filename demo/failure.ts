import { EscapementError } from 'escapement';
import { findElement } from './element.ts';

/** Shows over everything what went wrong and what helps, where the error says. */
export function showFailure(cause: unknown): void {
  const failure = findElement('#failure', HTMLElement);
  // The first fault explains those that follow from it.
  if (!failure.hidden) return;
  const { code, headline, rows } = describeFailure(cause);
  findElement('#failure-code', HTMLElement).textContent = code;
  findElement('#failure-headline', HTMLElement).textContent = headline;
  findElement('#failure-detail', HTMLElement).replaceChildren(
    ...rows.flatMap(([term, text]) => [describe('dt', term), describe('dd', text)]),
  );
  findElement('#retry', HTMLButtonElement).addEventListener('click', () => location.reload());
  failure.hidden = false;
  findElement('#retry', HTMLButtonElement).focus();
}

/** An error as this page shows it. */
interface Failure {
  readonly code: string;
  readonly headline: string;
  readonly rows: readonly (readonly [term: string, text: string])[];
}

function describeFailure(cause: unknown): Failure {
  if (!(cause instanceof EscapementError)) {
    const name = cause instanceof Error ? cause.name : 'Error';
    return {
      code: name,
      headline: cause instanceof Error ? cause.message : String(cause),
      rows: [],
    };
  }
  const { given, allowed, fix, cause: behind } = cause.detail;
  const rows: [string, string | undefined][] = [
    ['Given', given],
    ['Allowed', allowed],
    ['What helps', fix],
    ['Because', behind instanceof Error ? behind.message : undefined],
  ];
  return {
    code: cause.code,
    headline: cause.headline,
    rows: rows.filter((row): row is [string, string] => row[1] !== undefined),
  };
}

function describe(tag: 'dt' | 'dd', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
