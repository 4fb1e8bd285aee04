import { runSimulation } from 'escapement/sim';
import { defineDrifting } from './drifting.ts';

const bumped = defineDrifting(300);
export default bumped;

runSimulation(bumped);
