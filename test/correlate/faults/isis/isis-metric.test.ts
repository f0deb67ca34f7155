// isis_metric_misconfig on the ring: the metric of r1 towards r2 is far from all others, or drains the link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { drainedLinks, isisMetric } from '#correlate/faults/isis/isis-metric.ts';
import { linkOf } from '../../pair-scene.ts';
import { remarksTold } from '../../remarks.ts';
import { drawn, lines, named, r1Circuit, ring } from '../../ring.ts';
import { ringWorld } from '../proposing.ts';

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
    const told = diagnose(metric(value));
    assert.equal(told.verdict.kind, 'healthy');
    assert.match(remarksTold(told).join('\n'), /r1 eth1 – r2 eth1: drained by the largest metric at r1 eth1/);
  }
});

const metricsOf = (rows: Readonly<Record<string, Readonly<Record<string, number | undefined>>>>) =>
  Object.fromEntries(
    Object.entries(rows).map(([node, own]) => [
      node,
      {
        isis: { circuits: Object.entries(own).map(([ifname, metric]) => ({ ifname, passive: false, metric })) },
        adjacencies: Object.keys(own).map((ifname) => ({ ifname, state: 'up' })),
      },
    ]),
  );
const RING = {
  a: { 'to-b': 100, 'to-d': 10 },
  b: { 'to-a': 10, 'to-c': 10 },
  c: { 'to-b': 10, 'to-d': 10 },
  d: { 'to-c': 10, 'to-a': 10 },
};
const odd = (rows: object, more: object = {}) =>
  isisMetric.detect!({ world: ringWorld(more, metricsOf({ ...RING, ...rows } as never)), facts: [] }).map(
    ({ subject, confidence, detail }) => [subject, confidence, detail['metric'], detail['others']],
  );

test('ten times what all others have is far, at either end of the link', () => {
  assert.deepEqual(odd({}), [['interface/a/to-b', 'likely', 100, 10]]);
  assert.deepEqual(odd({ a: { 'to-b': 99, 'to-d': 10 } }), []);
  assert.deepEqual(odd({ a: { 'to-b': 10, 'to-d': 10 }, b: { 'to-a': 5_000, 'to-c': 10 } }), [
    ['interface/b/to-a', 'likely', 5_000, 10],
  ]);
  assert.deepEqual(odd({ a: { 'to-b': 16_777_213, 'to-d': 10 } })[0]?.[2], 16_777_213);
  assert.deepEqual(odd({ a: { 'to-b': 16_777_214, 'to-d': 10 } }), []);
  // A circuit that says no metric has the usual one.
  assert.deepEqual(odd({ b: { 'to-a': undefined, 'to-c': undefined } }).length, 1);
});

test('a link whose two ends both differ, or a network that agrees on no metric, is no slip', () => {
  assert.deepEqual(odd({ b: { 'to-a': 100, 'to-c': 10 } }), []);
  assert.deepEqual(odd({ b: { 'to-a': 11, 'to-c': 10 } }), []);
  assert.deepEqual(odd({ c: { 'to-b': 10, 'to-d': 11 } }), []);
  const links = (...pairs: readonly string[]) => ({ links: pairs.map(linkOf) });
  assert.equal(odd({}, links('a-b', 'b-c', 'c-d')).length, 1);
  assert.deepEqual(odd({}, links('a-b', 'b-c')), [], 'two other ends are too few');
  assert.deepEqual(odd({}, links('a-b')), []);
});

test('drained links name the ends whose metric says so', () => {
  const drained = (to: number, from: number) =>
    drainedLinks(ringWorld({ links: [linkOf('a-b')] }, metricsOf({ a: { 'to-b': to }, b: { 'to-a': from } }))).map(
      ({ text }) => text,
    );
  assert.deepEqual(drained(16_777_213, 10), []);
  assert.deepEqual(drained(16_777_214, 16_777_215), [
    '{a} to-b – {b} to-a: drained by the largest metric at {a} to-b and {b} to-a',
  ]);
  assert.deepEqual(drained(10, 16_777_215), ['{a} to-b – {b} to-a: drained by the largest metric at {b} to-a']);
});
