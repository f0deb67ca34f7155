// Whether a fault shows: its symptoms are looked for again and again until they do, or their time is up. Counts are held against what they
// were before the injection.
import { messageOf, ParleyError } from '#base/error.ts';
import type { Symptom } from './faults/fault.ts';
import { runInNetwork, runInNode } from './node-processes.ts';
import { findCable } from './plan.ts';
import type { LabRecord } from './registry.ts';
import { waitUntil } from './wait.ts';

/** Longest time from an injection to its symptom; with default timers BGP holds a dead session for three minutes. */
const SYMPTOM_MS = { fast: 20_000, default: 200_000 } as const;

/** A symptom, and what it counted before the injection where it counts. */
export type Awaited = { readonly symptom: Symptom; readonly before: number };

/** To be called before the injection. */
export function awaitedSymptoms(lab: LabRecord, symptoms: readonly Symptom[]): Promise<Awaited[]> {
  return Promise.all(
    symptoms.map(async (symptom) => ({ symptom, before: countsOf(symptom) ? await countOf(lab, symptom) : 0 })),
  );
}

/** Nothing once the symptom shows; else what did not. */
export async function missingSymptom(lab: LabRecord, { symptom, before }: Awaited): Promise<string[]> {
  const place = symptom.where === 'cable' ? symptom.cable : symptom.node;
  const shown = async () => ((await shows(lab, symptom, before)) ? undefined : symptom.script);
  const bound = { timeoutMs: SYMPTOM_MS[lab.timers], intervalMs: 100 };
  return waitUntil(`a symptom at ${place}`, shown, bound).then(
    () => [],
    (error: unknown) => [messageOf(error)],
  );
}

type Counting = Extract<Symptom, { where: 'node' | 'network' }> & { readonly rises: number };

const countsOf = (symptom: Symptom): symptom is Counting => 'rises' in symptom && symptom.rises !== undefined;

async function shows(lab: LabRecord, symptom: Symptom, before: number): Promise<boolean> {
  if (countsOf(symptom)) return (await countOf(lab, symptom)) >= before + symptom.rises;
  return (await look(lab, symptom)).exitCode === 0;
}

async function countOf(lab: LabRecord, symptom: Counting): Promise<number> {
  const text = (await look(lab, symptom)).stdout.trim();
  if (!/^\d+$/.test(text))
    throw new ParleyError('node/lab-injection', `expected a number of ${symptom.script}, got ${text.slice(0, 80)}`);
  return Number(text);
}

function look(lab: LabRecord, symptom: Symptom) {
  const argv = ['bash', '--norc', '-uc', symptom.script];
  if (symptom.where === 'cable') return runInNetwork(findCable(lab, symptom.cable)!.cable.namespace, argv);
  const node = lab.nodes.find((entry) => entry.name === symptom.node)!;
  return symptom.where === 'node' ? runInNode(node, argv) : runInNetwork(node.namespace, argv);
}
