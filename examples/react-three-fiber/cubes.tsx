import { useFrame } from '@react-three/fiber';
import { startSimulation } from 'escapement';
import { openView, type View } from 'escapement/render';
import type { TypesOf } from 'escapement/sim';
import { GpuInstances } from 'escapement/three';
import { useEffect, useState } from 'react';
import { BoxGeometry, MeshStandardMaterial } from 'three';
import type { Cubes as CubesScene } from '../../scenes/cubes.sim.ts';
import { type Shown, useView } from './use-view.ts';

type Types = TypesOf<CubesScene>;

/** Starts the scene in a worker of its own; the bundler finds the script by this very line. */
async function startCubes(): Promise<Shown<Types>> {
  const sim = await startSimulation<CubesScene>(
    () => new Worker(new URL('../../scenes/cubes.sim.ts', import.meta.url), { type: 'module' }),
    { params: { population: 150 } },
  );
  try {
    return { view: openView(sim.share()), stop: () => sim.stop() };
  } catch (cause) {
    await sim.stop();
    throw cause;
  }
}

/** Draws the cubes of a simulation that runs for as long as this is mounted. */
export function Cubes() {
  const view = useView(startCubes);
  const mesh = useCubesMesh(view);
  // With a priority the canvas leaves rendering to this: a frame is held until it is drawn.
  useFrame(({ gl, scene, camera }) => {
    using frame = view?.frame();
    if (frame !== undefined) mesh?.update(frame);
    gl.render(scene, camera);
  }, 1);
  return mesh === undefined ? null : <primitive object={mesh} />;
}

/** Makes a mesh in an effect, not while rendering: what it has on the GPU must be given back. */
function useCubesMesh(view: View<Types> | undefined): GpuInstances<Types> | undefined {
  const [mesh, setMesh] = useState<GpuInstances<Types>>();
  useEffect(() => {
    if (view === undefined) return undefined;
    const box = new BoxGeometry();
    const material = new MeshStandardMaterial({ roughness: 0.6 });
    const made = new GpuInstances<Types>(view, box, material, {
      position: 'position',
      orientation: 'orientation',
      scale: 'scale',
      colour: 'colour',
    });
    made.castShadow = true;
    made.receiveShadow = true;
    setMesh(made);
    return () => {
      setMesh(undefined);
      made.dispose();
      material.dispose();
    };
  }, [view]);
  return mesh;
}
