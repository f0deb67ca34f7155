// bfd_session_missing: r2 runs BFD towards r1, which does not run it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { bfdSessionMissing } from '#correlate/faults/bgp/bfd-session-missing.ts';
import { all, at, type Change, drawn, lines, named, ring } from '../../ring.ts';
import { caseOf, onLink } from '../proposing.ts';
import { addressOn, bgpWorld, type Row } from './bgp-scene.ts';
import { bfd, R1, R2 } from './sessions.ts';

const oneSided = all(
  bfd('r1', R2, () => undefined),
  bfd('r2', R1, () => ({ status: 'down' })),
);
const withoutBgp: Change = ({ bgp: _bgp, ...state }) => state;
const withoutIsis: Change = ({ isis: _isis, ...state }) => ({ ...state, adjacencies: [] });
const FOUND = 'bfd_session_missing interface/r1/eth1';

test('BFD is switched on for the one protocol that both ends run', () => {
  assert.deepEqual(drawn(ring(all(oneSided, withoutIsis))), [
    [FOUND, lines('router bgp 65001', ' neighbor 198.18.1.1 bfd')],
  ]);
  assert.deepEqual(drawn(ring(all(oneSided, withoutBgp))), [[FOUND, lines('interface eth1', ' isis bfd')]]);
});

test('where two protocols run there, an operator decides for which', () => {
  assert.deepEqual(drawn(ring(oneSided)), [
    [FOUND, undefined, 'for which protocol: more than one runs between the two, or none is known'],
  ]);
});

test('an end whose BFD could not be read, and one that runs it back, are not named', () => {
  const unread = at(['r1'], (state) => ({ ...state, missing: [{ part: 'bfd', reason: 'no answer' }] }));
  assert.equal(diagnose(ring(all(oneSided, unread))).verdict.kind, 'inconclusive');
  assert.deepEqual(named(ring(all(oneSided, unread))), []);
  assert.deepEqual(named(ring(bfd('r2', R1, () => ({ status: 'down' })))), []);
});

const FRR = { driver: 'linux-frr', interfaces: [], sids: [] };
const near = addressOn('b', 'a');
const oneEnd = (change: object = {}) =>
  onLink('bfd', 'a-b', { detail: { node: 'b', peer: addressOn('a', 'b'), ...change } });
function found(state: object, session = oneEnd(), rows: readonly Row[] = []) {
  const world = bgpWorld(rows, {
    a: { bgp: undefined, inventory: FRR, daemons: [{ name: 'bfdd', alive: true }], missing: [], ...state },
  });
  return bfdSessionMissing
    .propose(caseOf([session], world), [])
    .map(({ resource, remedy }) => [resource, remedy?.change?.lines ?? remedy?.decide?.slice(0, 18)]);
}
const UNDECIDED = 'for which protocol';

test('the end without the session is named, by its node where no link is known', () => {
  assert.deepEqual(found({}), [['interface/a/to-b', UNDECIDED]]);
  assert.deepEqual(found({}, { ...oneEnd(), link: undefined } as never), [['node/a', UNDECIDED]]);
  assert.deepEqual(found({}, { ...oneEnd(), nodes: ['b'] }), []);
  assert.deepEqual(found({}, { ...oneEnd(), nodes: ['b', 'elsewhere'] }), []);
});

test('a node whose daemons are unknown, whose bfdd is dead, or whose BFD was not read, cannot tell', () => {
  assert.deepEqual(found({ daemons: undefined }), []);
  assert.deepEqual(found({ daemons: [{ name: 'bfdd', alive: false }] }), []);
  assert.deepEqual(found({ missing: [{ part: 'bfd' }] }), []);
  assert.deepEqual(found({ missing: [{ part: 'daemons' }] }), []);
  assert.equal(found({ missing: [{ part: 'ospf' }], daemons: [{ name: 'ospfd', alive: false }] }).length, 1);
});

test('a session back to that node, by its address or over that link, is no missing one', () => {
  assert.deepEqual(found({ bfd: [{ peer: near, status: 'up' }] }), []);
  assert.equal(found({ bfd: [{ peer: addressOn('d', 'a'), status: 'up' }] }).length, 1);
  assert.deepEqual(found({ bfd: [{ peer: 'fe80::2', ifname: 'to-b' }] }), []);
  assert.equal(found({ bfd: [{ peer: 'fe80::2', ifname: 'to-d' }] }).length, 1);
  assert.deepEqual(found({ bfd: [{ peer: near, ifname: 'to-b' }] }), []);
});

test('it is switched on for BGP or for IS-IS, of the session’s own family', () => {
  const isis = { isis: { circuits: [{ ifname: 'to-b' }] } };
  const rows = (family: 4 | 6): readonly Row[] => [{ from: 'a', to: 'b', family }];
  const bgp = (family: 4 | 6) => ({ bgp: bgpWorld(rows(family)).views.get('a')?.state.bgp });
  assert.deepEqual(found(isis), [['interface/a/to-b', ['interface to-b', ' isis bfd']]]);
  assert.deepEqual(found({ isis: { circuits: [{ ifname: 'to-d' }] } }), [['interface/a/to-b', UNDECIDED]]);
  assert.deepEqual(found(bgp(4)), [['interface/a/to-b', ['router bgp 65001', ` neighbor ${near} bfd`]]]);
  assert.deepEqual(found(bgp(6)), [['interface/a/to-b', UNDECIDED]]);
  assert.deepEqual(found({ ...isis, ...bgp(4) }), [['interface/a/to-b', UNDECIDED]]);
  assert.deepEqual(found({ ...isis, ...bgp(6) }), [['interface/a/to-b', ['interface to-b', ' isis bfd']]]);
});
