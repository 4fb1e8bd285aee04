import {
  ColliderDesc,
  HalfSpace,
  init,
  type RigidBody,
  RigidBodyDesc,
  type Rotation,
  type Vector,
  VectorOps,
  World as Physics,
} from '@dimforge/rapier3d-deterministic-compat';

/*
 * Cubes as bodies of rapier, above an endless floor at y = 0. Body k is the k-th that was added,
 * and none is ever taken out: k is the slot index of its entity.
 *
 * A step leaves no garbage: `World.step` would list all bodies, to find soft ones that came apart,
 * and the pipeline underneath does not. A reading leaves a number on the heap for each coordinate,
 * for rapier hands them over one by one; bodies that sleep are passed over. Adding, placing and
 * pushing leave a few short-lived objects of rapier's.
 */

const GRAVITY = { x: 0, y: -9.81, z: 0 };
/** Where a hash begins, and what it is multiplied with: FNV-1a of 32 bits, over whole words. */
const HASH_BASIS = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

/**
 * Readies rapier for this thread. In every step it takes the time of its phases, though nobody
 * asks for it, from the clock that it finds at its first step. It finds one that stands still: the
 * machine's would differ in every run, and each reading is a number on the heap.
 */
async function readyRapier(): Promise<void> {
  await init();
  const own = Object.getOwnPropertyDescriptor(globalThis, 'performance');
  const standing = { value: { now: () => 0 }, configurable: true };
  Object.defineProperty(globalThis, 'performance', standing);
  try {
    const physics = new Physics(GRAVITY);
    physics.step();
    physics.free();
  } finally {
    if (own === undefined) Reflect.deleteProperty(globalThis, 'performance');
    else Object.defineProperty(globalThis, 'performance', own);
  }
}

let readying: Promise<void> | undefined;

/** The bodies of one run. */
export class CubePhysics {
  /** Where a body is put next, in metres, and how it is turned. */
  readonly position: Vector = { x: 0, y: 0, z: 0 };
  readonly orientation: Rotation = { x: 0, y: 0, z: 0, w: 1 };
  /** The velocity it is given, in metres a second, or the impulse of a push. */
  readonly motion: Vector = { x: 0, y: 0, z: 0 };
  /** The angular velocity it is given, in radians a second. */
  readonly spin: Vector = { x: 0, y: 0, z: 0 };
  /** Bodies that were awake after the last step. */
  awake = 0;
  #physics: Physics;
  #count = 0;
  readonly #gravity = VectorOps.intoRaw(GRAVITY);
  /** Row = body: its handle in rapier. */
  readonly #handles: Float64Array;
  /** Row = body: 1 when its numbers may have changed since they were read. */
  readonly #stirred: Uint8Array;
  readonly #read: Float32Array = new Float32Array(4);
  readonly #readBits: Uint32Array = new Uint32Array(this.#read.buffer);

  private constructor(capacity: number) {
    this.#handles = new Float64Array(capacity);
    this.#stirred = new Uint8Array(capacity);
    this.#physics = new Physics(GRAVITY);
    this.#physics.createCollider(new ColliderDesc(new HalfSpace({ x: 0, y: 1, z: 0 })));
  }

  /** Makes room for bodies. Rapier's program is inlined in its module: nothing is fetched. */
  static async load(capacity: number): Promise<CubePhysics> {
    readying ??= readyRapier();
    await readying;
    return new CubePhysics(capacity);
  }

  /** Gives everything back to rapier; to be called once, last. */
  free(): void {
    this.#physics.free();
    this.#gravity.free();
  }

  /** Adds a cube whose edge is `edge` metres, of density 1: put as {@link place} does. */
  add(edge: number): void {
    const body = this.#physics.createRigidBody(RigidBodyDesc.dynamic());
    this.#physics.createCollider(ColliderDesc.cuboid(edge / 2, edge / 2, edge / 2), body);
    this.#handles[this.#count++] = body.handle;
    this.place(this.#count - 1);
  }

  /** Puts a body at `position`, turned by `orientation`, moving by `motion` and `spin`. */
  place(index: number): void {
    const body = this.#body(index);
    body.setTranslation(this.position, true);
    body.setRotation(this.orientation, true);
    body.setLinvel(this.motion, true);
    body.setAngvel(this.spin, true);
    this.#stirred[index] = 1;
  }

  /** Pushes a body at its middle with the impulse `motion`. */
  push(index: number): void {
    this.#body(index).applyImpulse(this.motion, true);
  }

  /** Goes on by a time step. */
  step(dt: number): void {
    const physics = this.#physics;
    physics.timestep = dt;
    physics.physicsPipeline.raw.step(
      this.#gravity,
      physics.integrationParameters.raw,
      physics.islands.raw,
      physics.broadPhase.raw,
      physics.narrowPhase.raw,
      physics.bodies.raw,
      physics.colliders.raw,
      physics.softBodies.raw,
      physics.impulseJoints.raw,
      physics.multibodyJoints.raw,
      physics.ccdSolver.raw,
    );
  }

  /** Copies where the bodies are into columns of three and of four numbers; counts the awake. */
  readInto(position: Float32Array, orientation: Float32Array): void {
    const { raw } = this.#physics.bodies;
    const read = this.#read;
    let awake = 0;
    for (let k = 0; k < this.#count; k++) {
      const handle = this.#handles[k] as number;
      const isAsleep = raw.rbIsSleeping(handle);
      if (isAsleep && this.#stirred[k] === 0) continue;
      // Whoever has just fallen asleep was moved by this step for the last time.
      this.#stirred[k] = isAsleep ? 0 : 1;
      if (!isAsleep) awake++;
      raw.rbTranslation(handle, read);
      for (let axis = 0; axis < 3; axis++) position[3 * k + axis] = read[axis] as number;
      raw.rbRotation(handle, read);
      for (let part = 0; part < 4; part++) orientation[4 * k + part] = read[part] as number;
    }
    this.awake = awake;
  }

  /** Returns all that a step depends on. */
  save(): Uint8Array {
    return this.#physics.takeSnapshot();
  }

  /** Goes back to what {@link save} returned. Throws when the bytes are something else. */
  restore(bytes: Uint8Array): void {
    const physics = Physics.restoreSnapshot(bytes) as Physics | null;
    if (physics === null) throw new RangeError(`${bytes.length} bytes are no snapshot of rapier`);
    this.#physics.free();
    this.#physics = physics;
    this.#count = 0;
    physics.bodies.raw.forEachRigidBodyHandle((handle: number) => {
      this.#handles[this.#count++] = handle;
    });
    this.#stirred.fill(1);
  }

  /**
   * Hashes the velocities and who sleeps, as u32. Where the bodies are lies in the world, and the
   * forces of a contact come out in the velocities one step later.
   */
  hash(): number {
    const { raw } = this.#physics.bodies;
    let hash = HASH_BASIS;
    this.#read[3] = 0;
    for (let k = 0; k < this.#count; k++) {
      const handle = this.#handles[k] as number;
      raw.rbLinvel(handle, this.#read);
      for (let axis = 0; axis < 3; axis++) hash = this.#feed(hash, axis);
      raw.rbAngvel(handle, this.#read);
      for (let axis = 0; axis < 3; axis++) hash = this.#feed(hash, axis);
      hash = Math.imul(hash ^ (raw.rbIsSleeping(handle) ? 1 : 0), HASH_PRIME);
    }
    return hash >>> 0;
  }

  #feed(hash: number, at: number): number {
    // Both zeros are one number.
    const bits = this.#read[at] === 0 ? 0 : (this.#readBits[at] as number);
    return Math.imul(hash ^ bits, HASH_PRIME);
  }

  #body(index: number): RigidBody {
    return this.#physics.getRigidBody(this.#handles[index] as number);
  }
}
