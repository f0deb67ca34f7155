// The catalogue of injections: each has a truth with a known label, a way back, and no word in it that would tell an agent what to look for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULT_DEFINITIONS } from '#correlate/faults/registry.ts';
import { seededRandom } from '../../simulations/generate/random.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { FAULTS, faultIds } from '../../simulations/lab/faults/catalogue.ts';
import type { LabShape } from '../../simulations/lab/faults/fault.ts';
import { LABELS } from '../../simulations/lab/faults/labels.ts';

const NETWORKS = ['leaf-spine-4x4', 'abilene', 'abilene-ospf'].map(networkOf);

const ACCUSING = new Set(FAULT_DEFINITIONS.filter(({ accuses }) => accuses).map(({ id }) => id));

/** All entries at a place of the first network that has one. */
function placedEntries() {
  return [...FAULTS.values()].flatMap((fault) => {
    for (const network of NETWORKS) {
      for (let seed = 1; seed <= 10; seed++) {
        const place = fault.place?.(network, seededRandom(seed));
        if (place === undefined) continue;
        const cables = network.links.map(({ a, b }) => ({ namespace: '', portA: '', portB: '', mtu: 0, a, b }));
        const lab: LabShape = { nodes: [], cables };
        return [{ fault, network, lab, parameters: fault.parameters.parse(place) as Record<string, unknown> }];
      }
    }
    return [];
  });
}

test('the catalogue has every fault that plain Linux and FRR can show', () => {
  assert.deepEqual(faultIds(), [
    ...[
      'acl_blocks_prefix',
      'acl_misconfig',
      'agent_lying',
      'agent_silent',
      'arp_acl_block',
      'arp_cache_poisoning',
      'bfd_acl_block',
    ],
    ...['bfd_session_missing', 'bgp_acl_block', 'bgp_asn_misconfig', 'bgp_hijacking', 'bgp_max_prefix_exceeded'],
    ...['bgp_missing_route_advertisement', 'bgp_neighbor_misconfig', 'blackhole_route', 'cables_swapped'],
    ...['clock_wrong', 'daemon_down', 'daemon_restarts'],
    ...['descriptors_exhausted', 'destination_rewrite', 'device_down'],
    'device_forwarding_packet_corruption',
    ...['dhcp_missing_subnet', 'dhcp_service_down', 'dhcp_spoofed_dns', 'dhcp_spoofed_gateway', 'dhcp_spoofed_subnet'],
    'disk_unwritable',
    ...['dns_lookup_latency', 'dns_port_blocked', 'dns_record_error', 'dns_service_down', 'dscp_remarking'],
    ...['duplicated_frames', 'ecmp_polarised', 'filter_at_work', 'forwarding_disabled'],
    ...['frr_service_down', 'header_rewrite', 'high_latency', 'host_incorrect_dns', 'host_incorrect_gateway'],
    ...['host_incorrect_ip', 'host_incorrect_netmask', 'host_ip_conflict', 'host_missing_ip', 'http_acl_block'],
    ...['http_legacy_filter', 'http_service_down'],
    ...['icmp_acl_block', 'icmp_frag_needed_filter_misconfiguration', 'incast_traffic_network_limitation'],
    ...['isis_acl_block', 'isis_area_mismatch', 'isis_authentication_mismatch'],
    ...['isis_level_mismatch', 'isis_metric_misconfig', 'isis_neighbor_missing', 'isis_network_type_mismatch'],
    ...['link_capacity_bottleneck', 'link_detach', 'link_down', 'link_flap', 'link_packet_corruption', 'link_shutdown'],
    ...['load', 'mac_address_conflict', 'memory_exhausted', 'mtu_low_both_ends', 'mtu_mismatch', 'ospf_acl_block'],
    ...['ospf_area_misconfiguration', 'ospf_neighbor_missing', 'ospf_timer_mismatch', 'packet_loss'],
    ...[
      'packet_loss_both_ways',
      'packet_loss_some_flows',
      'payload_corruption',
      'policy_blackhole',
      'policy_route_misconfig',
      'rib_fib_mismatch',
      'route_churn',
      'route_policy_misconfig',
    ],
    ...['session_flap', 'session_mismatch'],
    ...['srv6_encapsulation_missing', 'srv6_hmac_mismatch', 'srv6_locator_missing', 'srv6_sid_empty_table'],
    ...['srv6_sid_missing', 'srv6_sid_unreachable', 'static_route_misconfig', 'tc_redirect_away'],
    'version_skew',
  ]);
});

test('every entry but load finds a place, and every truth has a label', () => {
  const entries = placedEntries();
  const placed = entries.map(({ fault }) => fault.id);
  assert.deepEqual(
    faultIds().filter((id) => !placed.includes(id)),
    ['load'],
  );
  for (const { fault, parameters, lab } of entries) {
    const truth = fault.truth?.(parameters, lab);
    for (const pair of truth?.pairs ?? []) {
      assert.ok(ACCUSING.has(pair.fault), `${fault.id}: no finding can name ${pair.fault}`);
      assert.match(pair.resource, /^(node\/[^/:]+|interface\/[^/:]+\/eth\d+|link\/[^/]+:eth\d+--[^/]+:eth\d+)$/);
    }
  }
});

test('what changes a node can be undone', () => {
  for (const { fault, parameters, lab } of placedEntries())
    for (const step of fault.steps(parameters, lab))
      if (step.where === 'node' || step.where === 'machine') assert.ok(step.undo.length > 0, fault.id);
});

test('commands of faults carry no word that would tell an agent what to look for', () => {
  for (const { fault, parameters, lab } of placedEntries().filter((entry) => entry.fault.truth)) {
    const inside = fault.steps(parameters, lab).filter((step) => step.where === 'node' || step.where === 'machine');
    // The user that the agent runs as, and its folders: a device that loses its power loses its agent, and a clock is the agent’s own.
    const commands = JSON.stringify(inside.map((step) => [step.exec, step.undo])).replaceAll(
      /-u parley\b|\/(?:run|etc)\/parley\//g,
      '',
    );
    assert.doesNotMatch(
      commands,
      /\bfault|inject|bench|scenario|parley|netops|nika|hijack|poison|misconf|corrupt/i,
      fault.id,
    );
  }
});

test('a link of the truth has its ends sorted, whatever way the cable was named', () => {
  const truth = (cable: string) => FAULTS.get('link_down')!.truth!({ cable }, { nodes: [], cables: [] });
  assert.deepEqual(truth('b:eth2--a:eth1').pairs, [{ resource: 'link/a:eth1--b:eth2', fault: 'link_down' }]);
  assert.deepEqual(truth('b:eth2--a:eth1').locations, [
    { device: 'b', interface: 'eth2' },
    { device: 'a', interface: 'eth1' },
  ]);
});

test('a dead device is cut off at all its cables', () => {
  const cable = (a: string, b: string) => ({
    ...{ namespace: '', portA: '', portB: '', mtu: 0 },
    a: { node: a, ifname: 'eth1' },
    b: { node: b, ifname: 'eth2' },
  });
  const steps = FAULTS.get('device_down')!.steps(
    { node: 'b' },
    { nodes: [], cables: [cable('a', 'b'), cable('b', 'c'), cable('c', 'a')] },
  );
  assert.deepEqual(
    steps.map((step) => ('cable' in step ? step.cable : step.node)),
    ['b', 'a:eth1--b:eth2', 'b:eth1--c:eth2'],
  );
});

test('every fault has a symptom that must be seen, at places of its lab', () => {
  for (const { fault, network, lab, parameters } of placedEntries()) {
    if (fault.truth === undefined) continue;
    const symptoms = fault.symptoms?.(parameters, lab) ?? [];
    assert.ok(symptoms.length > 0, fault.id);
    const nodes = new Set([...network.routers.map(({ name }) => name), ...network.hosts.map(({ host }) => host)]);
    for (const symptom of symptoms) {
      if (symptom.where === 'cable') assert.match(symptom.cable, /^\S+:eth\d+--\S+:eth\d+$/);
      else assert.ok(nodes.has(symptom.node), `${fault.id}: ${symptom.node}`);
    }
  }
});

test('what a filter drops is tried from a host across it', () => {
  const network = networkOf('leaf-spine-xs');
  for (const id of ['acl_blocks_prefix', 'http_acl_block', 'dns_port_blocked']) {
    for (let seed = 1; seed <= 20; seed++) {
      const { node, seen } = FAULTS.get(id)!.place!(network, seededRandom(seed)) as never as {
        readonly node: string;
        readonly seen: { readonly host: string; readonly address: string };
      };
      const from = network.hosts.find(({ host }) => host === seen.host)!;
      const to = network.hosts.find(({ hostAddress4 }) => hostAddress4 === seen.address)!;
      assert.equal([from, to].filter(({ router }) => router === node).length, 1, `${id} ${seed}`);
    }
  }
});

test('the benchmarks’ names are those of the definitions, null where they have none', () => {
  assert.deepEqual(LABELS['dscp_remarking'], { nika: 'vrf_dscp_remarking', netOpsBench: null });
  assert.deepEqual(LABELS['link_flap'], { nika: 'link_flap', netOpsBench: 'link_flapping' });
  assert.deepEqual(LABELS['isis_metric_misconfig'], { nika: null, netOpsBench: null });
  assert.equal(LABELS['no_such_fault'], undefined);
});
