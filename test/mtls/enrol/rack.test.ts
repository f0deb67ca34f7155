// A small rack: nodes that enrol at once, some with codes that are worth nothing. The large one is npm run bench -- enrol.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadIdentity } from '#mtls/identity.ts';
import { attempt, EXPECTED, planRack } from '../../../bench/enrol/rack.ts';
import { type EnrolBed, upRegistrar } from './enrol-bed.ts';

let bed: EnrolBed;
before(async () => {
  bed = await upRegistrar();
});
after(() => bed?.down());

test('of 12 nodes at once, 4 with a wrong, a used, an ended and a replayed code, exactly 8 get a certificate [TS-24]', async () => {
  const root = bed.folder();
  const folder = (name: string) => join(root, name);
  const attempts = await planRack({ ...bed, port: bed.port, folder, honest: 8, bad: 1 });
  assert.equal(attempts.length, 12);
  const before = bed.outcomes.length;
  const done = await Promise.all(attempts.map((each) => attempt(each, bed.port, folder(each.name))));
  assert.deepEqual(
    done.map(({ kind, name, result }) => [kind, name, result]),
    attempts.map(({ kind, name }) => [kind, name, EXPECTED[kind]]),
  );
  const issued = bed.outcomes.slice(before).filter(({ outcome }) => outcome === 'issued');
  assert.equal(new Set(issued.map(({ party }) => party)).size, 8);
  assert.equal(issued.length, 8);
  const honest = attempts.filter(({ kind }) => kind === 'honest');
  const parties = await Promise.all(honest.map(async ({ name }) => (await loadIdentity(folder(name))).party.name));
  assert.deepEqual(
    parties,
    honest.map(({ name }) => name),
  );
  // 8 of this rush, and those 2 that used their codes before it.
  const files = (await readdir(join(bed.registrarDir, 'codes'))).filter((file) => file.endsWith('.state.json'));
  const states = await Promise.all(files.map((file) => readFile(join(bed.registrarDir, 'codes', file), 'utf8')));
  assert.equal(states.filter((state) => state.includes('"used"')).length, 10);
});
