// A session ends with its peer's certificate: to the millisecond, also when the clock is stepped, and never after it was closed.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { destroyAtCertificateEnd } from '#mtls/certificate-end.ts';
import { createFakeClock } from '../fakes/clock.ts';

function bed(lifetimeMs: number, withCallback = true) {
  const clock = createFakeClock();
  const events: string[] = [];
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => void events.push('destroyed') });
  destroyAtCertificateEnd({
    socket: socket as unknown as Socket,
    notAfterMs: clock.nowMs() + lifetimeMs,
    nowMs: () => clock.nowMs(),
    clock,
    ...(withCallback ? { onEnd: () => void events.push('ended') } : {}),
  });
  return { clock, socket, events };
}

test('destroys the socket at the end, not a millisecond before, and says so once [TS-24]', async () => {
  const { clock, events } = bed(150_000);
  await clock.advance(149_999);
  assert.deepEqual(events, []);
  await clock.advance(1);
  assert.deepEqual(events, ['ended', 'destroyed']);
  await clock.advance(600_000);
  assert.deepEqual([events.length, clock.sleepers], [2, 0]);
});

test('looks at the time once a minute, so that a stepped clock is noticed [TS-24]', async () => {
  const { clock, events } = bed(86_400_000);
  await clock.advance(0);
  clock.setWall(clock.nowMs() + 86_400_000);
  await clock.advance(59_999);
  assert.deepEqual(events, []);
  await clock.advance(1);
  assert.deepEqual(events, ['ended', 'destroyed']);
});

test('a certificate that has ended already ends its session at once, also without anybody to tell [TS-24]', async () => {
  const { clock, events } = bed(0, false);
  await clock.advance(0);
  assert.deepEqual(events, ['destroyed']);
});

test('a closed session is not looked after any more', async () => {
  const { clock, socket, events } = bed(150_000);
  await clock.advance(1);
  socket.emit('close');
  await clock.advance(0);
  assert.equal(clock.sleepers, 0);
  await clock.advance(300_000);
  assert.deepEqual(events, []);
});
