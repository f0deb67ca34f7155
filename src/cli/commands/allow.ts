// `parley allow`: says once that a finding is meant, so that later answers do not accuse it (docs/operations/expectations.md). Asks on a
// terminal for what the flags leave open; without a terminal, what is missing is a usage error.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import { findingId } from '#model/reports/remedy-judge.ts';
import type { AllowLine, ExpectationLine } from '#model/router/expectations.ts';
import { choose, readReport } from '../remedy/remedy-report.ts';
import { type Ask, withTerminal } from '../terminal/ask.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable, table } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { CHANGE_EXPECTATIONS, lineText, SHOW_EXPECTATIONS, type ShownExpectations } from './expectations.ts';

type AllowOptions = AgentOptions & {
  readonly fault?: string;
  readonly resource?: string;
  readonly reason?: string;
  readonly owner?: string;
  readonly until?: string;
  readonly report?: string;
  readonly list?: boolean;
  readonly remove?: boolean;
};

type Named = Pick<AllowLine, 'fault' | 'resource'>;
export async function allowCommand(options: AllowOptions, [given]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  return withTerminal(options, (ask) =>
    withClient(options, async (client) => {
      if (options.list === true) return list(client, output);
      const change =
        options.remove === true ? removing(client, options, given) : allowing(client, options, given, ask, output);
      const args = await change;
      const { node, lines } = await call(client, CHANGE_EXPECTATIONS, args);
      const made = allowLinesOf(lines).find(
        ({ fault, resource }) => fault === args['fault'] && resource === args['resource'],
      );
      output.result({ ...args, node, ...made });
      const named = `${String(args['fault'])} at ${String(args['resource'])}`;
      output.line(
        args['action'] === 'remove'
          ? `${named}: no longer allowed on ${node}`
          : `${named}: allowed on ${node} until ${made?.until}`,
      );
      return EXIT.ok;
    }),
  );
}

async function list(client: OperatorClient, output: Output): Promise<number> {
  const shown = await call(client, SHOW_EXPECTATIONS, {});
  const lines = allowLinesOf(shown.lines);
  const { at = '' } = shown;
  output.result({
    node: shown.node,
    allow: lines.map((line) => ({ ...line, ended: line.until < at })),
    ...(shown.refused === undefined ? {} : { refused: shown.refused }),
  });
  const rows = lines.map(({ fault, resource, owner, until, reason }, index) => [
    ...[String(index + 1), fault, resource, owner, until < at ? `ended ${until}` : until, reason].map(printable),
  ]);
  output.line(
    rows.length === 0
      ? `nothing is allowed on ${shown.node}`
      : table(['', 'fault', 'resource', 'owner', 'until', 'reason'], rows),
  );
  if (shown.refused !== undefined) output.line(printable(shown.refused));
  return shown.refused === undefined ? EXIT.ok : EXIT.incomplete;
}

async function removing(client: OperatorClient, options: AllowOptions, given: string | undefined): Promise<JsonObject> {
  const lines = allowLinesOf((await call(client, SHOW_EXPECTATIONS, {})).lines);
  const numbered = /^\d+$/.test(given ?? '') ? lines[Number(given) - 1] : undefined;
  const named = numbered ?? namedIn(options, given);
  if (named !== undefined) return { action: 'remove', fault: named.fault, resource: named.resource };
  throw new ParleyError(
    'caller/no-such-expectation',
    `expected the number of a line, or fault@resource, got ${given ?? 'nothing'}`,
    {
      data: { known: lines.map((line, index) => `${index + 1}: ${lineText(line)}`) },
    },
  );
}

async function allowing(
  client: OperatorClient,
  options: AllowOptions,
  given: string | undefined,
  ask: Ask | undefined,
  output: Output,
): Promise<JsonObject> {
  const named = namedIn(options, given) ?? (await findingOf(client, options, given, ask, output));
  const missing = (['reason', 'until'] as const).filter((name) => options[name] === undefined);
  if (missing.length > 0 && ask === undefined) throw usage(missing.map((name) => `--${name}`).join(' and '), 'none');
  if (missing.length > 0) output.progress(`${named.fault} at ${named.resource}`);
  const reason = options.reason ?? (await ask!('why is it meant? '));
  const until = options.until ?? (await ask!('until when? (such as 2026-12-31, or 14d) '));
  const owner = options.owner ?? (ask === undefined ? '' : await ask('whose decision is it? (empty: yours) '));
  return { action: 'allow', ...named, reason, until, ...(owner === '' ? {} : { owner }) };
}

/** `--fault` and `--resource`, or `fault@resource`. */
function namedIn({ fault, resource }: AllowOptions, given: string | undefined): Named | undefined {
  if (fault !== undefined && resource !== undefined && given === undefined) return { fault, resource };
  if (fault !== undefined || resource !== undefined)
    throw usage('--fault and --resource, or a finding', 'a part of each');
  const at = given?.indexOf('@') ?? -1;
  return given === undefined || at <= 0 ? undefined : { fault: given.slice(0, at), resource: given.slice(at + 1) };
}

async function findingOf(
  client: OperatorClient,
  { report: id = 'last', identity }: AllowOptions,
  given: string | undefined,
  ask: Ask | undefined,
  output: Output,
): Promise<Named> {
  const { findings } = await readReport(client, id, identity).catch(rethrow);
  const isOne = given !== undefined || findings.length === 1;
  if (!isOne && ask !== undefined)
    for (const [index, finding] of findings.entries())
      output.progress(`${index + 1}  ${printable(findingId(finding))}`);
  const wanted = given ?? (isOne ? '1' : await ask?.('which finding? '));
  if (wanted === undefined || findings.length === 0)
    throw new ParleyError(
      'caller/usage',
      `expected a finding of report ${id}, fault@resource, or --fault and --resource, got none`,
      {
        data: { known: findings.map((finding, index) => `${index + 1}: ${findingId(finding)}`) },
      },
    );
  const { fault, resource } = choose(findings, wanted, false)[0]!;
  return { fault, resource };
}

function allowLinesOf(lines: readonly ExpectationLine[]): readonly AllowLine[] {
  return lines.filter((line) => line.kind === 'allow');
}

async function call(client: OperatorClient, tool: string, args: JsonObject): Promise<ShownExpectations> {
  return (await client.callTool(tool, args).catch(rethrow)) as unknown as ShownExpectations;
}

function rethrow(error: unknown): never {
  throw asLocalError(error);
}
