import {
  Color,
  DirectionalLight,
  Fog,
  GridHelper,
  HemisphereLight,
  MathUtils,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import type { Camera } from '../camera.ts';

const DARK = 0x07090f;
const VIEW_DEGREES = 42;
const HALF_VIEW = Math.tan((VIEW_DEGREES / 2) * MathUtils.DEG2RAD);
const ASPECT_MIN = 1.3;

/** How a scene in space is looked at: metres, y up. */
export interface Outlook {
  readonly eye: readonly [x: number, y: number, z: number];
  readonly target: readonly [x: number, y: number, z: number];
  /** Half the side of the floor. */
  readonly floor: number;
}

/** Two scenes of three side by side in one canvas: the blend, and the later tick as it is. */
export class SpaceView {
  readonly blended: Scene = new Scene();
  readonly raw: Scene = new Scene();
  readonly #renderer: WebGLRenderer;
  readonly #eye: PerspectiveCamera;
  readonly #point: Vector3 = new Vector3();

  constructor(canvas: HTMLCanvasElement, outlook: Outlook) {
    this.#renderer = rendererOf(canvas);
    const distance = new Vector3(...outlook.eye).distanceTo(new Vector3(...outlook.target));
    this.#eye = new PerspectiveCamera(VIEW_DEGREES, 1, distance / 50, distance * 8);
    this.#eye.position.set(...outlook.eye);
    this.#eye.lookAt(...outlook.target);
    for (const scene of [this.blended, this.raw]) furnish(scene, outlook, distance);
  }

  /** Draws one scene over the whole canvas, or both next to each other. */
  paint(camera: Camera, isSplit: boolean): void {
    const { width, height, pixelRatio } = camera;
    const renderer = this.#renderer;
    this.#aim(camera);
    renderer.setScissorTest(isSplit);
    // The page sizes the canvas: to three a pixel of it is a pixel.
    const across = Math.round(width * pixelRatio);
    const up = Math.round(height * pixelRatio);
    this.#paintPart(this.blended, 0, across, up);
    if (isSplit) this.#paintPart(this.raw, across, across, up);
  }

  /** Returns x and z of the place on the floor under a point, in CSS pixels from the upper left. */
  floorAt(camera: Camera, x: number, y: number): readonly [number, number] {
    const { width, height } = camera;
    const across = ((x % width) / width) * 2 - 1;
    this.#point.set(across, 1 - (y / height) * 2, 0.5).unproject(this.#eye);
    const { position } = this.#eye;
    const ray = this.#point.sub(position);
    // Above the horizon there is no floor: far away will do.
    const reach = ray.y < -1e-3 ? -position.y / ray.y : 1e3;
    return [position.x + ray.x * reach, position.z + ray.z * reach];
  }

  /** Lets go of what both scenes share; the canvas keeps its context for the next scene. */
  dispose(): void {
    for (const scene of [this.blended, this.raw]) {
      for (const child of scene.children) if (child instanceof GridHelper) child.dispose();
      scene.clear();
    }
  }

  /** Has the target in the middle of what the panel leaves free. */
  #aim({ width, height, inset }: Camera): void {
    const eye = this.#eye;
    eye.aspect = (width + inset) / height;
    // A narrow part sees as much across as a wide one.
    const narrowness = Math.max(1, ASPECT_MIN / eye.aspect);
    eye.fov = 2 * MathUtils.RAD2DEG * Math.atan(narrowness * HALF_VIEW);
    eye.setViewOffset(width + inset, height, inset, 0, width, height);
  }

  #paintPart(scene: Scene, x: number, width: number, height: number): void {
    const renderer = this.#renderer;
    renderer.setViewport(x, 0, width, height);
    renderer.setScissor(x, 0, width, height);
    renderer.render(scene, this.#eye);
  }
}

const renderers: WeakMap<HTMLCanvasElement, WebGLRenderer> = new WeakMap();

/** A canvas has one context for life. */
function rendererOf(canvas: HTMLCanvasElement): WebGLRenderer {
  let renderer = renderers.get(canvas);
  if (renderer === undefined) {
    renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    renderers.set(canvas, renderer);
  }
  return renderer;
}

function furnish(scene: Scene, { floor }: Outlook, distance: number): void {
  scene.background = new Color(DARK);
  scene.fog = new Fog(DARK, distance * 1.1, distance * 3.2);
  const sun = new DirectionalLight(0xfff1dd, 2.6);
  sun.position.set(0.5, 1, 0.35);
  const grid = new GridHelper(2 * floor, Math.round(2 * floor), 0x2a3350, 0x161b2b);
  scene.add(new HemisphereLight(0x9fc4ff, 0x1a1420, 1.5), sun, grid);
}
