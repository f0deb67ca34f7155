// bgp_session_missing: a baseline has a session that one end, or neither, is configured for any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { bgpSessionMissing } from '#correlate/faults/bgp/bgp-session-missing.ts';
import type { Expectation } from '#model/baseline.ts';
import { all, at, type Change, drawn, named, ring } from '../../ring.ts';
import { caseOf, onLink, symptom } from '../proposing.ts';
import { bfd, R1, R2, session } from './sessions.ts';

const { intent, nodeNames, evidence, outcomes } = ring();
const BASELINE: Expectation = {
  ...{ name: 'baseline of then', source: 'report' },
  profile: profileOf(caseFileOf(intent, nodeNames, evidence, outcomes)),
};
const against = (change: Change) => ({ ...ring(change), expected: [BASELINE] });

const gone = (node: string, peer: string) =>
  all(
    session(node, peer, () => undefined),
    bfd(node, peer, () => undefined),
  );
const oneEnd = all(
  gone('r1', R2),
  session('r2', R1, () => ({ state: 'Active' })),
);

test('the end that is not configured for it any more is named, and its configuration is needed', () => {
  const decide =
    'a baseline knows the neighbour and not its password, policies and families: the configuration of then is needed';
  assert.deepEqual(drawn(against(oneEnd)), [['bgp_session_missing node/r1', undefined, decide]]);
});

test('a session that neither end has any more is missed at both', () => {
  assert.deepEqual(named(against(all(gone('r1', R2), gone('r2', R1)))), [
    'bgp_session_missing node/r1',
    'bgp_session_missing node/r2',
  ]);
});

test('without a baseline its two ends contradict each other, and one that is configured and down is another matter', () => {
  assert.deepEqual(named(ring(oneEnd)), ['session_mismatch interface/r1/eth1']);
  const down = all(
    session('r1', R2, () => ({ state: 'Active' })),
    session('r2', R1, () => ({ state: 'Active' })),
  );
  assert.deepEqual(named(against(down)), []);
});

test('its own memory shows that it was configured: the session was taken away at this end alone', () => {
  const remembers = (was: string | undefined, fromAgoMs = 20_000): Change =>
    at(['r1'], (state) => ({
      ...state,
      history: {
        ...state.history!,
        settingsSpanMs: 60_000,
        settings: [
          {
            ...({ kind: 'session', subject: R2, setting: 'remote-as', agoMs: 15_000, fromAgoMs } as const),
            ...(was === undefined ? { is: '65002' } : { was }),
          },
        ],
      },
    }));
  const decide =
    'memory knows the neighbour and not its password, policies and families: the configuration of then is needed';
  assert.deepEqual(drawn(ring(all(oneEnd, remembers('65002')))), [['bgp_session_missing node/r1', undefined, decide]]);
  assert.deepEqual(
    diagnose(ring(all(oneEnd, remembers('65002')))).findings.map(({ confidence, details }) => [
      confidence,
      details['what'],
    ]),
    [['likely', 'r1 was configured for a BGP session with r2 (198.18.1.1) and is no longer; r2 still is']],
  );
  const other = ['session_mismatch interface/r1/eth1'];
  assert.deepEqual(named(ring(all(oneEnd, remembers(undefined)))), other, 'it came');
  assert.deepEqual(named(ring(all(oneEnd, remembers('65002', 55_000)))), other, 'it stood for a moment');
  const moved = session('r1', R2, () => ({ peer: '198.18.255.2', state: 'Active' }));
  const elsewhere = all(
    moved,
    session('r2', R1, () => ({ state: 'Active' })),
    remembers('65002'),
  );
  assert.ok(!named(ring(elsewhere)).includes('bgp_session_missing node/r1'), 'by another address now');
});

const missing = (node: string, ...nodes: readonly string[]) =>
  symptom('expected', { id: `lost at ${node}`, nodes, detail: { part: 'session', node, peer: '198.18.1.1' } });
const found = (...symptoms: readonly ReturnType<typeof symptom>[]) =>
  bgpSessionMissing
    .propose(caseOf(symptoms), [])
    .map(({ resource, together, explains }) => [resource, together, explains.map((share) => share.symptom).join()]);

test('it explains BGP and BFD between the same two nodes', () => {
  const between = (kind: string, pair: string) => onLink(kind, pair, { id: `${kind} ${pair}` });
  const others = [between('bgp', 'a-b'), between('bfd', 'b-a'), between('bgp', 'b-c'), between('isis', 'a-b')];
  assert.deepEqual(found(missing('a', 'a', 'b'), ...others), [['node/a', undefined, 'lost at a,bgp a-b,bfd b-a']]);
  // The peer is no node of the question.
  assert.deepEqual(found(missing('a', 'a'), ...others), [['node/a', undefined, 'lost at a']]);
});

test('missing at both ends it is one fault in two places, and another part is another fault', () => {
  assert.deepEqual(found(missing('a', 'a', 'b'), missing('b', 'b', 'a')), [
    ['node/a', 'a+b', 'lost at a'],
    ['node/b', 'a+b', 'lost at b'],
  ]);
  assert.deepEqual(
    found(missing('a', 'a', 'b'), missing('c', 'c', 'b')).map(([, together]) => together),
    [undefined, undefined],
  );
  assert.deepEqual(found(symptom('expected', { detail: { part: 'adjacency', node: 'a' } })), []);
});
