// What a process says that needs the kernel's own calls, where the binary for them was not installed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const SCRIPT = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'koffi') throw new Error('Cannot find the native Koffi module');
      return next(specifier, context);
    },
  });
  const { loadLibc } = await import('#router/native/libc.ts');
  const error = await loadLibc().catch((caught) => caught);
  process.stdout.write(JSON.stringify([error.code, error.message]));`;

test('without the binary of koffi the error says what is missing and how it is installed', async () => {
  const args = ['--conditions=parley-source', '--input-type=module', '-e', SCRIPT];
  const [code, message] = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  assert.equal(code, 'node/koffi-unavailable');
  const platform = `${process.platform}-${process.arch}`;
  const got = 'Cannot find the native Koffi module';
  assert.equal(
    message,
    `expected koffi's binary for ${platform}, got: ${got}; install with optional packages: npm ci --include=optional`,
  );
});
