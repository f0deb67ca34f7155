// What a small Buffer can keep from being freed: its pool, in a process that runs for weeks a small one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { run } from '#base/process.ts';
import { boundBufferPools } from '#base/small-buffers.ts';

const usual = Buffer.poolSize;
after(() => {
  Buffer.poolSize = usual;
});

const heldBy = (bytes: Buffer): number => bytes.buffer.byteLength;
/** The pool of before is used up first. */
const usePoolUp = () => Array.from({ length: 64 }, () => Buffer.from('x'.repeat(2_048)));

test('a small Buffer holds a pool of 8 kB at most, and without pools its own octets', () => {
  boundBufferPools();
  usePoolUp();
  assert.deepEqual([heldBy(Buffer.from('report')), heldBy(Buffer.allocUnsafe(5_000))], [8_192, 5_000]);
  boundBufferPools(0);
  assert.equal(heldBy(Buffer.from('report')), 6);
});

// Ends with a usage error, or after its version: at once.
for (const [entry, argument] of [
  ['main.ts', '--version'],
  ['agent/privileged-helper.ts', '--no-such-option'],
  ['agent/config-helper.ts', '--no-such-option'],
] as const) {
  test(`src/${entry} bounds its pools before anything else`, async () => {
    const tell = "data:text/javascript,process.on('exit', () => console.error('pool of', Buffer.poolSize))";
    const file = join(import.meta.dirname, '../../src', entry);
    const { stderr } = await run(process.execPath, ['--conditions=parley-source', '--import', tell, file, argument], {
      timeoutMs: 60_000,
      maxOutputBytes: 65_536,
      env: {},
    });
    assert.match(stderr, /^pool of 8192$/m);
  });
}
