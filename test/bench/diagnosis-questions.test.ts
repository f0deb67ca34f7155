// The questions of the diagnosis benchmark: who asks why something cannot be reached is somebody whom the fault harms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateCases } from '../../bench/diagnosis/cases.ts';
import { questionFor } from '../../bench/diagnosis/questions.ts';
import { seededRandom } from '../../simulations/generate/random.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { hopsBetween, isOnEveryWay } from '../../simulations/lab/faults/places.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** Who is asked to say why, over many seeds; nobody when only general questions are put. */
function askers(size: string, fault: string, parameters: Record<string, unknown>): string[] {
  const asked = SEEDS.map((seed) =>
    questionFor({
      network: networkOf(size),
      random: seededRandom(seed),
      faults: [{ fault, parameters }],
      asking: 'mixed',
      over: false,
    }),
  );
  const why = asked.filter(({ intent }) => intent.startsWith('Why can '));
  for (const { node, intent } of why) assert.ok(intent.startsWith(`Why can ${node} not `), intent);
  return [...new Set(why.map(({ node }) => node))].sort();
}

test('a filter before a name server is asked about from where the way crosses it', () => {
  // Names are served behind atlam5, which only atlang leads to; nobody’s best way there leads over nycmng.
  assert.deepEqual(askers('abilene', 'dns_port_blocked', { node: 'nycmng' }), []);
  assert.deepEqual(askers('abilene', 'dns_port_blocked', { node: 'washng' }), ['nycmng']);
  assert.equal(askers('abilene', 'dns_port_blocked', { node: 'atlang' }).includes('atlang'), false);
  assert.equal(askers('abilene', 'dns_port_blocked', { node: 'atlang' }).length, 10);
});

test('a router’s own packets do not meet what it drops of those that it forwards', () => {
  const prefix = '198.19.1.0/24';
  assert.deepEqual(askers('leaf-spine-xs', 'acl_blocks_prefix', { node: 'leaf1', prefix }), [
    'leaf2',
    'spine1',
    'spine2',
  ]);
  assert.deepEqual(askers('leaf-spine-xs', 'acl_blocks_prefix', { node: 'leaf2', prefix }), []);
});

test('a wrong static route harms its own router, and who is behind it alone', () => {
  const prefix = '198.19.2.0/24';
  assert.deepEqual(askers('leaf-spine-xs', 'blackhole_route', { node: 'leaf1', prefix }), ['leaf1']);
  assert.deepEqual(askers('leaf-spine-xs', 'static_route_misconfig', { node: 'spine1', prefix }), ['spine1']);
});

test('a host that is wrong itself is missed by everybody but its own router', () => {
  assert.deepEqual(askers('leaf-spine-xs', 'host_incorrect_gateway', { host: 'h1' }), ['leaf2', 'spine1', 'spine2']);
  assert.deepEqual(askers('leaf-spine-xs', 'dns_service_down', { host: 'h1' }), ['leaf2', 'spine1', 'spine2']);
});

test('a slow path is asked about between ends that it is a best way between', () => {
  const slow = generateCases({
    ...{ seed: 7, count: 400, sizes: ['abilene'], asking: 'mixed', kinds: ['single'] },
    faults: ['high_latency', 'link_capacity_bottleneck', 'mtu_mismatch'],
  }).filter(({ ask }) => / from \S+ to /.test(ask.intent));
  assert.ok(slow.length > 100);
  const network = networkOf('abilene');
  for (const { ask, inject } of slow) {
    const [, from = '', to = ''] = / from (\w+) to (\w+)/.exec(ask.intent) ?? [];
    const [at] = inject.flatMap((each) => (each.where === 'fault' ? [each.parameters] : []));
    const cable = String(at?.['cable'] ?? '');
    const link = network.links.find(({ a, b }) =>
      cable === ''
        ? [a, b].some((end) => `${end.node}:${end.ifname}` === at?.['at'])
        : cable === `${a.node}:${a.ifname}--${b.node}:${b.ifname}`,
    )!;
    const over = (near: string, far: string) => hopsBetween(network, from, near) + 1 + hopsBetween(network, far, to);
    const best = Math.min(over(link.a.node, link.b.node), over(link.b.node, link.a.node));
    assert.equal(best, hopsBetween(network, from, to), ask.intent);
  }
});

test('a router is on every way when there is no other as good', () => {
  const abilene = networkOf('abilene');
  assert.equal(isOnEveryWay(abilene, 'hstnng', 'atlam5', 'atlang'), true);
  assert.equal(isOnEveryWay(abilene, 'iplsng', 'hstnng', 'kscyng'), false);
  assert.equal(isOnEveryWay(abilene, 'iplsng', 'hstnng', 'iplsng'), true);
});
