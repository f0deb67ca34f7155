// What an expectation (baseline, topology file, or what operators said must hold) has and the network has not, where no other kind of
// symptom says so. baseline/ and meant/ raise it.
import type { ProfilePart } from '#model/snapshot.ts';
import { defineSymptom } from '../engine/symptom.ts';

export type ExpectedDetail = {
  /** `said`: what operators alone can say must hold. */
  readonly part: ProfilePart | 'said';
  /** The value that was expected. */
  readonly expected: string;
  /** Of an address or a session: where it is missing, the address, and the peer's address and node. */
  readonly node?: string;
  readonly ifname?: string;
  readonly address?: string;
  readonly peer?: string;
  readonly far?: string;
  /** Of an adjacency or a size: as it is now, and what was expected. */
  readonly from?: string | number;
  readonly to?: number;
  readonly others?: number;
};

export const expectedSymptom = defineSymptom<ExpectedDetail>('expected');
