// Proves the catalogue of injections on a running lab: each fault at a random place must land, show, stay, leave nothing behind, and the
// network must be healthy afterwards. What fails here would make runs of a campaign invalid.
import { messageOf } from '#base/error.ts';
import type { Network } from '../generate/network.ts';
import { FAULTS } from './faults/catalogue.ts';
import type { Random } from './faults/fault.ts';
import { waitForBaseline } from './health.ts';
import { inject } from './injection.ts';
import type { LabRecord } from './registry.ts';

export type Proof = {
  readonly fault: string;
  readonly parameters: unknown;
  /** Nothing when the network has no place for this fault. */
  readonly applies: boolean;
  readonly problems: readonly string[];
  readonly seconds: number;
};

export async function proveFaults(
  lab: LabRecord,
  network: Network,
  ids: readonly string[],
  random: Random,
  hear: (proof: Proof) => void,
): Promise<void> {
  for (const id of ids) {
    const started = performance.now();
    const fault = FAULTS.get(id)!;
    const placed = fault.place?.(network, random);
    if (placed === undefined) {
      hear({ fault: id, parameters: null, applies: false, problems: [], seconds: 0 });
      continue;
    }
    const parameters = fault.parameters.parse(placed) as Record<string, unknown>;
    const problems = await proveOne(lab, id, parameters);
    const seconds = Math.round(performance.now() - started) / 1_000;
    hear({ fault: id, parameters, applies: true, problems, seconds });
  }
}

async function proveOne(lab: LabRecord, fault: string, parameters: Record<string, unknown>): Promise<string[]> {
  try {
    const landed = await inject(lab, [{ where: 'fault', fault, parameters }]);
    const wrong = await landed.problems();
    const left = (await landed.undo()).map((entry) => `left behind: ${entry}`);
    await waitForBaseline(lab, () => {});
    return [...wrong, ...left];
  } catch (error) {
    return [messageOf(error)];
  }
}
