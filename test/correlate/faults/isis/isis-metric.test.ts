// isis_metric_misconfig on the ring: the metric of r1 towards r2 is far from all others, or drains the link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { drawn, lines, named, r1Circuit, ring } from '../../ring.ts';

const metric = (value: number) => ring(r1Circuit(() => ({ metric: value })));

test('a metric far from all others goes back to theirs', () => {
  assert.deepEqual(drawn(metric(5_000)), [
    ['isis_metric_misconfig interface/r1/eth1', lines('interface eth1', ' isis metric 10')],
  ]);
});

test('a metric less than ten times that of others may be meant', () => {
  assert.deepEqual(named(metric(99)), []);
});

test('a link that is drained by the largest metric is a remark', () => {
  for (const value of [16_777_214, 16_777_215]) {
    const { verdict } = diagnose(metric(value));
    assert.equal(verdict.kind, 'healthy');
    assert.match(verdict.reasons.join('\n'), /r1 eth1 – r2 eth1: drained by the largest metric at r1 eth1/);
  }
});
