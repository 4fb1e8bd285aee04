import {
  BoxGeometry,
  type BufferGeometry,
  type InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  OrthographicCamera,
  PerspectiveCamera,
  Quaternion,
  SkinnedMesh,
  Vector3,
} from 'three';
import { describe, expect, it } from 'vitest';
import {
  applyCamera,
  BulkInstances,
  GpuInstances,
  type InstanceChannels,
  PaletteSkeleton,
  SkinnedCrowd,
} from '../../src/render/three/index.ts';
import { closeAfterEach, type InstanceTypes, openInstances } from './three-stage.ts';

const ALL = { position: 'place', orientation: 'turn', scale: 'size', colour: 'paint' } as const;

closeAfterEach();

function createMesh(capacity: number): InstancedMesh {
  return new InstancedMesh(new BoxGeometry(), new MeshBasicMaterial(), capacity);
}

describe('instances that are filled in bulk', () => {
  it('have the matrices that three composes of the same parts', async () => {
    const { view, passTo } = await openInstances(5);
    const mesh = createMesh(8);
    const bulk = new BulkInstances(view, mesh, ALL);
    passTo(2.25);
    using frame = view.frame();
    expect(bulk.update(frame)).toBe(5);
    expect(mesh.count).toBe(5);
    const half = 1.25;
    for (let i = 0; i < 5; i++) {
      const wanted = new Matrix4().compose(
        new Vector3(i, 1.25, i * 1.25),
        new Quaternion(0, 0, Math.sin(half), Math.cos(half)),
        new Vector3(1 + i, 1 + i, 1 + i),
      );
      const found = new Matrix4();
      mesh.getMatrixAt(i, found);
      for (let k = 0; k < 16; k++) {
        expect(found.elements[k]).toBeCloseTo(wanted.elements[k] as number, 4);
      }
    }
    const colours = mesh.instanceColor?.array.slice(16, 20);
    expect(colours).toEqual(Float32Array.of(0.25, 0.5, 0.75, 1));
  });

  it('are uploaded as far as they go, and once a frame', async () => {
    const { view, passTo } = await openInstances(5);
    const mesh = createMesh(8);
    const bulk = new BulkInstances(view, mesh, ALL);
    for (const time of [1.5, 1.75, 2.5]) {
      passTo(time);
      using frame = view.frame();
      const { version } = mesh.instanceMatrix;
      bulk.update(frame);
      expect(mesh.instanceMatrix.version).toBe(version + 1);
      expect(mesh.instanceMatrix.updateRanges).toEqual([{ start: 0, count: 80 }]);
      expect(mesh.instanceColor?.updateRanges).toEqual([{ start: 0, count: 20 }]);
    }
  });

  it('leave out who is outside of a camera, in the space of a mesh that is moved', async () => {
    const { view, passTo } = await openInstances(20);
    const mesh = createMesh(20);
    const bulk = new BulkInstances(view, mesh, { position: 'place', reach: 0.1 });
    const camera = new OrthographicCamera(-2.5, 2.5, 50, -50, 0.1, 1000);
    camera.position.set(110, 0, 50);
    mesh.position.x = 100;
    passTo(1);
    using frame = view.frame();
    // Entities stand at x = 0, 1, ... 19 of the mesh, which stands at 100: seen are 107.5 to 112.5.
    expect(bulk.update(frame, camera)).toBe(5);
    expect([...frame.rowIndices]).toEqual([8, 9, 10, 11, 12]);
    expect(bulk.update(frame)).toBe(20);
  });

  it('are those of a query or a list, in its order, colours as well', async () => {
    const { view, passTo } = await openInstances(5);
    const mesh = createMesh(8);
    const of = Uint32Array.of(4, 1);
    const bulk = new BulkInstances(view, mesh, { ...ALL, of });
    passTo(1.5);
    using frame = view.frame();
    expect(bulk.update(frame)).toBe(2);
    const xs = [0, 1].map((row) => mesh.instanceMatrix.array[row * 16 + 12]);
    expect(xs).toEqual([4, 1]);
  });

  it('are refused a mesh without room for them', async () => {
    const { view, passTo } = await openInstances(5);
    const bulk = new BulkInstances(view, createMesh(4), ALL);
    passTo(1.5);
    using frame = view.frame();
    expect(() => bulk.update(frame)).toThrow('VALUE_INVALID');
  });
});

describe('channels that make no instance', () => {
  const cases: readonly [string, InstanceChannels<InstanceTypes>, string][] = [
    ['a position of one number', { position: 'size' }, 'two or three f32'],
    ['a position of integers', { position: 'kind' }, 'two or three f32'],
    ['an orientation of two bones', { position: 'place', orientation: 'bones' }, 'a quaternion'],
    [
      'an orientation of three numbers',
      { position: 'place', orientation: 'stretch' },
      'a quaternion',
    ],
    ['a scale of four numbers', { position: 'place', scale: 'paint' }, 'one to three f32'],
    ['a colour of two numbers', { position: 'place', colour: 'flat' }, 'three or four f32'],
  ];
  it.each(cases)('are refused: %s', async (_, channels, allowed) => {
    const { view } = await openInstances(1);
    for (const open of [
      () => new GpuInstances(view, new BoxGeometry(), new MeshBasicMaterial(), channels),
      () => new BulkInstances(view, createMesh(4), channels),
    ]) {
      expect(open).toThrow(`VALUE_INVALID`);
      expect(open).toThrow(allowed);
    }
  });

  it('are refused by name where nothing of that name is published', async () => {
    const { view } = await openInstances(1);
    const channels = { position: 'nowhere' } as unknown as InstanceChannels<InstanceTypes>;
    expect(() => new BulkInstances(view, createMesh(4), channels)).toThrow('NAME_UNKNOWN');
  });
});

/** Does what three does with the attributes of a geometry that it draws. */
class Uploads {
  readonly #versions = new Map<object, number>();

  draw({ attributes }: BufferGeometry): string[] {
    const names: string[] = [];
    for (const [name, attribute] of Object.entries(attributes)) {
      const instanced = attribute as InstancedBufferAttribute;
      const known = this.#versions.get(instanced);
      if (known === instanced.version) continue;
      this.#versions.set(instanced, instanced.version);
      names.push(name);
      instanced.clearUpdateRanges();
      instanced.onUploadCallback();
    }
    return names.filter((name) => /^(?:earlier|later)/.test(name)).toSorted();
  }
}

describe('instances that the GPU blends', () => {
  async function open(population: number) {
    const stage = await openInstances(population);
    const channels = { position: 'place', orientation: 'turn' } as const;
    const material = new MeshBasicMaterial();
    const mesh = new GpuInstances(stage.view, new BoxGeometry(), material, channels);
    return { ...stage, mesh, uploads: new Uploads() };
  }

  it('are all slots, hold what both ticks say, and are uploaded once a tick', async () => {
    const { view, passTo, mesh, uploads } = await open(6);
    const shown: string[][] = [];
    for (const time of [1.25, 1.5, 2.5, 2.75, 3.5, 4.5]) {
      passTo(time);
      using frame = view.frame();
      mesh.update(frame);
      expect(mesh.geometry.instanceCount).toBe(6);
      for (const [side, tick] of [
        ['earlier', frame.pairTick - 1],
        ['later', frame.pairTick],
      ] as const) {
        const places = mesh.geometry.attributes[`${side}Place`]?.array ?? [];
        if (tick > 0 && shown.length > 1) expect(places[1]).toBe(tick);
      }
      shown.push(uploads.draw(mesh.geometry));
    }
    const both = ['laterPlace', 'laterTurn'];
    expect(shown.slice(1)).toEqual([[], both, [], both, both]);
  });

  it('share the columns of the region instead of copying them', async () => {
    const { view, passTo, mesh } = await open(3);
    passTo(2.5);
    using frame = view.frame();
    mesh.update(frame);
    expect(mesh.geometry.attributes['laterPlace']?.array).toBe(frame.pair.later('place'));
  });

  it('leave the geometry that they were made of alone', async () => {
    const { view, passTo } = await openInstances(2);
    const geometry = new BoxGeometry();
    const channels = { position: 'place' } as const;
    const mesh = new GpuInstances(view, geometry, new MeshBasicMaterial(), channels);
    passTo(1.5);
    using frame = view.frame();
    mesh.update(frame);
    mesh.dispose();
    expect(Object.keys(geometry.attributes)).toEqual(['position', 'normal', 'uv']);
    expect(Object.keys(mesh.geometry.attributes)).toEqual(['position', 'normal', 'uv']);
  });

  it('hide who lacks one of the channels', async () => {
    const { view, passTo } = await openInstances(2);
    const channels = { position: 'place', scale: 'stretch' } as const;
    const mesh = new GpuInstances(view, new BoxGeometry(), new MeshBasicMaterial(), channels);
    passTo(1.5);
    using frame = view.frame();
    mesh.update(frame);
    expect(mesh.geometry.attributes['slotWordLater']?.array.slice(0, 2)).toEqual(
      Uint32Array.of(0, 0),
    );
  });
});

describe('a camera that is applied', () => {
  const pose = { position: [1, 2, 3], orientation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] };

  it('stands and looks as it was read, with its angle of view in degrees', () => {
    const camera = new PerspectiveCamera(50, 2, 0.1, 10);
    applyCamera(camera, { ...pose, fieldOfView: Math.PI / 2 });
    expect(camera.position.toArray()).toEqual([1, 2, 3]);
    expect(camera.quaternion.toArray()).toEqual(pose.orientation);
    expect(camera.fov).toBeCloseTo(90, 12);
    expect(camera.projectionMatrix.elements[5]).toBeCloseTo(1, 12);
  });

  it('has its projection made anew only for another angle of view', () => {
    let made = 0;
    class Counted extends PerspectiveCamera {
      override updateProjectionMatrix(): void {
        made++;
        super.updateProjectionMatrix();
      }
    }
    const camera = new Counted(50, 1, 0.1, 10);
    made = 0;
    for (const fieldOfView of [1, 1, 1.1, 1.1, 1]) applyCamera(camera, { ...pose, fieldOfView });
    expect(made).toBe(3);
    applyCamera(camera, pose);
    expect(made).toBe(3);
  });

  it('is only moved where it has no perspective', () => {
    const camera = new OrthographicCamera();
    const before = camera.projectionMatrix.toArray();
    applyCamera(camera, { ...pose, fieldOfView: 1 });
    expect(camera.position.toArray()).toEqual([1, 2, 3]);
    expect(camera.projectionMatrix.toArray()).toEqual(before);
  });
});

describe('a skeleton of matrices', () => {
  it.each([
    [1, 1],
    [3, 1],
    [24, 10],
    [65, 333],
  ])(
    'has room for %i bones of %i bodies, each matrix in one line of its texture',
    (bones, bodies) => {
      const skeleton = new PaletteSkeleton(bones, bodies);
      expect(skeleton.palette.length).toBe(bones * bodies * 16);
      const { width, height, data } = skeleton.boneTexture?.image ?? {};
      expect((width as number) % 4).toBe(0);
      expect(data?.length).toBe((width as number) * (height as number) * 4);
      expect(data?.length).toBeGreaterThanOrEqual(skeleton.palette.length);
      expect(skeleton.palette.buffer).toBe((data as Float32Array).buffer);
      expect(Array.from(skeleton.palette.slice(-16))).toEqual(new Matrix4().elements);
    },
  );

  it('is uploaded whenever three asks for it', () => {
    const skeleton = new PaletteSkeleton(2);
    const version = skeleton.boneTexture?.version ?? Number.NaN;
    skeleton.update();
    expect(skeleton.boneTexture?.version).toBe(version + 1);
  });

  it('moves a mesh without asking for bones', () => {
    const mesh = new SkinnedMesh(new BoxGeometry(), new MeshBasicMaterial());
    const skeleton = new PaletteSkeleton(2);
    skeleton.bindTo(mesh);
    expect(mesh.skeleton).toBe(skeleton);
    expect([mesh.frustumCulled, mesh.boundingSphere.radius]).toEqual([false, Infinity]);
  });

  it.each([
    [0, 1],
    [1.5, 1],
    [2, 0],
    [2, Number.NaN],
  ])('is refused for %d bones of %d bodies', (bones, bodies) => {
    expect(() => new PaletteSkeleton(bones, bodies)).toThrow('OPTION_INVALID');
  });

  it('serves a crowd, which is drawn as an instanced and as a skinned mesh', () => {
    const options = { boneCount: 3, capacity: 7 };
    const crowd = new SkinnedCrowd(new BoxGeometry(), new MeshBasicMaterial(), options);
    expect([crowd.isInstancedMesh, crowd.isSkinnedMesh, crowd.count]).toEqual([true, true, 0]);
    expect(crowd.skeleton.palette.length).toBe(3 * 7 * 16);
  });
});
