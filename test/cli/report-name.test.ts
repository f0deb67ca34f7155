// Which names of a command line are files, and which are reports of the node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isReportFile } from '../../src/cli/report/fetch-report.ts';

const [home, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'report-name-'))];
after(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

test('a file that is called as a report of the node is called does not stand in its way', () => {
  process.chdir(folder);
  const [id, urn] = ['0123456789abcdef', 'urn:ietf:params:xml:ns:yang:ietf-mcp/report'];
  for (const name of ['last', id, 'sealed.json']) writeFileSync(name, '{}');
  const names = ['last', id, `${urn}/${id}`, './last', `./${id}`, 'sealed.json', 'other.json'];
  assert.deepEqual(names.map(isReportFile), [false, false, false, true, true, true, false]);
});
