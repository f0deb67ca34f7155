// The apt repository that `npm run package` writes, read by apt itself with folders of its own: signed by a key from a file it is taken, and what
// was changed since is refused; not signed it is taken on demand only.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '#base/process.ts';
import { missingPackages, SIGNING_PACKAGES } from '../scripts/install-packages.ts';
import { KEY_FILE, writeRepository } from '../scripts/package/repository.ts';
import { step } from '../scripts/package/step.ts';

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');
let dir: string;
let packed: { readonly file: string; readonly architecture: string };

before(async () => {
  const missing = (await missingPackages(SIGNING_PACKAGES)) ?? SIGNING_PACKAGES;
  assert.deepEqual(missing, [], `apt-get install ${missing.join(' ')}`);
  dir = await mkdtemp(join(tmpdir(), 'parley-apt-'));
  const architecture = (await step('dpkg', ['--print-architecture'])).trim();
  const tree = join(dir, 'tree');
  await mkdir(join(tree, 'DEBIAN'), { recursive: true });
  const fields = ['Package: parley', 'Version: 9.9.9', `Architecture: ${architecture}`, 'Maintainer: A <a@b.invalid>'];
  await writeFile(join(tree, 'DEBIAN/control'), `${[...fields, 'Description: a test'].join('\n')}\n`);
  const file = join(dir, `parley_9.9.9_${architecture}.deb`);
  await step('dpkg-deb', ['--root-owner-group', '--build', tree, file]);
  packed = { file, architecture };
});
after(() => rm(dir, { recursive: true, force: true }));

/** A secret key in a file; the ring it was made in is gone. */
async function keyFile(name: string, passphrase = ''): Promise<string> {
  const home = await mkdtemp(join(dir, 'ring-'));
  const gpg = ['--homedir', home, '--batch', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
  await step('gpg', [...gpg, '--quick-generate-key', `${name} <${name}@example.net>`, 'ed25519', 'sign', 'never']);
  const file = join(dir, `${name}.key`);
  await writeFile(file, await step('gpg', [...gpg, '--armor', '--export-secret-keys']), { mode: 0o600 });
  await run('gpgconf', ['--homedir', home, '--kill', 'all'], { timeoutMs: 20_000 });
  await rm(home, { recursive: true, force: true });
  return file;
}

/** What apt makes of a source: the version that it would install. Rejects with what apt said. */
async function candidateFrom(source: string): Promise<string> {
  const root = await mkdtemp(join(dir, 'root-'));
  for (const each of ['lists/partial', 'cache/archives/partial', 'parts'])
    await mkdir(join(root, each), { recursive: true });
  await writeFile(join(root, 'status'), '');
  await writeFile(join(root, 'sources.list'), `${source}\n`);
  const folders = {
    ...{ 'Dir::State': root, 'Dir::State::lists': join(root, 'lists'), 'Dir::State::status': join(root, 'status') },
    ...{ 'Dir::Cache': join(root, 'cache'), 'Dir::Etc::sourcelist': join(root, 'sources.list') },
    ...{ 'Dir::Etc::sourceparts': join(root, 'parts'), 'APT::Sandbox::User': 'root' },
  };
  const options = Object.entries(folders).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await step('apt-get', [...options, '-o', 'APT::Update::Error-Mode=any', 'update']);
  return /Candidate: (\S+)/.exec(await step('apt-cache', [...options, 'policy', 'parley']))?.[1] ?? '';
}

test('apt takes a repository that a key from a file has signed, and nothing of the secret key stays', async () => {
  const [repository, key] = [join(dir, 'signed'), await keyFile('packager')];
  const isRing = (name: string) => name.startsWith('parley-signing-');
  const rings = readdirSync(tmpdir()).filter(isRing);
  await writeRepository(repository, [packed], { nowMs: NOW_MS, key: { kind: 'file', file: key } });
  assert.deepEqual(readdirSync(tmpdir()).filter(isRing), rings);
  const asc = join(repository, KEY_FILE);
  assert.match(await readFile(asc, 'utf8'), /^-----BEGIN PGP PUBLIC KEY BLOCK-----/);
  const source = `deb [signed-by=${asc}] file:${repository} stable main`;
  assert.equal(await candidateFrom(source), '9.9.9');

  const index = join(repository, `dists/stable/main/binary-${packed.architecture}/Packages`);
  await rm(`${index}.gz`);
  await writeFile(index, (await readFile(index, 'utf8')).replace('9.9.9', '9.9.8'));
  await assert.rejects(candidateFrom(source), { code: 'us/package' });
});

test('apt refuses what another key has signed', async () => {
  const repository = join(dir, 'of-another');
  await writeRepository(repository, [packed], { nowMs: NOW_MS, key: { kind: 'file', file: await keyFile('one') } });
  const other = join(dir, 'elsewhere');
  await writeRepository(other, [packed], { nowMs: NOW_MS, key: { kind: 'file', file: await keyFile('other') } });
  const source = `deb [signed-by=${join(other, KEY_FILE)}] file:${repository} stable main`;
  await assert.rejects(candidateFrom(source), /NO_PUBKEY|not signed/);
});

test('without a key there is no signature, and apt takes it only where the source says [trusted=yes]', async () => {
  const repository = join(dir, 'unsigned');
  await writeRepository(repository, [packed], { nowMs: NOW_MS });
  assert.equal(existsSync(join(repository, 'dists/stable/InRelease')), false);
  await assert.rejects(candidateFrom(`deb file:${repository} stable main`), /not signed/);
  assert.equal(await candidateFrom(`deb [trusted=yes] file:${repository} stable main`), '9.9.9');
});

test('a file without a secret key, and a key with a passphrase, are refused', async () => {
  const out = join(dir, 'refused');
  const signedWith = (file: string) => writeRepository(out, [packed], { nowMs: NOW_MS, key: { kind: 'file', file } });
  await signedWith(await keyFile('whole'));
  const publicOnly = join(dir, 'whole.asc');
  await copyFile(join(out, KEY_FILE), publicOnly);
  await assert.rejects(signedWith(publicOnly), { code: 'caller/usage', message: /one secret key .*, got 0$/ });
  await assert.rejects(signedWith(await keyFile('locked', 'open sesame')), { code: 'us/package' });
});
