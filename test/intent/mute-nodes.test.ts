// A node that tells its state through a neighbour alone is not asked to measure: its links are probed from their other ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSweep } from '#intent/plan-scope.ts';
import { stateOf } from '../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

/** `r1>r2`: who probes whom over their link. */
function probers(mute: readonly string[]): readonly string[] {
  return planSweep(STATES, new Set(mute))
    .filter(({ id }) => id.endsWith('/link'))
    .map(({ id }) =>
      id
        .split('/')
        .slice(1, 3)
        .map((end) => end.split(':')[0])
        .join('>'),
    )
    .sort();
}

test('each link is probed from an end that can be asked', () => {
  for (const mute of ['r1', 'r2', 'r3']) {
    const ways = probers([mute]);
    assert.equal(ways.length, probers([]).length);
    assert.deepEqual(
      ways.filter((way) => way.startsWith(`${mute}>`)),
      [],
    );
    assert.ok(ways.some((way) => way.endsWith(`>${mute}`)));
  }
});
