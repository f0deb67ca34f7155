// OSPFv2 and OSPFv3 side by side: which carries what, whose packets a filter takes, and which neighbour is the other end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import { FILTERED_PROTOCOLS, protocolDrops } from '#correlate/packet-filter/protocol-drops.ts';
import { adjacencySymptoms } from '#correlate/symptoms/adjacency.ts';
import { starvedSymptoms } from '#correlate/symptoms/dropped-keepalives.ts';
import { carrierOf, routedParts } from '#correlate/symptoms/routing-parts.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { caseOf, onLink } from '../faults/proposing.ts';
import { pairWorld } from '../pair-scene.ts';
import { is } from '../service-scene.ts';

type Neighbour = readonly [routerId: string, state: string];
const neighbours = (rows: readonly Neighbour[]) =>
  rows.map(([routerId, state]) => ({ routerId, state, address: 'fe80::1' }));
const row = (ifname: string, version: 2 | 3, routerId: string, ...rows: readonly Neighbour[]) => ({
  ...(version === 3 ? { version } : {}),
  ...{ ifname, area: '0.0.0.0', network: 'BROADCAST', passive: false, routerId, neighbours: neighbours(rows) },
});
const A = { ospf: [row('to-b', 2, '192.0.2.1', ['192.0.2.2', 'Full'])] };
const B = { ospf: [row('to-a', 2, '192.0.2.2', ['192.0.2.1', 'Full'])] };
const world = (a: object, b: object, more: object = {}) => {
  const missing = { missing: [] };
  return pairWorld(['a-b'], { a: { now: { ...missing, ...a } }, b: { now: { ...missing, ...b } } }, more);
};

test('IPv6 is carried by OSPFv3 where a node says so, and by OSPFv2 of one that says nothing of it', () => {
  const owners = new Map([
    ['198.18.1.0', [{ node: 'a', ifname: 'to-b' }]],
    ['fd00:1::1', [{ node: 'a', ifname: 'to-b' }]],
  ]);
  const carriers = (a: object) =>
    ['198.18.1.0', 'fd00:1::1'].map((address) => carrierOf(world(a, B, { owners }), address));
  assert.deepEqual(carriers(A), ['igp', 'igp']);
  assert.deepEqual(carriers({ ...A, ospf6: [] }), ['igp', undefined]);
  const daemon = (change: object) => ({ ...A, daemons: [{ name: 'ospf6d', alive: true, ...change }] });
  assert.deepEqual(carriers(daemon({ alive: false })), ['igp', undefined]);
  assert.deepEqual(carriers(daemon({ silent: true })), ['igp', undefined]);
  assert.deepEqual(carriers(daemon({})), ['igp', 'igp'], 'an agent that does not read it');
  assert.deepEqual(carriers({ ospf6: [row('to-b', 3, '192.0.2.1')] }), [undefined, 'igp']);
});

test('nodes are one part in the family whose version is full between them', () => {
  const isOne = (a: object, b: object) => {
    const { igp4, igp6 } = routedParts(world(a, b));
    return [igp4, igp6].map((part) => part.get('a') === part.get('b'));
  };
  assert.deepEqual(isOne(A, B), [true, true], 'of agents of an earlier version');
  const lost = [row('to-b', 3, '192.0.2.1')];
  assert.deepEqual(isOne({ ...A, ospf6: lost }, { ...B, ospf6: [row('to-a', 3, '192.0.2.2')] }), [true, false]);
  const full = {
    a: { ospf6: [row('to-b', 3, '192.0.2.1', ['192.0.2.2', 'Full'])] },
    b: { ospf6: [row('to-a', 3, '192.0.2.2', ['192.0.2.1', 'Full'])] },
  };
  assert.deepEqual(isOne({ ospf: [], ...full.a }, { ospf: [], ...full.b }), [false, true]);
});

const OTHER = [row('to-z', 3, '192.0.2.2')];
const found = (a: object, b: object) => adjacencySymptoms(world(a, b)).map(({ id, text }) => [id, text]);

test('each version that is not full between two ends is a symptom of its own', () => {
  assert.deepEqual(found(A, B), []);
  assert.deepEqual(found({ ...A, ospf6: [row('to-b', 3, '192.0.2.1')] }, { ...B, ospf6: OTHER }), [
    ['ospf:link/a:to-b--b:to-a/v3', '{a} to-b – {b} to-a: no OSPFv3 adjacency at either end'],
  ]);
  assert.deepEqual(
    found(
      { ospf: [row('to-b', 2, '192.0.2.1')], ospf6: [row('to-b', 3, '192.0.2.1')] },
      { ospf: [], ospf6: OTHER },
    ).map(([id]) => id),
    ['ospf:link/a:to-b--b:to-a', 'ospf:link/a:to-b--b:to-a/v3'],
  );
});

test('of several neighbours of OSPFv3 on a segment, the one with the router id of the other end counts', () => {
  const b = { ospf6: [row('to-a', 3, '192.0.2.2', ['192.0.2.1', 'Full'])] };
  const a = (state: string) => ({
    ospf6: [row('to-b', 3, '192.0.2.1', ['192.0.2.9', 'Full'], ['192.0.2.2', state])],
  });
  assert.deepEqual(found(a('Full'), b), []);
  assert.equal(found(a('ExStart'), b).length, 1);
  assert.equal(found({ ospf6: [row('to-b', 3, '192.0.2.1', ['192.0.2.9', 'Full'])] }, b).length, 0, 'none is known');
  const { routerId: _own, ...untold } = b.ospf6[0]!;
  const third = { c: { now: { missing: [], ospf6: [row('to-z', 3, '192.0.2.3')] } } };
  const besides = (state: string) => {
    const rows = [row('to-b', 3, '192.0.2.1', ['192.0.2.3', 'Full'], ['192.0.2.2', state])];
    const states = { a: { now: { missing: [], ospf6: rows } }, b: { now: { missing: [], ospf6: [untold] } }, ...third };
    return adjacencySymptoms(pairWorld(['a-b'], states)).length;
  };
  assert.deepEqual([besides('Full'), besides('ExStart')], [0, 1], 'the other end does not tell its router id');
});

test('a node speaks OSPFv3 where it says so, where its daemon is dead, and where its rows could not be read', () => {
  const b = { ospf6: [row('to-a', 3, '192.0.2.2')] };
  const speaks = (a: object) => found(a, b).length === 1;
  const daemon = (change: object) => ({ daemons: [{ name: 'ospf6d', alive: true, ...change }] });
  assert.deepEqual(
    [
      speaks({ ospf6: OTHER }),
      speaks(daemon({ alive: false })),
      speaks(daemon({ silent: true })),
      speaks({ ...daemon({}), missing: [{ part: 'ospf6', reason: 'refused' }] }),
    ],
    [true, true, true, true],
  );
  assert.equal(speaks({ ospf6: [] }), false, 'it is configured nowhere');
  assert.deepEqual([speaks(daemon({})), speaks({})], [false, false], 'an agent that does not read it');
});

const RULES: readonly (readonly [string, readonly FilterMatch[], readonly string[]])[] = [
  ['inet', [is('protocol', 'ospf')], ['v2', 'v3']],
  ['ip', [is('protocol', 'ospf')], ['v2']],
  ['ip6', [is('next-header', 'ospf')], ['v3']],
];

test('a filter takes the OSPF of the families that it is for', () => {
  for (const [family, matches, versions] of RULES) {
    const value = {
      ...{ node: 'a', acl: 'acl', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 50, family, matches },
      ...{ matchesRest: false },
    };
    const fact = { subject: 'node/a', predicate: 'filter-hits', value, source: ['f'] } as Fact;
    const file = caseOf(
      [onLink('ospf', 'a-b', { id: 'v2' }), onLink('ospf', 'a-b', { id: 'v3', detail: { version: 3 } })],
      world(A, B),
      [fact],
    );
    const drops = protocolDrops(file, FILTERED_PROTOCOLS.ospf).flatMap(({ symptoms }) => symptoms.map(({ id }) => id));
    assert.deepEqual(drops, versions, family);
    const both = (state: object, rows: object) => ({ ...state, ospf6: [rows] });
    const up = world(
      both(A, row('to-b', 3, '192.0.2.1', ['192.0.2.2', 'Full'])),
      both(B, row('to-a', 3, '192.0.2.2', ['192.0.2.1', 'Full'])),
    );
    const starved = starvedSymptoms(up, [fact]).map(({ id }) => (id.startsWith('starved:ospf6') ? 'v3' : 'v2'));
    assert.deepEqual(starved, versions, family);
  }
});
