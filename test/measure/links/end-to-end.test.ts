// Many probes over the nodes' own routing: links without IPv6 addresses, and what a question names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAsked, planHostAgain, planPlainLinks } from '#measure/links/end-to-end.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { Intent } from '#model/intent.ts';
import { HOST3, stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

function plain(number: 1 | 2 | 3) {
  const { inventory, ...rest } = stateOf(number);
  const interfaces = inventory.interfaces.map((entry) => ({
    ...entry,
    addresses: entry.addresses.filter((address) => !address.includes(':')),
  }));
  return { ...rest, inventory: { ...inventory, interfaces } };
}

const reach = (over: Partial<Intent>): Intent => ({
  ...{ kind: 'reachability', text: '', path: [], encapsulation: 'ip' },
  ...over,
});
const named = (...names: readonly string[]) => names.map((as) => ({ as, key: as }));

test('a link without IPv6 addresses is probed to the IPv4 address of its other end', () => {
  const states = new Map([1, 2, 3].map((number) => [`r${number}`, plain(number as 1 | 2 | 3)] as const));
  assert.deepEqual(
    planPlainLinks(states, scopeLinks(states)).map(({ id, arguments: args }) => [id, args]),
    [
      ['probe/r1/parley-reach/plain', { destinations: ['198.18.1.1'], count: 100 }],
      ['probe/r2/parley-reach/plain', { destinations: ['198.18.2.1'], count: 100 }],
    ],
  );
  assert.deepEqual(planPlainLinks(STATES, scopeLinks(STATES)), []);
});

test('of two named nodes each probes the other', () => {
  assert.deepEqual(
    planAsked(reach({ path: named('r1', 'r3') }), STATES, 'r2').map(({ id, arguments: { destinations } }) => [
      id,
      destinations,
    ]),
    [
      ['probe/r1/parley-reach/asked', ['fd00:0:0:3::1', '198.19.255.3']],
      ['probe/r3/parley-reach/asked', ['fd00:0:0:1::1', '198.19.255.1']],
    ],
  );
});

test('a host is sent echoes, also by the router that it is attached to and by a node between', () => {
  assert.deepEqual(
    planAsked(reach({ destination: HOST3.address }), STATES, 'r1').map(({ id }) => id),
    ['probe/r1/parley-service-probe/echo', 'probe/r3/parley-service-probe/echo', 'probe/r2/parley-service-probe/echo'],
  );
  assert.deepEqual(
    planAsked(reach({ destination: HOST3.address }), STATES, 'r3').map(({ node }) => node),
    ['r3'],
    'who is attached needs no other witness',
  );
  const more = new Map([['r0', STATES.get('r2')!], ...STATES, ['r9', STATES.get('r2')!]] as const);
  const by = (...forwarding: readonly string[]) =>
    planAsked(reach({ destination: HOST3.address, path: named('r1') }), more, 'r1', forwarding).map(({ node }) => node);
  assert.deepEqual(by('r1', 'r9', 'r2', 'r3'), ['r1', 'r3', 'r2'], 'the nearest to the host that forwards there');
  assert.deepEqual(by('r1', 'r8', 'r3'), ['r1', 'r3', 'r0'], 'the way is not known');
});

test('a port of no well-known service is not tried because a node says that the host serves it', () => {
  const served = (port: number) => ({
    ifname: 'eth3',
    address: HOST3.address,
    service: 'tcp' as const,
    port,
    agoMs: 9,
  });
  const r3 = STATES.get('r3')!;
  const states = new Map([
    ...STATES,
    ['r3', { ...r3, history: { ...r3.history!, services: [served(3_389), served(80)] } }] as const,
  ]);
  const [call] = planAsked(reach({ destination: HOST3.address }), states, 'r1');
  assert.deepEqual(call?.arguments['serviceProbes'], [
    { destination: HOST3.address, service: 'echo' },
    { destination: HOST3.address, service: 'tcp', port: 80 },
  ]);
});

test('an IPv6 host is sent three echoes by the same nodes; a link-local address is of no use', () => {
  const host = 'fd00:c:3::99';
  assert.deepEqual(
    planAsked(reach({ destination: host }), STATES, 'r1').map(({ id, arguments: args }) => [id, args]),
    ['r1', 'r3', 'r2'].map((node) => [
      `probe/${node}/parley-reach/host`,
      { destinations: [host], count: 3, traffic: 'icmp' },
    ]),
  );
  assert.deepEqual(planAsked(reach({ destination: 'fe80::99' }), STATES, 'r1'), []);
});

test('a host that answers no echo is tried by TCP, and by both from another address of the node that asks', () => {
  const [from, destination] = ['r1', HOST3.address];
  const again = (mute: object, over: Partial<Intent> = {}, home = 'r1') =>
    planHostAgain(reach({ destination, ...over }), STATES, home, [{ from, destination, ...mute }]).map(
      ({ id, arguments: { sources, traffic, count } }) => [id, sources, traffic, count],
    );
  assert.deepEqual(again({}), [['deepen/r1/parley-reach/host/tcp', undefined, 'tcp', 3]]);
  assert.deepEqual(again({ sender: '198.19.1.1' }), [
    ['deepen/r1/parley-reach/host/icmp/from/198.19.1.1', ['198.19.1.1'], 'icmp', 3],
    ['deepen/r1/parley-reach/host/tcp/from/198.19.1.1', ['198.19.1.1'], 'tcp', 3],
  ]);
  const fromHost = { address: '198.19.1.77' };
  assert.deepEqual(again({ used: '198.19.1.1', sender: '198.19.255.1' }, { fromHost }), [
    ['deepen/r1/parley-reach/host/tcp/from/198.19.1.1', ['198.19.1.1'], 'tcp', 3],
  ]);
  assert.deepEqual(again({}, {}, 'r2'), [], 'another node asked');
});

test('an address of a node is probed; other questions ask for none of this', () => {
  const [call, ...others] = planAsked(reach({ destination: '198.19.255.3' }), STATES, 'r1');
  assert.deepEqual([call?.id, call?.arguments['destinations']], ['probe/r1/parley-reach/asked', ['198.19.255.3']]);
  assert.deepEqual(others, []);
  assert.deepEqual(planAsked({ ...reach({ path: named('r1', 'r3') }), kind: 'fault' }, STATES, 'r1'), []);
});

test('in place of a host its router asks from its own address beside the host, never from that of the host', () => {
  const fromHost = { address: '198.19.1.77' };
  const [own] = stateOf(1).inventory.interfaces.flatMap(({ addresses }) =>
    addresses.filter((each) => each.startsWith('198.19.1.') && each.endsWith('/24')),
  );
  assert.equal(own, '198.19.1.1/24');
  const asked = planAsked(reach({ path: named('r1'), destination: HOST3.address, fromHost }), STATES, 'r2');
  assert.deepEqual(
    asked.map(({ node, arguments: args }) => [node, args['source']]),
    [
      ['r1', '198.19.1.1'],
      ['r3', undefined],
      ['r2', undefined],
    ],
  );
});
