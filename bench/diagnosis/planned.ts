// Which cases a run of the benchmark has: from a seed, from scenario files of a folder, or questions without a fault.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { loadScenarios } from '../../simulations/lab/campaign.ts';
import { FAULTS } from '../../simulations/lab/faults/catalogue.ts';
import type { LabShape, Location, Truth } from '../../simulations/lab/faults/fault.ts';
import type { Scenario } from '../../simulations/lab/scenario.ts';
import { type Case, type CaseKind, type CasesInit, generateCases } from './cases.ts';
import { costCases } from './cost-questions.ts';

export type Planned = { readonly entry: Case; readonly scenario: Scenario };

/** Writes the networks of the cases into `folder`. */
export async function fromSeed(init: CasesInit, folder: string): Promise<Planned[]> {
  return withNetworks(generateCases(init), folder);
}

export async function questionsOnly(
  init: Pick<CasesInit, 'seed' | 'count' | 'sizes'>,
  folder: string,
): Promise<Planned[]> {
  return withNetworks(costCases(init), folder);
}

/** Scenario files say what is true, not how NetOpsBench would place it: the catalogue does, where what is injected is of it. */
export async function fromFiles(folder: string): Promise<Planned[]> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .sort();
  const scenarios = await loadScenarios(files.map((file) => join(folder, file)));
  const sorted = scenarios.sort((one, other) => one.topologyFile.localeCompare(other.topologyFile));
  return sorted.map((scenario) => {
    const { name, timers, inject, settleMs, ask, truth } = scenario;
    const size = scenario.topologyFile.replace(/^.*\/|\.clab\.yml$/g, '');
    const what = [...new Set(truth.map((pair) => pair.fault))];
    const base = { id: name, size, timers, kind: kindOf(scenario), what, inject, settleMs, ask } as const;
    return { entry: { ...base, truth: { pairs: truth, locations: locationsOf(scenario) } }, scenario };
  });
}

/** By what is injected where the catalogue knows it: one fault may have its truth at two places. Else by the kinds of fault. */
export function kindOf({ inject, truth }: Pick<Scenario, 'inject' | 'truth'>): CaseKind {
  if (truth.length === 0) return 'healthy';
  const known = truthsOf(inject);
  if ((known?.length ?? new Set(truth.map((pair) => pair.fault)).size) > 1) return 'several';
  const faults = inject.filter((entry) => entry.where === 'fault' && FAULTS.get(entry.fault)?.truth !== undefined);
  return known !== undefined && faults.every((entry) => 'lastsMs' in entry) ? 'over' : 'single';
}

/** Of one fault of the catalogue whose truth is the scenario's own; none where it is not. */
export function locationsOf({ inject, truth }: Pick<Scenario, 'inject' | 'truth'>): readonly Location[] {
  const [only, ...others] = truthsOf(inject) ?? [];
  const keys = (pairs: Scenario['truth']) => pairs.map((pair) => `${pair.resource} ${pair.fault}`).sort();
  const same = only !== undefined && others.length === 0 && keys(only.pairs).join() === keys(truth).join();
  return same ? only.locations : [];
}

/** What the catalogue says of everything injected; nothing where a scenario has commands of its own. */
function truthsOf(inject: Scenario['inject']): readonly Truth[] | undefined {
  if (!inject.every((entry) => entry.where === 'fault')) return undefined;
  return inject.flatMap(({ fault, parameters }) => FAULTS.get(fault)!.truth?.(parameters, NO_LAB) ?? []);
}

/** Truths follow from parameters alone. */
const NO_LAB: LabShape = { nodes: [], cables: [] };

async function withNetworks(cases: readonly Case[], folder: string): Promise<Planned[]> {
  const files = new Map<string, string>();
  for (const size of new Set(cases.map((entry) => entry.size)))
    files.set(size, await writeNetwork(networkOf(size), folder));
  return cases.map((entry) => ({ entry, scenario: scenarioOf(entry, files.get(entry.size)!) }));
}

function scenarioOf(entry: Case, topologyFile: string): Scenario {
  const { id, timers, inject, settleMs, ask, truth } = entry;
  return { name: id, file: '(generated)', topologyFile, timers, inject, settleMs, ask, truth: truth.pairs };
}
