// Every fault there is, by its id. Refuses a definition under another id than its own; docs/faults.md is generated from this table.
import type { FaultDefinition } from '../engine/fault-definition.ts';
import { bfdSessionMissing } from './bgp/bfd-session-missing.ts';
import { bgpAsnMisconfig } from './bgp/bgp-asn-misconfig.ts';
import { bgpHijacking } from './bgp/bgp-hijacking.ts';
import { bgpMaxPrefix } from './bgp/bgp-max-prefix.ts';
import { bgpMissingRoute } from './bgp/bgp-missing-route.ts';
import { bgpNeighborMisconfig } from './bgp/bgp-neighbor-misconfig.ts';
import { bgpSessionMissing } from './bgp/bgp-session-missing.ts';
import { routeChurn } from './bgp/route-churn.ts';
import { routeLeak } from './bgp/route-leak.ts';
import { routePolicy } from './bgp/route-policy.ts';
import { rpkiInvalid } from './bgp/rpki-invalid.ts';
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
import { conntrackFull } from './forwarding/conntrack-full.ts';
import { destinationRewrite } from './forwarding/destination-rewrite.ts';
import { dscpRemarking } from './forwarding/dscp-remarking.ts';
import { ecmpPolarised } from './forwarding/ecmp-polarised.ts';
import { forwardingCorruption } from './forwarding/forwarding-corruption.ts';
import { forwardingDisabled } from './forwarding/forwarding-disabled.ts';
import { headerRewrite } from './forwarding/header-rewrite.ts';
import { incast } from './forwarding/incast.ts';
import { reversePathDrop } from './forwarding/reverse-path.ts';
import { sourceRewrite } from './forwarding/source-rewrite.ts';
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
import { cablesSwapped } from './link/cables-swapped.ts';
import { duplicatedFrames } from './link/duplicated-frames.ts';
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
import { clockWrong } from './nodes/clock-wrong.ts';
import { daemonDown } from './nodes/daemon-down.ts';
import { daemonRestarts } from './nodes/daemon-restarts.ts';
import { descriptorsExhausted } from './nodes/descriptors-exhausted.ts';
import { deviceDown } from './nodes/device-down.ts';
import { diskUnwritable } from './nodes/disk-unwritable.ts';
import { expectationUnmet } from './nodes/expectation-unmet.ts';
import { frrServiceDown } from './nodes/frr-service-down.ts';
import { hostIpConflict } from './nodes/host-ip-conflict.ts';
import { macAddressConflict } from './nodes/mac-address-conflict.ts';
import { memoryExhausted } from './nodes/memory-exhausted.ts';
import { versionSkew } from './nodes/version-skew.ts';
import { ospfArea } from './ospf/ospf-area.ts';
import { ospfNeighborMissing } from './ospf/ospf-neighbor-missing.ts';
import { ospfTimer } from './ospf/ospf-timer.ts';
import { addressMissing } from './routing/address-missing.ts';
import { blackholeRoute } from './routing/blackhole-route.ts';
import { defaultRouteLost } from './routing/default-route-lost.ts';
import { policyRouteMisconfig } from './routing/policy-route.ts';
import { ribFibMismatch } from './routing/rib-fib-mismatch.ts';
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
import { duplicateRouterId } from './sessions/duplicate-id.ts';
import { sessionFlap } from './sessions/session-flap.ts';
import { sessionMismatch } from './sessions/session-mismatch.ts';
import { srv6EncapsulationMissing } from './srv6/srv6-encapsulation-missing.ts';
import { srv6HmacMismatch } from './srv6/srv6-hmac.ts';
import { srv6LocatorMissing } from './srv6/srv6-locator-missing.ts';
import { srv6SidMissing } from './srv6/srv6-sid-missing.ts';
import { srv6SidUnreachable } from './srv6/srv6-sid-unreachable.ts';
import { unexplainedLoss } from './unexplained/unexplained-loss.ts';
import { vrrpNoMaster } from './vrrp/vrrp-no-master.ts';
import { vrrpTwoMasters } from './vrrp/vrrp-two-masters.ts';

const DEFINITIONS = {
  packet_loss: packetLoss,
  acl_misconfig: aclMisconfig,
  link_packet_corruption: linkPacketCorruption,
  high_latency: highLatency,
  link_capacity_bottleneck: linkCapacity,
  device_forwarding_packet_corruption: forwardingCorruption,
  forwarding_disabled: forwardingDisabled,
  header_rewrite: headerRewrite,
  destination_rewrite: destinationRewrite,
  source_rewrite: sourceRewrite,
  reverse_path_drop: reversePathDrop,
  conntrack_full: conntrackFull,
  ecmp_polarised: ecmpPolarised,
  dscp_remarking: dscpRemarking,
  incast_traffic_network_limitation: incast,
  duplicated_frames: duplicatedFrames,
  link_down: linkDown,
  link_flap: linkFlap,
  link_detach: linkDetach,
  cables_swapped: cablesSwapped,
  mtu_mismatch: mtuMismatch,
  device_down: deviceDown,
  frr_service_down: frrServiceDown,
  daemon_down: daemonDown,
  daemon_restarts: daemonRestarts,
  version_skew: versionSkew,
  memory_exhausted: memoryExhausted,
  descriptors_exhausted: descriptorsExhausted,
  disk_unwritable: diskUnwritable,
  isis_authentication_mismatch: isisAuthentication,
  isis_level_mismatch: isisLevel,
  isis_area_mismatch: isisArea,
  isis_network_type_mismatch: isisNetworkType,
  isis_neighbor_missing: isisNeighborMissing,
  isis_metric_misconfig: isisMetric,
  ospf_area_misconfiguration: ospfArea,
  ospf_timer_mismatch: ospfTimer,
  ospf_neighbor_missing: ospfNeighborMissing,
  bgp_asn_misconfig: bgpAsnMisconfig,
  bgp_neighbor_misconfig: bgpNeighborMisconfig,
  bgp_max_prefix_exceeded: bgpMaxPrefix,
  bgp_missing_route_advertisement: bgpMissingRoute,
  route_policy_misconfig: routePolicy,
  bgp_hijacking: bgpHijacking,
  route_leak: routeLeak,
  rpki_invalid: rpkiInvalid,
  route_churn: routeChurn,
  bfd_session_missing: bfdSessionMissing,
  bgp_acl_block: bgpAclBlock,
  ospf_acl_block: ospfAclBlock,
  isis_acl_block: isisAclBlock,
  bfd_acl_block: bfdAclBlock,
  arp_acl_block: arpAclBlock,
  icmp_acl_block: icmpAclBlock,
  http_acl_block: httpAclBlock,
  dns_port_blocked: dnsPortBlocked,
  icmp_frag_needed_filter_misconfiguration: icmpFragNeededFilter,
  host_incorrect_gateway: hostIncorrectGateway,
  host_incorrect_ip: hostIncorrectIp,
  host_missing_ip: hostMissingIp,
  host_incorrect_netmask: hostIncorrectNetmask,
  dns_service_down: dnsServiceDown,
  http_service_down: httpServiceDown,
  dns_record_error: dnsRecordError,
  dhcp_service_down: dhcpServiceDown,
  dhcp_missing_subnet: dhcpMissingSubnet,
  dhcp_spoofed_gateway: dhcpSpoofedGateway,
  dhcp_spoofed_dns: dhcpSpoofedDns,
  dhcp_spoofed_subnet: dhcpSpoofedSubnet,
  host_incorrect_dns: hostIncorrectDns,
  dns_lookup_latency: dnsLookupLatency,
  blackhole_route: blackholeRoute,
  policy_route_misconfig: policyRouteMisconfig,
  rib_fib_mismatch: ribFibMismatch,
  static_route_misconfig: staticRouteMisconfig,
  default_route_lost: defaultRouteLost,
  address_missing: addressMissing,
  bgp_session_missing: bgpSessionMissing,
  session_mismatch: sessionMismatch,
  session_flap: sessionFlap,
  duplicate_router_id: duplicateRouterId,
  arp_cache_poisoning: arpCachePoisoning,
  mac_address_conflict: macAddressConflict,
  host_ip_conflict: hostIpConflict,
  vrrp_two_masters: vrrpTwoMasters,
  vrrp_no_master: vrrpNoMaster,
  srv6_sid_missing: srv6SidMissing,
  srv6_sid_unreachable: srv6SidUnreachable,
  srv6_hmac_mismatch: srv6HmacMismatch,
  srv6_locator_missing: srv6LocatorMissing,
  srv6_encapsulation_missing: srv6EncapsulationMissing,
  unexplained_loss: unexplainedLoss,
  reflector_overrun: reflectorOverrun,
  passing_loss: passingLoss,
  clock_wrong: clockWrong,
  agent_contradicted: agentContradicted,
  expectation_unmet: expectationUnmet,
} satisfies Readonly<Record<string, FaultDefinition>>;

export type FaultId = keyof typeof DEFINITIONS;

export const FAULT_DEFINITIONS: readonly FaultDefinition[] = Object.entries(DEFINITIONS).map(([id, definition]) => {
  if (definition.id !== id) throw new TypeError(`${definition.id} is registered as ${id}`);
  return definition;
});
