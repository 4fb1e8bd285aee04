import { Canvas } from '@react-three/fiber';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Cubes } from './cubes.tsx';

function App() {
  const [run, setRun] = useState(0);
  return (
    <>
      <Canvas shadows="percentage" camera={{ position: [8, 7, 11], fov: 45, far: 200 }}>
        <color attach="background" args={['#0b0e14']} />
        <hemisphereLight args={['#cfe4ff', '#2a2f3a', 1.2]} />
        <directionalLight castShadow position={[8, 18, 6]} intensity={2.5}>
          <orthographicCamera attach="shadow-camera" args={[-16, 16, 16, -16, 1, 60]} />
        </directionalLight>
        <mesh receiveShadow rotation-x={-Math.PI / 2}>
          <planeGeometry args={[60, 60]} />
          <meshStandardMaterial color="#1b2130" />
        </mesh>
        <Cubes key={run} />
      </Canvas>
      <button type="button" onClick={() => setRun(run + 1)}>
        Again
      </button>
    </>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
