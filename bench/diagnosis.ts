// The diagnosis benchmark: cases from a seed (or scenario files of a folder) on real routers, one lab per topology; NIKA's and NetOpsBench's
// scoring, confusion matrix, cost per case. Options: --scenarios DIR, --seed N, --cases N, --size A,B, --faults A,B, --asking mixed|general|loss,
// --silent (one agent hangs in every case), --only ID,ID (with the other options unchanged: these cases again), --out FILE (one line per
// case; what is there already is not run again), --minutes N, --prefix P, --list, --json.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeNetwork } from '../simulations/generate/files.ts';
import { networkOf } from '../simulations/generate/sizes.ts';
import { type Answer, askNode } from '../simulations/lab/ask.ts';
import { loadScenarios, runCampaign } from '../simulations/lab/campaign.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import type { Scenario } from '../simulations/lab/scenario.ts';
import { aggregate } from './diagnosis/aggregate.ts';
import { type Case, generateCases } from './diagnosis/cases.ts';
import { type CaseLine, caseLine } from './diagnosis/line.ts';
import type { Benchmark } from './main.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  scenarios: { type: 'string' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string', default: '20' },
  size: { type: 'string', default: 'leaf-spine-xs,abilene' },
  faults: { type: 'string' },
  asking: { type: 'string', default: 'mixed' },
  silent: { type: 'boolean' },
  only: { type: 'string' },
  out: { type: 'string' },
  minutes: { type: 'string', default: '60' },
  prefix: { type: 'string', default: 'bd' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
type Planned = { readonly entry: Case; readonly scenario: Scenario };

export const bench: Benchmark = async (args, say) => {
  const flags = parseArgs({ args: [...args], options: OPTIONS }).values;
  const folder = mkdtempSync(join(tmpdir(), 'diagnosis-'));
  try {
    const every = flags.scenarios ? await fromFiles(flags.scenarios) : await fromSeed(flags, folder);
    const planned = every.filter(({ entry }) => flags.only === undefined || flags.only.split(',').includes(entry.id));
    const how = {
      seed: Number(flags.seed),
      asking: flags.asking,
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

async function run(todo: readonly Planned[], flags: Flags, say: (line: string) => void): Promise<CaseLine[]> {
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(REPOSITORY, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  const lines: CaseLine[] = [];
  let answer: Answer | undefined;
  const outOfTime = AbortSignal.timeout(Number(flags.minutes) * 60_000);
  const campaign = runCampaign(
    todo.map(({ scenario }) => scenario),
    {
      prefix: flags.prefix,
      name: `bench-${flags.prefix}`,
      seed: Number(flags.seed),
      dist: true,
      say: (line) => say(`  ${line}`),
      signal: outOfTime,
      ask: async (...asked) => {
        answer = undefined;
        answer = await askNode(...asked);
        return answer;
      },
      print: (line) => {
        const { entry } = todo.find((planned) => planned.entry.id === line.scenario)!;
        const full = caseLine(entry, line, answer);
        answer = undefined;
        lines.push(full);
        if (flags.out) appendFileSync(flags.out, `${JSON.stringify(full)}\n`);
        say(`${summaryOf(full)} (${lines.length}/${todo.length})`);
      },
    },
  );
  await campaign.catch((error: unknown) => {
    if (!outOfTime.aborted) throw error;
    say(`out of time after ${lines.length} of ${todo.length} cases`);
  });
  return lines;
}

async function fromSeed(flags: Flags, folder: string): Promise<Planned[]> {
  const sizes = flags.size.split(',');
  const files = new Map<string, string>();
  for (const size of sizes) files.set(size, await writeNetwork(networkOf(size), folder));
  const asking = flags.asking === 'loss' || flags.asking === 'general' ? flags.asking : 'mixed';
  const init = {
    seed: Number(flags.seed),
    count: Number(flags.cases),
    sizes,
    asking,
    silent: flags.silent === true,
  } as const;
  const cases = generateCases({ ...init, ...(flags.faults ? { faults: flags.faults.split(',') } : {}) });
  return cases.map((entry) => ({ entry, scenario: scenarioOf(entry, files.get(entry.size)!) }));
}

function scenarioOf(entry: Case, topologyFile: string): Scenario {
  const { id, timers, inject, settleMs, ask, truth } = entry;
  return { name: id, file: '(generated)', topologyFile, timers, inject, settleMs, ask, truth: truth.pairs };
}

/** Scenario files have no NetOpsBench places: their pairs give them. */
async function fromFiles(folder: string): Promise<Planned[]> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .sort();
  const scenarios = await loadScenarios(files.map((file) => join(folder, file)));
  const sorted = scenarios.sort((one, other) => one.topologyFile.localeCompare(other.topologyFile));
  return sorted.map((scenario) => {
    const { name, timers, inject, settleMs, ask, truth } = scenario;
    const kind = truth.length === 0 ? 'healthy' : truth.length === 1 ? 'single' : 'several';
    const size = scenario.topologyFile.replace(/^.*\/|\.clab\.yml$/g, '');
    const what = truth.map((pair) => pair.fault);
    const entry: Case = {
      id: name,
      size,
      timers,
      kind,
      what,
      inject,
      settleMs,
      ask,
      truth: { pairs: truth, locations: [] },
    };
    return { entry, scenario };
  });
}

function knownLines(file: string | undefined): Map<string, CaseLine> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as CaseLine).map((line) => [line.scenario, line]));
}

function summaryOf(line: CaseLine): string {
  const pairs = (list: CaseLine['truth']) => list.map((pair) => `${pair.fault}@${pair.resource}`).join(' ') || '-';
  const state =
    line.invalid !== undefined
      ? `INVALID ${line.invalid}`
      : line.rcaF1 === 1 && line.detection === 1
        ? 'right'
        : 'wrong';
  return `${line.scenario} [${line.kind}: ${line.what.join(' + ')}] "${line.intent}" ${line.verdict} ${pairs(line.predicted)} / ${pairs(line.truth)} ${line.seconds} s: ${state}${line.failed ? ` (${line.failed.slice(0, 120)})` : ''}`;
}

function wrongOf(lines: readonly CaseLine[]) {
  return lines
    .filter((line) => line.invalid === undefined && !(line.rcaF1 === 1 && line.detection === 1))
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
