// The operators' Unix socket: mode, stale sockets, agents that are alive.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '#base/process.ts';
import { dialLocal, listenLocal } from '#mtls/local-socket.ts';
import { until } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';

let dir: string;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-local-'));
});

after(() => rm(dir, { recursive: true, force: true }));

const echo = (socket: Socket) => socket.pipe(socket);

test('speaks to whom the mode lets in, and is gone after close', async () => {
  const path = join(dir, 'agent.sock');
  const listener = await listenLocal({ path, onSession: echo });
  const { mode } = await lstat(path);
  assert.equal(mode & 0o777, 0o660);
  const socket = await dialLocal(path);
  socket.write('hello');
  const [answer] = await new Promise<[Buffer]>((resolve) => socket.once('data', (bytes: Buffer) => resolve([bytes])));
  assert.equal(answer.toString(), 'hello');
  await listener.close();
  await assert.rejects(lstat(path), { code: 'ENOENT' });
  await assert.rejects(dialLocal(path), { code: 'caller/no-local-agent', message: /parley agent/ });
});

test('refuses to take the place of an agent that is alive', async () => {
  const path = join(dir, 'alive.sock');
  const first = await listenLocal({ path, onSession: echo });
  await assert.rejects(listenLocal({ path, onSession: echo }), { code: 'caller/agent-already-running' });
  const socket = await dialLocal(path);
  socket.destroy();
  await first.close();
});

test('takes over a socket that a dead agent left', async () => {
  const path = join(dir, 'stale.sock');
  // A process that is killed leaves its socket behind.
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await run(process.execPath, ['-e', script], { timeoutMs: HANG_MS });
  assert.equal((await lstat(path)).isSocket(), true);
  const listener = await listenLocal({ path, onSession: echo });
  (await dialLocal(path)).destroy();
  await listener.close();
});

test('refuses a path where another kind of file is, and leaves it alone', async () => {
  const path = join(dir, 'file');
  await writeFile(path, 'mine');
  await assert.rejects(listenLocal({ path, onSession: echo }), { code: 'caller/socket-path-taken' });
  assert.equal((await lstat(path)).size, 4);
});

test('refuses a group that does not exist, and leaves nothing behind', async () => {
  const path = join(dir, 'group.sock');
  const listening = listenLocal({ path, group: 'no-such-group-here', onSession: echo });
  await assert.rejects(listening, { code: 'caller/unknown-group' });
  const left = (await readdir(dir)).filter((name) => name.startsWith('group.sock'));
  assert.deepEqual(left, [], 'not under its temporary name either');
});

test('does not remove the socket of an agent that came after it', async () => {
  const path = join(dir, 'after.sock');
  const first = await listenLocal({ path, onSession: echo });
  await rm(path);
  const second = createServer();
  await new Promise<void>((resolve) => second.listen(path, resolve));
  await first.close();
  assert.equal((await lstat(path)).isSocket(), true);
  await new Promise((resolve) => second.close(resolve));
});

test('the mode is as asked for, and the group that of the process', async () => {
  const path = join(dir, 'mode.sock');
  const own = (await run('id', ['-gn'], { timeoutMs: HANG_MS })).stdout.trim();
  const listener = await listenLocal({ path, mode: 0o600, group: own, onSession: echo });
  const { mode, uid, gid } = await lstat(path);
  assert.deepEqual([mode & 0o777, uid, gid], [0o600, process.getuid?.(), process.getgid?.()]);
  assert.equal(listener.path, path);
  await listener.close();
});

test('closing ends the sessions that are open, on both sides', async () => {
  const path = join(dir, 'open.sock');
  const sessions: Socket[] = [];
  const listener = await listenLocal({ path, onSession: (socket) => void sessions.push(socket) });
  const dialled = await dialLocal(path);
  await until(() => sessions.length === 1, 'the session has begun');
  const ended = new Promise((resolve) => dialled.once('close', resolve));
  await listener.close();
  await ended;
  assert.equal(sessions[0]!.destroyed, true);
});

test('a session that has ended is let go, and not ended again with the listener', async () => {
  const path = join(dir, 'ended.sock');
  const sessions: Socket[] = [];
  const listener = await listenLocal({ path, onSession: (socket) => void sessions.push(socket.resume()) });
  const dialled = await dialLocal(path);
  await until(() => sessions.length === 1, 'the session has begun');
  dialled.end();
  await once(sessions[0]!, 'close');
  let ended = 0;
  sessions[0]!.destroy = () => {
    ended++;
    return sessions[0]!;
  };
  await listener.close();
  assert.equal(ended, 0);
});

test('a session that breaks is over, and takes nothing along', async () => {
  const path = join(dir, 'broken.sock');
  const sessions: Socket[] = [];
  const listener = await listenLocal({ path, onSession: (socket) => void sessions.push(socket) });
  const dialled = await dialLocal(path);
  await until(() => sessions.length === 1, 'the session has begun');
  sessions[0]!.emit('error', new Error('broken'));
  dialled.emit('error', new Error('broken'));
  assert.deepEqual([sessions[0]!.destroyed, dialled.destroyed], [true, true]);
  await listener.close();
});

test('a socket that this user may not open is said to be so, with what to do', async () => {
  const path = join(dir, 'closed-to-others.sock');
  const listener = await listenLocal({ path, mode: 0, onSession: () => {} });
  const isRoot = process.geteuid?.() === 0;
  // Root opens every socket: as `nobody` for the moment in which the connection is asked for.
  if (isRoot) process.seteuid?.(65_534);
  const dialling = dialLocal(path);
  if (isRoot) process.seteuid?.(0);
  try {
    await assert.rejects(dialling, {
      code: 'caller/local-socket-denied',
      message:
        /^not allowed to open .*closed-to-others\.sock: it belongs to .* \(mode 0000\), and this is .*: (?:run it with sudo|join its group)/,
    });
  } finally {
    await listener.close();
  }
});

test('a path that is no socket is said to have no agent, with the reason', async () => {
  await assert.rejects(dialLocal(join(dir, 'nowhere', 'x.sock')), {
    code: 'caller/no-local-agent',
    message:
      /no agent answers on .*x\.sock \(ENOENT\): start it with "systemctl start parley-agent", or "parley agent"/,
  });
});
