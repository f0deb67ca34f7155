// `parley aggregate`: runs an aggregator until SIGTERM or SIGINT, or until its client on standard input has gone. `tree` shows one that runs,
// `sign-tools` signs which tools need approval.
import { readFile } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import { parseDemands, sealDemands } from '#aggregate/gates/tool-registry.ts';
import { createSystemClock } from '#base/clock.ts';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { createLog } from '#base/log.ts';
import { loadAggregateConfig } from '#config/load-aggregate.ts';
import { redactText } from '#model/redaction.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createSigner } from '#sign/signer.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output, printable } from '../terminal/output.ts';

type RunOptions = { readonly config: string; readonly stdio?: boolean; readonly json?: boolean };

export async function aggregateCommand(options: RunOptions): Promise<number> {
  const config = await loadAggregateConfig(options.config);
  const sink = (line: string) => void process.stderr.write(`${line}\n`);
  const log = createLog({
    level: config.log.level,
    sink,
    now: Date.now,
    redact: redactText,
    fields: { node: config.node },
  });
  const { createAggregatorProcess } = await import('#agent/create-aggregator.ts');
  const running = await createAggregatorProcess(config, log);
  const { port, loopbackPort } = running;
  log.info('the aggregator runs', { leaves: config.leaves.length, port, loopbackPort });
  const ends: Promise<unknown>[] = [endSignal()];
  if (options.stdio === true) ends.push(running.serveStdio(process.stdin, process.stdout));
  await Promise.race(ends);
  await running.stop();
  process.stdin.destroy();
  return EXIT.ok;
}

function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

export async function treeCommand(options: AgentOptions & { readonly watch?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  const show = async () => {
    const tree = await withClient(options, (client) => client.callTool('aggregate_tree', {})).catch((error) =>
      Promise.reject(asLocalError(error)),
    );
    output.result({ tree });
    showTree(output, tree);
  };
  await show();
  if (options.watch !== true) return EXIT.ok;
  const clock = createSystemClock();
  const ended = new AbortController();
  void endSignal().then(() => ended.abort());
  while (!ended.signal.aborted) {
    await clock.sleep(WATCH_MS, ended.signal).catch(() => {});
    if (!ended.signal.aborted) await show();
  }
  return EXIT.ok;
}

const WATCH_MS = 2_000;

function showTree(output: Output, tree: JsonObject): void {
  output.line(`${text(tree['node'])}  ${text(tree['tools'])} tools, ${text(tree['waiting'])} calls wait for approval`);
  showBelow(output, tree, '');
  const budget = tree['budget'];
  const limits = budget !== undefined && isJsonObject(budget) ? budget : {};
  const { callsPerMinute, mutableCallsPerSession, costUnitsPerSession } = limits;
  for (const { account, callsInMinute, mutableCalls, costUnits } of objects(tree['spent']))
    output.line(
      `budget of ${text(account)}: ${text(callsInMinute)} of ${text(callsPerMinute)} calls in this minute, ${text(mutableCalls)} of ${text(mutableCallsPerSession)} that may change something, ${text(costUnits)} of ${text(costUnitsPerSession)} cost units`,
    );
  for (const { segment, name, reason } of objects(tree['unmapped']))
    output.line(`not listed: ${text(name)} of ${text(segment)}: ${text(reason)}`);
}

function showBelow(output: Output, tree: JsonObject, indent: string): void {
  const below = objects(tree['below']);
  for (const [index, each] of below.entries()) {
    const isLast = index === below.length - 1;
    const state =
      each['state'] === 'up'
        ? `${text(each['roundTripMs'])} ms`
        : `${text(each['state'])} since ${text(each['since'])}: ${text(each['reason'])}`;
    output.line(
      `${indent}${isLast ? '└─' : '├─'} ${text(each['segment'])}  ${text(each['how'])} ${text(each['kind'])}, ${text(each['tools'])} tools, ${state}`,
    );
    showBelow(output, each, `${indent}${isLast ? '   ' : '│  '}`);
  }
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((each) => isJsonObject(each)) : [];
}

function text(value: JsonValue | undefined): string {
  return printable(value === undefined ? '-' : String(value));
}

type SignOptions = { readonly identity: string; readonly out: string; readonly json?: boolean };

export async function signToolsCommand(options: SignOptions, [file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const clock = createSystemClock();
  const identity = await loadIdentity(options.identity, clock);
  const demands = parseDemands(parseYaml(await readFile(file!, 'utf8')));
  const signer = createSigner({ node: identity.party.name, privateKey: identity.signingKey });
  await writeFileDurably(
    options.out,
    `${JSON.stringify(sealDemands(signer, identity.chain, demands, clock.nowMs()))}\n`,
    0o644,
  );
  output.result({ file: options.out, tools: demands.length });
  output.line(`signed ${demands.length} entries into ${options.out}`);
  return EXIT.ok;
}
