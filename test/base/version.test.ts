// The version that the program gives is the package's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '#base/version.ts';

test('the version is the one of package.json', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  assert.equal(VERSION, (JSON.parse(text) as { version: string }).version);
});
