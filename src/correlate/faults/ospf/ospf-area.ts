// ospf_area_misconfiguration: one end of a link is in another OSPF area than the other end and the network, in OSPFv2 or OSPFv3.
import { defineOspfMismatch } from './ospf-ends.ts';

export const ospfArea = defineOspfMismatch({
  id: 'ospf_area_misconfiguration',
  resource: 'node',
  labels: { nika: 'ospf_area_misconfiguration', netOpsBench: null },
  summary: 'one end of a link is in another OSPF area, in OSPFv2 or OSPFv3',
  exact: '`ip ospf area` or `ipv6 ospf6 area` of the other end',
  property: ({ area }) => area,
  // ospf6d takes no other area while an interface has one.
  lines: ({ area, version }, words) => [...(version === 3 ? [`no ${words} area`] : []), `${words} area ${area}`],
});
