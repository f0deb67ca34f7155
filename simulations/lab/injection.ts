// Puts faults into a lab, proves that they landed and stayed, and takes them out again. What does not land makes a run invalid;
// what cannot be taken out makes the lab be built anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { ParleyError } from '#base/error.ts';
import { restoreCable } from './cables.ts';
import { FAULTS } from './faults/catalogue.ts';
import type { FaultStep } from './faults/fault.ts';
import { runInNetwork, runInNode } from './node-processes.ts';
import { findCable } from './plan.ts';
import type { CableRecord, LabRecord, NodeRecord } from './registry.ts';
import type { Injection } from './scenario.ts';
import { changedSections, type Snapshot, snapshotCable, snapshotNode } from './snapshot.ts';
import { waitUntil } from './wait.ts';

const LISTEN_MS = 5_000;

export type Landed = {
  /** Reasons why the injection did not land or is not what it was; empty when it is there unchanged. */
  problems(): Promise<string[]>;
  /** Takes everything out; resolves with what is left in the lab, nothing when it is as before. */
  undo(): Promise<string[]>;
};

type Place =
  | { readonly kind: 'cable'; readonly name: string; readonly cable: CableRecord }
  | { readonly kind: 'node'; readonly name: string; readonly node: NodeRecord };
type Touched = { readonly place: Place; readonly repaired: boolean; readonly before: Snapshot; after: Snapshot };

/** Every entry of the catalogue as its commands. */
export function stepsOf(injections: readonly Injection[]): FaultStep[] {
  return injections.flatMap((injection): readonly FaultStep[] =>
    injection.where === 'fault' ? FAULTS.get(injection.fault)!.steps(injection.parameters) : [injection],
  );
}

/** Names of nodes and cables that the lab does not have. */
export function unknownPlaces(lab: LabRecord, steps: readonly FaultStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.where === 'cable') return findCable(lab, step.cable) ? [] : [`there is no cable ${step.cable}`];
    return lab.nodes.some((node) => node.name === step.node) ? [] : [`there is no node ${step.node}`];
  });
}

export async function inject(lab: LabRecord, injections: readonly Injection[]): Promise<Landed> {
  const steps = stepsOf(injections);
  const unknown = unknownPlaces(lab, steps);
  if (unknown.length > 0)
    throw new ParleyError('caller/scenario', `expected places of ${lab.name}: ${unknown.join(', ')}`);
  const touched = await snapshotsBefore(lab, steps);
  const beside: ChildProcess[] = [];
  const undo = async () => {
    for (const child of beside) child.kill('SIGKILL');
    await undoSteps(lab, steps);
    return leftOvers(touched);
  };
  try {
    for (const step of steps) await runStep(lab, step, beside);
  } catch (error) {
    await undo();
    throw error;
  }
  for (const entry of touched) entry.after = await snapshotOf(entry.place);
  const notLanded = touched.flatMap(landingProblem);
  return { problems: async () => [...notLanded, ...besideProblems(beside), ...(await changes(touched))], undo };
}

async function runStep(lab: LabRecord, step: FaultStep, beside: ChildProcess[]): Promise<void> {
  if (step.where === 'beside') return runBeside(nodeOf(lab, step.node), step.argv, beside);
  if (step.where === 'node')
    return mustEnd(step.node, await runInNode(nodeOf(lab, step.node), ['bash', '-euc', step.exec.join('\n')]));
  const { cable, portOfFirst, portOfSecond } = findCable(lab, step.cable)!;
  const script = step.exec.join('\n').replaceAll('{a}', portOfFirst).replaceAll('{b}', portOfSecond);
  mustEnd(step.cable, await runInNetwork(cable.namespace, ['bash', '-euc', script]));
}

function mustEnd(place: string, ended: { readonly exitCode: number; readonly stderr: string }): void {
  if (ended.exitCode === 0) return;
  throw new ParleyError(
    'node/lab-injection',
    `expected the injection at ${place} to succeed, it ended with ${ended.exitCode}: ${ended.stderr.trim()}`,
  );
}

/** In the node's network only: its processes and files are not the node's. A server is waited for. */
async function runBeside(node: NodeRecord, argv: readonly string[], beside: ChildProcess[]): Promise<void> {
  beside.push(spawn('ip', ['netns', 'exec', node.namespace, ...argv], { stdio: 'ignore' }));
  const port = argv.includes('-s') ? argv[argv.indexOf('-p') + 1] : undefined;
  if (port === undefined) return;
  const listening = async () => (await runInNetwork(node.namespace, ['ss', '-Hltn', `sport = :${port}`])).stdout !== '';
  await waitUntil(`${argv[0]} on ${node.name}`, async () => ((await listening()) ? undefined : `port ${port}`), {
    timeoutMs: LISTEN_MS,
  });
}

async function undoSteps(lab: LabRecord, steps: readonly FaultStep[]): Promise<void> {
  const cables = new Set(steps.flatMap((step) => (step.where === 'cable' ? [findCable(lab, step.cable)!.cable] : [])));
  for (const cable of cables) await restoreCable(cable);
  for (const step of steps.toReversed()) {
    if (step.where === 'node' && step.undo.length > 0)
      await runInNode(nodeOf(lab, step.node), ['bash', '-uc', step.undo.join('\n')]);
  }
}

async function snapshotsBefore(lab: LabRecord, steps: readonly FaultStep[]): Promise<Touched[]> {
  const places = new Map<string, { place: Place; repaired: boolean }>();
  for (const step of steps) {
    if (step.where === 'beside') continue;
    const place: Place =
      step.where === 'cable'
        ? { kind: 'cable', name: `cable ${step.cable}`, cable: findCable(lab, step.cable)!.cable }
        : { kind: 'node', name: `node ${step.node}`, node: nodeOf(lab, step.node) };
    const key = place.kind === 'cable' ? place.cable.namespace : place.node.namespace;
    places.set(key, { place, repaired: (step.repaired ?? false) && (places.get(key)?.repaired ?? true) });
  }
  return Promise.all(
    [...places.values()].map(async ({ place, repaired }) => {
      const before = await snapshotOf(place);
      return { place, repaired, before, after: before };
    }),
  );
}

function landingProblem(entry: Touched): string[] {
  const changed = changedSections(entry.before, entry.after);
  if (entry.repaired)
    return changed.length === 0 ? [] : [`${entry.place.name}: not repaired, ${changed.join(' ')} differ`];
  return changed.length > 0 ? [] : [`${entry.place.name}: the injection did not land`];
}

async function changes(touched: readonly Touched[]): Promise<string[]> {
  const found = await Promise.all(
    touched.map(async (entry) => {
      const changed = changedSections(entry.after, await snapshotOf(entry.place));
      return changed.length === 0 ? [] : [`${entry.place.name}: ${changed.join(' ')} changed during the run`];
    }),
  );
  return found.flat();
}

async function leftOvers(touched: readonly Touched[]): Promise<string[]> {
  const found = await Promise.all(
    touched.map(async (entry) => {
      const changed = changedSections(entry.before, await snapshotOf(entry.place));
      return changed.length === 0 ? [] : [`${entry.place.name}: ${changed.join(' ')}`];
    }),
  );
  return found.flat();
}

function besideProblems(beside: readonly ChildProcess[]): string[] {
  return beside
    .filter((child) => child.exitCode !== null)
    .map((child) => `${child.spawnargs.slice(4, 6).join(' ')} ended during the run`);
}

function snapshotOf(place: Place): Promise<Snapshot> {
  return place.kind === 'cable' ? snapshotCable(place.cable) : snapshotNode(place.node);
}

function nodeOf(lab: LabRecord, name: string): NodeRecord {
  return lab.nodes.find((node) => node.name === name)!;
}
