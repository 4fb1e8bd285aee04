/** The few names of the platform that this room uses, on Node and in browsers. */
declare const crossOriginIsolated: boolean | undefined;
declare function setTimeout(callback: () => void, delayMs?: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function setInterval(callback: () => void, delayMs?: number): unknown;
declare function clearInterval(timer: unknown): void;
declare function queueMicrotask(callback: () => void): void;
declare const console: {
  debug(...parts: unknown[]): void;
  info(...parts: unknown[]): void;
  warn(...parts: unknown[]): void;
  error(...parts: unknown[]): void;
};
