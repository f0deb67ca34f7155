// `parley baseline save | show | clear | import`: what a node expects of the network. Later answers are compared with it.
import { basename } from 'node:path';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Baseline } from '#model/baseline.ts';
import type { ProfileEntry } from '#model/snapshot.ts';
import { readInput } from '../report/report.ts';
import { wholeIdOf } from '../report/report-id.ts';
import { withTerminal } from '../terminal/ask.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable, table } from '../terminal/output.ts';
import { linksOfTopology } from './clab-links.ts';

const SHOW = 'parley-baseline';
const CHANGE = 'parley-baseline-change';

/** What is odd of the network is said before it becomes what is expected; on a terminal the command asks. */
export async function baselineSaveCommand(
  options: AgentOptions & { readonly yes?: boolean },
  [id]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const told = await withClient(options, async (client) => {
    const named = id === undefined ? {} : { report: await wholeIdOf(client, id) };
    return call(client, SHOW, { preview: true, ...named });
  });
  const { report, created, intent, nodes, remarks } = told['preview'] as unknown as Preview;
  output.progress(`report ${report} of ${created} on ${nodes} nodes: ${printable(intent)}`);
  output.progress(remarks.length === 0 ? 'nothing odd in it' : 'odd in it, and expected from now on:');
  for (const remark of remarks) output.progress(`· ${printable(remark)}`);
  const agreed = await withTerminal(options, async (ask) =>
    ask === undefined || options.yes === true ? 'y' : ask('save it as the baseline? [y/N] '),
  );
  if (/^y(?:es)?$/i.test(agreed)) return run(options, CHANGE, { action: 'save', report });
  output.line('not saved');
  return EXIT.ok;
}

export function baselineClearCommand(options: AgentOptions): Promise<number> {
  return run(options, CHANGE, { action: 'clear' });
}

export async function baselineImportCommand(options: AgentOptions, [file]: readonly string[]): Promise<number> {
  const { name, links, notes } = linksOfTopology((await readInput(file!)).toString('utf8'), basename(file!));
  const output = createOutput(options.json ?? false);
  for (const note of notes) output.progress(`· ${note}`);
  return run(options, CHANGE, { action: 'import', name, links });
}

/** `--all`: every entry, not only the number of entries of each part. */
export function baselineShowCommand(options: AgentOptions & { readonly all?: boolean }): Promise<number> {
  return run(options, SHOW, {}, options.all === true);
}

type Preview = {
  readonly report: string;
  readonly created: string;
  readonly intent: string;
  readonly nodes: number;
  readonly remarks: readonly string[];
};
type Summary = Omit<Baseline, 'profile'> & {
  readonly nodes: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly roundTrips: number;
};
type Told = { readonly baselines: readonly Summary[]; readonly refused: readonly string[] };

/** Exit code 3 when a baseline exists but cannot be used. */
async function run(options: AgentOptions, tool: string, args: JsonObject, all = false): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const told = (await call(client, tool, args)) as unknown as Told;
    const entries = all ? await Promise.all(told.baselines.map(({ source }) => entriesOf(client, source.kind))) : [];
    output.result(all ? { ...told, entries } : { ...told });
    if (told.baselines.length === 0) output.line('no baseline: run "parley baseline save" after a healthy answer');
    for (const [index, baseline] of told.baselines.entries()) print(baseline, entries[index] ?? [], output);
    for (const reason of told.refused) output.line(reason);
    return told.refused.length === 0 ? EXIT.ok : EXIT.incomplete;
  });
}

function call(client: OperatorClient, tool: string, args: JsonObject): Promise<JsonObject> {
  return client.callTool(tool, args).catch((error) => {
    throw asLocalError(error);
  });
}

async function entriesOf(client: OperatorClient, source: string): Promise<readonly ProfileEntry[]> {
  const entries: ProfileEntry[] = [];
  let offset: unknown = 0;
  while (typeof offset === 'number' && entries.length < LIMITS.baselineEntries) {
    const page = await call(client, SHOW, { source, offset });
    entries.push(...((page['entries'] ?? []) as unknown as readonly ProfileEntry[]));
    offset = page['nextOffset'];
  }
  return entries;
}

function print(summary: Summary, entries: readonly ProfileEntry[], output: Output): void {
  const { node, saved, by, source, nodes, counts, roundTrips } = summary;
  const from = source.kind === 'report' ? `report ${source.id}, "${source.intent}"` : `topology ${source.name}`;
  output.line(`baseline of ${node} since ${saved}, saved by ${by} from ${from}`);
  output.line(`  ${'nodes'.padEnd(12)}${nodes.length}: ${nodes.join(', ')}`);
  for (const [part, count] of Object.entries({ ...counts, 'round trip': roundTrips }))
    if (count > 0) output.line(`  ${part.padEnd(12)}${count}`);
  const rows = entries.map(({ part, subject, value }) => [part, subject, value]);
  if (rows.length > 0) output.line(table(['part', 'subject', 'value'], rows));
}
