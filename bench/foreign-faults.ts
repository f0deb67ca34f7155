// Faults of other people, made by means that are not the catalogue's: which are named, which get the right place, which stay undecided, and
// which are answered `healthy` or with an innocent's name. `--faults DIR` (NAME.yml and expect.json: what counts as right, as a right place,
// and the checks that show the harm), `--only NAME,NAME`, `--out FILE`: a line a fault, those there are not run again; `--reports DIR` keeps
// whole answers. Controls, which expect nothing, must be called healthy. Agents watch the healthy network for `--watch SECONDS` (15) before
// each fault, since their memory is emptied between two: what only a change can tell needs somebody who was there before.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ParleyError } from '#base/error.ts';
import { writeNetwork } from '../simulations/generate/files.ts';
import { networkOf } from '../simulations/generate/sizes.ts';
import { askNode } from '../simulations/lab/ask.ts';
import { loadScenarios, type RunLine, runCampaign } from '../simulations/lab/campaign.ts';
import { runInNetwork, runInNode } from '../simulations/lab/node-processes.ts';
import type { LabRecord, NodeRecord } from '../simulations/lab/registry.ts';
import type { Benchmark } from './main.ts';
import { watchMsOf } from './watch.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  faults: { type: 'string' },
  only: { type: 'string' },
  out: { type: 'string' },
  reports: { type: 'string' },
  prefix: { type: 'string', default: 'bx-' },
  watch: { type: 'string', default: '15' },
} as const;

const NETWORK = 'leaf-spine-small';
const CHECK_MS = 20_000;

/** What counts for one fault; `checks` are commands in nodes (`net:` in the namespace alone) that succeed while it does harm. */
export type Expected = {
  readonly items: readonly { readonly right: readonly string[]; readonly place: readonly string[] }[];
  readonly checks: readonly (readonly [node: string, sh: string])[];
};

export type FaultLine = {
  readonly fault: string;
  readonly verdict: string;
  readonly seconds: number;
  /** `node/r1 acl_misconfig` of every finding. */
  readonly found: readonly string[];
  readonly reasons: readonly string[];
  readonly outcome: Outcome;
  /** Checks that did not show the harm when the question was asked. */
  readonly harmless: readonly string[];
};

/**
 * `named`: every item with a right name. `placed`: the right places alone, under another name or, inconclusive, in the words. `accused`: a
 * resource that is no right place. `healthy`: nothing found although something is wrong. `clear`: a control without a finding.
 */
export type Outcome = 'named' | 'placed' | 'undecided' | 'accused' | 'healthy' | 'clear' | 'doubted' | 'none';

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  if (flags.faults === undefined)
    throw new ParleyError('caller/usage', 'expected --faults DIR, a folder of NAME.yml with expect.json');
  const watchMs = watchMsOf(flags.watch);
  const expected = JSON.parse(readFileSync(join(flags.faults, 'expect.json'), 'utf8')) as Readonly<
    Record<string, Expected>
  >;
  const known = knownLines(flags.out);
  const names = faultsIn(flags.faults).filter((name) => flags.only?.split(',').includes(name) ?? true);
  const lines: FaultLine[] = names.flatMap((name) => known.get(name) ?? []);
  const folder = mkdtempSync(join(tmpdir(), 'parley-foreign-faults-'));
  try {
    await writeNetwork(networkOf(NETWORK), join(folder, 'nets'));
    const files = names.filter((name) => !known.has(name)).map((name) => copied(flags.faults!, name, folder));
    if (files.length > 0)
      await runAll(files, expected, { prefix: flags.prefix, watchMs, reports: flags.reports }, say, (line) => {
        lines.push(line);
        say(`${line.fault}: ${line.outcome} (${line.verdict}) ${line.found.join(', ')}`);
        if (flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
      });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...figuresOf(lines), watchSeconds: watchMs / 1_000 };
};

/** The file beside the network that it is for. */
function copied(from: string, name: string, folder: string): string {
  const file = join(folder, `${name}.yml`);
  const text = readFileSync(join(from, `${name}.yml`), 'utf8');
  writeFileSync(file, text.replace(/^topology: .*$/m, `topology: ${join(folder, 'nets', `${NETWORK}.clab.yml`)}`));
  return file;
}

async function runAll(
  files: readonly string[],
  expected: Readonly<Record<string, Expected>>,
  { reports, ...how }: { readonly prefix: string; readonly watchMs: number; readonly reports: string | undefined },
  say: (line: string) => void,
  done: (line: FaultLine) => void,
): Promise<void> {
  let harmless: readonly string[] = [];
  let reasons: readonly string[] = [];
  let fault = '';
  const scenarios = await loadScenarios(files);
  const queue = [...scenarios];
  await runCampaign(scenarios, {
    ...how,
    say,
    ask: async (node, lab, intent, options) => {
      fault = queue[0]!.name;
      harmless = await unshown(lab, expected[fault]?.checks ?? []);
      const answer = await askNode(node, lab, intent, options);
      reasons = reasonsOf(answer.printed);
      if (reports !== undefined) keepAnswer(reports, fault, answer.printed);
      return answer;
    },
    print: (line) => {
      queue.shift();
      if (line.invalid !== undefined) say(`${line.scenario}: ${line.invalid}`);
      const asked = fault === line.scenario;
      done(
        judged(line, expected[line.scenario], asked ? reasons : [], asked ? harmless : ['the question was not asked']),
      );
    },
  });
}

async function unshown(lab: LabRecord, checks: Expected['checks']): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [where, sh] of checks) {
    const name = where.replace(/^net:/, '');
    const node = lab.nodes.find((each) => each.name === name) as NodeRecord;
    const command = ['bash', '--norc', '-c', sh] as const;
    const ended = where.startsWith('net:')
      ? await runInNetwork(node.namespace, command, CHECK_MS)
      : await runInNode(node, command, { timeoutMs: CHECK_MS });
    if (ended.exitCode !== 0) failed.push(`${where}: ${sh}`);
  }
  return failed;
}

function keepAnswer(folder: string, fault: string, printed: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${fault}.json`), JSON.stringify(printed));
}

function reasonsOf(printed: Readonly<Record<string, unknown>>): readonly string[] {
  const report = (printed['report'] ?? printed) as { readonly verdict?: { readonly reasons?: readonly string[] } };
  return report.verdict?.reasons ?? [];
}

function judged(
  line: RunLine,
  expected: Expected | undefined,
  reasons: readonly string[],
  harmless: readonly string[],
): FaultLine {
  const found = line.predicted.map(({ resource, fault }) => `${resource} ${fault}`);
  const { scenario: fault, verdict, seconds } = line;
  return { fault, verdict, seconds, found, reasons, harmless, outcome: outcomeOf(line, expected, reasons) };
}

export function outcomeOf(
  { verdict, predicted }: Pick<RunLine, 'verdict' | 'predicted'>,
  expected: Pick<Expected, 'items'> | undefined,
  reasons: readonly string[],
): Outcome {
  if (verdict === 'none') return 'none';
  const items = expected?.items ?? [];
  if (items.length === 0) return predicted.length > 0 ? 'accused' : verdict === 'healthy' ? 'clear' : 'doubted';
  const found = predicted.map(({ resource, fault }) => `${resource} ${fault}`);
  const places = items.flatMap(({ right, place }) => [...place, ...right.map((each) => each.split(' ')[0]!)]);
  if (predicted.some(({ resource }) => !places.includes(resource))) return 'accused';
  if (verdict === 'healthy') return 'healthy';
  if (items.every(({ right }) => right.some((each) => found.includes(each)))) return 'named';
  if (predicted.length > 0) return 'placed';
  const nodes = places.map((place) => place.split(/[/:]/)[1]!);
  return nodes.some((node) => reasons.some((line) => new RegExp(`\\b${node}\\b`).test(line))) ? 'placed' : 'undecided';
}

export function figuresOf(lines: readonly FaultLine[]) {
  const of = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome).map(({ fault }) => fault);
  const real = lines.filter(({ outcome }) => outcome !== 'clear' && outcome !== 'doubted');
  const right = real.filter(({ outcome }) => outcome === 'named' || outcome === 'placed');
  return {
    faults: lines.length,
    ...{ named: of('named'), placed: of('placed'), undecided: of('undecided'), accused: of('accused') },
    ...{ healthy: of('healthy'), clear: of('clear'), doubted: of('doubted'), unanswered: of('none') },
    rightPlaceShare: real.length === 0 ? null : Math.round((right.length / real.length) * 1_000) / 1_000,
    harmless: lines.filter(({ harmless }) => harmless.length > 0).map(({ fault }) => fault),
  };
}

function faultsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .map((file) => basename(file, '.yml'))
    .sort();
}

function knownLines(file: string | undefined): ReadonlyMap<string, FaultLine> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
  return new Map(lines.map((text) => JSON.parse(text) as FaultLine).map((line) => [line.fault, line]));
}
