// Puts faults into a lab, proves that they landed and stayed, and takes them out again. What does not land makes a run invalid;
// what cannot be taken out makes the lab be built anew.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { restoreCable } from './cables.ts';
import { FAULTS } from './faults/catalogue.ts';
import type { FaultStep, LabShape, Symptom } from './faults/fault.ts';
import { runInNetwork, runInNode } from './node-processes.ts';
import { findCable } from './plan.ts';
import { type CableRecord, type LabRecord, type NodeRecord, nodeOf } from './registry.ts';
import type { Injection } from './scenario.ts';
import { bash, tryRun } from './shell.ts';
import { changedSections, type Snapshot, snapshotCable, snapshotNode } from './snapshot.ts';
import { awaitedSymptoms, missingSymptom } from './symptoms.ts';
import { pause, waitUntil } from './wait.ts';

const LISTEN_MS = 5_000;
/** Longest time from an undone injection to a place as it was. */
const MEND_MS = 5_000;

export type Landed = {
  /** Reasons why the injection did not land or is not what it was; empty when it is there unchanged. */
  problems(): Promise<string[]>;
  /** Takes everything out; resolves with what is left in the lab, nothing when it is as before. */
  undo(): Promise<string[]>;
};

type Place =
  | { readonly kind: 'cable'; readonly name: string; readonly cable: CableRecord }
  | { readonly kind: 'node'; readonly name: string; readonly node: NodeRecord };
type Touched = {
  readonly place: Place;
  readonly repaired: boolean;
  readonly learned: boolean;
  readonly before: Snapshot;
  after: Snapshot;
};

/** One entry of a scenario, resolved: what runs, what must show, and how long it lasts (nothing: until the run ends). */
type Planned = {
  readonly steps: readonly FaultStep[];
  readonly symptoms: readonly Symptom[];
  readonly lastsMs?: number;
};

/** Every entry of the catalogue as its commands. */
function plannedOf(lab: LabShape, injections: readonly Injection[]): Planned[] {
  return injections.map((injection): Planned => {
    if (injection.where !== 'fault') return { steps: [injection], symptoms: [] };
    const fault = FAULTS.get(injection.fault)!;
    const { parameters, lastsMs } = injection;
    const symptoms = fault.symptoms?.(parameters, lab) ?? [];
    return { steps: fault.steps(parameters, lab), symptoms, ...(lastsMs === undefined ? {} : { lastsMs }) };
  });
}

export function stepsOf(lab: LabShape, injections: readonly Injection[]): FaultStep[] {
  return plannedOf(lab, injections).flatMap((entry) => entry.steps);
}

/** Names of nodes and cables that the lab does not have. */
export function unknownPlaces(lab: LabRecord, steps: readonly FaultStep[]): string[] {
  return steps.flatMap((step) => {
    if ('cable' in step) return findCable(lab, step.cable) ? [] : [`there is no cable ${step.cable}`];
    return lab.nodes.some((node) => node.name === step.node) ? [] : [`there is no node ${step.node}`];
  });
}

/** Faults that are over first, one after the other, then those that stay. */
export async function inject(lab: LabRecord, injections: readonly Injection[]): Promise<Landed> {
  const planned = plannedOf(lab, injections);
  const unknown = unknownPlaces(lab, stepsOf(lab, injections));
  if (unknown.length > 0)
    throw new ParleyError('caller/scenario', `expected places of ${lab.name}: ${unknown.join(', ')}`);
  const notShown: string[] = [];
  for (const entry of planned.filter(({ lastsMs }) => lastsMs !== undefined))
    notShown.push(...(await injectForAWhile(lab, entry)));
  const staying = planned.filter(({ lastsMs }) => lastsMs === undefined);
  const steps = staying.flatMap((entry) => entry.steps);
  const touched = await snapshotsBefore(lab, steps);
  const awaited = await awaitedSymptoms(
    lab,
    staying.flatMap((entry) => entry.symptoms),
  );
  const beside: ChildProcess[] = [];
  const undo = async () => {
    for (const child of beside) endGroup(child);
    await undoSteps(lab, steps);
    return leftOvers(touched);
  };
  try {
    for (const step of steps) await runStep(lab, step, beside);
    for (const symptom of awaited) notShown.push(...(await missingSymptom(lab, symptom)));
  } catch (error) {
    await undo();
    throw error;
  }
  for (const entry of touched) entry.after = await snapshotOf(entry.place);
  const notLanded = touched.flatMap(landingProblem);
  return {
    problems: async () => [...notShown, ...notLanded, ...besideProblems(beside), ...(await changes(touched))],
    undo,
  };
}

/** In, seen, kept for its time, out again; resolves with what went wrong. */
async function injectForAWhile(lab: LabRecord, entry: Planned): Promise<string[]> {
  const touched = await snapshotsBefore(lab, entry.steps);
  const awaited = await awaitedSymptoms(lab, entry.symptoms);
  const beside: ChildProcess[] = [];
  const problems: string[] = [];
  try {
    for (const step of entry.steps) await runStep(lab, step, beside);
    for (const symptom of awaited) problems.push(...(await missingSymptom(lab, symptom)));
    await pause(entry.lastsMs ?? 0);
  } finally {
    for (const child of beside) endGroup(child);
    await undoSteps(lab, entry.steps);
  }
  return [...problems, ...(await leftOvers(touched)).map((left) => `${left} differ after the repair`)];
}

async function runStep(lab: LabRecord, step: FaultStep, beside: ChildProcess[]): Promise<void> {
  if (step.where === 'beside') return runBeside(nodeOf(lab, step.node), step.argv, beside);
  if (step.where === 'node')
    return mustEnd(
      step.node,
      await runInNode(nodeOf(lab, step.node), ['bash', '--norc', '-euc', step.exec.join('\n')]),
    );
  if (step.where === 'machine') return void (await bash(onMachine(lab, step.node, step.exec)));
  const { cable, portOfFirst, portOfSecond } = findCable(lab, step.cable)!;
  const towards = (text: string) => text.replaceAll('{a}', portOfFirst).replaceAll('{b}', portOfSecond);
  if (step.where === 'beside-cable') return void beside.push(spawnIn(cable.namespace, step.argv.map(towards)));
  mustEnd(step.cable, await runInNetwork(cable.namespace, ['bash', '--norc', '-euc', towards(step.exec.join('\n'))]));
}

/** Commands with the names of namespaces, and of a file that outlives the command, put in. */
function onMachine(lab: LabRecord, node: string, commands: readonly string[]): string {
  return commands
    .join('\n')
    .replaceAll(/\{ns:([^}]+)\}/g, (_, name: string) => nodeOf(lab, name).namespace)
    .replaceAll(/\{cable:([^}]+)\}/g, (_, name: string) => findCable(lab, name)!.cable.namespace)
    .replaceAll('{scratch}', join(lab.folder, `scratch-${node}`));
}

/** In a group of its own, so that what it started ends with it. */
function spawnIn(namespace: string, argv: readonly string[]): ChildProcess {
  return spawn('ip', ['netns', 'exec', namespace, ...argv], { stdio: 'ignore', detached: true });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
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
  beside.push(spawnIn(node.namespace, argv));
  const port = argv.includes('-s') ? argv[argv.indexOf('-p') + 1] : undefined;
  if (port === undefined) return;
  const listening = async () => (await runInNetwork(node.namespace, ['ss', '-Hltn', `sport = :${port}`])).stdout !== '';
  await waitUntil(`${argv[0]} on ${node.name}`, async () => ((await listening()) ? undefined : `port ${port}`), {
    timeoutMs: LISTEN_MS,
  });
}

async function undoSteps(lab: LabRecord, steps: readonly FaultStep[]): Promise<void> {
  const cables = new Set(steps.flatMap((step) => ('cable' in step ? [findCable(lab, step.cable)!.cable] : [])));
  for (const cable of cables) await restoreCable(cable);
  for (const step of steps.toReversed()) {
    if (step.where === 'machine') await tryRun('bash', ['--norc', '-uc', onMachine(lab, step.node, step.undo)]);
    if (step.where === 'node' && step.undo.length > 0)
      await runInNode(nodeOf(lab, step.node), ['bash', '--norc', '-uc', step.undo.join('\n')]);
  }
}

async function snapshotsBefore(lab: LabRecord, steps: readonly FaultStep[]): Promise<Touched[]> {
  const places = new Map<string, Pick<Touched, 'place' | 'repaired' | 'learned'>>();
  for (const step of steps) {
    if (step.where === 'beside' || step.where === 'beside-cable') continue;
    const place: Place =
      step.where === 'cable'
        ? { kind: 'cable', name: `cable ${step.cable}`, cable: findCable(lab, step.cable)!.cable }
        : { kind: 'node', name: `node ${step.node}`, node: nodeOf(lab, step.node) };
    const key = place.kind === 'cable' ? place.cable.namespace : place.node.namespace;
    places.set(key, {
      place,
      repaired: 'repaired' in step && step.repaired === true && (places.get(key)?.repaired ?? true),
      learned: 'learned' in step && step.learned === true && (places.get(key)?.learned ?? true),
    });
  }
  return Promise.all(
    [...places.values()].map(async ({ place, ...how }) => {
      const before = await snapshotOf(place);
      return { place, ...how, before, after: before };
    }),
  );
}

function landingProblem(entry: Touched): string[] {
  const changed = changedSections(entry.before, entry.after);
  if (entry.repaired)
    return changed.length === 0 ? [] : [`${entry.place.name}: not repaired, ${changed.join(' ')} differ`];
  return changed.length > 0 || entry.learned ? [] : [`${entry.place.name}: the injection did not land`];
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

/** Sections that still differ from before; programs take a moment to put things back. */
async function leftOvers(touched: readonly Touched[]): Promise<string[]> {
  const found = await Promise.all(
    touched.map(async (entry) => {
      let changed: string[] = [];
      const asBefore = async () => {
        changed = changedSections(entry.before, await snapshotOf(entry.place));
        return changed.length === 0 ? undefined : changed.join(' ');
      };
      await waitUntil('everything as before', asBefore, { timeoutMs: MEND_MS }).catch(() => {});
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
