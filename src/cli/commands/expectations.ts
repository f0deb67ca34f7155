// `parley expectations save | show | clear`: the whole file of what operators said of the network. `parley allow` changes single lines.
import type { JsonObject } from '#base/json.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import { readInput } from '../report/report.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable } from '../terminal/output.ts';

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

export function expectationsClearCommand(options: AgentOptions): Promise<number> {
  return run(options, CHANGE_EXPECTATIONS, { action: 'clear' });
}

/** `--text`: the file itself, to be edited and saved again. */
export function expectationsShowCommand(options: AgentOptions & { readonly text?: boolean }): Promise<number> {
  return run(options, SHOW_EXPECTATIONS, {}, options.text === true);
}

/** Exit code 3 when there is a file that is not applied. */
async function run(options: AgentOptions, tool: string, args: JsonObject, whole = false): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withClient(options, async (client) => {
    const answer = await client.callTool(tool, args).catch((error) => {
      throw asLocalError(error);
    });
    output.result(answer);
    const shown = answer as unknown as ShownExpectations;
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
