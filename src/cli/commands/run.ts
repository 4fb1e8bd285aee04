import type { Command, ExitCode } from '../command.ts';
import { readRunArguments } from '../run-arguments.ts';
import { runSimulationModule } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';

/** Options of every command that runs a simulation, as its help names them. */
export const RUN_HELP: {
  readonly what: string;
  readonly time: string;
  readonly control: string;
  readonly printed: string;
} = {
  what: `What runs:
  --param NAME=VALUE     a parameter, of the type the simulation declares; once for each
  --seed N               seed of the generator (0)
  --rate HZ              ticks a second in place of the declared ones, 0.1 to 1000
  --driven-by WHO        clock: wall time advances it (default)
                         host: only the control server does, or --ticks without --control, which
                         runs its ticks as fast as they go`,
  time: `How time passes:
  --speed X              world seconds a wall second, 0 to 1000 (1)
  --mode MODE            live (default), lockstep, paused, stepping, replay
  --paused               short for --mode paused
  --ticks N              stop as soon as tick N is reached`,
  control: `Remote control, see docs/control-protocol.md:
  --control PORT         serve the control protocol over a WebSocket; 0 takes a free port
  --host ADDR            address to listen on (127.0.0.1); any that is not loopback needs a token
  --token T              16 to 256 characters out of A-Z a-z 0-9 . _ ~ -; better given as
                         ESCAPEMENT_TOKEN, which no list of processes shows (a random one, printed)
  --allow-stop           let clients stop the simulation`,
  printed: `What is printed:
  --log-level LEVEL      trace, debug, info, warn (default), error, fatal, off; to standard error
  --json                 one JSON object a line on standard output: a status each second
  --status-every S       seconds between two of them (1)
  --start-timeout S      seconds the module may take to call runSimulation (10)`,
};

const HELP = `escapement run SIM [options]

Runs the module SIM, which calls runSimulation(definition), in a worker thread until it ends, is
stopped (Ctrl-C), or reaches --ticks. SIM is JavaScript, or TypeScript where tsx is installed.

${RUN_HELP.what}

${RUN_HELP.time}

${RUN_HELP.control}

${RUN_HELP.printed}

Exit codes: 0 stopped or ticks reached, 1 the start or the simulation failed, 2 wrong usage.

Example:
  escapement run build/flock.sim.js --param population=5000 --speed 2 --control 7070
`;

/** `escapement run`: runs a simulation. */
export const run: Command = {
  name: 'run',
  usage: 'run SIM',
  summary: 'run a simulation, and let scripts control it',
  help: HELP,
  async run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    await runSimulationModule(readRunArguments(argv, terminal.env), terminal);
    return 0;
  },
};
