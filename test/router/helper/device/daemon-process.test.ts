// What the kernel says of a daemon's process: its own files, in the forms that they have.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  killedCount,
  memoryEventsPath,
  openFilesLimit,
  readDaemonProcess,
} from '#router/helper/device/daemon-process.ts';
import { aliveDaemons } from '#router/helper/device/frr.ts';

const folder = mkdtempSync(join(tmpdir(), 'pid-'));
after(() => rmSync(folder, { recursive: true }));

// FRR's daemons are called like their programs.
const title = process.title;
process.title = 'zebra';
after(() => {
  process.title = title;
});

test('a process is described by its pid file, and one without a pid file, or that has ended, is not', async () => {
  writeFileSync(join(folder, 'zebra.pid'), `${process.pid}\n`);
  writeFileSync(join(folder, 'bgpd.pid'), 'none\n');
  const { upMs = -1, descriptors } = await readDaemonProcess(folder, 'zebra');
  assert.ok(upMs >= 0);
  // Older kernels do not count them.
  assert.ok(descriptors === undefined || descriptors.open > 2);
  assert.deepEqual(await readDaemonProcess(folder, 'bgpd'), {});
  assert.deepEqual(await readDaemonProcess(folder, 'isisd'), {});
});

test('a pid file of another container, or of a process that has ended, describes no other program that has the number', async () => {
  writeFileSync(join(folder, 'ospfd.pid'), `${process.pid}\n`);
  assert.deepEqual(await readDaemonProcess(folder, 'ospfd'), {});
  writeFileSync(join(folder, 'ldpd.pid'), '1\n');
  assert.deepEqual(await readDaemonProcess(folder, 'ldpd'), {}, 'the first process of every container');
});

test('the process that listens on its socket is the daemon, whatever its pid file says', async () => {
  writeFileSync(join(folder, 'zebra.pid'), '1\n');
  const server = createServer((socket) => socket.on('data', () => socket.write('FRRouting 8.4.4 (r1).\0\0\0\0')));
  await new Promise<void>((resolve) => server.listen(join(folder, 'zebra.vty'), resolve));
  const found = await aliveDaemons(folder, new AbortController().signal);
  server.close();
  const { alive, version, upMs = -1 } = found.find(({ name }) => name === 'zebra')!;
  assert.deepEqual([alive, version, upMs >= 0], [true, '8.4.4', true]);
  assert.deepEqual(await readDaemonProcess(folder, 'zebra', 0), {}, 'one that this process cannot see');
});

test('the limit is the soft one, and there may be none', () => {
  const limits = (soft: string) =>
    `Max processes  100  100  processes \nMax open files            ${soft}                 4096                 files     \n`;
  assert.equal(openFilesLimit(limits('1024')), 1_024);
  assert.equal(openFilesLimit(limits('unlimited')), undefined);
});

test('the group of a process is found in both versions of control groups; the root, and what lies outside, is none', () => {
  assert.equal(memoryEventsPath('0::/system.slice/frr.service\n'), '/system.slice/frr.service/memory.events');
  assert.equal(memoryEventsPath('9:name=systemd:/\n4:memory:/frr\n0::/\n'), 'memory/frr/memory.oom_control');
  assert.equal(memoryEventsPath('5:cpu,memory:/a:b\n'), 'memory/a:b/memory.oom_control');
  for (const none of ['0::/\n', '4:memory:/\n0::/frr\n', '0::/../../other\n', '9:cpu:/x\n', ''])
    assert.equal(memoryEventsPath(none), undefined, none);
});

test('kills are counted by their own line alone', () => {
  assert.equal(killedCount('low 0\nhigh 0\nmax 7\noom 4\noom_kill 3\noom_group_kill 0\n'), '3');
  assert.equal(killedCount('oom_kill_disable 0\nunder_oom 0\noom_kill 12\n'), '12');
  assert.equal(killedCount('oom_kill_disable 1\n'), undefined);
});
