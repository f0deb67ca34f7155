// What is made at its first use: once for all who ask at the same time, and again after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { late } from '#base/in-turn.ts';

test('it is made once, at its first use', async () => {
  let times = 0;
  const get = late(async () => ++times);
  assert.equal(times, 0);
  assert.deepEqual([...(await Promise.all([get(), get()])), await get()], [1, 1, 1]);
});

test('a failure reaches all who asked, and is not kept', async () => {
  let times = 0;
  const get = late(async () => {
    if (++times === 1) throw new Error('EMFILE');
    return times;
  });
  const outcomes = await Promise.allSettled([get(), get()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await get(), 2);
});
