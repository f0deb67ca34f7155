// The diagnosis benchmark: cases from a seed (or scenario files of a folder) on real routers, one lab per topology; NIKA's and NetOpsBench's
// scoring, confusion matrix, cost per case. Options: docs/labs.md, and: --silent, --lying: one agent in every case; --ask-only: no fault;
// --only ID,ID and --kinds over,healthy: those alone; --watch SECONDS: how long agents watch before each fault; --reports DIR keeps reports;
// --out FILE: a line a case, those there are not run again;
// --report FILE...: prints the Markdown of such files and runs nothing, with the reasons of wrong cases from --why FILE (JSON: case → `why`, `sure`).
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { askNode } from '../simulations/lab/ask.ts';
import { runCampaign } from '../simulations/lab/campaign.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import type { NodeRecord } from '../simulations/lab/registry.ts';
import { sealedReportOf } from '../simulations/lab/sealed-reports.ts';
import { aggregate, isRight } from './diagnosis/aggregate.ts';
import { CASE_KINDS, type CaseKind } from './diagnosis/cases.ts';
import { type Asked, type CaseLine, caseLine } from './diagnosis/line.ts';
import { fromFiles, fromSeed, type Planned, questionsOnly } from './diagnosis/planned.ts';
import { reportOf, type Whys } from './diagnosis/report.ts';
import { agentBytes, grownBy } from './diagnosis/wire-bytes.ts';
import type { Benchmark } from './main.ts';
import { watchMsOf } from './watch.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  report: { type: 'boolean' },
  why: { type: 'string' },
  scenarios: { type: 'string' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string', default: '20' },
  size: { type: 'string', default: 'leaf-spine-xs,abilene' },
  faults: { type: 'string' },
  kinds: { type: 'string' },
  asking: { type: 'string', default: 'mixed' },
  silent: { type: 'boolean' },
  lying: { type: 'boolean' },
  'ask-only': { type: 'boolean' },
  only: { type: 'string' },
  out: { type: 'string' },
  reports: { type: 'string' },
  minutes: { type: 'string', default: '60' },
  prefix: { type: 'string', default: 'bd' },
  watch: { type: 'string', default: '12' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

export const bench: Benchmark = async (args, say) => {
  const { values: flags, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (flags.report) {
    const whys = flags.why === undefined ? {} : (JSON.parse(readFileSync(flags.why, 'utf8')) as Whys);
    process.stdout.write(
      reportOf(
        positionals.flatMap((file) => [...knownLines(file).values()]),
        whys,
      ),
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'diagnosis-'));
  try {
    const every = await plannedOf(flags, folder);
    const planned = every.filter(({ entry }) => flags.only === undefined || flags.only.split(',').includes(entry.id));
    const how = {
      seed: Number(flags.seed),
      asking: flags.asking,
      watchSeconds: watchMsOf(flags.watch) / 1_000,
      sizes: [...new Set(planned.map(({ entry }) => entry.size))],
    };
    if (flags.list) return { ...how, listed: planned.map(({ entry }) => entry) };
    const known = knownLines(flags.out);
    const todo = planned.filter(({ entry }) => !known.has(entry.id));
    say(`${planned.length} cases, ${planned.length - todo.length} known already`);
    const fresh = todo.length === 0 ? [] : await run(todo, flags, say);
    const lines = planned.flatMap(
      ({ entry }) => known.get(entry.id) ?? fresh.find((line) => line.scenario === entry.id) ?? [],
    );
    return {
      ...how,
      planned: planned.length,
      ...aggregate(lines),
      wrong: wrongOf(lines),
      invalidCases: invalidOf(lines),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function plannedOf(flags: Flags, folder: string): Promise<Planned[]> {
  if (flags.scenarios) return fromFiles(flags.scenarios);
  const init = { seed: Number(flags.seed), count: Number(flags.cases), sizes: flags.size.split(',') };
  if (flags['ask-only']) return questionsOnly(init, folder);
  const asking = flags.asking === 'loss' || flags.asking === 'general' ? flags.asking : 'mixed';
  const agents = flags.silent ? ('silent' as const) : flags.lying ? ('lying' as const) : undefined;
  return fromSeed(
    {
      ...init,
      asking,
      ...(agents === undefined ? {} : { agents }),
      ...(flags.kinds ? { kinds: kindsOf(flags.kinds) } : {}),
      ...(flags.faults ? { faults: flags.faults.split(',') } : {}),
    },
    folder,
  );
}

/** `over,healthy`: those kinds of case alone, in turn. */
function kindsOf(text: string): readonly CaseKind[] {
  return text.split(',').map((word) => {
    const kind = CASE_KINDS.find((each) => each === word);
    if (kind === undefined) throw new RangeError(`expected kinds of ${CASE_KINDS.join(', ')}, got ${word}`);
    return kind;
  });
}

async function run(todo: readonly Planned[], flags: Flags, say: (line: string) => void): Promise<CaseLine[]> {
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(REPOSITORY, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  const program = commitOf();
  const lines: CaseLine[] = [];
  let asked: Asked = {};
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const ended = AbortSignal.any([AbortSignal.timeout(Number(flags.minutes) * 60_000), interrupted.signal]);
  const campaign = runCampaign(
    todo.map(({ scenario }) => scenario),
    {
      prefix: flags.prefix,
      name: `bench-${flags.prefix}`,
      seed: Number(flags.seed),
      watchMs: watchMsOf(flags.watch),
      dist: true,
      say: (line) => say(`  ${line}`),
      signal: ended,
      ask: async (node, ...rest) => {
        asked = {};
        const before = await agentBytes(node.namespace);
        const answer = await askNode(node, ...rest);
        if (flags.reports) await keepReport(node, answer.report, flags.reports);
        asked = { answer, wireBytes: grownBy(before, await agentBytes(node.namespace)) };
        return answer;
      },
      print: (line) => {
        const { entry } = todo.find((planned) => planned.entry.id === line.scenario)!;
        const full = caseLine(entry, line, asked, { seed: Number(flags.seed), program });
        asked = {};
        lines.push(full);
        if (flags.out) appendFileSync(flags.out, `${JSON.stringify(full)}\n`);
        say(`${summaryOf(full)} (${lines.length}/${todo.length})`);
      },
    },
  );
  await campaign.catch((error: unknown) => {
    if (!ended.aborted) throw error;
    say(`${interrupted.signal.aborted ? 'interrupted' : 'out of time'} after ${lines.length} of ${todo.length} cases`);
  });
  return lines;
}

/** The sealed report of a case, for a look at why its answer was wrong. */
async function keepReport(node: NodeRecord, uri: string | undefined, folder: string): Promise<void> {
  if (uri === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${uri.split('/').at(-1)}.json`), await sealedReportOf(node, uri));
}

/** What runs: the commit, with `+` where files of it were changed. */
function commitOf(): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', REPOSITORY, ...args], { encoding: 'utf8' }).trim();
  return git('describe', '--always', '--dirty=+');
}

function knownLines(file: string | undefined): Map<string, CaseLine> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as CaseLine).map((line) => [line.scenario, line]));
}

function summaryOf(line: CaseLine): string {
  const pairs = (list: CaseLine['truth']) => list.map((pair) => `${pair.fault}@${pair.resource}`).join(' ') || '-';
  const state = line.invalid !== undefined ? `INVALID ${line.invalid}` : isRight(line) ? 'right' : 'wrong';
  return `${line.scenario} [${line.kind}: ${line.what.join(' + ')}] "${line.intent}" ${line.verdict} ${pairs(line.predicted)} / ${pairs(line.truth)} ${line.seconds} s: ${state}${line.failed ? ` (${line.failed.slice(0, 120)})` : ''}`;
}

function wrongOf(lines: readonly CaseLine[]) {
  return lines
    .filter((line) => line.invalid === undefined && !isRight(line))
    .map(({ scenario, what, intent, verdict, reasons, predicted, truth, failed }) => ({
      scenario,
      what,
      intent,
      verdict,
      reasons,
      predicted,
      truth,
      ...(failed ? { failed: failed.slice(0, 200) } : {}),
    }));
}

function invalidOf(lines: readonly CaseLine[]) {
  return lines
    .filter((line) => line.invalid !== undefined)
    .map(({ scenario, what, invalid }) => ({ scenario, what, invalid }));
}
