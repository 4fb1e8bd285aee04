/** A picture of 128 pixels that three draws off the screen. */
import {
  AmbientLight,
  Color,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  PointLight,
  Scene,
  WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

const SIZE = 128;

/** How far two pictures of one frame differ. */
export interface Difference {
  /** Pixels of which some component differs by more than 8 of 255. */
  readonly differing: number;
  /** Pixels of the wanted picture that are not black. */
  readonly drawn: number;
  readonly alpha: number;
  readonly pairTick: number;
  /** What WebGL says is wrong; 0 for nothing. */
  readonly error: number;
}

/** A renderer and what it draws into. */
export class ThreePicture {
  readonly camera: PerspectiveCamera = new PerspectiveCamera(50, 1, 0.1, 100);
  readonly #renderer: WebGLRenderer = new WebGLRenderer({ antialias: false });
  readonly #target: WebGLRenderTarget = new WebGLRenderTarget(SIZE, SIZE);

  constructor() {
    this.#renderer.setSize(SIZE, SIZE);
    this.#renderer.shadowMap.enabled = true;
    this.camera.position.set(0, 0, 9);
  }

  /** Draws objects between lamps, and a wall behind them for their shadows. */
  draw(drawn: Object3D | readonly Object3D[], shadows: boolean): Uint8Array {
    const scene = new Scene();
    scene.background = new Color(0x000000);
    addLights(scene, shadows);
    for (const each of [drawn].flat() as Object3D[]) {
      each.castShadow = shadows;
      each.receiveShadow = shadows;
      scene.add(each);
    }
    this.#renderer.setRenderTarget(this.#target);
    this.#renderer.render(scene, this.camera);
    const pixels = new Uint8Array(SIZE * SIZE * 4);
    this.#renderer.readRenderTargetPixels(this.#target, 0, 0, SIZE, SIZE, pixels);
    return pixels;
  }

  /** Returns what WebGL says is wrong since it was asked last; 0 for nothing. */
  error(): number {
    return this.#renderer.getContext().getError();
  }

  /** Geometries that three holds. */
  memory(): number {
    return this.#renderer.info.memory.geometries;
  }

  /** Counts how often some work fills a buffer, or a part of one. */
  countBufferUploads(work: () => void): number {
    const gl = this.#renderer.getContext();
    let count = 0;
    const fill = gl.bufferSubData.bind(gl) as (...args: readonly unknown[]) => void;
    Object.assign(gl, {
      bufferSubData: (...args: readonly unknown[]) => {
        count++;
        fill(...args);
      },
    });
    work();
    Reflect.deleteProperty(gl, 'bufferSubData');
    return count;
  }

  /** Loses the context and waits until it is there again. */
  async loseContext(): Promise<void> {
    const canvas = this.#renderer.domElement;
    const heard = (name: string) =>
      new Promise((resolve) => canvas.addEventListener(name, resolve, { once: true }));
    const lost = heard('webglcontextlost');
    this.#renderer.forceContextLoss();
    await lost;
    // It can be restored once the event is over.
    await new Promise(requestAnimationFrame);
    const restored = heard('webglcontextrestored');
    this.#renderer.forceContextRestore();
    await restored;
  }
}

function addLights(scene: Scene, shadows: boolean): void {
  const sun = new DirectionalLight(0xffffff, 2);
  sun.position.set(2, 3, 6);
  sun.castShadow = shadows;
  sun.shadow.mapSize.set(256, 256);
  const lamp = new PointLight(0xffffff, 30);
  lamp.position.set(-3, 0, 5);
  lamp.castShadow = shadows;
  lamp.shadow.mapSize.set(128, 128);
  scene.add(new AmbientLight(0xffffff, 0.5), sun, lamp);
  if (!shadows) return;
  const wall = new Mesh(new PlaneGeometry(20, 20), new MeshStandardMaterial());
  wall.position.z = -2;
  wall.receiveShadow = true;
  scene.add(wall);
}

/** Compares two pictures. */
export function countDiffering(wanted: Uint8Array, picture: Uint8Array) {
  let differing = 0;
  let drawn = 0;
  for (let i = 0; i < wanted.length; i += 4) {
    let largest = 0;
    for (let c = 0; c < 3; c++) {
      largest = Math.max(largest, Math.abs((wanted[i + c] as number) - (picture[i + c] as number)));
    }
    if (largest > 8) differing++;
    if (isLit(wanted, i)) drawn++;
  }
  return { differing, drawn };
}

/** Lists the columns of a picture that have a pixel which is not black. */
export function litColumns(picture: Uint8Array): readonly number[] {
  const columns = new Set<number>();
  for (let i = 0; i < picture.length; i += 4) if (isLit(picture, i)) columns.add((i / 4) % SIZE);
  return [...columns].sort((a, b) => a - b);
}

function isLit(picture: Uint8Array, at: number): boolean {
  for (let c = 0; c < 3; c++) if ((picture[at + c] as number) > 8) return true;
  return false;
}
