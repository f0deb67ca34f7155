// A session over a connection that is there already: the node at its end proves who it is, whoever passes the bytes on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { dialOver } from '#mtls/dial.ts';
import { dialPlain } from '#mtls/dial-plain.ts';
import type { Identity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';
import { until } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';
import {
  systemClock as clock,
  createDomain,
  type Domain,
  receive,
  startListener,
  type TestListener,
} from './domain.ts';

const signal = new AbortController().signal;
let domain: Domain;
let pe1: Identity;
let p2: Identity;
let listener: TestListener;

before(async () => {
  domain = await createDomain();
  [pe1, p2] = [await domain.identity('pe1'), await domain.identity('p2')];
  listener = await startListener(pe1);
});
after(async () => {
  await listener.close();
  await domain.remove();
});

const plain = (targets: readonly { address: string; port: number }[], timeoutMs = HANG_MS) =>
  dialPlain({ targets, timeoutMs, signal, clock });
const here = () => ({ address: '127.0.0.1', port: listener.port });

async function over(socket: Socket, expectedNode: string) {
  const trust = await createTrust({ clock });
  const shared = { identity: p2, trust, expectedNode, alpn: 'mcp', timeoutMs: HANG_MS, signal, clock } as const;
  return dialOver({ ...shared, over: socket, by: 'r9' });
}

test('both prove who they are, and the connection goes with the session [TS-14]', async () => {
  const socket = await plain([here()]);
  const dialled = await over(socket, 'pe1');
  assert.deepEqual([dialled.party.name, dialled.address], ['pe1', 'r9']);
  assert.equal(await receive(dialled.socket, 1), '!');
  assert.equal(listener.sessions.at(-1)?.party.name, 'p2');
  dialled.socket.destroy();
  await until(() => socket.destroyed, 'the connection is closed');
});

test('another node at its end is refused, and the connection closed', async () => {
  const socket = await plain([here()]);
  await assert.rejects(over(socket, 'pe3'), {
    code: 'peer/wrong-identity',
    message: 'expected node pe3 at r9, got node pe1',
  });
  await until(() => socket.destroyed, 'the connection is closed');
});

test('an end that says nothing is given up in time', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const socket = connect((silent.address() as { port: number }).port, '127.0.0.1');
  await once(socket, 'connect');
  const trust = await createTrust({ clock });
  const shared = { identity: p2, trust, expectedNode: 'pe1', alpn: 'mcp', timeoutMs: 30, signal, clock } as const;
  await assert.rejects(dialOver({ ...shared, over: socket, by: 'r9' }), { code: 'peer/timeout' });
  await until(() => socket.destroyed, 'the connection is closed');
  silent.close();
});

test('a plain connection goes to the first address that takes it', async () => {
  const socket = await plain([{ address: '127.0.0.1', port: 1 }, here()]);
  assert.equal(socket.remotePort, listener.port);
  socket.destroy();
  await assert.rejects(plain([]), { code: 'peer/unreachable' });
  await assert.rejects(plain([{ address: '127.0.0.1', port: 1 }]), { code: 'peer/unreachable' });
});
