// How much of what passed on ports one fetch reads: bounded for one port and for all of them together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesOf, readTaps } from '#router/helper/port-sockets.ts';

const FRAME = Uint8Array.of(1);
const endless = () => FRAME;

test('one fetch reads so many frames of a port, and of all ports together: each port its least, also where others took the rest', () => {
  const pool = { left: 1_024 };
  const read = Array.from({ length: 64 }, () => [...framesOf(endless, pool)].length);
  assert.deepEqual(read.slice(0, 4), [512, 512, 48, 16]);
  assert.ok(read.slice(3).every((count) => count === 16));
  assert.equal(
    read.reduce((sum, count) => sum + count, 0),
    1_024 + 64 * 16,
  );
});

test('what waits is read until nothing does', () => {
  let left = 20;
  const pool = { left: 1_024 };
  assert.equal([...framesOf(() => (left-- > 0 ? FRAME : undefined), pool)].length, 20);
  assert.deepEqual([...framesOf(() => undefined, pool)], []);
});

test('where ports are flooded, other work runs in between, and each tap is read as far as it may be', async () => {
  const busy = { receive: endless };
  const ports = new Map(Array.from({ length: 64 }, (_, index) => [`eth${index}`, [busy, undefined, busy]]));
  const read = [0, 0, 0];
  let [stretch, longest, isOver] = [0, 0, false];
  const others = () => {
    stretch = 0;
    if (!isOver) setImmediate(others);
  };
  others();
  await readTaps(ports, ({ kind, frames }) => {
    for (const _ of frames) {
      read[kind]! += 1;
      longest = Math.max(longest, ++stretch);
    }
  });
  isOver = true;
  assert.deepEqual(read, [2_048, 0, 2_048]);
  assert.equal(longest, 128);
});
