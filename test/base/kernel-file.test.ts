// One value of the kernel: its text, or nothing where there is none or it is no single value.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kernelTable, kernelValue } from '#base/kernel-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'kernel-file-'));
after(() => rmSync(folder, { recursive: true }));

test('a value is its text, and what is missing, a folder or longer than a page is none', () => {
  const file = join(folder, 'value');
  const read = (text: string) => {
    writeFileSync(file, text);
    return kernelValue(file);
  };
  assert.deepEqual([read('1500\n'), read('up\n'), read('')], ['1500', 'up', '']);
  assert.deepEqual([read('x'.repeat(4_095)), read('x'.repeat(4_096))], ['x'.repeat(4_095), undefined]);
  assert.deepEqual([kernelValue(join(folder, 'missing')), kernelValue(folder)], [undefined, undefined]);
});

test('a table is its whole text, and empty where it cannot be read', () => {
  const file = join(folder, 'table');
  writeFileSync(file, 'x'.repeat(10_000));
  assert.equal(kernelTable(file).length, 10_000);
  assert.deepEqual([kernelTable(join(folder, 'missing')), kernelTable(folder)], ['', '']);
  assert.match(kernelTable('/proc/net/snmp'), /^Ip: /);
});
