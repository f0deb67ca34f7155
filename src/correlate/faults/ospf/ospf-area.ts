// ospf_area_misconfiguration: one end of a link is in another OSPF area than the other end and the network.
import { defineOspfMismatch } from './ospf-ends.ts';

export const ospfArea = defineOspfMismatch({
  id: 'ospf_area_misconfiguration',
  resource: 'node',
  labels: { nika: 'ospf_area_misconfiguration', netOpsBench: null },
  summary: 'one end of a link is in another OSPF area',
  exact: '`ip ospf area` of the other end',
  property: ({ area }) => area,
  lines: ({ area }) => [`ip ospf area ${area}`],
});
