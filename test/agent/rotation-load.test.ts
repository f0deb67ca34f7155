// Calls between nodes while all of them renew their certificates: none is dropped. The long form is npm run bench -- rotation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRotations } from '../../bench/rotation/run.ts';

test('of 600 calls during 30 renewals, at both ends of each, none is dropped [TS-24]', async () => {
  const plan = { calls: 600, rotations: 30, nodes: 2, atOnce: 4, lifeSeconds: 3_600, boundMs: 600_000 };
  const { answered, dropped, rotated, notRotated } = await runRotations(plan, () => {});
  assert.deepEqual([dropped, notRotated], [[], []]);
  assert.deepEqual([answered, rotated], [600, 30]);
});
