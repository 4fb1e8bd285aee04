import {
  Material,
  type Mesh,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  RGBADepthPacking,
  type WebGLProgramParametersWithUniforms,
} from 'three';
import { EscapementError } from '../../shared/error.ts';

/** What three hands to a material before it compiles: both shaders as text, and the uniforms. */
export type ShaderParameters = WebGLProgramParametersWithUniforms;

/** A change of a material's shader, and what tells its programs from those of other changes. */
export interface ShaderPatch {
  readonly key: string;
  readonly apply: (shader: ShaderParameters) => void;
}

const patched = new WeakSet<Material>();

/**
 * Changes the shaders of all materials of a mesh in place, and gives it materials of its own for
 * the shadows of lamps and of far lights. Returns what undoes it. Throws STATE_INVALID for a
 * material that another mesh has changed: the uniforms are those of one mesh.
 */
export function patchMesh(mesh: Mesh, patch: ShaderPatch): () => void {
  const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  const distance = new MeshDistanceMaterial();
  const own = [...new Set([mesh.material].flat())];
  for (const material of own) checkUnpatched(material);
  const restore = [...own, depth, distance].map((material) => patchMaterial(material, patch));
  mesh.customDepthMaterial = depth;
  mesh.customDistanceMaterial = distance;
  return () => {
    for (const one of restore) one();
    depth.dispose();
    distance.dispose();
  };
}

function checkUnpatched(material: Material): void {
  if (!patched.has(material)) return;
  throw new EscapementError('STATE_INVALID', 'This material draws instances of another mesh.', {
    allowed: 'a material for each',
    fix: 'Pass material.clone().',
  });
}

/** Puts a patch behind the change of its shader that a material may already have. */
function patchMaterial(material: Material, patch: ShaderPatch): () => void {
  patched.add(material);
  const { compile, programKey } = hooksOf(material);
  const isDefaultKey = programKey === hooksOf(Material.prototype).programKey;
  material.onBeforeCompile = (shader, renderer) => {
    compile.call(material, shader, renderer);
    patch.apply(shader);
  };
  // The default key is the text of `onBeforeCompile`, which is ours by now.
  material.customProgramCacheKey = () =>
    `${isDefaultKey ? compile.toString() : programKey.call(material)}|escapement ${patch.key}`;
  material.needsUpdate = true;
  return () => {
    patched.delete(material);
    material.onBeforeCompile = compile;
    material.customProgramCacheKey = programKey;
    material.needsUpdate = true;
  };
}

/** What three asks a material before it compiles; to be called on the material. */
interface Hooks {
  readonly compile: (this: Material, ...given: Parameters<Material['onBeforeCompile']>) => void;
  readonly programKey: (this: Material) => string;
}

function hooksOf(material: Material): Hooks {
  return {
    compile: Reflect.get(material, 'onBeforeCompile') as Hooks['compile'],
    programKey: Reflect.get(material, 'customProgramCacheKey') as Hooks['programKey'],
  };
}
