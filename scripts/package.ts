// `npm run package [-- --arch amd64,arm64] [--sign KEY | --sign-key FILE] [--quick]`: Debian packages in var/package, and an apt repository of them in var/package/apt. A package
// brings its own Node, so that a router needs none. Installs nothing here; only for another kind of machine it fetches Node and koffi from npm.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf, ParleyError } from '#base/error.ts';
import { ARCHITECTURES, type Architecture, nativeOf, ownArchitecture } from './package/native.ts';
import { KEY_FILE, writeRepository } from './package/repository.ts';
import type { SigningKey } from './package/signing.ts';
import { PACK_MS, step } from './package/step.ts';
import { layOut } from './package/tree.ts';
import { ROOT } from './source-files.ts';

const MAINTAINER = 'Parley maintainers <maintainers@parley.invalid>';

export type Built = {
  readonly file: string;
  readonly architecture: Architecture;
  readonly bytes: number;
  readonly installedBytes: number;
  /** Of them, those that are not Node itself. */
  readonly besideNodeBytes: number;
};

export type BuildInit = {
  readonly out: string;
  readonly say: (line: string) => void;
  readonly architecture?: Architecture;
  /** Default: that of package.json. */
  readonly version?: string;
  /** Packs in a fraction of the time, larger: for a package that is thrown away. */
  readonly quick?: boolean;
};

/** Builds `dist/`, lays out the file tree and packs it. Rejects with what a step said. */
export async function buildPackage(init: BuildInit): Promise<Built> {
  const { out, say, architecture = ownArchitecture() } = init;
  const version =
    init.version ?? (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
  const tree = join(out, `tree-${architecture}`);
  const scratch = join(out, `fetched-${architecture}`);
  try {
    await rm(tree, { recursive: true, force: true });
    await mkdir(tree, { recursive: true });
    say(`building dist/ and laying out the package for ${architecture}`);
    const native = await nativeOf(architecture, scratch);
    await layOut(tree, native);
    const installedBytes = await bytesIn(tree);
    await writeControl(tree, { version, architecture, installedBytes });
    const file = join(out, `parley_${version}_${architecture}.deb`);
    say(`packing ${relative(ROOT, file)}`);
    await step('dpkg-deb', ['--root-owner-group', '-Zxz', init.quick ? '-z0' : '-z6', '--build', tree, file], PACK_MS);
    const besideNodeBytes = installedBytes - (await stat(native.node)).size;
    return { file, architecture, bytes: (await stat(file)).size, installedBytes, besideNodeBytes };
  } finally {
    await rm(tree, { recursive: true, force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => stat(file)))).reduce((sum, { size }) => sum + size, 0);
}

type About = { readonly version: string; readonly architecture: string; readonly installedBytes: number };

/**
 * lldpd is how neighbours find each other. FRR is what a router has or has not, and FRR recommends a log rotation that recommends a mail server;
 * frr-pythontools applies changes of the configuration, where they are on.
 */
async function writeControl(tree: string, about: About): Promise<void> {
  const folder = join(tree, 'DEBIAN');
  await mkdir(folder, { recursive: true });
  const fields = [
    'Package: parley',
    `Version: ${about.version}`,
    `Architecture: ${about.architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(about.installedBytes / 1_024)}`,
    'Section: net',
    'Priority: optional',
    'Depends: libc6, libstdc++6, iproute2, nftables, tcpdump, util-linux, passwd',
    'Recommends: lldpd',
    'Suggests: frr, frr-pythontools',
    'Description: agent that asks its neighbours, names the fault and signs the report',
    ' Operators ask one router a question. Its agent asks the agents of the other',
    ' routers over mutual TLS, compares what both ends of every link count, names',
    ' the fault and keeps a signed report that can be verified offline.',
  ];
  await writeFile(join(folder, 'control'), `${fields.join('\n')}\n`);
  for (const script of await readdir(join(ROOT, 'packaging/debian'))) {
    const text = await readFile(join(ROOT, 'packaging/debian', script), 'utf8');
    await writeFile(join(folder, script), text.replaceAll('@VERSION@', about.version), { mode: 0o755 });
  }
}

function architecturesOf(text: string | undefined): readonly Architecture[] {
  const known = Object.keys(ARCHITECTURES);
  const wanted = text?.split(',') ?? [ownArchitecture()];
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ParleyError('caller/usage', `expected --arch with ${known.join(',')}, got ${unknown}`);
  return wanted as Architecture[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string' },
      sign: { type: 'string' },
      'sign-key': { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const key = keyOf(values.sign, values['sign-key']);
  const out = join(ROOT, 'var/package');
  const built: Built[] = [];
  for (const architecture of architecturesOf(values.arch))
    built.push(await buildPackage({ out, architecture, quick: values.quick, say: (line) => console.error(line) }));
  const apt = join(out, 'apt');
  await writeRepository(apt, built, { nowMs: Date.now(), ...(key === undefined ? {} : { key }) });
  for (const { file, bytes, installedBytes, besideNodeBytes } of built)
    console.log(
      `${relative(ROOT, file)}: ${mb(bytes)}, installed ${mb(installedBytes)}, of which ${mb(besideNodeBytes)} beside Node itself`,
    );
  const signed = key === undefined ? 'not signed: apt takes it with [trusted=yes]' : `signed by the key in ${KEY_FILE}`;
  console.log(`${relative(ROOT, apt)}: apt repository, ${signed}`);
}

function keyOf(name: string | undefined, file: string | undefined): SigningKey | undefined {
  if (name !== undefined && file !== undefined)
    throw new ParleyError('caller/usage', 'expected one of --sign and --sign-key, got both');
  if (name !== undefined) return { kind: 'ring', name };
  return file === undefined ? undefined : { kind: 'file', file };
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(`package: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
