// The files of the operators' page: an exact list, complete in itself, plain JavaScript that makes no markup out of text.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { createAssets, nameImportsByPath } from '#console/assets.ts';
import { createDomain } from '../mtls/domain.ts';

const WEB = join(import.meta.dirname, '../../src/console/web');

const HTML: ReadonlyMap<string, string> = new Map([
  ['/', 'index.html'],
  ['/console/approvals', 'approvals.html'],
]);

type CertificateModule = {
  readCertificate(der: Uint8Array): { readonly domain: string; readonly node: string; readonly signingKey: Uint8Array };
};

function read(name: string): Promise<string> {
  return readFile(join(WEB, name), 'utf8');
}

test('every file of the page is on the list, and every file on the list is there [TS-12]', async () => {
  const assets = createAssets();
  const listed = assets.paths.map((path) => HTML.get(path) ?? path.slice('/console/'.length));
  assert.deepEqual(
    (await readdir(WEB)).filter((name) => !listed.includes(name)),
    [],
  );
  for (const path of assets.paths) assert.ok((await assets.load(path))!.text.length > 100, path);
  assert.equal(await assets.load('/console/constructor'), undefined);
});

test('every import of a script leads to a file on the list, without types [TS-12]', async () => {
  const assets = createAssets();
  const scripts = assets.paths.filter((path) => path.endsWith('.js'));
  let imports = 0;
  for (const path of scripts) {
    const { text } = (await assets.load(path))!;
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom\s*'([^']+)'/gm)) {
      imports++;
      const target = specifier!.startsWith('/') ? specifier! : posix.join(posix.dirname(path), specifier!);
      assert.ok(scripts.includes(target), `${path} imports ${specifier}`);
    }
    assert.doesNotMatch(text, /^(?:export )?type |^import type /m, path);
  }
  assert.ok(imports >= 20, String(imports));
});

test('refuses to serve a module that imports what the page may not load', () => {
  assert.equal(
    nameImportsByPath("import { Point } from '@noble/ed25519';\nimport { x } from './pae.ts';\n"),
    "import { Point } from '/console/noble/ed25519.js';\nimport { x } from './pae.js';\n",
  );
  assert.throws(() => nameImportsByPath("import { readFile } from 'node:fs';\n"), { code: 'us/console-file' });
});

test('no script makes markup or code out of text, and the page has nothing inline or from elsewhere [TS-12]', async () => {
  for (const name of await readdir(WEB)) {
    const text = await read(name);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
    assert.doesNotMatch(text.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\//, name);
  }
  for (const [name, script] of [
    ['index.html', 'main.js'],
    ['approvals.html', 'approvals.js'],
  ]) {
    const page = await read(name!);
    assert.doesNotMatch(page, /<style|\son\w+=|\sstyle=/);
    assert.deepEqual(
      [...page.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, attributes, content]) => [attributes, content]),
      [[` type="module" src="/console/${script}"`, '']],
    );
  }
});

test('the page reads name and signing key of an agent’s certificate, and refuses every part of one', async (t) => {
  const domain = await createDomain();
  t.after(domain.remove);
  const { party, chain } = await domain.identity('pe1');
  const module = new URL('../../src/console/web/certificate.js', import.meta.url).href;
  const { readCertificate } = (await import(module)) as CertificateModule;
  const der = new Uint8Array(Buffer.from(chain[0]!, 'base64'));
  const { domain: name, node, signingKey } = readCertificate(der);
  assert.deepEqual(
    { name, node, key: Buffer.from(signingKey).toString('hex') },
    { name: 'lab.example', node: 'pe1', key: party.signingKey },
  );
  for (let bytes = 0; bytes < der.length; bytes++) assert.throws(() => readCertificate(der.subarray(0, bytes)), Error);
  const operator = await domain.identity('ann', { kind: 'operator' });
  const other = new Uint8Array(Buffer.from(operator.chain[0]!, 'base64'));
  assert.throws(() => readCertificate(other), { message: 'expected a certificate that names one node' });
});
