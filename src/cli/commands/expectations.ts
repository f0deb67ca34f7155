// `parley expectations save | show | clear`: the whole file of what operators said of the network. `parley allow` changes single lines.
import { basename } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { endText, withRows } from '#config/expectations-edit.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import { readInput } from '../report/report.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable } from '../terminal/output.ts';
import { rowsOfTopology } from './clab-labels.ts';
import { type ImportedRows, rowsOfNetbox } from './netbox-export.ts';

export const SHOW_EXPECTATIONS = 'parley-expectations';
export const CHANGE_EXPECTATIONS = 'parley-expectations-change';

/** What both tools answer; without `text`, `saved` and `by` where there is no file. */
export type ShownExpectations = {
  readonly node: string;
  readonly lines: readonly ExpectationLine[];
  readonly text?: string;
  readonly saved?: string;
  readonly by?: string;
  /** The node's own time of the answer. */
  readonly at?: string;
  readonly refused?: string;
};

export async function expectationsSaveCommand(options: AgentOptions, [file]: readonly string[]): Promise<number> {
  const text = (await readInput(file!)).toString('utf8');
  return run(options, CHANGE_EXPECTATIONS, { action: 'save', text });
}

type ImportOptions = AgentOptions & { readonly until?: string; readonly print?: boolean };

/** Adds the entries of files that say more of the network; the others of the node's file stay. `--print` asks no node. */
export async function expectationsImportCommand(options: ImportOptions, files: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const read = await Promise.all(
    files.map(async (file) => importedRows(await readInput(file), basename(file), options)),
  );
  for (const note of read.flatMap(({ notes }) => notes)) output.progress(`· ${printable(note)}`);
  const rows = read.flatMap((each) => each.rows);
  if (rows.length === 0)
    throw new ParleyError('caller/unreadable-file', `expected entries in ${files.join(', ')}, got none`);
  if (options.print === true) {
    const text = withRows('', rows);
    output.result({ text });
    output.line(text.trimEnd());
    return EXIT.ok;
  }
  const { text = '', refused } = await withClient(options, (client) => ask(client, SHOW_EXPECTATIONS, {}));
  // Saving would sign it.
  if (refused !== undefined)
    throw new ParleyError('caller/unreadable-file', `${refused}; save a whole file, or clear it first`);
  return run(options, CHANGE_EXPECTATIONS, { action: 'save', text: withRows(text, rows) });
}

function importedRows(bytes: Buffer, file: string, { until }: ImportOptions): ImportedRows {
  const text = bytes.toString('utf8');
  const json = jsonOf(text);
  if (json === undefined) return rowsOfTopology(text, file);
  const end = until === undefined ? undefined : endText(until, createSystemClock().nowMs());
  if (end?.ok === false) throw new ParleyError('caller/usage', `--until: ${end.reason}`);
  return rowsOfNetbox(json, file, end?.value);
}

/** Undefined for what is no JSON: a topology is YAML. */
function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function expectationsClearCommand(options: AgentOptions): Promise<number> {
  return run(options, CHANGE_EXPECTATIONS, { action: 'clear' });
}

/** `--text`: the file itself, to be edited and saved again. */
export function expectationsShowCommand(options: AgentOptions & { readonly text?: boolean }): Promise<number> {
  return run(options, SHOW_EXPECTATIONS, {}, options.text === true);
}

async function ask(client: OperatorClient, tool: string, args: JsonObject): Promise<ShownExpectations> {
  const answer = await client.callTool(tool, args).catch((error) => {
    throw asLocalError(error);
  });
  return answer as unknown as ShownExpectations;
}

/** Exit code 3 when there is a file that is not applied. */
async function run(options: AgentOptions, tool: string, args: JsonObject, whole = false): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const shown = await ask(client, tool, args);
    output.result({ ...shown });
    const { node, lines, text, saved = '', by = '', at = '', refused } = shown;
    if (whole) output.line((text ?? '').trimEnd());
    else if (text === undefined) output.line(`nothing was said on ${node}: see "parley allow --help"`);
    else output.line(`expectations of ${node} since ${saved}, saved by ${printable(by)}`);
    if (!whole)
      for (const line of lines) {
        const ended = line.kind !== 'expect' && line.until < at ? ', ended' : '';
        output.line(`  ${line.kind.padEnd(12)}${printable(lineText(line))}${ended}`);
      }
    if (refused !== undefined) output.line(printable(refused));
    return refused === undefined ? EXIT.ok : EXIT.incomplete;
  });
}

/** One line for people. */
export function lineText(line: ExpectationLine): string {
  const why = [line.owner, line.reason].filter((each) => each !== undefined).join(': ');
  const said = why === '' ? '' : ` (${why})`;
  if (line.kind === 'expect')
    return `${line.what} ${line.subject}${line.at === undefined ? '' : ` at ${line.at}`}${said}`;
  if (line.kind === 'allow') return `${line.fault} at ${line.resource} until ${line.until}${said}`;
  return `${[...line.nodes, ...line.links].join(', ')} from ${line.from} until ${line.until}${said}`;
}
