// bgp_max_prefix_exceeded: r1 closed its session with r2 because r2 announced more prefixes than r1 allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { bgpMaxPrefix } from '#correlate/faults/bgp/bgp-max-prefix.ts';
import { all, drawn, named, ring } from '../../ring.ts';
import { caseOf, onLink } from '../proposing.ts';
import { bgpWorld } from './bgp-scene.ts';
import { R1, R2, session } from './sessions.ts';

const closed = (code: string) =>
  all(
    session('r1', R2, () => ({ state: 'Idle', lastError: code, lastReset: 'BGP Notification send' })),
    session('r2', R1, () => ({ state: 'Active' })),
  );

test('both ends are named, and an operator decides which is wrong', () => {
  const decide = 'how many prefixes are right: the limit may be too low, or the other end announces too many';
  assert.deepEqual(drawn(ring(closed('0601'))), [
    ['bgp_max_prefix_exceeded node/r1', undefined, decide],
    ['bgp_max_prefix_exceeded node/r2', undefined, decide],
  ]);
  const [finding] = diagnose(ring(closed('0601'))).findings;
  assert.equal(finding?.remedy?.summary, 'raise the limit, or find out why r2 announces so much');
});

test('a session that was closed for another reason is none', () => {
  assert.deepEqual(named(ring(closed('0602'))), []);
  assert.deepEqual(named(ring(session('r1', R2, () => ({ lastError: '0601' })))), []);
});

test('both ends stand or fall together, and explain the sessions between the two alone', () => {
  const down = (pair: string) => onLink('bgp', pair, { id: `bgp ${pair}` });
  const rows = [{ from: 'b', to: 'a', lastError: '0601' }];
  const file = caseOf([down('a-b'), down('b-a'), down('b-c')], bgpWorld(rows));
  assert.deepEqual(
    bgpMaxPrefix
      .propose(file, [])
      .map(({ resource, score, together, explains, details }) => [
        ...[resource, score, together, explains.map((share) => share.symptom).join()],
        ...[String(details['between']), details['node'], details['announcer']],
      ]),
    ['a', 'b'].map((node) => [`node/${node}`, 4, 'a+b', 'bgp a-b,bgp b-a', '{a},{b}', 'b', '{a}']),
  );
  const none = (row: object, more = {}) =>
    bgpMaxPrefix.propose(caseOf([down('a-b')], bgpWorld([{ ...rows[0]!, ...row }], {}, more)), []);
  assert.deepEqual(none({ state: 'Established' }), []);
  assert.deepEqual(none({}, { owners: new Map() }), []);
});
