// Every rule there is. Refuses two rules for one fault; docs/faults.md is generated from this table.

import type { FaultDefinition } from '../engine/fault-definition.ts';
import { bfdSessionMissing } from './bgp/bfd-session-missing.ts';
import { bgpMissingRoute, routePolicy } from './bgp/bgp-advertisement.ts';
import { bgpAsnMisconfig, bgpNeighborMisconfig } from './bgp/bgp-asn.ts';
import { bgpMaxPrefix } from './bgp/bgp-max-prefix.ts';
import { bgpSessionMissing } from './bgp/missing-session.ts';
import { aclMisconfig } from './filters/acl-misconfig.ts';
import { protocolFilters } from './filters/protocol-filters.ts';
import { fragNeededFilter, serviceFilters } from './filters/service-filters.ts';
import { dscpRemarking } from './forwarding/dscp-remarking.ts';
import { forwardingCorruption } from './forwarding/forwarding-corruption.ts';
import { incast } from './forwarding/incast.ts';
import { hostRules } from './hosts/hosts.ts';
import { isisAuthentication } from './isis/isis-authentication.ts';
import { isisArea, isisLevel } from './isis/isis-level.ts';
import { isisMetric } from './isis/isis-metric.ts';
import { isisNeighborMissing } from './isis/isis-neighbor-missing.ts';
import { isisNetworkType } from './isis/isis-network-type.ts';
import { highLatency } from './link/high-latency.ts';
import { linkCapacity } from './link/link-capacity.ts';
import { linkDetach } from './link/link-detach.ts';
import { linkDown } from './link/link-down.ts';
import { linkFlap } from './link/link-flap.ts';
import { linkPacketCorruption } from './link/link-packet-corruption.ts';
import { mtuMismatch } from './link/mtu-mismatch.ts';
import { packetLoss } from './link/packet-loss.ts';
import { passingLoss } from './link/passing-loss.ts';
import { reflectorOverrun } from './link/reflector-overrun.ts';
import { agentContradicted } from './nodes/agent-contradicted.ts';
import { daemonDown, frrServiceDown } from './nodes/daemon-down.ts';
import { deviceDown } from './nodes/device-down.ts';
import { bgpHijacking, hostIpConflict, macAddressConflict } from './nodes/duplicates.ts';
import { arpCachePoisoning } from './nodes/neighbour-entries.ts';
import { ospfArea, ospfNeighborMissing, ospfTimer } from './ospf/ospf.ts';
import { blackholeRoute } from './routing/blackhole-route.ts';
import { addressMissing } from './routing/missing-address.ts';
import { staticRouteMisconfig } from './routing/static-route.ts';
import { dhcpRules } from './services/dhcp.ts';
import { hostServices } from './services/host-services.ts';
import { nameRules } from './services/names.ts';
import { srv6EncapsulationMissing, srv6LocatorMissing, srv6SidMissing, srv6SidUnreachable } from './srv6/srv6-sid.ts';

/** The rules for questions about one path. */
export const PATH_FAULT_DEFINITIONS: readonly FaultDefinition[] = [
  packetLoss,
  aclMisconfig,
  linkPacketCorruption,
  reflectorOverrun,
];

export const FAULT_DEFINITIONS: readonly FaultDefinition[] = registered([
  ...[packetLoss, aclMisconfig, linkPacketCorruption, highLatency, linkCapacity],
  ...[forwardingCorruption, dscpRemarking, incast],
  ...[linkDown, linkFlap, linkDetach, mtuMismatch, deviceDown],
  ...[frrServiceDown, daemonDown],
  ...[isisAuthentication, isisLevel, isisArea, isisNetworkType, isisNeighborMissing, isisMetric],
  ...[ospfArea, ospfTimer, ospfNeighborMissing],
  ...[bgpAsnMisconfig, bgpNeighborMisconfig, bgpMaxPrefix, bgpMissingRoute, routePolicy, bgpHijacking],
  bfdSessionMissing,
  ...protocolFilters,
  ...serviceFilters,
  fragNeededFilter,
  ...hostRules,
  ...hostServices,
  ...dhcpRules,
  ...nameRules,
  ...[blackholeRoute, staticRouteMisconfig],
  ...[addressMissing, bgpSessionMissing],
  ...[arpCachePoisoning, macAddressConflict, hostIpConflict],
  ...[srv6SidMissing, srv6SidUnreachable, srv6LocatorMissing, srv6EncapsulationMissing],
  ...[reflectorOverrun, passingLoss],
  agentContradicted,
]);

function registered(rules: readonly FaultDefinition[]): readonly FaultDefinition[] {
  const faults = new Set(rules.map((rule) => rule.id));
  if (faults.size !== rules.length) throw new TypeError('two rules for one fault');
  return rules;
}
