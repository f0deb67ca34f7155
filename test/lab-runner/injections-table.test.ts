// docs/injections.md is what the catalogue says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderInjections } from '../../scripts/injections-table.ts';
import { ROOT } from '../../scripts/source-files.ts';

test('docs/injections.md is not older than the catalogue of injections', () => {
  assert.equal(
    readFileSync(join(ROOT, 'docs/injections.md'), 'utf8'),
    renderInjections(),
    'stale: run node --conditions=parley-source scripts/injections-table.ts',
  );
});
