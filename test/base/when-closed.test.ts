// The end of a stream is heard once, whether it is told later or was told before.
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { whenClosed } from '#base/when-closed.ts';
import { until } from '../fakes/clock.ts';

test('the end of a stream is heard once', async () => {
  const [stream] = duplexPair();
  let times = 0;
  whenClosed(stream, () => times++);
  assert.equal(times, 0);
  stream.destroy();
  await until(() => times === 1, 'the end');
});

test('the end of a stream that has been closed is heard at once', async () => {
  const [stream] = duplexPair();
  stream.destroy();
  await until(() => stream.closed, 'the end');
  let times = 0;
  whenClosed(stream, () => times++);
  assert.equal(times, 1);
});
