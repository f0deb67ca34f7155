// Every rule there is. Refuses two rules for one fault; docs/faults.md is generated from this table.

import type { FaultDefinition } from '../engine/fault-definition.ts';
import { bfdSessionMissing } from './bgp/bfd-session-missing.ts';
import { bgpAsnMisconfig } from './bgp/bgp-asn-misconfig.ts';
import { bgpHijacking } from './bgp/bgp-hijacking.ts';
import { bgpMaxPrefix } from './bgp/bgp-max-prefix.ts';
import { bgpMissingRoute } from './bgp/bgp-missing-route.ts';
import { bgpNeighborMisconfig } from './bgp/bgp-neighbor-misconfig.ts';
import { bgpSessionMissing } from './bgp/bgp-session-missing.ts';
import { routePolicy } from './bgp/route-policy.ts';
import { aclMisconfig } from './filters/acl-misconfig.ts';
import { arpAclBlock } from './filters/arp-acl-block.ts';
import { bfdAclBlock } from './filters/bfd-acl-block.ts';
import { bgpAclBlock } from './filters/bgp-acl-block.ts';
import { dnsPortBlocked } from './filters/dns-port-blocked.ts';
import { httpAclBlock } from './filters/http-acl-block.ts';
import { icmpAclBlock } from './filters/icmp-acl-block.ts';
import { icmpFragNeededFilter } from './filters/icmp-frag-needed-filter.ts';
import { isisAclBlock } from './filters/isis-acl-block.ts';
import { ospfAclBlock } from './filters/ospf-acl-block.ts';
import { dscpRemarking } from './forwarding/dscp-remarking.ts';
import { forwardingCorruption } from './forwarding/forwarding-corruption.ts';
import { incast } from './forwarding/incast.ts';
import { hostIncorrectGateway } from './hosts/host-incorrect-gateway.ts';
import { hostIncorrectIp } from './hosts/host-incorrect-ip.ts';
import { hostIncorrectNetmask } from './hosts/host-incorrect-netmask.ts';
import { hostMissingIp } from './hosts/host-missing-ip.ts';
import { isisArea } from './isis/isis-area.ts';
import { isisAuthentication } from './isis/isis-authentication.ts';
import { isisLevel } from './isis/isis-level.ts';
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
import { arpCachePoisoning } from './nodes/arp-cache-poisoning.ts';
import { daemonDown } from './nodes/daemon-down.ts';
import { deviceDown } from './nodes/device-down.ts';
import { frrServiceDown } from './nodes/frr-service-down.ts';
import { hostIpConflict } from './nodes/host-ip-conflict.ts';
import { macAddressConflict } from './nodes/mac-address-conflict.ts';
import { ospfArea } from './ospf/ospf-area.ts';
import { ospfNeighborMissing } from './ospf/ospf-neighbor-missing.ts';
import { ospfTimer } from './ospf/ospf-timer.ts';
import { addressMissing } from './routing/address-missing.ts';
import { blackholeRoute } from './routing/blackhole-route.ts';
import { staticRouteMisconfig } from './routing/static-route.ts';
import { dhcpMissingSubnet } from './services/dhcp-missing-subnet.ts';
import { dhcpServiceDown } from './services/dhcp-service-down.ts';
import { dhcpSpoofedDns } from './services/dhcp-spoofed-dns.ts';
import { dhcpSpoofedGateway } from './services/dhcp-spoofed-gateway.ts';
import { dhcpSpoofedSubnet } from './services/dhcp-spoofed-subnet.ts';
import { dnsLookupLatency } from './services/dns-lookup-latency.ts';
import { dnsRecordError } from './services/dns-record-error.ts';
import { dnsServiceDown } from './services/dns-service-down.ts';
import { hostIncorrectDns } from './services/host-incorrect-dns.ts';
import { httpServiceDown } from './services/http-service-down.ts';
import { srv6EncapsulationMissing } from './srv6/srv6-encapsulation-missing.ts';
import { srv6LocatorMissing } from './srv6/srv6-locator-missing.ts';
import { srv6SidMissing } from './srv6/srv6-sid-missing.ts';
import { srv6SidUnreachable } from './srv6/srv6-sid-unreachable.ts';

export const FAULT_DEFINITIONS: readonly FaultDefinition[] = registered([
  ...[packetLoss, aclMisconfig, linkPacketCorruption, highLatency, linkCapacity],
  ...[forwardingCorruption, dscpRemarking, incast],
  ...[linkDown, linkFlap, linkDetach, mtuMismatch, deviceDown],
  ...[frrServiceDown, daemonDown],
  ...[isisAuthentication, isisLevel, isisArea, isisNetworkType, isisNeighborMissing, isisMetric],
  ...[ospfArea, ospfTimer, ospfNeighborMissing],
  ...[bgpAsnMisconfig, bgpNeighborMisconfig, bgpMaxPrefix, bgpMissingRoute, routePolicy, bgpHijacking],
  bfdSessionMissing,
  ...[bgpAclBlock, ospfAclBlock, isisAclBlock, bfdAclBlock, arpAclBlock],
  ...[icmpAclBlock, httpAclBlock, dnsPortBlocked, icmpFragNeededFilter],
  ...[hostIncorrectGateway, hostIncorrectIp, hostMissingIp, hostIncorrectNetmask],
  ...[dnsServiceDown, httpServiceDown, dnsRecordError],
  ...[dhcpServiceDown, dhcpMissingSubnet, dhcpSpoofedGateway, dhcpSpoofedDns, dhcpSpoofedSubnet],
  ...[hostIncorrectDns, dnsLookupLatency],
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
