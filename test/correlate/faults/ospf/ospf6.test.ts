// Faults of OSPFv3 on the ring: r1 – r2 is not adjacent in it, alone or beside OSPFv2, which is; and what is healthy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, at, drawn, lines, named, ring } from '../../ring.ts';
import { dual, ospf6, row, row6 } from './ospf-ring.ts';

const FULL = { routerId: '198.18.255.9', address: 'fe80::9', state: 'Full' };
const EXSTART = { ...FULL, state: 'ExStart' };

test('an end without OSPFv3, or passive in it, gets the statements of OSPFv3', () => {
  assert.deepEqual(drawn(ring(ospf6(undefined))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' ipv6 ospf6 area 0.0.0.0')],
  ]);
  assert.deepEqual(drawn(ring(ospf6(row6({ passive: true })))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' no ipv6 ospf6 passive')],
  ]);
  assert.match(
    diagnose(ring(ospf6(undefined))).findings[0]!.details['what'] as string,
    /: no OSPFv3 adjacency at either end/,
  );
});

const configuredNowhere = at(['r1'], (state) => ({ ...state, ospf6: [] }));
const remembersRows = at(['r1'], (state) => ({
  ...state,
  past: [{ fromAgoMs: 120_000, untilAgoMs: 30_000, state: { ...state, ospf6: [row6()] } }],
}));

test('a node on which ospf6d runs, configured on no interface, lacks nothing, unless it remembers rows', () => {
  assert.deepEqual(named(ring(all(dual(3, undefined, row6()), configuredNowhere))), []);
  assert.equal(diagnose(ring(all(dual(3, undefined, row6()), configuredNowhere))).verdict.kind, 'healthy');
  assert.ok(
    named(ring(all(dual(3, undefined, row6()), configuredNowhere, remembersRows))).includes(
      'ospf_neighbor_missing node/r1',
    ),
  );
});

test('a node that runs OSPFv3 on no interface any more gets no exact change: it may lack more than an area', () => {
  assert.deepEqual(
    diagnose(ring(all(ospf6(undefined), configuredNowhere, remembersRows))).findings.map(
      ({ fault, resource, remedy }) => [...[fault, resource, remedy?.change, remedy?.decide]],
    ),
    [
      [
        ...['ospf_neighbor_missing', 'node/r1', undefined],
        'whether OSPFv3 is to run on the node: it runs on none of its interfaces',
      ],
    ],
  );
});

test('another area and other timers are put right as OSPFv3 says them', () => {
  assert.deepEqual(drawn(ring(ospf6(row6({ area: '0.0.0.7' })))), [
    ['ospf_area_misconfiguration node/r1', lines('interface eth1', ' no ipv6 ospf6 area', ' ipv6 ospf6 area 0.0.0.0')],
  ]);
  assert.deepEqual(drawn(ring(ospf6(row6({ helloMs: 5_000 })))), [
    [
      'ospf_timer_mismatch interface/r1/eth1',
      lines('interface eth1', ' ipv6 ospf6 hello-interval 1', ' ipv6 ospf6 dead-interval 4'),
    ],
  ]);
});

const differs = (r1: Parameters<typeof row6>[0], r2: Parameters<typeof row6>[0] = {}) =>
  diagnose(ring(ospf6(row6(r1), row6(r2)))).findings.map(({ fault, resource, details }) => [
    ...[fault, resource, (details['differs'] as string[] | undefined)?.join('; ')],
  ]);

test('an instance id, a network type, authentication and an MTU of OSPFv3 that differ are named at the odd end', () => {
  const at1 = ['session_mismatch', 'interface/r1/eth1'];
  assert.deepEqual(differs({ instanceId: 5 }), [[...at1, 'r1 eth1: instance id 5, r2 eth1: instance id 0']]);
  assert.deepEqual(differs({ network: 'BROADCAST' }), [
    [...at1, 'r1 eth1: network type BROADCAST, r2 eth1: network type POINTOPOINT'],
  ]);
  assert.deepEqual(differs({ authentication: 'trailer' }), [
    [...at1, 'r1 eth1: authentication trailer, r2 eth1: authentication none'],
  ]);
  assert.deepEqual(differs({ network: '' }), [], 'it is not told of an interface that was down');
  const waiting = { neighbours: [EXSTART] };
  assert.deepEqual(differs({ ...waiting, mtu: 1_300 }, waiting), [[...at1, 'r1 eth1: MTU 1300, r2 eth1: MTU 1500']]);
  assert.deepEqual(differs({ ...waiting, mtu: 1_300, mtuIgnored: true }, { ...waiting, mtuIgnored: true }), []);
});

test('masks are none of what OSPFv3 compares', () => {
  const broadcast = { network: 'BROADCAST' };
  const input = ring(
    all(
      ospf6(row6(broadcast), row6(broadcast)),
      at(['r1'], (state) => ({
        ...state,
        inventory: {
          ...state.inventory,
          interfaces: state.inventory.interfaces.map((each) =>
            each.name === 'eth1'
              ? { ...each, addresses: each.addresses.map((one) => one.replace('/31', '/30')) }
              : each,
          ),
        },
      })),
    ),
  );
  assert.ok(!named(input).some((each) => each.startsWith('session_mismatch')));
});

test('where both versions run, the one that is broken is named, and never compared with the other', () => {
  assert.deepEqual(drawn(ring(dual(3, undefined, row6()))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' ipv6 ospf6 area 0.0.0.0')],
  ]);
  assert.deepEqual(drawn(ring(dual(2, undefined, row()))), [
    ['ospf_neighbor_missing node/r1', lines('interface eth1', ' ip ospf area 0.0.0.0')],
  ]);
  const here = { neighbours: [FULL] };
  assert.deepEqual(
    named(
      ring(
        dual(3, row6({ ...here, area: '0.0.0.7', helloMs: 9_000 }), row6({ ...here, area: '0.0.0.7', helloMs: 9_000 })),
      ),
    ),
    [],
  );
});

test('adjacencies that are full, ports that are passive at both ends, and OSPFv3 that is nowhere are well', () => {
  const here = { neighbours: [FULL] };
  assert.deepEqual(named(ring(ospf6(row6(here), row6(here)))), []);
  assert.deepEqual(named(ring(ospf6(row6({ passive: true }), row6({ passive: true })))), []);
  const nowhere = at(['r1', 'r2'], (state) => ({
    ...state,
    ospf6: (state.ospf6 ?? []).filter(({ ifname }) => ifname !== 'eth1'),
  }));
  assert.deepEqual(named(ring(all(ospf6(row6(), row6()), nowhere))), []);
  assert.deepEqual(named(ring(all(dual(3, row6(), row6()), nowhere))), []);
});

test('an agent that does not read OSPFv3 is not accused of lacking it, though its daemon runs', () => {
  const earlier = at(['r1'], ({ ospf6: _rows, ...state }) => state);
  assert.deepEqual(named(ring(all(dual(3, undefined, row6()), earlier))), []);
});

test('a daemon that is dead has lost the neighbours of its own version alone', () => {
  const dead = at(['r1'], ({ ospf6: _rows, ...state }) => ({
    ...state,
    daemons: [
      { name: 'ospf6d', alive: false },
      { name: 'ospfd', alive: true },
    ],
  }));
  assert.deepEqual(named(ring(all(dual(3, undefined, row6()), dead))), ['daemon_down node/r1']);
});
