// Networks of other people as they are: how many of a folder of healthy ones are called healthy, which are accused of something, and which
// stay undecided. `--healthy DIR` (NAME.clab.yml with NAME.plan.json), `--only NAME,NAME`, `--out FILE`: a line a network, those there are
// not run again. `--reports DIR` keeps whole answers.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf, ParleyError } from '#base/error.ts';
import { type ForeignAnswer, type ForeignRun, runForeign } from '../simulations/lab/foreign/run.ts';
import type { Benchmark } from './main.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  healthy: { type: 'string' },
  only: { type: 'string' },
  out: { type: 'string' },
  reports: { type: 'string' },
  prefix: { type: 'string', default: 'bf-' },
} as const;

/** From nothing to down again. */
const NETWORK_MS = 600_000;
const TOPOLOGY_END = '.clab.yml';

/** `invalid`: it did not come up, or its own checks failed: the answers say nothing about Parley. */
export type ForeignLine = {
  readonly network: string;
  readonly answers: readonly Omit<ForeignAnswer, 'printed'>[];
  readonly seconds: number;
  readonly invalid?: string;
};

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  if (flags.healthy === undefined)
    throw new ParleyError('caller/usage', 'expected --healthy DIR, a folder of NAME.clab.yml with NAME.plan.json');
  const known = knownLines(flags.out);
  const names = networksIn(flags.healthy).filter((name) => flags.only?.split(',').includes(name) ?? true);
  const lines: ForeignLine[] = [];
  for (const name of names) {
    const line = known.get(name) ?? (await runOne(join(flags.healthy, name), flags, say));
    if (!known.has(name) && flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
    lines.push(line);
  }
  return figuresOf(lines);
};

/** A network is healthy when every answer about it is; accused when any answer has a finding; undecided otherwise. */
export function figuresOf(lines: readonly ForeignLine[]) {
  const valid = lines.filter(({ invalid }) => invalid === undefined);
  const accused = valid.filter(({ answers }) => answers.some(({ findings }) => findings.length > 0));
  const healthy = valid.filter(({ answers }) => answers.every(({ verdict }) => verdict === 'healthy'));
  const rest = valid.filter((line) => !accused.includes(line) && !healthy.includes(line));
  return {
    networks: lines.length,
    healthy: healthy.length,
    accused: accused.map(({ network, answers }) => ({ network, findings: foundIn(answers) })),
    inconclusive: rest.map(({ network }) => network),
    invalid: lines.flatMap(({ network, invalid }) => (invalid === undefined ? [] : [{ network, why: invalid }])),
  };
}

/** Each once, in whichever answer: `link_down at link/r1:eth1--r2:eth1 (certain)`. */
function foundIn(answers: ForeignLine['answers']): readonly string[] {
  const found = answers.flatMap(({ findings }) => findings);
  return [...new Set(found.map(({ fault, resource, confidence }) => `${fault} at ${resource} (${confidence})`))];
}

function networksIn(folder: string): readonly string[] {
  const files = readdirSync(folder).sort();
  return files
    .filter((file) => file.endsWith(TOPOLOGY_END))
    .map((file) => file.slice(0, -TOPOLOGY_END.length))
    .filter((name) => files.includes(`${name}.plan.json`));
}

/** A run that fails is a line too, `invalid` with the reason. */
export async function runOne(
  path: string,
  { prefix, reports }: { readonly prefix: string; readonly reports?: string | undefined },
  say: (line: string) => void,
): Promise<ForeignLine> {
  const network = basename(path);
  const started = performance.now();
  say(`${network}:`);
  try {
    const files = { topologyFile: `${path}${TOPOLOGY_END}`, planFile: `${path}.plan.json` };
    const run = await runForeign({ ...files, prefix, say, signal: AbortSignal.timeout(NETWORK_MS) });
    if (reports !== undefined) keepAnswers(reports, network, run.answers);
    const answers = run.answers.map(({ printed: _printed, ...answer }) => answer);
    const failed = failedIn(run);
    return { network, answers, seconds: run.seconds, ...(failed === '' ? {} : { invalid: failed }) };
  } catch (error) {
    const seconds = Math.round((performance.now() - started) / 1_000);
    return { network, answers: [], seconds, invalid: messageOf(error) };
  }
}

function keepAnswers(folder: string, network: string, answers: readonly ForeignAnswer[]): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, { printed }] of answers.entries())
    writeFileSync(join(folder, `${network}-${index}.json`), JSON.stringify(printed ?? {}));
}

function failedIn({ failedBefore, failedAfter }: ForeignRun): string {
  return [...failedBefore, ...failedAfter].join('; ');
}

/** Lines of an earlier run, by network. */
export function knownLines(file: string | undefined): ReadonlyMap<string, ForeignLine> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
  return new Map(lines.map((text) => JSON.parse(text) as ForeignLine).map((line) => [line.network, line]));
}
