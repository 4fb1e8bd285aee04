import { runSimulation } from 'escapement/sim';
import { defineDrifting } from './drifting.ts';

export const plain = defineDrifting(0);
export const bumped = defineDrifting(300);

runSimulation(plain);
