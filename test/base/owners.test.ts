// What is said of a file that this process may not read: whose it is, and what to do.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closedSocketWords, deniedWords, isDenied } from '#base/owners.ts';

test('the owner, the mode and the command are named; what cannot be seen is told by the folder above it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-owners-'));
  try {
    const file = join(dir, 'key.pem');
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    const me = userInfo().username;
    assert.equal(
      await deniedWords(file),
      `it belongs to ${me}:${me} (mode 0640), and this is ${me}: run it as ${me} or with sudo; where ${me} is to own it: chown ${me} ${file}`,
    );
    assert.match(await deniedWords(join(dir, 'none', 'key.pem')), new RegExp(`^${dir} belongs to ${me}:`));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('of a socket the group to join is named, but never the group of root', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-owners-'));
  try {
    const file = join(dir, 'control.sock');
    writeFileSync(file, '');
    const me = userInfo().username;
    chownSync(file, process.getuid!(), 0);
    assert.match(await closedSocketWords(file), /: run it with sudo, or name a group of operators in control\.group$/);
    chownSync(file, process.getuid!(), 60_123);
    assert.ok(
      (await closedSocketWords(file)).endsWith(`join its group ("usermod -aG 60123 ${me}", then log in again)`),
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('only errors about permission are taken for such, also as a cause', () => {
  const denied = Object.assign(new Error('x'), { code: 'EACCES' });
  assert.deepEqual(
    [isDenied(denied), isDenied(new Error('y', { cause: denied })), isDenied(new Error('z'))],
    [true, true, false],
  );
});
