// Default routes among the settings of a node: those that a protocol made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefaultRoute } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changesBetween } from '#model/settings/changes.ts';
import { parseDefault } from '#model/settings/default-routes.ts';

const LONG_UP_MS = 3_600_000;
const FULL = [{ ifname: 'eth1', passive: false, neighbours: [{ state: 'Full', address: '', routerId: '' }] }];
const stateOf = (
  defaultRoutes: readonly DefaultRoute[] | undefined,
  upMs = LONG_UP_MS,
  ospf: readonly object[] = FULL,
): NodeState =>
  ({
    inventory: { node: 'r1', interfaces: [], system: { kernel: '', routing: '' } },
    ...{ neighbours: [], adjacencies: [], filters: [], missing: [], ospf },
    daemons: [
      { name: 'zebra', alive: true, upMs: LONG_UP_MS },
      { name: 'ospfd', alive: true, upMs },
    ],
    ...(defaultRoutes === undefined ? {} : { defaultRoutes }),
  }) as unknown as NodeState;

const OSPF: DefaultRoute = {
  ...{ prefix: '0.0.0.0/0', protocol: 'ospf' },
  hops: [
    { nextHop: '198.18.2.0', ifname: 'eth1' },
    { nextHop: '198.18.3.0', ifname: 'eth2' },
  ],
};
const ROW = { kind: 'default-route', subject: '0.0.0.0/0' };
const WORDS = 'ospf via 198.18.2.0 eth1, 198.18.3.0 eth2';

test('a default route of a protocol that goes is a change, with the neighbours that it led to', () => {
  assert.deepEqual(changesBetween(stateOf([OSPF]), stateOf([])), [{ ...ROW, was: WORDS }]);
  assert.deepEqual(changesBetween(stateOf([]), stateOf([OSPF])), [{ ...ROW, is: WORDS }]);
  const fewer = { ...OSPF, hops: OSPF.hops.slice(0, 1) };
  assert.deepEqual(changesBetween(stateOf([OSPF]), stateOf([fewer])), [
    { ...ROW, was: WORDS, is: 'ospf via 198.18.2.0 eth1' },
  ]);
});

test('one of IPv6 is of OSPFv3, where the node says of it', () => {
  const six = { prefix: '::/0', protocol: 'ospf', hops: [{ nextHop: 'fe80::2', ifname: 'eth1' }] };
  const row = { ...ROW, subject: '::/0', was: 'ospf via fe80::2 eth1' };
  const of = (ospf6: readonly object[], ...routes: readonly DefaultRoute[]) =>
    ({ ...stateOf(routes), ospf6 }) as unknown as NodeState;
  const full = FULL.map((each) => ({ ...each, version: 3 }));
  assert.deepEqual(changesBetween(of(full, six), of(full)), [row]);
  const without = changesBetween(of(full, six), of([]));
  assert.ok(!without.some(({ kind }) => kind === 'default-route'), 'it went with its neighbours');
  assert.deepEqual(changesBetween(stateOf([six]), stateOf([])), [row], 'of a node that says nothing of OSPFv3');
});

test('it is no change while its daemon is young, while the kernel does not tell, or where it was set by hand', () => {
  const young = changesBetween(stateOf([OSPF]), stateOf([], 5_000));
  assert.deepEqual(
    young.map(({ kind }) => kind),
    ['daemon'],
  );
  assert.deepEqual(changesBetween(stateOf([OSPF]), stateOf(undefined)), []);
  const alone = changesBetween(stateOf([OSPF]), stateOf([], LONG_UP_MS, []));
  assert.deepEqual(
    alone.map(({ kind }) => kind),
    ['neighbour'],
    'its neighbours are gone',
  );
  assert.deepEqual(changesBetween(stateOf([OSPF]), stateOf([{ prefix: '0.0.0.0/0', protocol: '', hops: [] }])), []);
  for (const protocol of ['static', '196', 'boot'])
    assert.deepEqual(changesBetween(stateOf([{ ...OSPF, protocol }]), stateOf([])), []);
});

test('the words of the setting are read back', () => {
  assert.deepEqual(parseDefault('0.0.0.0/0', WORDS), OSPF);
  const six = { prefix: '::/0', protocol: 'isis', hops: [{ nextHop: 'fe80::1', ifname: 'eth1.100' }] };
  assert.deepEqual(parseDefault('::/0', 'isis via fe80::1 eth1.100'), six);
  assert.equal(parseDefault('::/0', 'isis'), undefined);
});
