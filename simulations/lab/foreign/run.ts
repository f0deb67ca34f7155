// Runs a network of other people as it is: up with its own checks for a baseline, what its plan has happen to it, its questions, its checks
// again, down. Judges nothing: what an answer is worth depends on what was done to the network.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Confidence, Diagnosis, Finding, RemedyChange } from '#model/finding.ts';
import { restartAgent } from '../agents.ts';
import { askNode } from '../ask.ts';
import { agentsAnswering, type BaselineCheck, waitForBaseline } from '../health.ts';
import { type LabOptions, type RunningLab, secondsSince, upLab } from '../network-lab.ts';
import { pathInNode, runInNode } from '../node-processes.ts';
import { agentNodes, type LabRecord, type NodeRecord, nodeOf } from '../registry.ts';
import { loadTopology } from '../topology.ts';
import { pause } from '../wait.ts';
import { type AfterStep, type Check, type ForeignPlan, loadForeignPlan } from './plan.ts';

export type ForeignOptions = Omit<LabOptions, 'withoutAgent' | 'baseline'> & { readonly planFile: string };

/** What `parley ask` answered; a question without an answer has `failed` alone. */
export type ForeignAnswer = {
  readonly node: string;
  readonly q: string;
  readonly seconds: number;
  readonly verdict: string;
  readonly findings: readonly ForeignFinding[];
  readonly reasons: readonly string[];
  readonly sentence: string;
  /** The report as it was printed. */
  readonly printed?: Readonly<Record<string, unknown>>;
  readonly failed?: string;
};

export type ForeignFinding = {
  readonly resource: string;
  readonly fault: string;
  readonly confidence: Confidence;
  readonly says: string;
  readonly remedy?: string;
  readonly change?: RemedyChange;
};

export type ForeignRun = {
  readonly network: string;
  readonly about: string;
  /** Until the network was well. */
  readonly upSeconds: number;
  readonly seconds: number;
  /** Checks that failed before the first question and after the last one: with any of them, the answers are about a broken network. */
  readonly failedBefore: readonly string[];
  readonly failedAfter: readonly string[];
  readonly answers: readonly ForeignAnswer[];
};

const CHECK_MS = 20_000;
const STEP_MS = 60_000;

export async function runForeign(options: ForeignOptions): Promise<ForeignRun> {
  const { planFile, ...labOptions } = options;
  const started = performance.now();
  const plan = await readPlan(options.topologyFile, planFile);
  const say = options.say ?? (() => {});
  let lab = await upLab({ ...labOptions, withoutAgent: plan.noAgent, baseline: (record) => baselineOf(record, plan) });
  const upSeconds = lab.seconds;
  try {
    for (const step of plan.after) lab = await takeStep(lab, step, options);
    await pause(plan.settle * 1_000, options.signal);
    const failedBefore = await failedChecks(lab.record, plan.checks);
    const answers: ForeignAnswer[] = [];
    for (const question of plan.questions) {
      options.signal?.throwIfAborted();
      const answer = await put(lab.record, question, options);
      answers.push(answer);
      for (const line of answerLines(answer)) say(line);
    }
    const failedAfter = await failedChecks(lab.record, plan.checks);
    const { name } = lab.topology;
    return {
      ...{ network: name, about: plan.about, upSeconds, seconds: secondsSince(started) },
      ...{ failedBefore, failedAfter, answers },
    };
  } finally {
    if (!options.keep) await lab.down();
  }
}

async function readPlan(topologyFile: string, planFile: string): Promise<ForeignPlan> {
  const topology = await loadTopology(topologyFile);
  if (!topology.ok) throw new ParleyError('caller/topology', topology.reason);
  const plan = await loadForeignPlan(planFile, topology.value);
  if (!plan.ok) throw new ParleyError('caller/lab-plan', plan.reason);
  return plan.value;
}

function baselineOf(lab: LabRecord, plan: ForeignPlan): readonly BaselineCheck[] {
  const checks = plan.checks.map((check) => ({ step: checkText(check), missing: () => failureOf(lab, check) }));
  return [...checks, ...agentsAnswering(lab)];
}

/** What the check said when it failed; nothing when it holds. */
async function failureOf(lab: LabRecord, check: Check): Promise<string | undefined> {
  const ended = await runInNode(nodeOf(lab, check.node), ['bash', '--norc', '-c', check.sh], { timeoutMs: CHECK_MS });
  if (ended.exitCode === 0) return undefined;
  return `${checkText(check)} ended with ${ended.exitCode} ${(ended.stderr || ended.stdout).trim().slice(-200)}`.trim();
}

function checkText({ node, sh }: Check): string {
  return `${node}: ${sh}`;
}

async function failedChecks(lab: LabRecord, checks: readonly Check[]): Promise<string[]> {
  const found = await Promise.all(checks.map((check) => failureOf(lab, check)));
  return found.filter((failure) => failure !== undefined);
}

async function takeStep(lab: RunningLab, step: AfterStep, options: ForeignOptions): Promise<RunningLab> {
  if ('wait' in step) await pause(step.wait * 1_000, options.signal);
  else if ('sh' in step) await mustRunIn(nodeOf(lab.record, step.node), step.sh);
  else if ('reboot' in step) {
    const rebooted = await lab.reboot(step.reboot);
    await waitForBaseline(rebooted.record, () => {}, options.signal, agentsAnswering(rebooted.record));
    return rebooted;
  } else await tellAgents(lab.record, step, options);
  return lab;
}

async function mustRunIn(node: NodeRecord, sh: string): Promise<void> {
  const ended = await runInNode(node, ['bash', '--norc', '-euc', sh], { timeoutMs: STEP_MS });
  if (ended.exitCode === 0) return;
  const said = (ended.stderr || ended.stdout).trim().slice(-400);
  throw new ParleyError(
    'node/lab-plan',
    `expected ${sh} to succeed on ${node.name}, it ended with ${ended.exitCode}: ${said}`,
  );
}

type Told = Extract<AfterStep, { readonly lldp?: unknown; readonly static?: unknown }>;

/** Every agent starts anew with the peers that it is told; without LLDP, no router of the network speaks it. */
export async function tellAgents(lab: LabRecord, told: Told, options: Pick<ForeignOptions, 'signal'>): Promise<void> {
  const routers = lab.nodes.filter((node) => node.role === 'router');
  if (told.lldp === 'off') await Promise.all(routers.map((node) => mustRunIn(node, 'pkill -TERM -x lldpd')));
  await Promise.all(agentNodes(lab).map((node) => tellAgent(node, told)));
  await waitForBaseline(lab, () => {}, options.signal, agentsAnswering(lab));
}

async function tellAgent(node: NodeRecord, told: Told): Promise<void> {
  // The node's own file, and the one that it would find after a reboot.
  const files = [pathInNode(node, AGENT_CONFIG), join(node.folder, AGENT_CONFIG)];
  const config = parse(await readFile(files[0]!, 'utf8')) as { discovery: Record<string, unknown> };
  const peers = Object.entries(told.static ?? {}).filter(([peer]) => peer !== node.name);
  const discovery = {
    ...config.discovery,
    ...(told.lldp === 'off' ? { lldp: false } : {}),
    ...(told.static ? { static: peers.map(([peer, address]) => ({ node: peer, addresses: [address] })) } : {}),
  };
  for (const file of files) await writeFile(file, stringify({ ...config, discovery }));
  await restartAgent(node);
}

const AGENT_CONFIG = '/etc/parley/agent.yml';

export async function put(
  lab: LabRecord,
  { node, q }: ForeignPlan['questions'][number],
  options: Pick<ForeignOptions, 'dist'>,
): Promise<ForeignAnswer> {
  const started = performance.now();
  try {
    const answer = await askNode(nodeOf(lab, node), lab, q, options.dist ? { dist: true } : {});
    const { verdict, seconds, printed } = answer;
    const said = diagnosisOf(printed);
    return {
      ...{ node, q, seconds, verdict, printed },
      findings: said.findings.map(foreignFinding),
      reasons: said.verdict.reasons,
      sentence: said.sentence,
    };
  } catch (error) {
    const seconds = secondsSince(started);
    return { node, q, seconds, verdict: 'none', findings: [], reasons: [], sentence: '', failed: messageOf(error) };
  }
}

function diagnosisOf(printed: Readonly<Record<string, unknown>>): Pick<Diagnosis, 'findings' | 'verdict' | 'sentence'> {
  const report = typeof printed['report'] === 'object' && printed['report'] !== null ? printed['report'] : printed;
  return report as Pick<Diagnosis, 'findings' | 'verdict' | 'sentence'>;
}

function foreignFinding({ resource, fault, confidence, details, hypothesis, remedy }: Finding): ForeignFinding {
  const { what } = details;
  return {
    ...{ resource, fault, confidence, says: typeof what === 'string' ? what : hypothesis },
    ...(remedy === undefined
      ? {}
      : { remedy: remedy.command ? `${remedy.summary}: ${remedy.command}` : remedy.summary }),
    ...(remedy?.change === undefined ? {} : { change: remedy.change }),
  };
}

/** A run for a person to read. */
export function foreignRunLines(run: ForeignRun): string[] {
  const checks = (when: string, failed: readonly string[]) =>
    failed.map((each) => `check failed ${when} the questions: ${each}`);
  return [
    `${run.network}: up after ${run.upSeconds} s, ${run.seconds} s in all`,
    ...checks('before', run.failedBefore),
    ...run.answers.flatMap(answerLines),
    ...checks('after', run.failedAfter),
  ];
}

function answerLines(answer: ForeignAnswer): string[] {
  const head = `${answer.node}: ${answer.q} → ${answer.verdict} after ${answer.seconds} s`;
  if (answer.failed !== undefined) return [head, `  no answer: ${answer.failed}`];
  return [
    head,
    `  ${answer.sentence}`,
    ...answer.findings.flatMap(findingLines),
    ...answer.reasons.map((reason) => `  reason: ${reason}`),
  ];
}

function findingLines({ resource, fault, confidence, says, remedy, change }: ForeignFinding): string[] {
  return [
    `  finding: ${fault} at ${resource} (${confidence}): ${says}`,
    ...(remedy === undefined ? [] : [`    remedy: ${remedy}`]),
    ...(change === undefined ? [] : [`    change: ${JSON.stringify(change)}`]),
  ];
}
