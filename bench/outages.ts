// Outages of the world, replayed, with their healthy twins (simulations/outages/README.md): how many are named or placed, on every question,
// and whether anything is accused in a twin. `--only NAME,NAME` (a twin is NAME-twin), `--twins` or `--outages` for one kind alone, `--out FILE`: a
// line a network, those there are not run again; `--folder DIR`: other networks in the same layout, of which those without a twin have none.
// `--reports DIR` keeps whole answers.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import { type ForeignLine, figuresOf as healthyFigures, knownLines, runOne } from './foreign.ts';
import { type Expected, type Outcome, outcomeOf } from './foreign-faults.ts';
import type { Benchmark } from './main.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  only: { type: 'string' },
  twins: { type: 'boolean' },
  outages: { type: 'boolean' },
  out: { type: 'string' },
  reports: { type: 'string' },
  folder: { type: 'string', default: join(REPOSITORY, 'simulations/outages') },
  prefix: { type: 'string', default: 'bu-' },
} as const;

const TWIN = '-twin';

export const bench: Benchmark = async (args, say) => {
  const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
  const wanted = flags.only?.split(',');
  const { folder: home } = flags;
  const [outages, twins] = [outagesIn(home), join(home, 'healthy')];
  const all = [
    ...(flags.twins ? [] : outages),
    ...(flags.outages ? [] : outages.map((name) => name + TWIN).filter((name) => existsSync(join(twins, name)))),
  ];
  const expected = (name: string) => expectedOf(home, name);
  const names = all.filter((name) => wanted?.includes(name) ?? true);
  const known = knownLines(flags.out);
  const lines: ForeignLine[] = [];
  for (const name of names) {
    const folder = name.endsWith(TWIN) ? twins : join(home, name);
    const line = known.get(name) ?? (await runOne(join(folder, name), flags, say));
    if (!known.has(name) && flags.out !== undefined) appendFileSync(flags.out, `${JSON.stringify(line)}\n`);
    if (!name.endsWith(TWIN)) say(`${name}: ${outcomesOf(line, expected(name)).join(', ')}`);
    lines.push(line);
  }
  return figuresOf(lines, expected);
};

/**
 * An outage is right where one question names its cause, or the right place, and no question accuses an innocent or says `healthy`. Without a
 * fault of that name, the right place is all that can be had.
 */
export function figuresOf(lines: readonly ForeignLine[], expected: (name: string) => Expected | undefined) {
  const outages = lines.filter(({ network }) => !network.endsWith(TWIN));
  const valid = outages.filter(({ invalid }) => invalid === undefined);
  const outcomes = new Map(valid.map((line) => [line.network, outcomesOf(line, expected(line.network))]));
  const withAny = (outcome: Outcome) =>
    [...outcomes].filter(([, each]) => each.includes(outcome)).map(([name]) => name);
  const wrong = new Set([...withAny('accused'), ...withAny('healthy')]);
  const right = (outcome: Outcome) => withAny(outcome).filter((name) => !wrong.has(name));
  const named = right('named');
  return {
    outages: outages.length,
    ...{ named, placed: right('placed').filter((name) => !named.includes(name)) },
    ...{ accused: withAny('accused'), healthy: withAny('healthy') },
    undecided: [...outcomes]
      .filter(([, each]) => each.every((one) => one === 'undecided' || one === 'none'))
      .map(([name]) => name),
    invalid: outages.flatMap(({ network, invalid }) => (invalid === undefined ? [] : [{ network, why: invalid }])),
    twins: healthyFigures(lines.filter(({ network }) => network.endsWith(TWIN))),
  };
}

function outcomesOf({ answers }: ForeignLine, expected: Expected | undefined): readonly Outcome[] {
  return answers.map(({ verdict, findings, reasons }) =>
    outcomeOf({ verdict, predicted: findings }, expected, reasons),
  );
}

function expectedOf(home: string, name: string): Expected | undefined {
  const all = JSON.parse(readFileSync(join(home, name, 'expect.json'), 'utf8')) as Readonly<Record<string, Expected>>;
  return all[name];
}

function outagesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'healthy')
    .map(({ name }) => name)
    .sort();
}
