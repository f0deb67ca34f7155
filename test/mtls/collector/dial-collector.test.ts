// Connections to a syslog collector: a delivery counts by an authenticated end alone, and leaves nothing behind on the agent's signal.
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { type CollectorAddress, dialCollector } from '#mtls/collector/dial-collector.ts';
import { until } from '../../fakes/clock.ts';
import { createDomain, systemClock } from '../domain.ts';

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function bed(t: TestContext) {
  const domain = await createDomain('collectors.example');
  await domain.identity('logs', { dnsNames: ['logs.example'] });
  const [key, cert] = await Promise.all(
    ['key.pem', 'chain.pem'].map((name) => readFile(join(domain.dir, 'logs', name), 'utf8')),
  );
  const got = { octets: 0 };
  const collector = createTlsServer({ key: key!, cert: cert! }, (socket) => {
    socket.on('data', (bytes) => {
      got.octets += bytes.length;
    });
    socket.on('error', () => {});
  });
  const open = new Set<Socket>();
  const box = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: portOf(collector), allowHalfOpen: true });
    for (const each of [near, far]) open.add(each.on('error', () => {}));
    // What the node sends behind its handshake does not go on, and its end is answered with a FIN.
    near.on('data', (bytes) => void (isPassing && far.write(bytes)));
    far.on('data', (bytes) => void near.write(bytes));
    near.on('end', () => {
      near.end();
      far.destroy();
    });
  });
  let isPassing = true;
  for (const server of [collector, box]) await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    for (const each of open) each.destroy();
    collector.close();
    box.close();
    await domain.remove();
  });
  const address = (through: Server, over: Partial<CollectorAddress> = {}): CollectorAddress => ({
    ...{ host: '127.0.0.1', port: portOf(through), name: 'logs.example', ca: join(domain.dir, 'ca', 'ca.pem') },
    ...over,
  });
  const swallow = () => {
    isPassing = false;
  };
  return { collector, box, address, got, swallow };
}

test('a collector that answers our close_notify has read all [TS-31]', async (t) => {
  const { collector, address, got } = await bed(t);
  const connection = await dialCollector(address(collector), systemClock, new AbortController().signal);
  await connection.write(Buffer.alloc(200_000, 'a'));
  await connection.finish();
  assert.equal(got.octets, 200_000);
});

test('a box on the path that takes the octets and ends the connection with a FIN makes no delivery [TS-31]', async (t) => {
  const { box, address, got, swallow } = await bed(t);
  const connection = await dialCollector(address(box), systemClock, new AbortController().signal);
  swallow();
  await connection.write(Buffer.alloc(5_000, 'a'));
  await assert.rejects(connection.finish(), { code: 'peer/unreachable', message: /without a close_notify of TLS/ });
  assert.equal(got.octets, 0);
});

test('a FIN counts only where the configuration says that the collector sends no close_notify [TS-31]', async (t) => {
  const { box, address, swallow } = await bed(t);
  const connection = await dialCollector(
    address(box, { closeNotify: false }),
    systemClock,
    new AbortController().signal,
  );
  swallow();
  await connection.write(Buffer.from('a'));
  await connection.finish();
});

test('a connection that is over leaves no listener on the signal, which lives as long as the agent [TS-31]', async (t) => {
  const { collector, box, address, swallow } = await bed(t);
  const { signal } = new AbortController();
  for (const each of [1, 2, 3]) {
    const connection = await dialCollector(address(collector), systemClock, signal);
    await connection.write(Buffer.from(`${each}`));
    await connection.finish();
    connection.destroy();
  }
  const broken = await dialCollector(address(box), systemClock, signal);
  swallow();
  await broken.finish().catch(() => {});
  await assert.rejects(dialCollector(address(collector, { name: 'other.example' }), systemClock, signal), {
    code: 'peer/untrusted-certificate',
  });
  await until(() => getEventListeners(signal, 'abort').length === 0, 'no listener');
});

test('an abort ends the connection with the reason of the signal', async (t) => {
  const { collector, address } = await bed(t);
  const ended = new AbortController();
  const connection = await dialCollector(address(collector), systemClock, ended.signal);
  ended.abort(new Error('the agent ends'));
  await assert.rejects(connection.write(Buffer.from('a')));
});

test('a port where nothing listens is a collector that cannot be reached', async (t) => {
  const { box, address } = await bed(t);
  const { port } = address(box);
  await new Promise((resolve) => box.close(resolve));
  await assert.rejects(
    dialCollector(address(box.listen(0), { port }), systemClock, new AbortController().signal),
    (error: Error) => /no connection to collector 127\.0\.0\.1/.test(error.message),
  );
});
