// isis_network_type_mismatch: one end takes the link for point-to-point, the other for a broadcast network.
import { differing } from './isis-mismatch.ts';
import type { Rule } from './rule.ts';

export const isisNetworkType: Rule = {
  fault: 'isis_network_type_mismatch',
  resourceForm: 'interface',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'the two ends of an IS-IS link take it for different network types',
  propose: (file) =>
    differing(
      file,
      isisNetworkType,
      (circuit) => circuit.network,
      (kind) => kind,
    ),
};
