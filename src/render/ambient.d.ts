/** The few names of the platform that this room uses, on Node and in browsers. */
declare class BroadcastChannel {
  constructor(name: string);
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
  unref?(): void;
}
