// The second look at a link that may be narrow: several trains, one after the other, so that no single moment decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSecondLook, scopeLinks } from '#intent/plan-scope.ts';
import { stateOf } from '../correlate/scope-scene.ts';

test('the trains over one link are sent one after the other', () => {
  const states = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
  const [link] = scopeLinks(states);
  const calls = planSecondLook(states, { lossy: [], pinged: [], dead: [], slow: [], narrow: [link!] }, 1_000);
  assert.deepEqual(
    calls.map(({ id, phase, afterMs }) => [id.split('/').slice(3).join('/'), phase, afterMs]),
    [
      ['large/2', 'deepen', undefined],
      ['large/3', 'deepen', 120],
      ['large/4', 'deepen', 240],
      ['large/5', 'deepen', 360],
    ],
  );
});
