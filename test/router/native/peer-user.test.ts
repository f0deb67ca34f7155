// The user behind a Unix socket, as the kernel says [TS-31].
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { userNameOf } from '#agent/sessions/local-user.ts';
import { peerUserOf } from '#router/native/peer-user.ts';

const CONNECT = `const s = require('net').connect(process.argv[1]); s.on('error', (e) => { console.error(e); process.exit(1); });`;

test('tells the user whose process opened a Unix socket, and none of a TCP connection or a closed socket [TS-31]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-peer-user-'));
  const path = join(dir, 'socket');
  const accepted: ((socket: Socket) => void)[] = [];
  const server = createServer((socket) => accepted.shift()?.(socket)).listen(path);
  const overTcp = createServer((socket) => accepted.shift()?.(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(overTcp, 'listening')]);
  await chmod(dir, 0o755);
  await chmod(path, 0o666);
  t.after(async () => {
    server.close();
    overTcp.close();
    await rm(dir, { recursive: true });
  });
  const connectAs = async (uid: number, where: string) => {
    const socket = new Promise<Socket>((resolve) => accepted.push(resolve));
    const child = spawn(process.execPath, ['-e', CONNECT, where], { uid, stdio: 'inherit' });
    t.after(() => child.kill());
    return socket;
  };
  const own = process.getuid!();
  const mine = await connectAs(own, path);
  assert.equal(await peerUserOf(mine), own);
  // Another user can only be tried by root.
  if (own === 0) assert.equal(await peerUserOf(await connectAs(65_534, path)), 65_534);
  const { port } = overTcp.address() as { port: number };
  assert.equal(await peerUserOf(await connectAs(own, String(port))), undefined);
  mine.destroy();
  assert.equal(await peerUserOf(mine), undefined);
});

test('finds the name of a user, and no name that could be mistaken for more', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-passwd-'));
  t.after(() => rm(dir, { recursive: true }));
  const file = join(dir, 'passwd');
  await writeFile(
    file,
    'root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000::/home/alice:/bin/sh\nx y(uid 0):x:7:7:::\n',
  );
  assert.deepEqual(await Promise.all([0, 1_000, 7, 100, 10].map((uid) => userNameOf(uid, file))), [
    'root',
    'alice',
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(await userNameOf(0, join(dir, 'none')), undefined);
});
