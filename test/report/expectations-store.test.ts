// expectations.yaml on its node's disk: as it was written, signed in its last line, its own; anything else is not used, with the reason.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ExpectationsFile } from '#model/expectations.ts';
import { boundKeyOf } from '#report/countersign.ts';
import { createExpectationsStore } from '#report/expectations-store.ts';
import { fakeParty } from '../fakes/signed-exchange.ts';

const pe1 = fakeParty('pe1');
const p2 = fakeParty('p2');
let path: string;
before(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'parley-expectations-')), 'expectations.yaml');
});
after(() => rm(join(path, '..'), { recursive: true }));

function storeOf(party: typeof pe1, node = 'pe1') {
  const key = boundKeyOf(pe1.party);
  assert.ok(key.ok);
  return createExpectationsStore({ path, node, signer: party.signer, publicKey: key.value });
}

const TEXT = '# ours\nallow:\n  - { fault: "*", resource: node/r1, reason: r, owner: o, until: 2026-12-31 }\n';
const FILE: ExpectationsFile = {
  ...{ schemaVersion: 1, node: 'pe1', saved: '2026-01-01T00:00:00.000Z', by: 'ann', text: TEXT },
};
const reasonOf = async (text: string, node = 'pe1') => {
  await writeFile(path, text);
  const { file, refused = '' } = await storeOf(pe1, node).load();
  assert.equal(file, undefined);
  return refused.replace(`the expectations of ${node} are not used: `, '');
};

test('gives back what was saved, readable by its owner alone, and nothing after it was cleared', async () => {
  const store = storeOf(pe1);
  assert.deepEqual(await store.load(), {});
  await store.save(FILE);
  assert.deepEqual(await store.load(), { file: FILE });
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok((await readFile(path, 'utf8')).startsWith(TEXT));
  await store.clear();
  await store.clear();
  assert.deepEqual(await store.load(), {});
});

test('a signed file that was edited by hand can be saved again as it is', async () => {
  const store = storeOf(pe1);
  await store.save(FILE);
  const edited = (await readFile(path, 'utf8')).replace('node/r1', 'node/r2');
  assert.match(await reasonOf(edited), /^it was changed after it was signed/);
  await store.save({ ...FILE, text: edited });
  assert.deepEqual(await store.load(), { file: { ...FILE, text: TEXT.replace('node/r1', 'node/r2') } });
});

test('what is not signed, signed by another, of another type, node or version is not used', async () => {
  await storeOf(pe1).save(FILE);
  const own = await readFile(path, 'utf8');
  assert.match(await reasonOf(TEXT), /^expected a signature in the last line, got none/);
  assert.match(await reasonOf(`${own}\nallow: []\n`), /./);
  await storeOf(p2).save(FILE);
  assert.match(await reasonOf(await readFile(path, 'utf8')), /valid signature/);
  assert.match(await reasonOf(own, 'p2'), /^expected that of p2, got that of pe1$/);
  const signed = (type: 'parley/baseline/v1' | 'parley/expectations/v1', over: object) => {
    const { text: _text, ...head } = FILE;
    const sealed = pe1.signer.seal(type, { ...head, sha256: '00', ...over } as never);
    return `${TEXT}# parley/expectations/v1 ${JSON.stringify(sealed)}\n`;
  };
  assert.match(await reasonOf(signed('parley/baseline/v1', {})), /expected parley\/expectations\/v1/);
  assert.match(
    await reasonOf(signed('parley/expectations/v1', { schemaVersion: 2 })),
    /^expected schemaVersion 1, got 2/,
  );
  assert.match(await reasonOf(signed('parley/expectations/v1', {})), /^it was changed after it was signed/);
  assert.match(await reasonOf(`${TEXT}# parley/expectations/v1 {`), /./);
});

test('a file that is changed while the node runs is read again', async () => {
  const store = storeOf(pe1);
  await store.save(FILE);
  assert.equal((await store.load()).file?.text, TEXT);
  await writeFile(path, `${await readFile(path, 'utf8')}# more\n`);
  assert.notEqual((await store.load()).refused, undefined);
});

test('more than the bound is neither written nor read', async () => {
  const text = `# ${'x'.repeat(65_536)}\n`;
  await assert.rejects(storeOf(pe1).save({ ...FILE, text }), { code: 'caller/bad-expectations' });
  assert.match(await reasonOf('x'.repeat(300_000)), /^expected at most 266240 bytes, got 300000$/);
});
