/** Returns the page's element of that selector and kind; the page is broken where there is none. */
export function findElement<E extends Element>(selector: string, kind: new () => E): E {
  const element = document.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} that is ${selector}.`);
}

/** Sets an element's text, touching the document only where it differs. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
