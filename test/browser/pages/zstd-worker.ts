/** Answers with an envelope that it has made. */
import { packUpdate } from './zstd-pack.ts';

postMessage(await packUpdate());
