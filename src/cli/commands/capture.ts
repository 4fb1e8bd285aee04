import { readCaptureArguments } from '../capture-arguments.ts';
import { captureFilm } from '../capture-command.ts';
import type { Command, ExitCode } from '../command.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `escapement capture SIM --out FILE [options]

Takes a film of the module SIM, which calls runSimulation(definition), frame by frame: each shows
exactly its time, however long it takes. Two runs give the same film. See docs/capture.md.

What is written:
  -o, --out FILE         the film, by its ending: .mp4 and .webm (ffmpeg encodes them), .webp, .gif,
                         or a folder of PNGs, which ends in /
  --manifest FILE        what each frame holds, with hashes (the film's name and .json, or
                         manifest.json in the folder)
  --quality N            1 to 100, where 100 of .webp is lossless (90)
  --ffmpeg PATH          the ffmpeg to use (the one on the PATH)
  --force                replace a folder of frames

What is filmed:
  --replay FILE          a recorded run: its parameters, seed, rate and inputs
  --fps R                frames a second, exactly: 60, 24000/1001 (60; 50 for .gif, its most)
  --seconds S            length of the film (5; all of a recording); or
  --frames N             how many frames
  --first N              the number of the first frame, to take a part of a film (0)
  --from TICK            the tick that frame 0 shows (0, or the first one of the recording)
  --draw MODULE          what draws: exports picture: { width, height, draw(context, frame, stage) }
                         (flock.picture.ts beside flock.sim.ts)
  --width N, --height N  pixels, in place of the picture's own

What runs:
  --param NAME=VALUE     a parameter, of the type the simulation declares; once for each
  --seed N               seed of the generator (0)
  --rate HZ              ticks a second in place of the declared ones, 0.1 to 1000
  --jobs N               take the film on N threads; the frames are the same (1)
  --start-timeout S      seconds the module may take to call runSimulation (10)

What is printed:
  --log-level LEVEL      trace, debug, info, warn (default), error, fatal, off; to standard error
  --json                 one JSON object a line on standard output: progress, and the end

Drawing on Node needs the package @napi-rs/canvas.

Exit codes: 0 the film is written, 1 it is not, 2 wrong usage.

Example:
  escapement capture flock.sim.ts --fps 24000/1001 --seconds 8 --out flock.mp4 --jobs 4
`;

/** `escapement capture`: takes a film of a simulation. */
export const capture: Command = {
  name: 'capture',
  usage: 'capture SIM',
  summary: 'take a film of one: a video, an animation, or a folder of pictures',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    await captureFilm(readCaptureArguments(argv), terminal);
    return 0;
  },
};
