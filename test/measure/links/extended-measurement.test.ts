// The extended round: counters in quiet, probes, counters again; only between nodes that can be asked, and not for too many links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEASURE_LIMITS } from '#measure/limits.ts';
import { leftOut, planExtendedMeasurement, quietCounters } from '#measure/links/extended-measurement.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { scopeOf } from '../scope.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const [FIRST, SECOND] = scopeLinks(STATES);

test('three steps: both ends count, probe, and count again', () => {
  const steps = planExtendedMeasurement(STATES, [{ link: FIRST!, share: 0.02 }]);
  assert.deepEqual(
    steps.map((calls) => calls.map(({ id }) => id)),
    [
      ['deepen/r1/counts/first', 'deepen/r2/counts/first'],
      ['probe/r1:eth2/r2:eth1/long', 'probe/r2:eth1/r1:eth2/long'],
      ['deepen/r1/counts/last', 'deepen/r2/counts/last'],
    ],
  );
  assert.deepEqual(
    steps[1]!.map(({ arguments: { Count } }) => Count),
    [2_000, 2_000],
  );
});

test('a link that may damage packets is sent three runs of IPv4 from each end, and all counters are read', () => {
  const steps = planExtendedMeasurement(STATES, [], [SECOND!]);
  assert.equal(steps[1]!.length, 6);
  assert.deepEqual(
    steps[0]!.map(({ node, arguments: { parts } }) => [node, parts]),
    [
      ['r2', 'all'],
      ['r3', 'all'],
    ],
  );
});

test('a link to a node that is asked through a neighbour alone is left to what is known', () => {
  const unsettled = { losses: [{ link: SECOND!, share: 0.02 }], damage: [], classes: [] };
  const scope = scopeOf(STATES, { relays: new Map([['r3', ['r2']]]) });
  assert.deepEqual(quietCounters.rounds.extended?.(scope, unsettled), []);
  assert.equal(quietCounters.rounds.extended?.(scopeOf(STATES), unsettled).length, 3);
});

test('links beyond the limit are counted, so that the operator is told of them', () => {
  const losses = Array.from({ length: MEASURE_LIMITS.extendedLinks + 2 }, () => ({ link: FIRST!, share: 0.02 }));
  assert.equal(leftOut(scopeOf(STATES), { losses, damage: [], classes: [] }), 2);
  assert.equal(leftOut(scopeOf(STATES), { losses: losses.slice(2), damage: [SECOND!], classes: [] }), 0);
});
