// What a node remembers of connections that hosts ask for, and what of it leaves the node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnectionMemory } from '#router/drivers/linux-frr/host-monitor/connection-memory.ts';

const PAIR = { ifname: 'eth3', client: '198.19.1.10', server: '198.19.3.10', port: 80 };
const row = (used: number, unanswered: number, more: object = {}) => ({
  ...PAIR,
  ...{ used, once: 0, unanswered, repeats: unanswered },
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

test('what was asked for once ends it as well, and is no sign that it was answered before', () => {
  const memory = createConnectionMemory();
  memory.heard([row(0, 0, { once: 5 })], 0);
  memory.heard([row(0, 3)], 5_000);
  assert.deepEqual(memory.told(6_000), [], 'it was never seen to be answered');
  memory.heard([row(2, 0)], 10_000);
  memory.heard([row(0, 3)], 15_000);
  assert.equal(memory.told(15_000)[0]?.okTimes, 2);
  memory.heard([row(0, 1, { once: 1 })], 20_000);
  assert.deepEqual(memory.told(20_000), []);
});

test('tells of no connection that may still be answered', () => {
  const memory = createConnectionMemory();
  memory.heard([row(2, 0)], 0);
  memory.heard([row(0, 0, { repeats: 1 })], 10_000);
  assert.deepEqual(memory.told(10_000), []);
  memory.heard([row(0, 1)], 14_000);
  assert.deepEqual(
    memory.told(14_000).map(({ times, sinceAgoMs }) => [times, sinceAgoMs]),
    [[1, 4_000]],
  );
});

test('forgets a pair a quarter of an hour after it was answered last, also where it is still asked for', () => {
  const memory = createConnectionMemory();
  memory.heard([row(2, 0)], 0);
  for (let atMs = 10_000; atMs <= 900_000; atMs += 10_000) {
    memory.heard([row(0, 1)], atMs);
    memory.forget(atMs);
  }
  assert.equal(memory.told(900_000).length, 1);
  memory.forget(900_001);
  memory.heard([row(0, 1)], 900_001);
  assert.deepEqual(memory.told(900_001), []);
});

test('keeps so many pairs, of one host and in all, and tells fewer: a host with very many does not push out others', () => {
  const memory = createConnectionMemory();
  const OTHER = '198.19.1.66';
  const many = (used: number, unanswered: number) =>
    Array.from({ length: 1_100 }, (_, index) => row(used, unanswered, { client: OTHER, port: index }));
  memory.heard([row(5, 0)], 0);
  memory.heard([row(0, 3)], 1_000);
  memory.heard(many(2, 0), 2_000);
  memory.heard(many(0, 2), 3_000);
  const told = memory.told(4_000);
  assert.deepEqual([told.length, told.at(-1)?.client], [5, PAIR.client]);
  const hosts = Array.from({ length: 20 }, (_, index) => ({ client: `198.19.1.${100 + index}` }));
  memory.heard(
    hosts.flatMap((host) => [row(2, 0, host), row(0, 2, host)]),
    5_000,
  );
  assert.equal(memory.told(5_000).length, 16);
});
