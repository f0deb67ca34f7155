// What daemons leave behind when they crash, and the log while it is rotated, from real files.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { followLog, listCrashes } from '#router/helper/device/device-reads.ts';

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-reads-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('crash logs in the folders of their processes are listed, newest first, and what cannot be read is said [NET-4]', async (t) => {
  const dir = folder(t);
  const at = (path: string, seconds: number) => utimesSync(join(dir, path), seconds, seconds);
  // As FRR 8.4 leaves them after a signal 11.
  mkdirSync(join(dir, 'frr/staticd.82'), { recursive: true });
  writeFileSync(join(dir, 'frr/staticd.82/crashlog'), 'STATIC: Received signal 11\n password s3cret\n');
  writeFileSync(join(dir, 'frr/staticd.82/logbuf.83'), 'running');
  writeFileSync(join(dir, 'frr/staticd.82/zebra.vty.log'), 'no crash');
  writeFileSync(join(dir, 'core'), 'c');
  writeFileSync(join(dir, 'closed'), '');
  at('frr/staticd.82/crashlog', 1_767_225_600);
  at('closed', 1_767_225_500);
  const crashes = await listCrashes([join(dir, 'frr'), join(dir, 'closed'), join(dir, 'missing')]);
  assert.deepEqual(crashes, [
    {
      file: join(dir, 'frr/staticd.82/crashlog'),
      bytes: 44,
      modified: '2026-01-01T00:00:00.000Z',
      text: 'STATIC: Received signal 11\n password <redacted>\n',
    },
    { file: join(dir, 'closed'), bytes: 0, modified: '2025-12-31T23:58:20.000Z', unreadable: true, folder: true },
  ]);
});

test('the text of the eight newest crash logs is shown, each from its beginning, and of core files none [NET-18]', async (t) => {
  const dir = folder(t);
  for (let index = 0; index < 10; index++) {
    mkdirSync(join(dir, `isisd.${index}`));
    writeFileSync(join(dir, `isisd.${index}/crashlog`), 'x'.repeat(40_000));
    utimesSync(join(dir, `isisd.${index}/crashlog`), 1_767_225_600 + index, 1_767_225_600 + index);
  }
  writeFileSync(join(dir, 'core.1'), 'memory');
  const texts = (await listCrashes([dir])).map(({ text }) => text?.length);
  assert.deepEqual(texts, [undefined, ...Array(8).fill(32_768), undefined, undefined]);
});

test('what is a link in a crash folder is not read, nor is a folder that is one [NET-18]', async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, 'secret'), 'not for this');
  mkdirSync(join(dir, 'frr/bgpd.7'), { recursive: true });
  symlinkSync(join(dir, 'secret'), join(dir, 'frr/bgpd.7/crashlog'));
  mkdirSync(join(dir, 'elsewhere'));
  writeFileSync(join(dir, 'elsewhere/crashlog'), 'not for this');
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'frr/isisd.8'));
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'linked'));
  assert.deepEqual(await listCrashes([join(dir, 'frr'), join(dir, 'linked')]), []);
});

test('a followed log gives whole lines across reads and rotation, none twice [NET-5]', async (t) => {
  const dir = folder(t);
  const log = join(dir, 'syslog');
  writeFileSync(log, 'before\n');
  const seen: string[] = [];
  const ended = new AbortController();
  const euro = Buffer.from('€ euro\n');
  const steps = [
    () => appendFileSync(log, Buffer.concat([Buffer.from('one\n'), euro.subarray(0, 1)])),
    () => appendFileSync(log, euro.subarray(1)),
    () => {
      renameSync(log, `${log}.1`);
      writeFileSync(log, 'a first line that is longer than all before\n');
    },
    () => ended.abort(),
  ];
  const sleep = async () => void steps.shift()?.();
  await followLog((lines) => void seen.push(...lines), sleep, ended.signal, [log]);
  assert.deepEqual(seen, ['one', '€ euro', 'a first line that is longer than all before']);
});
