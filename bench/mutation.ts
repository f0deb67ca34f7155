// Mutation testing by sample: changes drawn from a seed over folders of src, each run against the tests that execute it; the share that
// the tests notice is printed. --group NAME or --folders a,b (beginnings of paths below src); --count; --only ID,ID: these mutants alone;
// --jobs: runs at a time; --tests: covering test files a mutant near its file, and as many others; --far: also tests that only come
// to its folder through another; --minutes: none is begun later; --out FILE: a line a mutant, those there are not run again.
// docs/decisions/0042-tests-that-notice.md says why it is made so.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark } from './main.ts';
import { FAR_MS } from './mutation/choose-tests.ts';
import type { Judged } from './mutation/judge.ts';
import { type MeasureInit, measure } from './mutation/measure.ts';
import { OPERATORS } from './mutation/operators.ts';

/** Beginnings of paths below src. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  protocol: ['evidence/', 'sign/', 'mtls/', 'consent/', 'report/', 'mcp/protocol/negotiation', 'mcp/catalog/'],
  diagnosis: ['correlate/'],
};

const OPTIONS = {
  json: { type: 'boolean' },
  group: { type: 'string', default: 'protocol' },
  folders: { type: 'string' },
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '150' },
  only: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  tests: { type: 'string', default: '12' },
  far: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '60' },
  out: { type: 'string' },
} as const;

const ROOT = join(import.meta.dirname, '..');

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  const only = flags.only?.split(',');
  const prefixes = only?.map((id) => id.split(':')[0]!) ?? prefixesOf(flags.folders, flags.group);
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const init: MeasureInit = {
    root: ROOT,
    prefixes,
    seed: wholeNumber('seed', flags.seed),
    count: wholeNumber('count', flags.count),
    ids: only,
    jobs: wholeNumber('jobs', flags.jobs),
    testsEach: wholeNumber('tests', flags.tests),
    far: flags.far,
    signal: AbortSignal.any([interrupted.signal, AbortSignal.timeout(wholeNumber('minutes', flags.minutes) * 60_000)]),
    known: only === undefined ? knownIn(flags.out) : new Map(),
    say,
    keep: (judged) => flags.out && appendFileSync(flags.out, `${JSON.stringify(judged)}\n`),
  };
  const { judged, ...measured } = await measure(init);
  return {
    ...(only === undefined ? { seed: init.seed, prefixes } : {}),
    ...measured,
    bounds: { testsNearTheFile: init.testsEach, otherTests: init.testsEach, otherTestMs: FAR_MS, far: init.far },
    ...figures(judged),
  };
};

/** Shares, and every survivor with the command that runs it again. */
export function figures(judged: readonly Judged[]) {
  const count = (fate: Judged['fate']) => judged.filter((each) => each.fate === fate).length;
  const noticed = count('killed') + count('timed-out');
  const folders = Map.groupBy(judged, ({ id }) => id.split('/').slice(0, 2).join('/'));
  return {
    run: judged.length,
    killed: count('killed'),
    timedOut: count('timed-out'),
    survived: count('survived'),
    uncovered: count('uncovered'),
    share: share(noticed, judged.length),
    shareByFolder: Object.fromEntries([...folders].map(([folder, some]) => [folder, shareOf(some)])),
    shareByOperator: Object.fromEntries(
      OPERATORS.flatMap((operator) => {
        const some = judged.filter((each) => each.operator === operator);
        return some.length === 0 ? [] : [[operator, shareOf(some)]];
      }),
    ),
    unsteady: [...new Set(judged.flatMap(({ unsteady }) => unsteady ?? []))],
    survivors: judged
      .filter(({ fate }) => fate === 'survived' || fate === 'uncovered')
      .map(({ id, fate, was, now, tests, leftOut }) => ({ id, fate, was, now, tests, leftOut })),
    again: "npm run bench -- mutation --only 'ID'",
  };
}

function shareOf(judged: readonly Judged[]): string {
  const noticed = judged.filter(({ fate }) => fate === 'killed' || fate === 'timed-out').length;
  return `${noticed}/${judged.length}`;
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : Math.round((part / whole) * 1_000) / 1_000;
}

function prefixesOf(folders: string | undefined, group: string): readonly string[] {
  const chosen = folders?.split(',') ?? GROUPS[group];
  if (chosen === undefined) throw new RangeError(`expected a group of ${Object.keys(GROUPS).join(', ')}, got ${group}`);
  return chosen.map((prefix) => `src/${prefix}`);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`expected --${name} as a whole number, got ${text}`);
  return value;
}

function knownIn(file: string | undefined): ReadonlyMap<string, Judged> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Judged).map((judged) => [judged.id, judged]));
}
