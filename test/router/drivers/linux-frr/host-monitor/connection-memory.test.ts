// What a node remembers of connections that hosts ask for, and what of it leaves the node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnectionMemory } from '#router/drivers/linux-frr/host-monitor/connection-memory.ts';

const PAIR = { ifname: 'eth3', client: '198.19.1.10', server: '198.19.3.10', port: 80 };
const row = (answered: number, unanswered: number, more: object = {}) => ({
  ...PAIR,
  ...{ answered, unanswered, repeats: unanswered },
  ...more,
});

test('tells of a host that asks in vain for what it was given, and of nothing else', () => {
  const memory = createConnectionMemory();
  memory.heard([row(2, 0)], 1_000);
  assert.deepEqual(memory.told(2_000), [], 'it is answered');
  memory.heard([row(0, 1)], 3_000);
  memory.heard([row(0, 0, { repeats: 1, ifname: 'br20' }), row(0, 3, { server: '198.19.4.10' })], 5_000);
  assert.deepEqual(memory.told(6_000), [
    {
      ...PAIR,
      ifname: 'br20',
      okIfname: 'eth3',
      okTimes: 2,
      okAgoMs: 5_000,
      times: 1,
      sinceAgoMs: 3_000,
      lastAgoMs: 1_000,
    },
  ]);
});

test('an answer ends it, and what is over begins anew', () => {
  const memory = createConnectionMemory();
  for (const [each, atMs] of [
    [row(1, 0), 0],
    [row(0, 2), 10_000],
    [row(1, 0), 20_000],
  ] as const)
    memory.heard([each], atMs);
  assert.deepEqual(memory.told(21_000), []);
  memory.heard([row(0, 1)], 30_000);
  assert.deepEqual(
    memory.told(31_000).map(({ okTimes, times, sinceAgoMs }) => [okTimes, times, sinceAgoMs]),
    [[2, 1, 1_000]],
  );
});

test('forgets after a quarter of an hour, keeps so many pairs, and tells fewer', () => {
  const memory = createConnectionMemory();
  const many = (answered: number, unanswered: number) =>
    Array.from({ length: 1_100 }, (_, index) => row(answered, unanswered, { port: index }));
  memory.heard(many(1, 0), 0);
  memory.heard(many(0, 1).slice(0, 76), 1_000);
  assert.deepEqual(memory.told(1_000), [], 'the oldest made room');
  memory.heard(many(0, 1).slice(500), 2_000);
  assert.equal(memory.told(2_000).length, 16);
  memory.forget(902_000);
  assert.equal(memory.told(902_000).length, 16);
  memory.forget(902_001);
  assert.deepEqual(memory.told(902_001), []);
});
