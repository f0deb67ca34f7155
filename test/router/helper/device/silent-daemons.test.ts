// Daemons that take connections: which of them answer. A socket that is never answered stands for a daemon that hangs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { aliveDaemons, converse } from '#router/helper/device/frr.ts';
import { HELPER_LIMITS } from '#router/helper/limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'vty-'));
const servers: Server[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Answers each command with nothing and a status, or never. */
function listen(name: string, status?: number): Promise<void> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    if (status !== undefined) socket.on('data', () => socket.write(Buffer.from([0, 0, 0, status])));
  });
  servers.push(server);
  return new Promise((resolve) => server.listen(join(folder, `${name}.vty`), resolve));
}

const SILENT_MS = 500;

test('a daemon that takes a connection and says nothing is silent; one that answers, with whatever status, is not', async () => {
  await Promise.all([listen('bgpd', 0), listen('isisd', 1), listen('ospfd')]);
  const found = await aliveDaemons(folder, new AbortController().signal, SILENT_MS);
  assert.deepEqual(found, [
    { name: 'bgpd', alive: true },
    { name: 'isisd', alive: true },
    { name: 'ospfd', alive: true, silent: true },
  ]);
});

test('a read waits for a busy daemon for longer than it takes to count as silent', async () => {
  const signal = new AbortController().signal;
  await listen('staticd');
  const opened = sockets.length;
  const reading = converse(join(folder, 'staticd.vty'), ['show version'], signal);
  // The wait for this is the time in which the daemon is busy.
  const found = await aliveDaemons(folder, signal, HELPER_LIMITS.daemonSilentMs + 200);
  assert.ok(found.some(({ name, silent }) => name === 'staticd' && silent === true));
  const socket = sockets[opened]!;
  socket.on('data', () => socket.write(Buffer.from('text\0\0\0\0')));
  socket.write(Buffer.from([0, 0, 0, 0]));
  assert.deepEqual(await reading, ['text']);
});
