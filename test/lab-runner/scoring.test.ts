// The scoring formula, with values worked out by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prf, scoreRun } from '../../simulations/lab/scoring.ts';

const LOSS = { resource: 'interface/pe1/eth1', fault: 'packet_loss' };
const ACL = { resource: 'node/pe1', fault: 'acl_misconfig' };

test('the exact pair scores one everywhere', () => {
  const score = scoreRun({ anomaly: true, causes: [LOSS] }, [LOSS]);
  assert.deepEqual(score, {
    detection: 1,
    localization: { precision: 1, recall: 1, f1: 1 },
    faultType: { precision: 1, recall: 1, f1: 1 },
    rca: { precision: 1, recall: 1, f1: 1 },
  });
});

test('a healthy network and an empty prediction agree wholly', () => {
  const score = scoreRun({ anomaly: false, causes: [] }, []);
  assert.deepEqual([score.detection, score.localization.f1, score.rca.f1], [1, 1, 1]);
});

test('any guess about a healthy network scores zero', () => {
  const score = scoreRun({ anomaly: true, causes: [LOSS] }, []);
  assert.deepEqual([score.detection, score.localization.f1, score.rca.f1], [0, 0, 0]);
});

test('nothing predicted about a fault scores zero', () => {
  const score = scoreRun({ anomaly: false, causes: [] }, [LOSS]);
  assert.deepEqual([score.detection, score.localization.f1, score.rca.f1], [0, 0, 0]);
});

test('one extra guess costs a third, two cost half', () => {
  const other = { resource: 'interface/p2/eth2', fault: 'packet_loss' };
  assert.equal(scoreRun({ anomaly: true, causes: [LOSS, ACL] }, [LOSS]).rca.f1, 0.6667);
  assert.equal(scoreRun({ anomaly: true, causes: [LOSS, ACL, other] }, [LOSS]).rca.f1, 0.5);
});

test('the right place with the wrong fault counts for localization only', () => {
  const score = scoreRun({ anomaly: true, causes: [{ ...LOSS, fault: 'mtu_mismatch' }] }, [LOSS]);
  assert.deepEqual([score.detection, score.localization.f1, score.faultType.f1, score.rca.f1], [1, 1, 0, 0]);
});

test('duplicates collapse and a half of two truths is found', () => {
  assert.deepEqual(prf(['a', 'a'], ['a', 'b']), { precision: 1, recall: 0.5, f1: 0.6667 });
  assert.deepEqual(prf(['a', 'b', 'c'], ['a']), { precision: 0.3333, recall: 1, f1: 0.5 });
});

test('detection reads the verdict, not the list of causes', () => {
  assert.equal(scoreRun({ anomaly: true, causes: [] }, [LOSS]).detection, 1);
  assert.equal(scoreRun({ anomaly: false, causes: [LOSS] }, [LOSS]).detection, 0);
});
