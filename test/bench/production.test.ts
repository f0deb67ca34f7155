// The score weighted by what breaks in production: each class by its own mean, whatever its number of cases; classes without a case are said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productionScore } from '../../bench/production.ts';

const many = (faults: readonly string[], rcaF1: number, count: number) =>
  Array.from({ length: count }, () => ({ faults, rcaF1 }));

test('a class weighs as its share of outages, not as its number of cases', () => {
  const score = productionScore([
    ...many(['isis_metric_misconfig'], 1, 90),
    ...many(['packet_loss'], 0.5, 2),
    ...many(['daemon_down'], 0, 1),
    ...many(['conntrack_full'], 1, 4),
  ]);
  // (50 · 1 + 25 · 0.5 + 17 · 0 + 8 · 1) / 100
  assert.equal(score.rcaF1, 0.705);
  assert.deepEqual(score.classes.linkAndHardware, { weight: 25, cases: 2, rcaF1: 0.5 });
  assert.deepEqual(score.lacking, []);
});

test('classes without a case are named and weigh nothing', () => {
  const score = productionScore(many(['mtu_mismatch', 'link_down'], 0.5, 3));
  assert.equal(score.rcaF1, 0.5);
  assert.deepEqual([score.classes.change.cases, score.classes.linkAndHardware.cases], [3, 3]);
  assert.deepEqual(score.lacking, ['software', 'capacity']);
  assert.deepEqual(productionScore([]).rcaF1, null);
});

test('what only names a place belongs to no class', () => {
  assert.equal(productionScore(many(['unexplained_loss'], 1, 1)).rcaF1, null);
});
