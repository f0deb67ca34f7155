// A score weighted by what breaks real networks: change and configuration 50, links and hardware 25, software 17, capacity 8. Each class counts
// by the mean of its own cases, so that a class with many cases in a campaign weighs no more than it does outside. Pure.
import type { FaultId } from '#correlate/faults/registry.ts';
import { mean, thousandths } from './diagnosis/bootstrap.ts';

/** Shares of network outages: Meta 2011–2018 without the undetermined (change 58, hardware 18, software 17, capacity 7), Uptime 2025 (change 50, hardware 31, software 26, overload 13). */
export const PRODUCTION_WEIGHTS = { change: 50, linkAndHardware: 25, software: 17, capacity: 8 } as const;
export type ProductionClass = keyof typeof PRODUCTION_WEIGHTS;

const CLASSES = Object.keys(PRODUCTION_WEIGHTS) as readonly ProductionClass[];

/** Null: no fault of a network by itself, or only a place. A fault that several classes cause has the one that causes it most. */
const CLASS_OF: Readonly<Record<FaultId, ProductionClass | null>> = {
  packet_loss: 'linkAndHardware',
  acl_misconfig: 'change',
  link_packet_corruption: 'linkAndHardware',
  high_latency: 'linkAndHardware',
  link_capacity_bottleneck: 'capacity',
  device_forwarding_packet_corruption: 'linkAndHardware',
  forwarding_disabled: 'change',
  header_rewrite: 'change',
  destination_rewrite: 'change',
  source_rewrite: 'change',
  reverse_path_drop: 'change',
  conntrack_full: 'capacity',
  ecmp_polarised: 'capacity',
  dscp_remarking: 'change',
  incast_traffic_network_limitation: 'capacity',
  duplicated_frames: 'linkAndHardware',
  link_down: 'linkAndHardware',
  link_flap: 'linkAndHardware',
  link_detach: 'linkAndHardware',
  cables_swapped: 'linkAndHardware',
  mtu_mismatch: 'change',
  device_down: 'linkAndHardware',
  frr_service_down: 'software',
  daemon_down: 'software',
  daemon_restarts: 'software',
  version_skew: 'change',
  memory_exhausted: 'capacity',
  descriptors_exhausted: 'capacity',
  disk_unwritable: 'capacity',
  isis_authentication_mismatch: 'change',
  isis_level_mismatch: 'change',
  isis_area_mismatch: 'change',
  isis_network_type_mismatch: 'change',
  isis_neighbor_missing: 'change',
  isis_metric_misconfig: 'change',
  ospf_area_misconfiguration: 'change',
  ospf_timer_mismatch: 'change',
  ospf_neighbor_missing: 'change',
  bgp_asn_misconfig: 'change',
  bgp_neighbor_misconfig: 'change',
  bgp_max_prefix_exceeded: 'change',
  bgp_missing_route_advertisement: 'change',
  route_policy_misconfig: 'change',
  bgp_hijacking: 'change',
  route_leak: 'change',
  rpki_invalid: 'change',
  route_churn: 'software',
  bfd_session_missing: 'change',
  bgp_acl_block: 'change',
  ospf_acl_block: 'change',
  isis_acl_block: 'change',
  bfd_acl_block: 'change',
  arp_acl_block: 'change',
  icmp_acl_block: 'change',
  http_acl_block: 'change',
  dns_port_blocked: 'change',
  icmp_frag_needed_filter_misconfiguration: 'change',
  host_incorrect_gateway: 'change',
  host_incorrect_ip: 'change',
  host_missing_ip: 'change',
  host_incorrect_netmask: 'change',
  dns_service_down: 'software',
  http_service_down: 'software',
  dns_record_error: 'change',
  dhcp_service_down: 'software',
  dhcp_missing_subnet: 'change',
  dhcp_spoofed_gateway: 'change',
  dhcp_spoofed_dns: 'change',
  dhcp_spoofed_subnet: 'change',
  host_incorrect_dns: 'change',
  dns_lookup_latency: 'capacity',
  blackhole_route: 'change',
  policy_route_misconfig: 'change',
  rib_fib_mismatch: 'software',
  static_route_misconfig: 'change',
  default_route_lost: 'change',
  address_missing: 'change',
  bgp_session_missing: 'change',
  session_mismatch: 'change',
  session_flap: 'software',
  duplicate_router_id: 'change',
  arp_cache_poisoning: 'change',
  mac_address_conflict: 'change',
  host_ip_conflict: 'change',
  vrrp_two_masters: 'change',
  vrrp_no_master: 'change',
  srv6_sid_missing: 'change',
  srv6_sid_unreachable: 'change',
  srv6_hmac_mismatch: 'change',
  srv6_locator_missing: 'change',
  srv6_encapsulation_missing: 'change',
  unexplained_loss: null,
  reflector_overrun: null,
  passing_loss: null,
  clock_wrong: 'software',
  agent_contradicted: null,
  expectation_unmet: null,
};

/** One faulty case: what is really wrong, and what its answer is worth. */
export type ScoredCase = { readonly faults: readonly string[]; readonly rcaF1: number };

export type ProductionScore = {
  /** Null without a case of any class; over the classes that have cases otherwise. */
  readonly rcaF1: number | null;
  readonly classes: Readonly<
    Record<ProductionClass, { readonly weight: number; readonly cases: number; readonly rcaF1: number | null }>
  >;
  /** Classes without a case: the score says nothing of them. */
  readonly lacking: readonly ProductionClass[];
};

/** A case with faults of two classes counts for both. */
export function productionScore(cases: readonly ScoredCase[]): ProductionScore {
  const valuesOf = (name: ProductionClass) =>
    cases.filter(({ faults }) => faults.some((fault) => classOf(fault) === name)).map(({ rcaF1 }) => rcaF1);
  const rows = CLASSES.map((name) => ({ name, weight: PRODUCTION_WEIGHTS[name], values: valuesOf(name) }));
  const seen = rows.filter(({ values }) => values.length > 0);
  const total = seen.reduce((sum, { weight }) => sum + weight, 0);
  const weighted = seen.reduce((sum, { weight, values }) => sum + weight * mean(values), 0);
  const classes = rows.map(({ name, weight, values }) => {
    const rcaF1 = values.length === 0 ? null : thousandths(mean(values));
    return [name, { weight, cases: values.length, rcaF1 }] as const;
  });
  return {
    rcaF1: total === 0 ? null : thousandths(weighted / total),
    classes: Object.fromEntries(classes) as ProductionScore['classes'],
    lacking: rows.filter(({ values }) => values.length === 0).map(({ name }) => name),
  };
}

function classOf(fault: string): ProductionClass | null {
  return CLASS_OF[fault as FaultId] ?? null;
}
