import type { SimulationStats, Tier } from 'escapement';
import type { BlendPath } from './blend-path.ts';
import type { FrameMeter } from './frame-meter.ts';
import type { Player } from './player.ts';
import type { Stage } from './stage.ts';

/** What {@link PageHook.stats} returns: the simulation's own figures and those of the page. */
export interface PageStats extends SimulationStats {
  readonly tier: Tier;
  readonly tierReason: string;
  /** The newest tick that the picture drawn last knew of; `tick` may be ahead of it. */
  readonly pictureTick: number;
  readonly alpha: number;
  readonly slackMs: number;
  readonly frameTimeP50: number;
  readonly frameTimeP99: number;
  /** How the picture is blended. */
  readonly path: BlendPath;
  /** Whether columns are uploaded from shared memory itself, and not over a copy. */
  readonly uploadsInPlace: boolean | undefined;
}

/**
 * What the page offers to programs that look at it, as `window.__escapement`: tests, and anyone at
 * the console.
 */
export interface PageHook {
  /** Resolves when the first frame with bodies is drawn; rejects when the start fails. */
  readonly ready: Promise<void>;
  /** Animation frames so far. */
  readonly frames: number;
  /** Resolves when every command given so far has taken effect. */
  settled(): Promise<void>;
  /** Figures of this moment; throws before `ready`. */
  stats(): PageStats;
  /** Copies what was drawn last: x, y of the first `count` bodies, one after the other. */
  positions(count: number): number[];
}

declare global {
  interface Window {
    __escapement?: PageHook;
  }
}

/** What the hook reads. */
export interface HookSources {
  readonly ready: Promise<void>;
  readonly meter: FrameMeter;
  readonly player: Player;
}

/** Offers the hook. */
export function installPageHook(sources: HookSources): void {
  const { ready, meter, player } = sources;
  const running = (): Stage => {
    const { stage } = player;
    if (stage === undefined) throw new Error('No scene is running yet; await `ready`.');
    return stage;
  };
  window.__escapement = {
    ready,
    get frames() {
      return meter.count;
    },
    settled: () => player.settled,
    stats() {
      const stage = running();
      const { capabilities, last, subject } = stage;
      return {
        ...stage.stats(),
        tier: capabilities.tier,
        tierReason: capabilities.reason,
        pictureTick: last.tick,
        alpha: last.alpha,
        slackMs: last.slackNs / 1e6,
        frameTimeP50: meter.p50Ms,
        frameTimeP99: meter.p99Ms,
        path: stage.path,
        uploadsInPlace: subject.uploadsInPlace,
      };
    },
    positions(count) {
      return running().subject.positions(count);
    },
  };
}
