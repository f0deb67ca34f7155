// The lab's command line: `npm run lab -- up | down | ask | inject | run | list | exec`. Progress goes to standard error, answers to standard
// output. Ctrl-C takes down what this command brought up.

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeNetwork } from '../generate/files.ts';
import { seededRandom } from '../generate/random.ts';
import { networkOf, sizeNames } from '../generate/sizes.ts';
import { askNode } from './ask.ts';
import { loadScenarios, runCampaign } from './campaign.ts';
import { faultIds } from './faults/catalogue.ts';
import { foreignRunLines, runForeign } from './foreign/run.ts';
import { inject } from './injection.ts';
import { downLab, downStale, upLab } from './network-lab.ts';
import { runInNode } from './node-processes.ts';
import { proveFaults } from './prove.ts';
import { createRegistry, type LabRecord, labDir, nodeOf } from './registry.ts';
import { type Injection, parseInjection } from './scenario.ts';

const USAGE = `usage:
  lab up FILE.clab.yml [--name N] [--prefix P] [--timers fast|default] [--seed S] [--no-agents] [--configure] [--dist] [--json]
  lab ask NAME NODE "intent" [--tls] [--dist] [--json]
  lab inject NAME SCENARIO-OR-ENTRIES.yml | lab inject NAME '{"fault": "packet_loss", ...}'
  lab run SCENARIO... [--repeat N] [--tls] [--dist] [--seed S] [--prefix P] [--json]
  lab run FILE.clab.yml --plan PLAN.json [--name N] [--prefix P] [--seed S] [--dist] [--keep] [--json]
  lab exec NAME NODE -- command...
  lab generate SIZE FOLDER
  lab prove NAME SIZE [FAULT...] [--seed S]
  lab list [--json]
  lab down NAME | lab down --stale`;

const OPTIONS = {
  name: { type: 'string' },
  prefix: { type: 'string' },
  timers: { type: 'string' },
  seed: { type: 'string' },
  repeat: { type: 'string' },
  plan: { type: 'string' },
  keep: { type: 'boolean' },
  'no-agents': { type: 'boolean' },
  configure: { type: 'boolean' },
  dist: { type: 'boolean' },
  tls: { type: 'boolean' },
  stale: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Flags = { [name in keyof typeof OPTIONS]?: string | boolean };
type Command = (operands: readonly string[], flags: Flags, signal: AbortSignal) => Promise<number>;

const COMMANDS: { readonly [name: string]: Command } = {
  up,
  down,
  ask,
  inject: injectCommand,
  run,
  generate,
  prove,
  list,
  exec,
};
/** As of `parley`: 0 ok, 1 something was found or wrong, 2 usage. */
const USAGE_CODE = 2;
const INTERRUPTED_CODE = 130;

const say = (line: string) => console.error(line);

async function up(operands: readonly string[], flags: Flags, signal: AbortSignal): Promise<number> {
  const topologyFile = operand(operands, 0, 'a topology file');
  const lab = await upLab({ ...labFlags(flags), topologyFile, timers: timersOf(flags), keep: true, say, signal });
  if (flags.json)
    print({
      schemaVersion: 1,
      name: lab.record.name,
      prefix: lab.record.prefix,
      seconds: lab.seconds,
      seed: lab.record.seed,
    });
  else
    say(`lab ask ${lab.record.name} ${lab.record.nodes[0]?.name} "..." asks; lab down ${lab.record.name} removes it`);
  return 0;
}

async function down(operands: readonly string[], flags: Flags): Promise<number> {
  const registry = createRegistry(labDir());
  if (flags.stale) {
    const names = await downStale(registry);
    say(names.length === 0 ? 'nothing is stale' : `removed ${names.join(' ')}`);
    return 0;
  }
  const record = await recordOf(operand(operands, 0, 'a lab name'));
  say(`lab ${record.name} is down after ${await downLab(registry, record)} s`);
  return 0;
}

async function ask(operands: readonly string[], flags: Flags): Promise<number> {
  const record = await recordOf(operand(operands, 0, 'a lab name'));
  const node = nodeOf(record, operand(operands, 1, 'a node'));
  const answer = await askNode(node, record, operand(operands, 2, 'an intent'), {
    dist: flags.dist === true,
    mutualTls: flags.tls === true,
  });
  if (flags.json) print(answer.printed);
  else
    console.log(
      `${answer.verdict} after ${answer.seconds} s: ${answer.findings.map((pair) => `${pair.fault} at ${pair.resource}`).join(', ') || 'no findings'}`,
    );
  return answer.verdict === 'healthy' ? 0 : 1;
}

async function injectCommand(operands: readonly string[]): Promise<number> {
  const record = await recordOf(operand(operands, 0, 'a lab name'));
  const what = operand(operands, 1, 'a file or an inject entry');
  const value: unknown = parseYaml(
    what.includes(':') && what.trim().startsWith('{') ? what : await readFile(what, 'utf8'),
  );
  const problems: string[] = [];
  const entries = (value as { inject?: unknown } | null)?.inject ?? value;
  const injections = (Array.isArray(entries) ? entries : [entries])
    .map((entry, index) => parseInjection(entry, `inject.${index}`, problems))
    .filter((injection): injection is Injection => injection !== undefined);
  if (problems.length > 0) throw new ParleyError('caller/scenario', problems.join('\n'));
  const landed = await inject(record, injections);
  const wrong = await landed.problems();
  say(wrong.length === 0 ? 'injected' : wrong.join('\n'));
  return wrong.length === 0 ? 0 : 1;
}

async function run(operands: readonly string[], flags: Flags, signal: AbortSignal): Promise<number> {
  if (typeof flags.plan === 'string')
    return runPlan(operand(operands, 0, 'a topology file'), flags.plan, flags, signal);
  if (operands.length === 0) throw usage('scenario files');
  const scenarios = await loadScenarios(operands);
  const summary = await runCampaign(scenarios, {
    ...labFlags(flags),
    ...(flags.repeat === undefined ? {} : { repeat: numberOf(flags.repeat, '--repeat') }),
    mutualTls: flags.tls === true,
    say,
    signal,
    print,
  });
  say(`${summary.runs} runs: ${summary.right} right, ${summary.wrong} wrong, ${summary.invalid} invalid`);
  return summary.right === summary.runs ? 0 : 1;
}

async function runPlan(topologyFile: string, planFile: string, flags: Flags, signal: AbortSignal): Promise<number> {
  const { agents: _always, configuration: _never, ...labOptions } = labFlags(flags);
  const run = await runForeign({ ...labOptions, topologyFile, planFile, keep: flags.keep === true, say, signal });
  if (flags.json) print({ schemaVersion: 1, ...run });
  else for (const line of foreignRunLines(run)) console.log(line);
  const isWell = run.failedBefore.length + run.failedAfter.length === 0;
  return isWell && run.answers.every(({ verdict }) => verdict === 'healthy') ? 0 : 1;
}

async function generate(operands: readonly string[]): Promise<number> {
  console.log(
    await writeNetwork(networkOf(operand(operands, 0, sizeNames().join(', '))), operand(operands, 1, 'a folder')),
  );
  return 0;
}

async function prove(operands: readonly string[], flags: Flags): Promise<number> {
  const record = await recordOf(operand(operands, 0, 'a lab name'));
  const network = networkOf(operand(operands, 1, 'the size the lab was generated from'));
  const ids = operands.length > 2 ? operands.slice(2) : faultIds();
  const unknown = ids.filter((id) => !faultIds().includes(id));
  if (unknown.length > 0) throw usage(`faults of the catalogue (${faultIds().join(', ')}), got ${unknown.join(', ')}`);
  let failed = 0;
  await proveFaults(
    record,
    network,
    ids,
    seededRandom(flags.seed === undefined ? 1 : numberOf(flags.seed, '--seed')),
    (proof) => {
      if (proof.problems.length > 0) failed++;
      print({ schemaVersion: 1, ...proof });
    },
  );
  return failed === 0 ? 0 : 1;
}

async function list(_operands: readonly string[], flags: Flags): Promise<number> {
  for (const { name, status, prefix, topologyFile, nodes } of await createRegistry(labDir()).list()) {
    if (flags.json)
      print({ schemaVersion: 1, name, status, prefix, topology: topologyFile, nodes: nodes.map((node) => node.name) });
    else console.log(`${name}\t${status}\t${prefix}*\t${nodes.map((node) => node.name).join(' ')}`);
  }
  return 0;
}

async function exec(operands: readonly string[]): Promise<number> {
  const record = await recordOf(operand(operands, 0, 'a lab name'));
  const node = nodeOf(record, operand(operands, 1, 'a node'));
  operand(operands, 2, 'a command');
  const ended = await runInNode(node, operands.slice(2));
  process.stdout.write(ended.stdout);
  process.stderr.write(ended.stderr);
  return ended.exitCode;
}

function labFlags(flags: Flags) {
  return {
    ...(typeof flags.name === 'string' ? { name: flags.name } : {}),
    ...(typeof flags.prefix === 'string' ? { prefix: flags.prefix } : {}),
    ...(flags.seed === undefined ? {} : { seed: numberOf(flags.seed, '--seed') }),
    agents: flags['no-agents'] !== true,
    configuration: flags.configure === true,
    dist: flags.dist === true,
  };
}

function timersOf(flags: Flags): 'fast' | 'default' {
  const timers = flags.timers ?? 'fast';
  if (timers !== 'fast' && timers !== 'default') throw usage('--timers fast or default');
  return timers;
}

function numberOf(value: string | boolean, name: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw usage(`a positive whole number for ${name}`);
  return number;
}

function operand(operands: readonly string[], index: number, what: string): string {
  const value = operands[index];
  if (value === undefined) throw usage(what);
  return value;
}

async function recordOf(name: string): Promise<LabRecord> {
  const registry = createRegistry(labDir());
  const record = await registry.find(name);
  if (record) return record;
  const known = (await registry.list()).map((entry) => entry.name).join(', ') || 'none';
  throw new ParleyError('caller/unknown-lab', `expected the name of a lab, got ${name}; there are: ${known}`);
}

function usage(what: string): ParleyError {
  return new ParleyError('caller/usage', `expected ${what}\n${USAGE}`);
}

function print(value: unknown): void {
  console.log(JSON.stringify(value));
}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const [name = '', ...operands] = positionals;
  if (values.help === true || name === 'help') {
    console.log(USAGE);
    return 0;
  }
  const command = COMMANDS[name];
  if (!command) throw usage('a command');
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new ParleyError('caller/interrupted', 'interrupted'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return command(operands, values, interrupted.signal);
}

function exitCodeOf(error: unknown): number {
  if (!(error instanceof ParleyError)) return USAGE_CODE;
  if (error.code === 'caller/interrupted') return INTERRUPTED_CODE;
  return error.code.startsWith('caller/') ? USAGE_CODE : 1;
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = exitCodeOf(error);
  }
}
