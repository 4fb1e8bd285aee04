/** The few names of a worker's scope that this room uses, on Node and in browsers. */
declare const crossOriginIsolated: boolean | undefined;
declare function postMessage(message: unknown, transfer?: readonly unknown[]): void;
declare function addEventListener(
  type: 'message',
  listener: (event: { readonly data: unknown }) => void,
): void;
declare function removeEventListener(
  type: 'message',
  listener: (event: { readonly data: unknown }) => void,
): void;
declare function setTimeout(callback: () => void, delayMs?: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function queueMicrotask(callback: () => void): void;
