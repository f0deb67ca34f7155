// isis_network_type_mismatch: one end takes the link for point-to-point, the other for a broadcast network.
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { defineCircuitMismatch } from './circuit-mismatch.ts';

export const isisNetworkType = defineCircuitMismatch({
  id: 'isis_network_type_mismatch',
  summary: 'the two ends of an IS-IS link take it for different network types',
  exact: '`isis network point-to-point`, or without',
  property: ({ network }) => network,
  words: (network) => network,
  change: (world, { node, ifname }, wanted) => {
    const no = wanted === 'point-to-point' ? '' : 'no ';
    return frrChange(world, node, onInterface(ifname, `${no}isis network point-to-point`));
  },
});
