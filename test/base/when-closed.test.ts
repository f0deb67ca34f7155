// The end of a stream is heard once, whether it is told later or was told before.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
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

test('the end of an exchange over HTTP/2 is heard when it has come', async (t) => {
  const server = createServer();
  const arrived = new Promise<[Http2ServerRequest, Http2ServerResponse]>((resolve) => {
    server.on('request', (request, response) => resolve([request, response]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => {
    client.destroy();
    server.close();
  });
  const asked = client.request({ ':path': '/', ':method': 'POST' });
  asked.on('error', () => {});
  const [request, response] = await arrived;
  let times = 0;
  whenClosed(response, () => times++);
  assert.equal(times, 0);
  asked.close();
  await until(() => times === 1, 'the end');
  whenClosed(request, () => times++);
  whenClosed(response, () => times++);
  assert.equal(times, 3);
});
