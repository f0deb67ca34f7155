// docs/faults.md says what the rules say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAULT_DEFINITIONS, type FaultId } from '#correlate/faults/registry.ts';
import { renderFaults } from '../../scripts/faults-table.ts';
import { ROOT } from '../../scripts/source-files.ts';

test('docs/faults.md is what the rules say', () => {
  assert.equal(readFileSync(join(ROOT, 'docs/faults.md'), 'utf8'), renderFaults());
});

test('the faults that findings may name are these', () => {
  const row = (fault: FaultId) =>
    FAULT_DEFINITIONS.filter((rule) => rule.id === fault).map((rule) => [
      rule.resource,
      rule.labels.nika,
      rule.labels.netOpsBench,
    ])[0];
  assert.deepEqual(row('packet_loss'), ['interface', 'silent_egress_packet_loss', 'packet_loss']);
  assert.deepEqual(row('acl_misconfig'), ['node', null, 'acl_misconfig']);
  assert.deepEqual(row('link_down'), ['link', 'link_down', 'link_down']);
  assert.deepEqual(row('link_flap'), ['link', 'link_flap', 'link_flapping']);
  assert.deepEqual(row('mtu_mismatch'), ['interface', 'mtu_mismatch', 'mtu_mismatch']);
  assert.deepEqual(row('link_packet_corruption'), ['link', 'link_packet_corruption', 'packet_corruption']);
  assert.deepEqual(row('high_latency'), ['interface', null, 'high_latency']);
  assert.deepEqual(row('link_capacity_bottleneck'), ['link', 'link_capacity_bottleneck', null]);
  assert.deepEqual(row('device_down'), ['node', null, 'device_down']);
  assert.deepEqual(row('bgp_asn_misconfig'), ['node', 'bgp_asn_misconfig', null]);
  assert.deepEqual(row('bgp_neighbor_misconfig'), ['interface', null, 'bgp_neighbor_misconfig']);
  assert.deepEqual(row('blackhole_route'), ['node', 'host_static_blackhole', 'blackhole_route']);
  assert.deepEqual(row('static_route_misconfig'), ['node', null, 'static_route_misconfig']);
  assert.deepEqual(row('bgp_missing_route_advertisement'), [
    'node',
    'bgp_missing_route_advertisement',
    'route_policy_misconfig',
  ]);
  assert.deepEqual(row('agent_contradicted'), ['node', null, null]);
  // @ts-expect-error: an id that no definition has does not compile
  assert.equal(row('paket_loss'), undefined);
});
