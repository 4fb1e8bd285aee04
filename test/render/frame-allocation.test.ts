import { describeFrames } from './frame-allocation.ts';

// In a file of its own: code that has seen many kinds of arrays boxes what it reads from them.
describeFrames('in code that the engine inlines as it likes');
