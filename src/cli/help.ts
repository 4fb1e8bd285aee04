/** What `escapement --help` prints. */
export const HELP = `escapement COMMAND [options]

  run SIM      run a simulation, and let scripts control it
  help         print this
  --version    print the version

escapement COMMAND --help says more about one.

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
