import {
  type Material,
  MeshBasicMaterial,
  Mesh,
  BoxGeometry,
  ShaderChunk,
  ShaderLib,
  type WebGLRenderer,
} from 'three';
import { describe, expect, it } from 'vitest';
import type { InstanceLayout } from '../../src/render/three/instance-layout.ts';
import { blendInstances } from '../../src/render/three/instance-shader.ts';
import { patchMesh, type ShaderParameters } from '../../src/render/three/patched-material.ts';
import { offsetBones } from '../../src/render/three/skinned-crowd.ts';
import { describeChannel } from '../../src/render/webgl/channel-glsl.ts';
import { colour, position3d, quaternion } from '../../src/sim-worker/index.ts';

const LAYOUT: InstanceLayout = {
  position: describeChannel('place', position3d()),
  orientation: describeChannel('turn', quaternion()),
  colour: describeChannel('paint', colour()),
};

/** Shaders of three that draw meshes, and those of their shadows. */
const LIBRARY = [
  'basic',
  'lambert',
  'phong',
  'physical',
  'toon',
  'matcap',
  'normal',
  'depth',
  'distance',
  'distanceRGBA',
] as const;

function libraryOf(name: string): { vertexShader: string; fragmentShader: string } | undefined {
  const { vertexShader, fragmentShader } =
    (ShaderLib as Record<string, { vertexShader: string; fragmentShader: string }>)[name] ?? {};
  if (vertexShader === undefined || fragmentShader === undefined) return undefined;
  return { vertexShader, fragmentShader };
}

describe("three's shader chunks", () => {
  // What the two macros stand for: if three reads the matrix elsewhere, this must be looked at.
  it.each(['project_vertex', 'defaultnormal_vertex', 'worldpos_vertex'] as const)(
    'read the matrix of an instance by its name in %s',
    (chunk) => {
      expect(ShaderChunk[chunk]).toMatch(/#ifdef USE_INSTANCING\n[^#]*\binstanceMatrix\b/);
    },
  );

  it('read the colour of an instance by its name, where its macro is defined', () => {
    expect(ShaderChunk.color_vertex).toMatch(/#ifdef USE_INSTANCING_COLOR\n[^#]*\binstanceColor\b/);
    expect(ShaderChunk.color_pars_vertex).toContain('USE_INSTANCING_COLOR');
    expect(ShaderChunk.color_fragment).toContain('defined( USE_COLOR )');
  });

  it('take the bones of a vertex from `skinIndex`, and count them from the first', () => {
    expect(ShaderChunk.skinbase_vertex.match(/getBoneMatrix\( skinIndex\.[xyzw] \)/g)).toHaveLength(
      4,
    );
    expect(ShaderChunk.skinning_pars_vertex).toContain('int j = int( i ) * 4;');
  });

  it('name the matrix in no chunk that is not known', () => {
    const chunks = ShaderChunk as unknown as Record<string, string>;
    const readers = Object.keys(chunks).filter((name) =>
      /\binstanceMatrix\b/.test(chunks[name] ?? ''),
    );
    expect(readers.toSorted()).toEqual([
      'defaultnormal_vertex',
      'project_vertex',
      'worldpos_vertex',
    ]);
  });
});

describe('a vertex shader that blends instances', () => {
  it.each(LIBRARY.filter((name) => libraryOf(name) !== undefined))(
    'does all that %s does, between composing and hiding',
    (name) => {
      const before = libraryOf(name) ?? { vertexShader: '', fragmentShader: '' };
      const shader = { ...before };
      blendInstances(shader, LAYOUT);
      const [head = '', foot = ''] = shader.vertexShader.split('void main()');
      const body = before.vertexShader.replace('void main()', 'void drawInstance()');
      expect(head.trimEnd().endsWith(body.trimEnd())).toBe(true);
      const order = ['composeInstance();', 'drawInstance();', 'gl_Position = NOWHERE'];
      const places = order.map((text) => foot.indexOf(text));
      expect(places.every((place) => place >= 0)).toBe(true);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(shader.fragmentShader).toBe(`#define USE_COLOR\n${before.fragmentShader}`);
    },
  );

  it('declares both ticks of each channel and nothing of parts that are absent', () => {
    const shader = { vertexShader: 'void main() {}', fragmentShader: 'void main() {}' };
    blendInstances(shader, { position: LAYOUT.position });
    for (const name of ['earlierPlace', 'laterPlace', 'slotWordEarlier', 'slotWordLater']) {
      expect(shader.vertexShader).toMatch(new RegExp(`\\bin \\w+ ${name};`));
    }
    expect(shader.vertexShader).not.toContain('laterTurn');
    expect(shader.vertexShader).not.toContain('USE_INSTANCING_COLOR');
    expect(shader.fragmentShader).toBe('void main() {}');
  });

  it('is refused where there is no `main`', () => {
    const shader = { vertexShader: 'void mainly() {}', fragmentShader: '' };
    expect(() => blendInstances(shader, LAYOUT)).toThrow('VALUE_INVALID');
  });
});

describe('a vertex shader of a crowd', () => {
  it('looks up bones from the first of its own body on', () => {
    expect(offsetBones('void main() {}', 24)).toBe(
      '#define skinIndex ( skinIndex + float( gl_InstanceID * 24 ) )\nvoid main() {}',
    );
  });
});

describe('a mesh whose materials are patched', () => {
  const patch = {
    key: 'k',
    apply: (shader: ShaderParameters) => {
      shader.vertexShader += 'ours';
    },
  };
  const compile = (material: Material): string => {
    const shader = { vertexShader: '' } as ShaderParameters;
    material.onBeforeCompile(shader, undefined as unknown as WebGLRenderer);
    return shader.vertexShader;
  };

  it('keeps a change of its own in front of ours, and its own key', () => {
    const material = new MeshBasicMaterial();
    material.onBeforeCompile = (shader) => {
      shader.vertexShader += 'theirs ';
    };
    const key = material.customProgramCacheKey();
    const restore = patchMesh(new Mesh(new BoxGeometry(), material), patch);
    expect(compile(material)).toBe('theirs ours');
    expect(material.customProgramCacheKey()).toBe(`${key}|escapement k`);
    restore();
    expect(compile(material)).toBe('theirs ');
    expect(material.customProgramCacheKey()).toBe(key);
  });

  it('tells programs of two patches of one material kind apart', () => {
    const [one, other] = ['a', 'b'].map((key) => {
      const material = new MeshBasicMaterial();
      patchMesh(new Mesh(new BoxGeometry(), material), { ...patch, key });
      return material.customProgramCacheKey();
    });
    expect(one).not.toBe(other);
  });

  it('casts the shadows of lamps and far lights with patched materials too', () => {
    const mesh = new Mesh(new BoxGeometry(), new MeshBasicMaterial());
    patchMesh(mesh, patch);
    expect(compile(mesh.customDepthMaterial as Material)).toBe('ours');
    expect(compile(mesh.customDistanceMaterial as Material)).toBe('ours');
  });

  it('shares no material with another one, until that gave it back', () => {
    const material = new MeshBasicMaterial();
    const first = new Mesh(new BoxGeometry(), material);
    const restore = patchMesh(first, patch);
    const second = new Mesh(new BoxGeometry(), [new MeshBasicMaterial(), material]);
    expect(() => patchMesh(second, patch)).toThrow('STATE_INVALID');
    restore();
    patchMesh(second, patch);
    expect(compile(material)).toBe('ours');
  });
});
