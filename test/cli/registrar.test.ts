// For whom codes are made, and files that are carried by hand, without a registrar that listens.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CodeListOptions, listedCodes } from '../../src/cli/offline/code-list.ts';
import { confirmFingerprint } from '../../src/cli/offline/confirm-fingerprint.ts';
import { runParley } from '../agent/agent-bed.ts';

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-codes-'));
});
after(() => rm(dir, { recursive: true }));

const names = async (options: CodeListOptions) => (await listedCodes(options)).map(({ name }) => name);

test('# stands for the digits of numbered nodes', async () => {
  assert.deepEqual(await names({ node: 'leaf-##', count: '3' }), ['leaf-01', 'leaf-02', 'leaf-03']);
  assert.deepEqual(await names({ node: 'r#.rack7', count: '11' }).then((all) => all.slice(8)), [
    'r9.rack7',
    'r10.rack7',
    'r11.rack7',
  ]);
  for (const [node, count] of [
    ['leaf', '3'],
    ['l#-#', '3'],
    ['leaf-#', '0'],
    ['leaf-#', '1025'],
    ['leaf-#', 'x'],
  ] as const)
    await assert.rejects(listedCodes({ node, count }), { code: 'caller/usage' });
});

test('a list has a node and perhaps its serial number in each line', async () => {
  const file = join(dir, 'rack.csv');
  await writeFile(file, '# rack 7\nleaf-1, SN 1\n\nleaf-2\r\n');
  assert.deepEqual(await listedCodes({ list: file }), [
    { kind: 'node', name: 'leaf-1', serial: 'SN 1' },
    { kind: 'node', name: 'leaf-2' },
  ]);
  for (const text of ['', '# none\n', 'a,b,c\n', `a,${'s'.repeat(65)}\n`]) {
    await writeFile(file, text);
    await assert.rejects(listedCodes({ list: file }), { code: 'caller/usage' });
  }
});

test('one kind of party at a time, and names in a certificate for one alone', async () => {
  const [one] = await listedCodes({ operator: 'alice', role: 'admin' });
  assert.deepEqual([one?.kind, one?.role], ['operator', 'admin']);
  const refused: readonly CodeListOptions[] = [
    {},
    { node: 'a', operator: 'b' },
    { node: 'a', role: 'admin' },
    { node: 'a-#', count: '2', dns: ['a.example'] },
    { node: 'a-#', count: '2', serial: 'S' },
    { node: 'a', serial: ' S' },
  ];
  for (const options of refused) await assert.rejects(listedCodes(options), { code: 'caller/usage' });
});

test('a fingerprint counts however it is spelt, and nothing goes on without one', async () => {
  const own = 'werc8-gmrzg-e196q-vyk49';
  await confirmFingerprint({ fingerprint: 'WERC8 GMRZG E196Q VYK49' }, own, 'the other end');
  const error = { code: 'caller/fingerprint' };
  await assert.rejects(confirmFingerprint({ fingerprint: 'werc8-gmrzg-e196q-vyk48' }, own, 'the other end'), error);
  await assert.rejects(confirmFingerprint({ fingerprint: '' }, own, 'the other end'), error);
  await assert.rejects(confirmFingerprint({ json: true }, own, 'the other end'), error);
});

test('a registrar for nodes makes no code for an operator, and says what would', async () => {
  const ca = join(dir, 'ca');
  await runParley(['ca', 'init', '--domain', 'lab.example', '--dir', ca]);
  const registrar = join(dir, 'registrar');
  const made = await runParley(['ca', 'registrar', 'r1', '--dir', ca, '--out', registrar]);
  assert.match(made.stdout, /^registrar r1 of lab\.example in /);
  const refused = await runParley(['registrar', 'code', '--dir', registrar, '--operator', 'alice', '--role', 'admin']);
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /certifies nodes alone, alice is an operator: .*--operators/);
  const codes = await runParley(['registrar', 'code', '--dir', registrar, '--node', 'leaf-#', '--count', '2']);
  const [, first = '', code = ''] = /^(leaf-1) +([0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}) /m.exec(codes.stdout) ?? [];
  assert.equal(first, 'leaf-1', codes.stderr);
  const revoked = await runParley(['registrar', 'revoke', code, '--dir', registrar]);
  assert.equal(revoked.stdout, `code ${code.slice(0, 5)} removed\n`);
  const again = await runParley(['registrar', 'revoke', code.slice(0, 5), '--dir', registrar, '--json']);
  assert.equal(JSON.parse(again.stdout).error.code, 'caller/unknown-code');
});
