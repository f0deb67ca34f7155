// How much of what passed on ports one fetch reads: bounded for one port and for all of them together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesOf } from '#router/helper/port-sockets.ts';

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
