// bgp_session_missing: a baseline has a session that one end, or neither, is configured for any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Expectation } from '#model/baseline.ts';
import { all, type Change, drawn, named, ring } from '../../ring.ts';
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

test('without a baseline no node misses it, and one that is configured and down is another matter', () => {
  assert.deepEqual(diagnose(ring(oneEnd)).verdict.kind, 'inconclusive');
  const down = all(
    session('r1', R2, () => ({ state: 'Active' })),
    session('r2', R1, () => ({ state: 'Active' })),
  );
  assert.deepEqual(named(against(down)), []);
});
