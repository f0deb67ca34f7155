// bgp_asn_misconfig: a node runs under an AS number that no neighbour expects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bgpAsnMisconfig } from '#correlate/faults/bgp/bgp-asn-misconfig.ts';
import { changed, recorded } from '../../recording.ts';
import { all, at, drawn, named, ring } from '../../ring.ts';
import { caseOf, onLink } from '../proposing.ts';
import { addressOn, bgpWorld, type Row } from './bgp-scene.ts';
import { R1, R2, session } from './sessions.ts';

test('a real router under another number is named, and its operator configures it again', () => {
  assert.deepEqual(drawn(recorded('bgpasn')), [
    [
      'bgp_asn_misconfig node/r2',
      undefined,
      'a process under another number is a new one: all of it must be configured again',
    ],
  ]);
});

test('a node that has a session with any neighbour runs under a number that is expected', () => {
  const wrong = all(
    session('r1', R2, () => ({ state: 'Idle', remoteAs: 65_099 })),
    session('r2', R1, () => ({ state: 'Idle' })),
  );
  assert.deepEqual(named(ring(wrong)), ['bgp_neighbor_misconfig interface/r1/eth1']);
});

test('a node that presents the expected number by `local-as` runs under another by choice', () => {
  const presents = changed(recorded('bgpasn'), {
    state: at(['r2'], (state) => ({
      ...state,
      bgp: { ...state.bgp!, sessions: state.bgp!.sessions.map((row) => ({ ...row, localAs: 65_002 })) },
    })),
  });
  assert.deepEqual(named(presents), []);
});

const down = (pair: string) => onLink('bgp', pair, { id: `bgp ${pair}` });
const DOWN = [down('a-b'), down('b-c'), down('c-d')];
const found = (rows: readonly Row[], states = {}) =>
  bgpAsnMisconfig
    .propose(caseOf(DOWN, bgpWorld(rows, states)), [])
    .map(({ resource, score, explains, details }) => [
      ...[resource, score, explains.map((share) => share.symptom).join()],
      ...[details['own'], details['expected'], String(details['by'])],
    ]);
const expectsOfB = (from: string, remoteAs: number, row = {}): Row => ({ from, to: 'b', remoteAs, ...row });

test('what all neighbours expect is right: two of them are surer than one', () => {
  assert.deepEqual(found([expectsOfB('a', 65_099), expectsOfB('c', 65_099)]), [
    ['node/b', 4, 'bgp a-b,bgp b-c', 65_002, 65_099, '{a},{c}'],
  ]);
  assert.deepEqual(found([expectsOfB('a', 65_099)]), [['node/b', 3, 'bgp a-b,bgp b-c', 65_002, 65_099, '{a}']]);
});

test('neighbours that disagree, expect any number, or expect the right one, name no node', () => {
  assert.deepEqual(found([expectsOfB('a', 65_099), expectsOfB('c', 65_098)]), []);
  assert.deepEqual(found([expectsOfB('a', 0), expectsOfB('c', 0)]), []);
  assert.deepEqual(found([expectsOfB('a', 65_002)]), []);
  assert.deepEqual(found([]), []);
});

test('a node without BGP, that presents the number, or that has a session with any peer, is not named', () => {
  const wrong = [expectsOfB('a', 65_099)];
  assert.deepEqual(found(wrong, { b: { bgp: undefined } }), []);
  assert.deepEqual(found([...wrong, { from: 'b', to: 'c', localAs: 65_099 }]), []);
  assert.deepEqual(found([...wrong, { from: 'b', to: 'c', state: 'Established' }]), []);
  assert.equal(found([...wrong, { from: 'b', to: 'c', state: 'Idle' }]).length, 1);
});

test('a node whose only neighbour lost the session as it changed the number that it expects is not named', () => {
  const remembers = (was: string, node: 'a' | 'c' = 'a', lostAgoMs = 57_000, agoMs = 60_000) => ({
    [node]: {
      history: {
        settingsSpanMs: 9e6,
        settings: [{ kind: 'session', subject: addressOn('b', node), setting: 'remote-as', was, is: '65099', agoMs }],
        events: [{ kind: 'session', subject: addressOn('b', node), up: false, agoMs: lostAgoMs, changes: 1 }],
      },
    },
  });
  const [alone, both] = [[expectsOfB('a', 65_099)], [expectsOfB('a', 65_099), expectsOfB('c', 65_099)]] as const;
  assert.deepEqual(found(alone, remembers('65002')), []);
  assert.equal(found(alone, remembers('65003')).length, 1, 'it expected another one');
  assert.equal(
    found(alone, remembers('65002', 'a', 57_000, 9e6)).length,
    1,
    'the session was up with the new number for long',
  );
  const told = { ...remembers('65002'), ...remembers('65002', 'c') };
  assert.equal(found(both, told).length, 1, 'both were told of a new one');
});
