// Which runs a crash campaign makes: every named point, so many times, half of them with the dead process never started again. Pure.
import { FAILPOINT_NAMES, type FailpointName } from '#router/config/failpoint.ts';
import type { CrashPoint } from './point.ts';

export type Outcome = 'old' | 'new';

export type CrashRun = CrashPoint & {
  readonly number: number;
  readonly point: FailpointName;
  /** What is asked for: a commit that is confirmed, one that is cancelled, or one whose deadline passes. */
  readonly story: 'confirm' | 'cancel' | 'deadline';
  /** The helper comes back after its death. */
  readonly restarted: boolean;
  /** A persistent commit survives its session and is undone by its deadline only. */
  readonly persist: boolean;
  readonly expected: Outcome;
};

const AFTER_DECISION = /^(confirmed\.(renamed|durable)|startup\.|settled\.|settle\.|confirm\.answered)/;
const UNDOING = /^(rollback\.|live\.undone|undoing\.|rolled-back\.)/;
const HALF_APPLIED = /^(apply\.(started|first-line|second-line)|rollback\.(started|first-line))$/;

/** `points` may be fewer than there are, spread evenly. */
export function planRuns(repeats: number, points: readonly FailpointName[] = FAILPOINT_NAMES): readonly CrashRun[] {
  return points
    .flatMap((point, place) => Array.from({ length: repeats }, (_, repeat) => runOf(point, place, repeat)))
    .map((run, number) => ({ ...run, number }));
}

export function spread(count: number): readonly FailpointName[] {
  const step = FAILPOINT_NAMES.length / Math.min(count, FAILPOINT_NAMES.length);
  return Array.from(
    { length: Math.min(count, FAILPOINT_NAMES.length) },
    (_, index) => FAILPOINT_NAMES[Math.floor(index * step)]!,
  );
}

function runOf(point: FailpointName, place: number, repeat: number): Omit<CrashRun, 'number'> {
  const undoing = UNDOING.test(point);
  const half = Math.floor(repeat / 2);
  const story = undoing ? (half % 2 === 0 ? 'cancel' : 'deadline') : 'confirm';
  return {
    point,
    story,
    program: story === 'deadline' ? 'rollback' : 'helper',
    applying: HALF_APPLIED.test(point) && half % 3 !== 2,
    restarted: repeat % 2 === 0,
    persist: (half + place) % 2 === 1,
    expected: story === 'confirm' && AFTER_DECISION.test(point) ? 'new' : 'old',
  };
}
