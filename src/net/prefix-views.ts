/** Views that are kept at most for one buffer, one for each length that came. */
const VIEWS_MAX = 4096;

/**
 * Views of the first bytes of buffers that are used again and again, kept so that the same length
 * makes no other object.
 */
export class PrefixViews {
  readonly #known: WeakMap<Uint8Array, Map<number, Uint8Array>> = new WeakMap();

  /** Returns the first `length` bytes of a buffer. */
  of(buffer: Uint8Array, length: number): Uint8Array {
    if (length === buffer.length) return buffer;
    let views = this.#known.get(buffer);
    if (views === undefined) {
      views = new Map();
      this.#known.set(buffer, views);
    }
    let view = views.get(length);
    if (view === undefined) {
      if (views.size === VIEWS_MAX) views.clear();
      view = buffer.subarray(0, length);
      views.set(length, view);
    }
    return view;
  }
}
