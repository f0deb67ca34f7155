// duplicate_router_id on the ring: r2 has the id of r1, or both have one of neither.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { duplicateRouterId } from '#correlate/faults/sessions/duplicate-id.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { all, at, type Change, cut, named, ring } from '../../ring.ts';
import { bgpWorld } from '../bgp/bgp-scene.ts';
import { dual, ospf, ospf6, row, row6 } from '../ospf/ospf-ring.ts';
import { caseOf, symptom } from '../proposing.ts';

const systemId = (node: string, id: string): Change =>
  at([node], (state) => ({ ...state, isis: { ...state.isis!, systemId: id } }));

test('two routers with one system id that are not adjacent for it are both named', () => {
  const input = ring(all(cut, systemId('r2', '0000.0000.0001')));
  assert.deepEqual(named(input), ['duplicate_router_id node/r1', 'duplicate_router_id node/r2']);
  assert.equal(diagnose(input).findings[0]!.details['what'], 'r1 and r2 have the same system id 0000.0000.0001');
});

test('without harm, or where no link of the protocol joins the two, one id at two routers is not told', () => {
  assert.deepEqual(named(ring(systemId('r2', '0000.0000.0001'))), []);
  const apart: Change = (state) => ({
    ...state,
    isis: { ...state.isis!, circuits: state.isis!.circuits.map((each) => ({ ...each, passive: true })) },
  });
  assert.deepEqual(named(ring(all(cut, systemId('r2', '0000.0000.0001'), apart))), []);
});

test('a router id that is an address of one of the two is the mistake of the other', () => {
  const id = { routerId: '198.18.255.1' };
  assert.deepEqual(named(ring(ospf(row(id), row(id)))), ['duplicate_router_id node/r2']);
  const strange = { routerId: '192.0.2.1' };
  assert.deepEqual(named(ring(ospf(row(strange), row(strange)))), [
    'duplicate_router_id node/r1',
    'duplicate_router_id node/r2',
  ]);
});

test('router ids of OSPFv3 are compared among themselves, and explain what is lost in OSPFv3', () => {
  const id = { routerId: '198.18.255.1' };
  const input = ring(ospf6(row6(id), row6(id)));
  assert.deepEqual(named(input), ['duplicate_router_id node/r2']);
  assert.equal(diagnose(input).findings[0]!.details['what'], 'r1 and r2 have the same OSPFv3 router id 198.18.255.1');
  assert.deepEqual(named(ring(dual(3, row6(id), row6(id)))), ['duplicate_router_id node/r2']);
  const inOther = (version: 2 | 3, ...nodes: readonly string[]) =>
    at(nodes, (state) => {
      const same = (rows: readonly OspfInterface[] = []) => rows.map((each) => ({ ...each, ...id }));
      return version === 2 ? { ...state, ospf: same(state.ospf) } : { ...state, ospf6: same(state.ospf6) };
    });
  const broken = dual(3, row6(), row6());
  assert.deepEqual(named(ring(all(broken, inOther(3, 'r1', 'r2')))), ['duplicate_router_id node/r2']);
  assert.deepEqual(named(ring(all(broken, inOther(2, 'r1', 'r2')))), [], 'of OSPFv2, in which nothing is lost');
  assert.deepEqual(named(ring(all(broken, inOther(2, 'r1'), inOther(3, 'r2')))), [], 'one of each version');
});

/** a and c are clients of the reflector b in one AS; a lacks what c has and c what a has, unless `lacking` says otherwise. */
function reflected({
  ids = {},
  state = 'Established',
  localAs = 65_001,
  lacking = [
    ['a', 'c'],
    ['c', 'a'],
  ],
}: {
  readonly ids?: Readonly<Record<string, string>>;
  readonly state?: string;
  readonly localAs?: number;
  readonly lacking?: readonly (readonly [at: string, owner: string])[];
} = {}) {
  const up = (from: string, to: string) => ({ from, to, state, remoteAs: 65_001, localAs });
  const rows = [up('a', 'b'), up('b', 'a'), up('b', 'c'), up('c', 'b')];
  const { views, ...world } = bgpWorld(rows, {}, {});
  const chosen: Readonly<Record<string, string>> = { a: '192.0.2.3', c: '192.0.2.3', b: '192.0.2.2', ...ids };
  const seen = [...views].map(([node, view]) => {
    const bgp = { ...view.state.bgp!, ...(chosen[node] === undefined ? {} : { routerId: chosen[node] }) };
    return [node, { ...view, state: { ...view.state, bgp } }] as const;
  });
  const owners = new Map([...world.owners, ['192.0.2.3', [{ node: 'c', ifname: 'lo' }]]]);
  const symptoms = lacking.map(([at, owner]) =>
    symptom('route', {
      id: `route:none//${at}>${owner}`,
      nodes: [at, owner],
      detail: { destination: `198.19.1.1`, owner, at, from: at, how: 'none' },
    }),
  );
  const file = caseOf(symptoms, { ...world, owners, views: new Map(seen) });
  return duplicateRouterId.propose(file, []).map(({ resource, details }) => [resource, details['what']]);
}

test('two routers of one AS with one BGP identifier refuse what the reflector has of the other', () => {
  assert.deepEqual(reflected(), [['node/a', '{a} and {c} have the same BGP identifier 192.0.2.3']]);
  assert.deepEqual(reflected({ ids: { a: '192.0.2.1' } }), []);
  assert.deepEqual(reflected({ localAs: 65_002 }), [], 'of two networks');
  assert.deepEqual(reflected({ state: 'Active' }), [], 'sessions that are down hand on nothing');
  assert.deepEqual(reflected({ lacking: [['b', 'a']] }), [], 'another node lacks it');
  assert.deepEqual(reflected({ lacking: [] }), [], 'without harm');
});
