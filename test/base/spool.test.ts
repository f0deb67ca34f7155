// Files that wait to be fetched: bounded, gone after their time and after their process.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { openSpool } from '#base/spool.ts';
import { createFakeClock, until } from '../fakes/clock.ts';

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-spool-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function* pieces(...texts: string[]): AsyncIterable<string> {
  yield* texts;
}

test('a file has its size and SHA-256, and is removed when its time is over [TS-26]', async (t) => {
  const dir = folder(t);
  const clock = createFakeClock();
  const spool = await openSpool({ dir, clock, random: systemRandom });
  const file = await spool.put('alice', pieces('a', 'bc'));
  assert.deepEqual([file.bytes, file.sha256], [3, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad']);
  const read: Uint8Array[] = [];
  for await (const piece of spool.read(file, 1, 3)) read.push(piece);
  assert.equal(Buffer.concat(read).toString(), 'bc');
  await clock.advance(599_999);
  assert.equal(spool.find(file.id)?.id, file.id);
  await clock.advance(1);
  await until(() => readdirSync(dir).length === 0, 'the file to be removed');
  assert.equal(spool.find(file.id), undefined);
});

test('after a fetch a file stays a moment for one more try [TS-26]', async (t) => {
  const dir = folder(t);
  const clock = createFakeClock();
  const spool = await openSpool({ dir, clock, random: systemRandom });
  const file = await spool.put('alice', pieces('abc'));
  await spool.remove(file.id, 15_000);
  await clock.advance(14_999);
  assert.equal(readdirSync(dir).length, 1);
  await clock.advance(1);
  await until(() => readdirSync(dir).length === 0, 'the file to be removed');
});

test('each owner has one file, all together four, and what a killed process left is removed at the start [TS-26]', async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, '0'.repeat(32)), 'left behind');
  const spool = await openSpool({ dir, clock: createFakeClock(), random: systemRandom });
  assert.equal(readdirSync(dir).length, 0);
  for (const owner of ['a', 'b', 'c', 'd', 'd']) await spool.put(owner, pieces(owner));
  assert.equal(readdirSync(dir).length, 4);
  await assert.rejects(spool.put('e', pieces('e')), { code: 'node/spool-full' });
  await spool.close();
  assert.equal(readdirSync(dir).length, 0);
});

test('a file ends before it becomes too large [TS-26]', async (t) => {
  const spool = await openSpool({ dir: folder(t), clock: createFakeClock(), random: systemRandom });
  const mebibyte = 'x'.repeat(1_048_576);
  assert.equal((await spool.put('a', pieces(...Array.from({ length: 17 }, () => mebibyte)))).bytes, 16_777_216);
  await spool.close();
});
