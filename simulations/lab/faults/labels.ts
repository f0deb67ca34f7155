// How faults are called elsewhere: the two public benchmarks' names for ours, where they have one, as each fault's definition says. NIKA's
// resources are ours; where NetOpsBench wants a device and an interface, a fault's Truth says which.
import { FAULT_DEFINITIONS } from '#correlate/faults/registry.ts';

export type Labels = { readonly nika: string | null; readonly netOpsBench: string | null };

export const LABELS: { readonly [fault: string]: Labels } = Object.fromEntries(
  FAULT_DEFINITIONS.map(({ id, labels }) => [id, labels]),
);
