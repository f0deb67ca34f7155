// isis_network_type_mismatch: one end takes the link for point-to-point, the other for a broadcast network.
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { differing } from './isis-mismatch.ts';

export const isisNetworkType: FaultDefinition = {
  id: 'isis_network_type_mismatch',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'the two ends of an IS-IS link take it for different network types',
  exact: '`isis network point-to-point`, or without',
  propose: (file) =>
    differing(
      file,
      isisNetworkType,
      (circuit) => circuit.network,
      (kind) => kind,
      (end, wanted) => {
        const word = wanted === 'point-to-point' ? '' : 'no ';
        return frrChange(file.world, end.node, onInterface(end.ifname, `${word}isis network point-to-point`));
      },
    ),
};
