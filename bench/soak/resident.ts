// What the processes of a lab's nodes hold: resident memory, descriptors, threads. And what that says over time: how much memory grows, by
// regression over all samples of a part.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { NodeRecord } from '../../simulations/lab/registry.ts';
import { median } from '../statistics.ts';

/** By what stands on the command line. `parley-rollback` lives as long as one change and is not among them. */
const PROGRAMS = {
  agent: /src\/main\.ts\0agent\0|dist\/main\.js\0agent\0/,
  helper: /privileged-helper\.(?:ts|js)\0/,
  'configuration helper': /config-helper\.(?:ts|js)\0/,
} as const;

export type Held = {
  readonly process: string;
  readonly pid: number;
  readonly bytes: number;
  readonly descriptors: number;
  readonly threads: number;
};

/** Processes of Parley in one node. */
export function heldIn(node: NodeRecord): readonly Held[] {
  const pids = execFileSync('ip', ['netns', 'pids', node.namespace], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const program = Object.entries(PROGRAMS).find(([, pattern]) => pattern.test(line))?.[0];
      return program === undefined || !line.includes('node') ? [] : [held(`${node.name} ${program}`, Number(pid))];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function held(name: string, pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  return { process: name, pid, bytes: number('VmRSS') * 1_024, descriptors, threads: number('Threads') };
}

export type Sample = Held & { readonly atMs: number };

export type Growth = {
  readonly process: string;
  readonly samples: number;
  readonly residentMb: number;
  /** Slope by least squares. */
  readonly mbAMinute: number;
  /** The slope over the whole part. */
  readonly grownMb: number;
  /** At rest in the first third and at the end, as calls under way hold some for a moment; and the most at any time. */
  readonly descriptors: { readonly first: number; readonly last: number; readonly most: number };
  readonly threads: { readonly first: number; readonly last: number; readonly most: number };
  /** The process was another one at the end: it ended and was started again. */
  readonly restarted: boolean;
};

/** Of each process over these samples, in the order of their names. */
export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const byProcess = Map.groupBy(samples, (sample) => sample.process);
  return [...byProcess].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, own]) => growth(name, own));
}

function growth(process: string, own: readonly Sample[]): Growth {
  const perMinute = slope(own.map(({ atMs, bytes }) => [atMs / 60_000, bytes / 1e6]));
  const minutes = ((own.at(-1)?.atMs ?? 0) - (own[0]?.atMs ?? 0)) / 60_000;
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  const of = (values: readonly number[]) => ({ first: values[0]!, last: values.at(-1)!, most: Math.max(...values) });
  return {
    process,
    samples: own.length,
    residentMb: round((own.at(-1)?.bytes ?? 0) / 1e6),
    mbAMinute: round(perMinute),
    grownMb: round(perMinute * minutes),
    descriptors: atRest(own.map(({ descriptors }) => descriptors)),
    threads: of(own.map(({ threads }) => threads)),
    restarted: new Set(own.map(({ pid }) => pid)).size > 1,
  };
}

/** Among so many samples in a row, a minute of a soak, one is at rest. */
const RUN_SAMPLES = 6;
/** Runs at the end: the renewal of a certificate fills one of them, a leak fills two. */
const LAST_RUNS = 3;

/** The fewest of each run of samples; of these the median, in the first third and in the last few: the fewest of all would hide what leaks late. */
function atRest(values: readonly number[]): Growth['descriptors'] {
  const third = (count: number, most = count) => Math.max(1, Math.min(most, Math.floor(count / 3)));
  const length = third(values.length, RUN_SAMPLES);
  const fewest: number[] = [];
  // From the end, so that the last run is a whole one.
  for (let to = values.length; to > 0; to -= length)
    fewest.unshift(Math.min(...values.slice(Math.max(0, to - length), to)));
  return {
    first: median(fewest.slice(0, third(fewest.length))),
    last: median(fewest.slice(-third(fewest.length, LAST_RUNS))),
    most: Math.max(...values),
  };
}

/** Of the straight line through the points that leaves the least squares; 0 of fewer than two. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (points.length < 2 || spread === 0) return 0;
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
