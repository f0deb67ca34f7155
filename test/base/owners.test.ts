// What is said of a file that this process may not read: whose it is, and what to do.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deniedWords, isDenied, joinWords } from '#base/owners.ts';

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

test('of a socket the group to join is named, but never the group of root', () => {
  assert.match(joinWords({ group: 'parley', me: 'alice' }), /usermod -aG parley alice/);
  assert.equal(
    joinWords({ group: 'root', me: 'alice' }),
    'run it with sudo, or name a group of operators in control.group',
  );
});

test('only errors about permission are taken for such, also as a cause', () => {
  const denied = Object.assign(new Error('x'), { code: 'EACCES' });
  assert.deepEqual(
    [isDenied(denied), isDenied(new Error('y', { cause: denied })), isDenied(new Error('z'))],
    [true, true, false],
  );
});
