import { MathUtils, type Object3D, type PerspectiveCamera } from 'three';

/** A camera as it was read from a frame, by `openCamera` for example. */
export interface CameraPose {
  /** x, y, z. */
  readonly position: ArrayLike<number>;
  /** A unit quaternion: x, y, z, w. */
  readonly orientation: ArrayLike<number>;
  /** The whole vertical angle of view, in radians; absent, the camera keeps its own. */
  readonly fieldOfView?: number;
}

/**
 * Moves a camera of three to where a frame has it. Its projection is made anew only when the field
 * of view is another one; a camera without perspective is only moved. Near, far and aspect are the
 * caller's.
 */
export function applyCamera(camera: Object3D, pose: CameraPose): void {
  const { position, orientation, fieldOfView } = pose;
  camera.position.set(position[0] as number, position[1] as number, position[2] as number);
  camera.quaternion.set(
    orientation[0] as number,
    orientation[1] as number,
    orientation[2] as number,
    orientation[3] as number,
  );
  if (fieldOfView === undefined || !isPerspective(camera)) return;
  const degrees = fieldOfView * MathUtils.RAD2DEG;
  if (camera.fov === degrees) return;
  camera.fov = degrees;
  camera.updateProjectionMatrix();
}

function isPerspective(camera: Object3D): camera is PerspectiveCamera {
  return (camera as Partial<PerspectiveCamera>).isPerspectiveCamera === true;
}
