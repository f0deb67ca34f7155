// Which cases a run of the benchmark has: from a seed, from scenario files of a folder, or questions without a fault.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { loadScenarios } from '../../simulations/lab/campaign.ts';
import type { Scenario } from '../../simulations/lab/scenario.ts';
import { type Case, type CasesInit, generateCases } from './cases.ts';
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

/** Scenario files have no NetOpsBench places: their pairs give them. */
export async function fromFiles(folder: string): Promise<Planned[]> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .sort();
  const scenarios = await loadScenarios(files.map((file) => join(folder, file)));
  const sorted = scenarios.sort((one, other) => one.topologyFile.localeCompare(other.topologyFile));
  return sorted.map((scenario) => {
    const { name, timers, inject, settleMs, ask, truth } = scenario;
    const kind = truth.length === 0 ? 'healthy' : truth.length === 1 ? 'single' : 'several';
    const size = scenario.topologyFile.replace(/^.*\/|\.clab\.yml$/g, '');
    const what = truth.map((pair) => pair.fault);
    const base = { id: name, size, timers, kind, what, inject, settleMs, ask } as const;
    return { entry: { ...base, truth: { pairs: truth, locations: [] } }, scenario };
  });
}

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
