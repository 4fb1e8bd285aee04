/** Draws a crowd of skinned bodies in one draw, one by one, and by three's own bones. */
import { PaletteSkeleton, SkinnedCrowd } from 'escapement/three';
import {
  Bone,
  BoxGeometry,
  type BufferGeometry,
  Float32BufferAttribute,
  Matrix4,
  MeshStandardMaterial,
  type Object3D,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Uint16BufferAttribute,
  Vector3,
} from 'three';
import { countDiffering, type ThreePicture } from './three-picture.ts';

const BODIES = 12;
const BONES = 2;

/** A bar of two bones, the lower one at its middle and the upper one a unit above. */
function createBar(): BufferGeometry {
  const geometry = new BoxGeometry(0.4, 2, 0.4, 1, 8, 1);
  const { position } = geometry.attributes as { readonly position: Float32BufferAttribute };
  const indices: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < position.count; i++) {
    const upper = Math.min(1, Math.max(0, position.getY(i) + 0.5));
    indices.push(0, 1, 0, 0);
    weights.push(1 - upper, upper, 0, 0);
  }
  geometry.setAttribute('skinIndex', new Uint16BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
  return geometry;
}

/** Where the root of a body stands, and how its upper bone is bent against the lower one. */
function poseOf(body: number): { readonly root: Matrix4; readonly joint: Matrix4 } {
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), body);
  const place = new Vector3((body % 6) * 1.2 - 3, body < 6 ? -1.5 : 1.5, 0);
  const bend = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 0.2 * body - 1);
  return {
    root: new Matrix4().compose(place, turn, new Vector3(1, 1, 1)),
    joint: new Matrix4().compose(new Vector3(0, 0, 0), bend, new Vector3(1, 1, 1)),
  };
}

/** Writes a body's matrices: both joints lie at the origin of what was modelled. */
function writePalette(palette: Float32Array, body: number, at: number): void {
  const { root, joint } = poseOf(body);
  palette.set(root.elements, at);
  palette.set(new Matrix4().multiplyMatrices(root, joint).elements, at + 16);
}

function createBoned(body: number, geometry: BufferGeometry): Object3D {
  const { root, joint } = poseOf(body);
  const lower = new Bone();
  const upper = new Bone();
  lower.add(upper);
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial());
  mesh.add(lower);
  mesh.bind(new Skeleton([lower, upper]), new Matrix4());
  root.decompose(lower.position, lower.quaternion, lower.scale);
  joint.decompose(upper.position, upper.quaternion, upper.scale);
  mesh.frustumCulled = false;
  return mesh;
}

function createPaletted(body: number, geometry: BufferGeometry): Object3D {
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial());
  const skeleton = new PaletteSkeleton(BONES);
  skeleton.bindTo(mesh);
  writePalette(skeleton.palette, body, 0);
  return mesh;
}

/** How far the pictures of three ways differ, with shadows. */
export function drawCrowd(picture: ThreePicture) {
  const geometry = createBar();
  const bodies = Array.from({ length: BODIES }, (_, body) => body);
  const wanted = picture.draw(
    bodies.map((body) => createBoned(body, geometry)),
    true,
  );
  const single = picture.draw(
    bodies.map((body) => createPaletted(body, geometry)),
    true,
  );
  const options = { boneCount: BONES, capacity: BODIES };
  const crowd = new SkinnedCrowd(geometry, new MeshStandardMaterial(), options);
  for (const body of bodies) writePalette(crowd.skeleton.palette, body, body * BONES * 16);
  crowd.count = BODIES;
  const together = picture.draw(crowd, true);
  crowd.dispose();
  return {
    single: countDiffering(wanted, single),
    together: countDiffering(wanted, together),
    error: picture.error(),
  };
}
