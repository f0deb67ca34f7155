// Tries that were not answered as packets: which rules can take them or their answers, and which rules they come to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from '#correlate/network/world.ts';
import { type Attempt, type AttemptDetail, meets, sendersOf, takes } from '#correlate/packet-filter/attempts.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { is } from '../service-scene.ts';

/** r1 tries a host behind r3, over r2. */
const attempt = (change: Partial<AttemptDetail> = {}): Attempt => ({
  way: { nodes: ['r1', 'r2', 'r3'], links: ['link/r1:eth2--r2:eth1', 'link/r2:eth2--r3:eth1'] },
  detail: {
    ...{ from: 'r1', destination: '198.19.3.10', owner: 'r3', sent: 3, source: '198.19.1.1', behind: true },
    ifname: 'eth3',
    ...change,
  },
});
const can = (matches: readonly FilterMatch[], change: Partial<AttemptDetail> = {}, family = 'inet') =>
  takes({ family, matches }, attempt(change));

test('a service is tried on its port, and answers from it', () => {
  const http = { service: 'tcp', port: 80 } as const;
  assert.equal(can([is('protocol', 'tcp'), is('destination-port', '80')], http), true);
  assert.equal(can([is('protocol', 'tcp'), is('source-port', '80')], http), true);
  const [there, back] = [is('destination', '198.19.3.10'), is('source', '198.19.3.10')];
  assert.equal(can([there, is('destination-port', '81')], http), false);
  assert.equal(can([back, is('source-port', '81')], http), false);
  assert.equal(can([there, is('source-port', '40001')], http), true, 'the port of the other end may be any');
  assert.equal(can([is('protocol', 'udp')], http), false);
  assert.equal(can([there, is('destination-port', '80')], http), true);
  assert.equal(can([back, is('source-port', '80')], http), true);
  assert.equal(can([back, is('destination', '198.19.1.1')], http), true);
  assert.equal(can([there, is('source', '198.19.1.1')], http), true);
  assert.equal(can([is('source', '198.19.9.9')], http), false);
  assert.equal(can([is('source', '198.19.9.9')], { ...http, sources: ['198.19.9.9'] }), true);
});

test('an echo is a request and a reply, of ICMP or ICMPv6', () => {
  const [four, six] = [{ service: 'echo' }, { service: 'echo', destination: 'fd00:c:3::10' }] as const;
  assert.equal(can([is('protocol', 'icmp'), is('icmp-type', 'echo-request')], four), true);
  assert.equal(can([is('protocol', 'icmp'), is('icmp-type', 'echo-reply')], four), true);
  assert.equal(can([is('icmp-type', 'destination-unreachable')], four), false);
  assert.equal(can([is('protocol', 'ipv6-icmp')], four), false);
  assert.equal(can([is('protocol', 'ipv6-icmp'), is('icmp-type', 'echo-request')], six), true);
  assert.equal(can([is('protocol', 'ipv6-icmp'), is('icmp-type', 'echo-reply')], six), true);
  assert.equal(can([is('protocol', 'icmp')], six), false);
  assert.deepEqual([can([], four, 'ip6'), can([], six, 'ip6'), can([], six, 'ip')], [false, true, false]);
});

test('without a service it is a probe of the reflector', () => {
  assert.equal(can([is('protocol', 'udp'), is('destination-port', '9515')]), true);
  assert.equal(can([is('protocol', 'udp'), is('source-port', '9515')]), true);
  assert.equal(can([is('protocol', 'tcp')]), false);
  assert.equal(can([is('destination', '198.19.3.10'), is('destination-port', '53')]), false);
});

type Bound = { readonly in?: string; readonly out?: string };
const met = (
  node: string,
  hook: string,
  change: Partial<AttemptDetail> = {},
  bound: Bound = {},
  mine = attempt(change),
) =>
  meets(mine, {
    node,
    hook: hook as never,
    inInterfaces: bound.in === undefined ? [] : [bound.in],
    outInterfaces: bound.out === undefined ? [] : [bound.out],
  });

test('what is for a host is forwarded by the last router as well, and taken in by none', () => {
  for (const [node, hook, isMet] of [
    ['r1', 'output', true],
    ['r1', 'input', true],
    ['r1', 'forward', false],
    ['r2', 'forward', true],
    ['r2', 'input', false],
    ['r3', 'forward', true],
    ['r3', 'input', false],
    ['r3', 'ingress', true],
    ['r4', 'forward', false],
    ['r4', 'ingress', false],
  ] as const)
    assert.equal(met(node, hook), isMet, `${hook} of ${node}`);
});

test('what is for a node itself is taken in there, and not forwarded', () => {
  const itself = { behind: false };
  for (const [node, hook, isMet] of [
    ['r1', 'output', true],
    ['r2', 'input', false],
    ['r2', 'forward', true],
    ['r3', 'forward', false],
    ['r3', 'input', true],
    ['r3', 'egress', true],
  ] as const)
    assert.equal(met(node, hook, itself), isMet, `${hook} of ${node}`);
  const { behind: _, ...rest } = attempt().detail;
  assert.equal(
    met('r3', 'input', {}, {}, { way: attempt().way!, detail: rest }),
    true,
    'behind nobody when it is not said',
  );
});

test('a rule that is bound to interfaces is met where the way crosses them', () => {
  assert.equal(met('r2', 'forward', {}, { in: 'eth1', out: 'eth2' }), true);
  assert.equal(met('r2', 'forward', {}, { in: 'eth1' }), true);
  assert.equal(met('r2', 'forward', {}, { in: 'eth9' }), false);
  assert.equal(met('r2', 'forward', {}, { in: 'eth1', out: 'eth9' }), false);
  assert.equal(met('r3', 'forward', {}, { out: 'eth3' }), true, 'the port of the host');
  assert.equal(met('r2', 'forward', {}, { out: 'eth3' }), false);
});

test('of a try whose way is not known, only its ends’ own filters are met', () => {
  const wayless: Attempt = { detail: attempt().detail };
  assert.equal(met('r2', 'forward', {}, {}, wayless), false);
  assert.equal(met('r1', 'output', {}, {}, wayless), true);
});

test('a node sends from its addresses of the same family, and not from those of itself', () => {
  const interfaces = [
    { name: 'lo', addresses: ['127.0.0.1/8', '::1/128', '198.19.255.1/32'] },
    { name: 'eth1', addresses: ['198.18.1.0/31', 'fd00:1:1::/127'] },
  ];
  const world = { views: new Map([['r1', { state: { inventory: { interfaces } } }]]) } as unknown as World;
  assert.deepEqual(sendersOf(world, 'r1', '198.19.3.10'), ['198.19.255.1', '198.18.1.0']);
  assert.deepEqual(sendersOf(world, 'r1', 'fd00::3'), ['fd00:1:1::']);
  assert.deepEqual(sendersOf(world, 'r9', 'fd00::3'), []);
});
