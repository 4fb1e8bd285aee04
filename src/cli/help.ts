/** What `escapement --help` prints. */
export const HELP = `escapement COMMAND [options]

  run SIM      run a simulation, and let scripts control it
  capture SIM  take a film of one: a video, an animation, or a folder of pictures
  help         print this
  --version    print the version

escapement COMMAND --help says more about one.

A module may be TypeScript where tsx is installed, or on a Node that strips types.

Example:
  escapement run build/flock.sim.js --param population=5000 --control 0
`;

/** What `escapement run --help` prints. */
export const RUN_HELP = `escapement run SIM [options]

Runs the module SIM, which calls runSimulation(definition), in a worker thread until it ends, is
stopped (Ctrl-C), or reaches --ticks.

What runs:
  --param NAME=VALUE     a parameter, of the type the simulation declares; once for each
  --seed N               seed of the generator (0)
  --rate HZ              ticks a second in place of the declared ones, 0.1 to 1000
  --driven-by WHO        clock: wall time advances it (default)
                         host: only the control server does, or --ticks without --control, which
                         runs its ticks as fast as they go

How time passes:
  --speed X              world seconds a wall second, 0 to 1000 (1)
  --mode MODE            live (default), lockstep, paused, stepping, replay
  --paused               short for --mode paused
  --ticks N              stop as soon as tick N is reached

Remote control, see docs/control-protocol.md:
  --control PORT         serve the control protocol over a WebSocket; 0 takes a free port
  --host ADDR            address to listen on (127.0.0.1); any that is not loopback needs a token
  --token T              16 to 256 characters out of A-Z a-z 0-9 . _ ~ -; better given as
                         ESCAPEMENT_TOKEN, which no list of processes shows (a random one, printed)
  --allow-stop           let clients stop the simulation

What is printed:
  --log-level LEVEL      trace, debug, info, warn (default), error, fatal, off; to standard error
  --json                 one JSON object a line on standard output: a status each second
  --start-timeout S      seconds the module may take to call runSimulation (10)

Exit codes: 0 stopped or ticks reached, 1 the start or the simulation failed, 2 wrong usage.

Example:
  escapement run build/flock.sim.js --param population=5000 --speed 2 --control 7070
`;

/** What `escapement capture --help` prints. */
export const CAPTURE_HELP = `escapement capture SIM --out FILE [options]

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
  --fps R                frames a second, exactly: 60, 24000/1001 (60; 50 for .gif, its most)
  --seconds S            length of the film (5); or
  --frames N             how many frames
  --first N              the number of the first frame, to take a part of a film (0)
  --from TICK            the tick that frame 0 shows (0)
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
