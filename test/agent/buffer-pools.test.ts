// What a small Buffer can keep from being freed: its pool, which Node makes eight times as large as processes that run for weeks need.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '#base/process.ts';

// Ends with a usage error, or after its version: at once.
for (const [entry, argument] of [
  ['main.ts', '--version'],
  ['agent/privileged-helper.ts', '--no-such-option'],
  ['agent/config-helper.ts', '--no-such-option'],
] as const) {
  test(`src/${entry} bounds its pools of Buffers as it begins`, async () => {
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
