import type { Rational } from '../../shared/rational.ts';
import { VERSION } from '../../shared/version.ts';
import type { CapturedShot } from './capture-frames.ts';

/** What a film was taken of, and how. */
export interface CaptureDescription {
  /** The simulation's name. */
  readonly simulation: string;
  /** What it was started with. */
  readonly seed?: number;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Seconds of one quantum, frames a second; both exact. */
  readonly quantum: Rational;
  readonly fps: Rational;
  /** The tick that frame 0 shows. */
  readonly fromTick: number;
  /** Pixels of a frame. */
  readonly width: number;
  readonly height: number;
}

/** What a film holds, frame by frame: equal for two runs that show the same. */
export interface CaptureManifest {
  readonly format: 'escapement-capture';
  readonly formatVersion: 1;
  /** The version of the library that took it. */
  readonly library: string;
  readonly simulation: string;
  readonly seed: number | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** Fractions, such as `1/60` s and `24000/1001` frames a second. */
  readonly quantum: string;
  readonly fps: string;
  readonly fromTick: number;
  readonly width: number;
  readonly height: number;
  readonly frames: readonly ManifestFrame[];
}

/** One frame in a manifest. */
export interface ManifestFrame {
  readonly index: number;
  /** When it is shown, in seconds of the film, as a fraction: `1001/24000`. */
  readonly time: string;
  /** It shows the world `tick` + `alpha` quanta after its beginning; `alpha` as a fraction. */
  readonly tick: number;
  readonly alpha: string;
  /** The newest tick that it is blended from, and the hash of the state after it. */
  readonly stateTick: number;
  readonly stateHash: string;
  /** The first 128 bits of SHA-256 of its bytes: red, green, blue, alpha, from the top row. */
  readonly pixelHash: string;
}

/** Returns the manifest of a film. Holds no wall time: two runs give the same. */
export function createManifest(
  { simulation, seed, params, quantum, fps, fromTick, width, height }: CaptureDescription,
  shots: readonly CapturedShot[],
): CaptureManifest {
  return {
    format: 'escapement-capture',
    formatVersion: 1,
    library: VERSION,
    simulation,
    seed: seed ?? null,
    params: params ?? {},
    quantum: fraction(quantum.numerator, quantum.denominator),
    fps: fraction(fps.numerator, fps.denominator),
    fromTick,
    width,
    height,
    frames: shots.map((shot) => ({
      index: shot.index,
      time: reduced(BigInt(shot.index) * BigInt(fps.denominator), BigInt(fps.numerator)),
      tick: shot.tick,
      alpha: fraction(shot.alpha.numerator, shot.alpha.denominator),
      stateTick: shot.stateTick,
      stateHash: shot.stateHash,
      pixelHash: shot.pixelHash,
    })),
  };
}

/** Returns a manifest as JSON, a frame a line. */
export function formatManifest({ frames, ...head }: CaptureManifest): string {
  const lines = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  const rows = frames.map((frame) => `    ${JSON.stringify(frame)}`).join(',\n');
  return `{\n${lines.join('')}  "frames": [\n${rows}\n  ]\n}\n`;
}

function reduced(numerator: bigint, denominator: bigint): string {
  let [large, small] = [numerator, denominator];
  while (small !== 0n) [large, small] = [small, large % small];
  return fraction(numerator / large, denominator / large);
}

function fraction(numerator: number | bigint, denominator: number | bigint): string {
  return String(denominator) === '1' ? String(numerator) : `${numerator}/${denominator}`;
}
