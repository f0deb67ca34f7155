// Every rule there is. Refuses two rules for one fault; docs/faults.md is generated from this table.
import { aclMisconfig } from './acl-misconfig.ts';
import { agentContradicted } from './agent-contradicted.ts';
import { bfdSessionMissing } from './bfd-session-missing.ts';
import { bgpMissingRoute, routePolicy } from './bgp-advertisement.ts';
import { bgpAsnMisconfig, bgpNeighborMisconfig } from './bgp-asn.ts';
import { bgpMaxPrefix } from './bgp-max-prefix.ts';
import { blackholeRoute } from './blackhole-route.ts';
import { linkPacketCorruption } from './corruption.ts';
import { daemonDown, frrServiceDown } from './daemon-down.ts';
import { deviceDown } from './device-down.ts';
import { dhcpRules } from './dhcp.ts';
import { dscpRemarking } from './dscp-remarking.ts';
import { bgpHijacking, hostIpConflict, macAddressConflict } from './duplicates.ts';
import { forwardingCorruption } from './forwarding-corruption.ts';
import { highLatency } from './high-latency.ts';
import { hostServices } from './host-services.ts';
import { hostRules } from './hosts.ts';
import { incast } from './incast.ts';
import { isisAuthentication } from './isis-authentication.ts';
import { isisArea, isisLevel } from './isis-level.ts';
import { isisMetric } from './isis-metric.ts';
import { isisNeighborMissing } from './isis-neighbor-missing.ts';
import { isisNetworkType } from './isis-network-type.ts';
import { linkCapacity } from './link-capacity.ts';
import { linkDetach } from './link-detach.ts';
import { linkDown } from './link-down.ts';
import { linkFlap } from './link-flap.ts';
import { addressMissing } from './missing-address.ts';
import { bgpSessionMissing } from './missing-session.ts';
import { mtuMismatch } from './mtu-mismatch.ts';
import { nameRules } from './names.ts';
import { arpCachePoisoning } from './neighbour-entries.ts';
import { ospfArea, ospfNeighborMissing, ospfTimer } from './ospf.ts';
import { packetLoss } from './packet-loss.ts';
import { passingLoss } from './passing-loss.ts';
import { protocolFilters } from './protocol-filters.ts';
import { reflectorOverrun } from './reflector-overrun.ts';
import type { Rule } from './rule.ts';
import { fragNeededFilter, serviceFilters } from './service-filters.ts';
import { srv6EncapsulationMissing, srv6LocatorMissing, srv6SidMissing, srv6SidUnreachable } from './srv6-sid.ts';
import { staticRouteMisconfig } from './static-route.ts';

/** The rules for questions about one path. */
export const PATH_RULES: readonly Rule[] = [packetLoss, aclMisconfig, linkPacketCorruption, reflectorOverrun];

export const RULES: readonly Rule[] = registered([
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

function registered(rules: readonly Rule[]): readonly Rule[] {
  const faults = new Set(rules.map((rule) => rule.fault));
  if (faults.size !== rules.length) throw new TypeError('two rules for one fault');
  return rules;
}
