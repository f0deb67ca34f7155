// The diagnosis benchmark's second generator: heterogeneous networks from a seed, each with two to five legal oddities, healthy or with one
// fault by one of several means. `--cases N --seed S --healthy-share 0.5`; `--out FILE`: a line a case, those there are not run again;
// `--only ID,ID`, `--shapes NAME,NAME`, `--faults FAULT,FAULT` (or `FAULT: by`) draw from a part; `--list` prints the cases and runs none; `--write DIR` writes
// their files as well; `--reports DIR` keeps whole answers, and the sealed reports of those that are not healthy or about a faulty network; `--minutes`, `--prefix`, `--watch SECONDS` as the other benchmarks have them.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ParleyError } from '#base/error.ts';
import { drawCase, type OddCase } from '../simulations/generate/odd/draw.ts';
import type { ShapeName } from '../simulations/generate/odd/model.ts';
import { SHAPES } from '../simulations/generate/odd/shapes.ts';
import { writeOdd } from '../simulations/generate/odd/write.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import { nodeOf } from '../simulations/lab/registry.ts';
import { sealedReportOf } from '../simulations/lab/sealed-reports.ts';
import type { Benchmark } from './main.ts';
import { runOdd } from './odd/run.ts';
import { figuresOf, judged, type OddLine } from './odd/score.ts';
import { watchMsOf } from './watch.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  write: { type: 'string' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string', default: '20' },
  'healthy-share': { type: 'string', default: '0.5' },
  shapes: { type: 'string' },
  faults: { type: 'string' },
  only: { type: 'string' },
  out: { type: 'string' },
  reports: { type: 'string' },
  minutes: { type: 'string', default: '60' },
  prefix: { type: 'string', default: 'bo-' },
  watch: { type: 'string', default: '15' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** From nothing to down again; a busy machine takes longer. */
const CASE_MS = 600_000;

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  const planned = plannedOf(flags);
  if (flags.write !== undefined) for (const { draft } of planned) await writeOdd(draft, flags.write);
  if (flags.list) return { seed: Number(flags.seed), listed: planned.map(described) };
  const program = currentProgram();
  const known = knownLines(flags.out, planned, program);
  const todo = planned.filter(({ id }) => !known.has(id));
  say(`${planned.length} cases, ${planned.length - todo.length} known already`);
  const fresh = todo.length === 0 ? [] : await runAll(todo, { ...flags, program }, say);
  const lines = planned.flatMap(({ id }) => known.get(id) ?? fresh.find((line) => line.case === id) ?? []);
  return { seed: Number(flags.seed), planned: planned.length, watchSeconds: Number(flags.watch), ...figuresOf(lines) };
};

function plannedOf(flags: Flags): readonly OddCase[] {
  const share = Number(flags['healthy-share']);
  if (!(share >= 0 && share <= 1)) throw new ParleyError('caller/usage', 'expected --healthy-share 0 to 1');
  watchMsOf(flags.watch);
  const shapes = flags.shapes?.split(',').map(shapeNamed);
  const faults = flags.faults?.split(',');
  const cases = Array.from({ length: Number(flags.cases) }, (_, index) =>
    drawCase({
      ...{ seed: Number(flags.seed), index, isHealthy: Math.floor((index + 1) * share) > Math.floor(index * share) },
      ...(shapes === undefined ? {} : { shapes }),
      ...(faults === undefined ? {} : { faults }),
    }),
  );
  return cases.filter(({ id }) => flags.only?.split(',').includes(id) ?? true);
}

function shapeNamed(text: string): ShapeName {
  const shape = SHAPES.find(({ name }) => name === text);
  if (shape === undefined)
    throw new ParleyError(
      'caller/usage',
      `expected shapes of ${SHAPES.map(({ name }) => name).join(', ')}, got ${text}`,
    );
  return shape.name;
}

function described({ id, draft, questions, flows, fault }: OddCase) {
  return {
    ...{ case: id, shape: draft.shape, family: draft.family, oddities: draft.oddities },
    ...{ routers: draft.routers.length, hosts: draft.hosts.length, flows: flows.length },
    questions: questions.map(({ node, q }) => `${node}: ${q}`),
    ...(fault === undefined ? {} : { fault: `${fault.name}: ${fault.by}`, truth: fault.truth }),
  };
}

async function runAll(todo: readonly OddCase[], flags: ProgramFlags, say: (line: string) => void): Promise<OddLine[]> {
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(REPOSITORY, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  const folder = mkdtempSync(join(tmpdir(), 'parley-odd-'));
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const ended = AbortSignal.any([AbortSignal.timeout(Number(flags.minutes) * 60_000), interrupted.signal]);
  const lines: OddLine[] = [];
  try {
    for (const entry of todo) {
      say(
        `${entry.id}: ${entry.draft.shape} ${entry.draft.family}, ${entry.draft.oddities.join(', ')}; ${entry.fault ? `${entry.fault.name}: ${entry.fault.by}` : 'healthy'}`,
      );
      const line = await runCase(entry, { ...flags, folder }, say, ended);
      lines.push(line);
      if (flags.out) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
      say(`${summaryOf(line)} (${lines.length}/${todo.length})`);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
    say(`${interrupted.signal.aborted ? 'interrupted' : 'out of time'} after ${lines.length} of ${todo.length} cases`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines;
}

type ProgramFlags = Flags & { readonly program: string };
type CaseFlags = ProgramFlags & { readonly folder: string };

async function runCase(
  entry: OddCase,
  flags: CaseFlags,
  say: (line: string) => void,
  ended: AbortSignal,
): Promise<OddLine> {
  const started = performance.now();
  ended.throwIfAborted();
  const run = await runOdd(entry, {
    ...{ folder: flags.folder, prefix: flags.prefix, watchMs: watchMsOf(flags.watch) },
    say: (line) => say(`  ${line}`),
    ended,
    signal: AbortSignal.any([ended, AbortSignal.timeout(CASE_MS)]),
    keep: async (answer, index, lab) => {
      if (flags.reports === undefined) return;
      mkdirSync(flags.reports, { recursive: true });
      const file = (kind: string) => join(flags.reports!, `${entry.id}-${index}.${kind}`);
      writeFileSync(file('json'), JSON.stringify(answer.printed ?? answer));
      const isAsMeant = answer.verdict === 'healthy' && entry.fault === undefined;
      const uri = answer.printed?.['uri'];
      if (!isAsMeant && typeof uri === 'string')
        writeFileSync(file('sealed.json'), await sealedReportOf(nodeOf(lab, answer.node), uri));
    },
  });
  const { draft, fault } = entry;
  return {
    ...{
      case: entry.id,
      program: flags.program,
      shape: draft.shape,
      family: draft.family,
      routers: draft.routers.length,
    },
    oddities: draft.oddities,
    ...(fault === undefined ? {} : { fault: fault.name, by: fault.by, truth: fault.truth }),
    ...run,
    seconds: Math.round((performance.now() - started) / 1_000),
  };
}

function summaryOf(line: OddLine): string {
  if (line.invalid !== undefined) return `${line.case}: INVALID ${line.invalid}`;
  const answers = line.answers.map((answer) => {
    const found = answer.findings.map(({ fault, resource }) => `${fault}@${resource}`).join(' ');
    return `${answer.node}: ${answer.q} → ${judged(answer, line.truth)} (${answer.verdict} ${found}) ${answer.seconds} s`;
  });
  return `${line.case}: ${[`${line.harm.length} flows harmed`, ...answers].join('; ')}; ${line.seconds} s`;
}

function currentProgram(): string {
  return execFileSync('git', ['-C', REPOSITORY, 'describe', '--always', '--dirty=+'], { encoding: 'utf8' }).trim();
}

/** Lines of the same cases, run with the same program: other flags draw other cases under the same ids. */
function knownLines(
  file: string | undefined,
  planned: readonly OddCase[],
  program: string,
): ReadonlyMap<string, OddLine> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const drawn = new Map(planned.map((entry) => [entry.id, entry]));
  return new Map(
    lines
      .map((text) => JSON.parse(text) as OddLine)
      .filter((line) => line.program === program && isOf(line, drawn.get(line.case)))
      .map((line) => [line.case, line]),
  );
}

function isOf({ shape, oddities, fault, by }: OddLine, entry: OddCase | undefined): boolean {
  const drawn = entry && [entry.draft.shape, entry.draft.oddities, entry.fault?.name, entry.fault?.by];
  return JSON.stringify(drawn) === JSON.stringify([shape, oddities, fault, by]);
}
