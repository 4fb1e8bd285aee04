import { expose } from 'comlink';
import { EscapementError } from '../shared/error.ts';
import type { FollowerClaim } from '../shared/follower-block.ts';
import { createInstant } from '../shared/instant.ts';
import type { Ended, SimulationService, StartConfig } from '../shared/protocol.ts';
import type { Keyframe } from '../shared/replay/replay.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { REGION_STATE } from '../shared/words.ts';
import type { SimulationDefinition } from './definition.ts';
import { eventLoopTurn } from './event-loop-turn.ts';
import { describeHello } from './hello.ts';
import { MessageGate } from './message-gate.ts';
import { MirrorSender } from './mirror-sender.ts';
import { paceBlocking, paceEventLoop } from './pacing.ts';
import type { ReplayDesk } from './replay-desk.ts';
import { buildRun, type Run } from './run.ts';
import type { Simulation } from './simulation.ts';
import { serviceEndpoint, wireError } from './service-endpoint.ts';
import { warmUp } from './warm-up.ts';
import { findWorkerScope, type WorkerScope } from './worker-scope.ts';

/**
 * Offers a simulation to the thread that made this worker. Installs the message listener at once
 * and nothing else: importing the module starts nothing. Call it before any top-level await. On a
 * thread that is no worker it does nothing, so that the same module can be given to `inline`.
 * Throws WORKER_UNSUITABLE in a shared worker.
 */
export function runSimulation<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
): void {
  const scope = findWorkerScope();
  if (scope === undefined) return;
  const session = new WorkerSession(definition, scope);
  scope.listen((data) => session.receive(data));
  expose(
    session.service,
    serviceEndpoint(scope, () => session.messageHandled()),
  );
  scope.post(describeHello(definition));
}

/** The runs of one worker, one after the other. */
class WorkerSession<T extends SimulationTypes> {
  readonly service: SimulationService;
  readonly #definition: SimulationDefinition<T>;
  readonly #scope: WorkerScope;
  readonly #clock = createSystemClock(globalThis as ClockScope);
  readonly #gate: MessageGate = new MessageGate();
  #run: Run | undefined;
  #mirror: MirrorSender | undefined;
  #pacing: Promise<void> = Promise.resolve();

  constructor(definition: SimulationDefinition<T>, scope: WorkerScope) {
    this.#definition = definition;
    this.#scope = scope;
    this.service = {
      start: (config) => wireError(() => this.#start(config)),
      query: (name, args) => wireError(async () => this.#running().query(name, args)),
      profile: (enabled, budgets) =>
        wireError(async () => this.#running().profile(enabled, budgets)),
      stateHash: () => wireError(async () => this.#running().readState()),
      record: (periods) =>
        wireError(() => {
          const answer = this.#desk().record(periods);
          // What a recording ends with arrives before the answer.
          this.#mirror?.flush();
          return answer;
        }),
      save: () => wireError(() => this.#desk().save()),
      replayStatus: () => wireError(() => this.#desk().status()),
      leaveReplay: () =>
        wireError(() => {
          this.#desk().leave();
          return this.#desk().status();
        }),
      readClock: async () => {
        const { seconds, nanos } = this.#clock.read(createInstant());
        return [seconds, nanos];
      },
    };
  }

  /** Handles what is not Comlink's. */
  receive(data: unknown): void {
    const kind = (data as { kind?: unknown } | null)?.kind;
    if (kind === 'escapement/hello?') this.#scope.post(describeHello(this.#definition));
    else if (kind === 'escapement/mirror') this.#mirror?.receive(data);
    else return;
    this.messageHandled();
  }

  /** Counts a handled message against those posted. */
  messageHandled(): void {
    this.#gate.handled();
  }

  async #start(config: StartConfig): Promise<FollowerClaim | undefined> {
    this.#run?.driver.end(REGION_STATE.replaced);
    await this.#pacing;
    if (this.#run === undefined) warmUp();
    const run = await buildRun(this.#definition, config, this.#clock, undefined, (message) =>
      this.#scope.post(message, buffersOf(message.keyframe)),
    );
    this.#run = run;
    this.#gate.attach(run.region.i32);
    if (config.tier === 'transfer') this.#mirror = new MirrorSender(run, this.#scope);
    this.#pacing = this.#pace(run);
    return run.claim;
  }

  async #pace(run: Run): Promise<void> {
    // A turn of the event loop first: the answer to `start` has to leave before the thread parks.
    await eventLoopTurn();
    const { driver, wake } = run;
    try {
      if (this.#definition.pacing === 'blocking' && run.config.tier === 'shared') {
        await paceBlocking(driver, wake, this.#gate, this.#clock);
      } else {
        await paceEventLoop(driver, wake, this.#clock);
      }
    } catch (cause) {
      driver.fail(cause);
    }
    run.desk.close(driver.failure !== undefined);
    wake.close();
    run.log.close();
    this.#mirror?.flush();
    const ended: Ended = {
      kind: 'escapement/ended',
      run: run.config.run,
      error: driver.failure?.toRecord(),
    };
    this.#scope.post(ended);
  }

  #running(): Simulation {
    return this.#built().simulation;
  }

  #desk(): ReplayDesk {
    return this.#built().desk;
  }

  #built(): Run {
    if (this.#run !== undefined) return this.#run;
    throw new EscapementError('STATE_INVALID', 'The simulation has not started.');
  }
}

/** The buffers of a keyframe that nobody else has: they need not be copied to leave. */
function buffersOf({ world, inputs, foreign }: Keyframe): readonly unknown[] {
  const buffers = [world.buffer, inputs.buffer];
  return foreign === undefined ? buffers : [...buffers, foreign.buffer];
}
