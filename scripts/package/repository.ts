// The packages as an apt repository: a folder that any web server, or a file path, gives to apt. Signed where a key is named.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type SigningKey, withSigner } from './signing.ts';
import { step } from './step.ts';

const SUITE = 'stable';
const COMPONENT = 'main';

export type Packed = { readonly file: string; readonly architecture: string };

/** The public half of the key that signs, beside `pool/` and `dists/`. */
export const KEY_FILE = 'parley.asc';

/** Writes `pool/` and `dists/` into `out`, and with a key the public half of it. */
export async function writeRepository(
  out: string,
  packed: readonly Packed[],
  { nowMs, key }: { readonly nowMs: number; readonly key?: SigningKey },
): Promise<void> {
  await rm(out, { recursive: true, force: true });
  const pool = join(out, 'pool', COMPONENT);
  const suite = join(out, 'dists', SUITE);
  await mkdir(pool, { recursive: true });
  const indexes: { readonly path: string; readonly bytes: Buffer }[] = [];
  for (const { file, architecture } of packed) {
    await copyFile(file, join(pool, basename(file)));
    const folder = `${COMPONENT}/binary-${architecture}`;
    const text = Buffer.from(await stanzaOf(file));
    await mkdir(join(suite, folder), { recursive: true });
    indexes.push({ path: `${folder}/Packages`, bytes: text }, { path: `${folder}/Packages.gz`, bytes: gzipSync(text) });
  }
  for (const { path, bytes } of indexes) await writeFile(join(suite, path), bytes);
  const release = join(suite, 'Release');
  await writeFile(release, releaseOf(packed, indexes, nowMs));
  if (key === undefined) return;
  await withSigner(key, async ({ sign, publicKey }) => {
    await sign(['--clearsign', '--output', join(suite, 'InRelease'), release]);
    await sign(['--detach-sign', '--armor', '--output', join(suite, 'Release.gpg'), release]);
    await writeFile(join(out, KEY_FILE), await publicKey());
  });
}

/** The control fields of one package, with where it is and what it is. */
async function stanzaOf(file: string): Promise<string> {
  const bytes = await readFile(file);
  const fields = (await step('dpkg-deb', ['--field', file])).trimEnd();
  const about = [`Filename: pool/${COMPONENT}/${basename(file)}`, `Size: ${bytes.length}`, `SHA256: ${sha256(bytes)}`];
  const [head = '', ...description] = fields.split(/^(?=Description:)/m);
  return `${head}${about.join('\n')}\n${description.join('')}\n\n`;
}

function releaseOf(
  packed: readonly Packed[],
  indexes: readonly { readonly path: string; readonly bytes: Buffer }[],
  nowMs: number,
): string {
  const sums = indexes.map(({ path, bytes }) => ` ${sha256(bytes)} ${bytes.length} ${path}`);
  return `${[
    'Origin: Parley',
    'Label: Parley',
    `Suite: ${SUITE}`,
    `Codename: ${SUITE}`,
    `Date: ${new Date(nowMs).toUTCString()}`,
    `Architectures: ${packed.map(({ architecture }) => architecture).join(' ')}`,
    `Components: ${COMPONENT}`,
    'SHA256:',
    ...sums,
  ].join('\n')}\n`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
