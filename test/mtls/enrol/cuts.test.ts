// Power cuts and lost answers: wherever a run is cut, the node goes on with the same keys and ends with one identity.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import { loadCode } from '#mtls/enrol/code-store.ts';
import { installGrant, loadPending, preparePending } from '#mtls/enrol/pending.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { systemClock } from '../domain.ts';
import { type EnrolBed, upRegistrar } from './enrol-bed.ts';

let bed: EnrolBed;
before(async () => {
  bed = await upRegistrar();
});
after(() => bed?.down());

const node = (name: string) => ({ kind: 'node', name }) as const;

test('wherever the installation is cut, another run ends with the same certificate [TS-24]', async () => {
  const files = ['key.pem', 'signing-key.pem', 'ca.pem', 'chain.pem'];
  for (let written = 0; written <= files.length; written++) {
    const name = `leaf-${written}`;
    const code = await bed.codeFor(name);
    const out = bed.folder();
    const pending = await preparePending(out, node(name));
    const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
    const grant = await askRegistrar(asked);
    // What a whole installation would have written, up to the cut.
    const whole = `${out}-whole`;
    await mkdir(join(whole, 'pending'), { recursive: true });
    for (const file of await readdir(join(out, 'pending')))
      await writeFile(join(whole, 'pending', file), await readFile(join(out, 'pending', file)));
    await installGrant(whole, grant, systemClock);
    for (const file of files.slice(0, written)) await writeFile(join(out, file), await readFile(join(whole, file)));
    const { identity } = await bed.enrol(code, node(name), { out });
    assert.equal(identity?.party.name, name);
    assert.equal((await loadIdentity(out)).certPem, (await loadIdentity(whole)).certPem);
    assert.equal(bed.outcomes.at(-1)?.outcome, 'repeated');
    assert.deepEqual((await readdir(out)).sort(), files.toSorted());
  }
});

test('a request that was cut while it was written is made anew, with keys that fit', async () => {
  const out = bed.folder();
  const first = await preparePending(out, node('leaf-10'));
  assert.equal((await preparePending(out, node('leaf-10'))).text, first.text);
  for (const file of ['key.pem', 'signing-key.pem', 'request.json']) {
    const before = await preparePending(out, node('leaf-10'));
    await writeFile(join(out, 'pending', file), '');
    assert.equal(await loadPending(out), undefined);
    const made = await preparePending(out, node('leaf-10'));
    assert.notEqual(made.text, before.text);
    assert.equal((await loadPending(out))?.text, made.text);
  }
  const other = await preparePending(out, node('leaf-11'));
  assert.equal((await loadPending(out))?.request.name, 'leaf-11');
  assert.notEqual(other.text, first.text);
});

test('the code is used, on disk, before the certificate is let out; a cut before that lets none out', async () => {
  const code = await bed.codeFor('leaf-12');
  const out = bed.folder();
  const { identity } = await bed.enrol(code, node('leaf-12'), { out });
  const stored = await loadCode(bed.registrarDir, code.id);
  assert.equal(stored?.state.used?.chain[0], identity?.chain[0]);
  // As if the power had failed between signing and that write: no certificate has left, so the code is as good as new.
  await rm(join(bed.registrarDir, 'codes', `${code.id}.state.json`));
  const again = await bed.enrol(code, node('leaf-12'), { out: bed.folder() });
  assert.equal(again.party, 'leaf-12');
});

test('a grant for other keys, another request or another name is not installed', async () => {
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-13'));
  const code = await bed.codeFor('leaf-13');
  const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
  const grant = await askRegistrar(asked);
  const elsewhere = bed.folder();
  await assert.rejects(installGrant(elsewhere, grant, systemClock), { code: 'caller/no-pending' });
  const other = await preparePending(elsewhere, node('leaf-13'));
  await assert.rejects(installGrant(elsewhere, grant, systemClock), /for another request/);
  await assert.rejects(
    installGrant(elsewhere, { ...grant, requestSha256: other.sha256 }, systemClock),
    /a certificate for other keys/,
  );
  const third = bed.folder();
  const renamed = await preparePending(third, node('leaf-14'));
  await assert.rejects(
    installGrant(third, { ...grant, requestSha256: renamed.sha256 }, systemClock),
    /a certificate of node leaf-13/,
  );
  await assert.rejects(installGrant(out, grant, systemClock, 'other.example'), /configured for other\.example/);
  const stranger = (await bed.domain.identity('stranger')).chain[0]!;
  await assert.rejects(installGrant(out, { ...grant, ca: stranger }, systemClock), /does not hold/);
  assert.deepEqual(await readdir(out), ['pending']);
  assert.equal((await installGrant(out, grant, systemClock, 'lab.example')).party, 'leaf-13');
});

test('a node whose clock stands in 1970 installs its certificate, and knows that its clock is to be set', async () => {
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-15'));
  const code = await bed.codeFor('leaf-15');
  const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
  const installed = await installGrant(out, await askRegistrar(asked), { nowMs: () => 0 });
  assert.equal(installed.identity, undefined);
  assert.equal((await loadIdentity(out)).party.name, 'leaf-15');
});
