import {
  type BufferGeometry,
  InstancedBufferGeometry,
  type Material,
  Mesh,
  type Sphere,
} from 'three';
import { EscapementError } from '../../shared/error.ts';
import type { SimulationTypes } from '../../shared/simulation-types.ts';
import type { ChannelName, Frame, FramePair } from '../frame.ts';
import { TickUploads, UPLOAD_BUFFERS } from '../tick-uploads.ts';
import type { View } from '../view.ts';
import { ALPHA, EARLIER_WORD, LATER_WORD } from '../webgl/channel-glsl.ts';
import { AttributeRing } from './attribute-ring.ts';
import {
  channelsOf,
  type InstanceChannels,
  type InstanceLayout,
  resolveLayout,
} from './instance-layout.ts';
import { blendInstances, shaderKey } from './instance-shader.ts';
import { patchMesh, type ShaderPatch } from './patched-material.ts';

/*
 * Threads    the one that draws.
 * Memory     reads pinned columns and rosters; owns its geometry, GPU buffers and words.
 * Ordering   plain reads under the frame's pin, which must last until three has rendered.
 * Progress   a frame without a new tick sets one number; allocates when made and with a new run.
 * Invariant  a slot that is not shown is outside of the picture; one that snaps shows the later
 *            tick at every alpha.
 */

/** Options of {@link GpuInstances}. */
export interface GpuInstancesOptions<T extends SimulationTypes = SimulationTypes>
  extends InstanceChannels<T> {
  /**
   * A sphere around everything that can ever be drawn, in the mesh's own space, by which three may
   * leave the mesh out as a whole. Without it the mesh is always drawn: where its instances are is
   * known to the GPU alone.
   */
  readonly bounds?: Sphere;
}

/** A channel and its buffers. */
interface ChannelBuffers<T extends SimulationTypes> {
  readonly name: ChannelName<T>;
  readonly ring: AttributeRing;
}

/**
 * A mesh of instances that the GPU blends: one for every entity that has all of the channels and is
 * not hidden. Both ticks of a frame lie in GPU buffers, filled once a tick; per frame there is one
 * number to set. Works with three's mesh materials, their shadows included: the material is changed
 * in place and draws nothing else from then on. The geometry is copied; `geometry` is another one
 * from tick to tick, all of which share its parts and draw range.
 *
 * Call `update` with an open frame, and render before it is released. Who draws the mesh with
 * another material, a scene's `overrideMaterial` for example, does not see the instances, and
 * neither does a ray.
 */
export class GpuInstances<T extends SimulationTypes = SimulationTypes> extends Mesh<
  InstancedBufferGeometry,
  Material | Material[]
> {
  readonly #layout: InstanceLayout;
  readonly #uploads = new TickUploads();
  readonly #alpha: { value: number } = { value: 0 };
  readonly #restore: () => void;
  /** The geometry that the mesh was given, without instances. */
  readonly #plain: InstancedBufferGeometry;
  /**
   * One for each way in which the buffers take turns: three then keeps a vertex array for each, and
   * has nothing to set up for a new tick.
   */
  readonly #turns: (InstancedBufferGeometry | undefined)[] = [];
  #channels: readonly ChannelBuffers<T>[] = [];
  #words: AttributeRing | undefined;
  /** The words of a channel other than the first one. */
  #others: Uint32Array = new Uint32Array(0);
  #capacity = -1;
  #frame: Frame<T> | undefined;

  /**
   * Throws NAME_UNKNOWN and VALUE_INVALID for channels that do not fit, and STATE_INVALID for a
   * material that draws another such mesh.
   */
  constructor(
    view: View<T>,
    geometry: BufferGeometry,
    material: Material | Material[],
    options: GpuInstancesOptions<T>,
  ) {
    super(new InstancedBufferGeometry().copy(geometry as InstancedBufferGeometry), material);
    this.#plain = this.geometry;
    this.#plain.instanceCount = 0;
    this.#layout = resolveLayout(view, options);
    this.frustumCulled = options.bounds !== undefined;
    if (options.bounds !== undefined) this.geometry.boundingSphere = options.bounds;
    this.#restore = patchMesh(this, this.#patch());
  }

  /**
   * Takes over a frame: what is new of its two ticks is uploaded with the next draw, and alpha is
   * set. A frame that shows nothing new leaves everything as it was.
   */
  update(frame: Frame<T>): void {
    if (frame.status === 'busy' || frame.status === 'not-ready') {
      // What was to be uploaded may be overwritten by now.
      this.#frame = frame;
      if (this.#isStale()) {
        this.geometry.instanceCount = 0;
        this.#uploads.forget();
      }
      return;
    }
    const { pair } = frame;
    this.#frame = frame;
    if (pair.laterStamps.length !== this.#capacity) this.#build(pair);
    else if (this.#isStale()) this.#forget();
    const uploads = this.#uploads;
    uploads.place(pair);
    this.#alpha.value = frame.alpha;
    const { earlier, later, earlierRows, laterRows } = uploads.columns;
    for (let i = 0; i < this.#channels.length; i++) {
      const { name, ring } = this.#channels[i] as ChannelBuffers<T>;
      if (earlierRows > 0) ring.load(earlier, pair.earlier(name) as Float32Array, earlierRows);
      if (laterRows > 0) ring.load(later, pair.later(name) as Float32Array, laterRows);
    }
    this.#updateWords(pair);
    this.#takeTurn();
    this.geometry.instanceCount = uploads.slotCount;
  }

  /** Frees what it has on the GPU, and gives the materials back as they were. */
  override dispose(): void {
    this.dispatchEvent({ type: 'dispose' });
    this.#free();
    this.#restore();
  }

  /** Finds nothing: where an instance is, is known to the GPU alone. */
  override raycast(): void {}

  #updateWords(pair: FramePair<T>): void {
    const ring = this.#words as AttributeRing;
    const { earlier, later, earlierRows, laterRows } = this.#uploads.words;
    if (earlierRows > 0) {
      const words = ring.arrayOf(earlier) as Uint32Array;
      this.#writeWords(pair, true, words, earlierRows);
      ring.load(earlier, words, earlierRows);
    }
    if (laterRows > 0) {
      const words = ring.arrayOf(later) as Uint32Array;
      this.#writeWords(pair, false, words, laterRows);
      ring.load(later, words, laterRows);
    }
  }

  /** Turns to the geometry that shows the buffers of this frame. */
  #takeTurn(): void {
    const { columns, words } = this.#uploads;
    const ofColumns = columns.earlier * UPLOAD_BUFFERS + columns.later;
    const ofWords = words.earlier * UPLOAD_BUFFERS + words.later;
    const turn = ofColumns * UPLOAD_BUFFERS * UPLOAD_BUFFERS + ofWords;
    let geometry = this.#turns[turn];
    if (geometry === undefined) {
      geometry = shareGeometry(this.#plain);
      for (const { ring } of this.#channels) ring.show(geometry, columns.earlier, columns.later);
      this.#words?.show(geometry, words.earlier, words.later);
      this.#turns[turn] = geometry;
    }
    this.geometry = geometry;
  }

  /** Writes the words of one side: 0 for whoever lacks one of the channels. */
  #writeWords(pair: FramePair<T>, earlier: boolean, words: Uint32Array, rows: number): void {
    for (let i = 0; i < this.#channels.length; i++) {
      const { name } = this.#channels[i] as ChannelBuffers<T>;
      const out = i === 0 ? words : this.#others;
      const count = earlier ? pair.earlierWords(name, out) : pair.laterWords(name, out);
      if (i === 0) words.fill(0, count, rows);
      else for (let slot = 0; slot < count; slot++) if (out[slot] === 0) words[slot] = 0;
    }
  }

  /** Whether some buffer does not hold what it should. */
  #isStale(): boolean {
    if (this.#words?.isStale === true) return true;
    for (let i = 0; i < this.#channels.length; i++) {
      if ((this.#channels[i] as ChannelBuffers<T>).ring.isStale) return true;
    }
    return false;
  }

  #forget(): void {
    this.#uploads.forget();
    this.#words?.forget();
    for (let i = 0; i < this.#channels.length; i++) {
      (this.#channels[i] as ChannelBuffers<T>).ring.forget();
    }
  }

  /** Makes the buffers: for the first frame, and for a run with room for another number. */
  #build(pair: FramePair<T>): void {
    this.#free();
    this.#uploads.reset();
    this.#capacity = pair.laterStamps.length;
    this.#others = new Uint32Array(this.#capacity);
    this.#words = new AttributeRing(
      [EARLIER_WORD, LATER_WORD],
      1,
      () => new Uint32Array(this.#capacity),
      this.#checkFrame,
    );
    this.#channels = channelsOf(this.#layout).map(({ name, spec, earlier, later }) => {
      const channel = name as ChannelName<T>;
      const column = pair.later(channel) as Float32Array;
      const names = [earlier, later] as const;
      const ring = new AttributeRing(names, spec.width, () => column, this.#checkFrame);
      return { name: channel, ring };
    });
  }

  #free(): void {
    for (const geometry of this.#turns) geometry?.dispose();
    this.#turns.length = 0;
    this.#plain.dispose();
    this.geometry = this.#plain;
  }

  /** Sees to it that what three has just copied stood still meanwhile. */
  readonly #checkFrame = (): void => {
    if (this.#frame === undefined || isOpen(this.#frame)) return;
    throw new EscapementError('FRAME_RELEASED', 'The frame was released before it was drawn.', {
      fix: 'Call renderer.render(...) between update(frame) and frame.release().',
    });
  };

  #patch(): ShaderPatch {
    const layout = this.#layout;
    return {
      key: shaderKey(layout),
      apply: (shader) => {
        shader.uniforms[ALPHA] = this.#alpha;
        blendInstances(shader, layout);
      },
    };
  }
}

/** Makes a geometry of the same parts, to which attributes can be added. */
function shareGeometry(plain: InstancedBufferGeometry): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  Object.assign(geometry.attributes, plain.attributes);
  geometry.setIndex(plain.index);
  geometry.morphAttributes = plain.morphAttributes;
  geometry.morphTargetsRelative = plain.morphTargetsRelative;
  geometry.groups = plain.groups;
  geometry.drawRange = plain.drawRange;
  geometry.boundingBox = plain.boundingBox;
  geometry.boundingSphere = plain.boundingSphere;
  return geometry;
}

/** Whether a frame still holds its ticks. */
function isOpen(frame: Frame): boolean {
  try {
    return frame.indices.length >= 0;
  } catch {
    return false;
  }
}
