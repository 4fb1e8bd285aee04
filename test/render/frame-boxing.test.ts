import { setFlagsFromString } from 'node:v8';
import { describeFrames } from './frame-allocation.ts';

/*
 * What is inlined into what differs from run to run. A double that is handed to a function or
 * returned by one is boxed where it is not: here always, so that none can hide.
 */
setFlagsFromString('--no-turbo-inlining');

describeFrames('in code that is never inlined');
