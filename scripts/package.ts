// `npm run package`: the Debian package of this machine's architecture in var/package. It brings its own Node, so that a router needs none. Installs
// nothing here and reaches no network: run-time packages are copied from node_modules.
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import { copyPages } from './copy-pages.ts';
import { ROOT } from './source-files.ts';

/** What the package brings along. */
const NODE = join(ROOT, 'node_modules/node/bin/node');
const STEP_MS = 180_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const MAINTAINER = 'Parley maintainers <maintainers@parley.invalid>';
/** Not needed at run time: maps, sources of types, tests of dependencies. */
const LEFT_OUT = /\.(map|d\.[cm]?ts|md|markdown|flow)$|\/(test|tests|docs|example|examples|benchmark)$/i;

export type Built = { readonly file: string; readonly bytes: number };

/** Builds `dist/`, lays out the file tree and packs it. Rejects with what a step said. */
export async function buildPackage(init: {
  readonly out: string;
  readonly say: (line: string) => void;
}): Promise<Built> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  if (!existsSync(NODE))
    throw new ParleyError(
      'us/package',
      `expected ${relative(ROOT, NODE)}, which an install script brings: npm rebuild node`,
    );
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const tree = join(init.out, 'tree');
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree, { recursive: true });
  init.say('building dist/');
  await step(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    join(tree, 'usr/lib/parley/dist'),
  ]);
  await copyPages(join(tree, 'usr/lib/parley/dist'));
  init.say('laying out the package');
  await layOut(tree);
  await writeControl(tree, { version, architecture });
  const file = join(init.out, `parley_${version}_${architecture}.deb`);
  init.say(`packing ${relative(ROOT, file)}`);
  await step('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, file]);
  await rm(tree, { recursive: true, force: true });
  return { file, bytes: (await stat(file)).size };
}

async function layOut(tree: string): Promise<void> {
  const home = join(tree, 'usr/lib/parley');
  const put = (from: string, to: string) => cp(join(ROOT, from), join(tree, to), { recursive: true });
  await mkdir(join(home, 'bin'), { recursive: true });
  await cp(NODE, join(home, 'bin/node'));
  await Promise.all(['package.json', 'README.md', 'LICENSE'].map((name) => put(name, `usr/lib/parley/${name}`)));
  await put('docs/operations/parley.yaml', 'usr/share/doc/parley/parley.yaml');
  for (const unit of await readdir(join(ROOT, 'packaging/systemd'))) {
    if (unit.endsWith('.sysusers.conf')) await put(`packaging/systemd/${unit}`, 'usr/lib/sysusers.d/parley.conf');
    else if (unit.endsWith('.tmpfiles.conf')) await put(`packaging/systemd/${unit}`, 'usr/lib/tmpfiles.d/parley.conf');
    else await put(`packaging/systemd/${unit}`, `usr/lib/systemd/system/${unit}`);
  }
  for (const path of await runtimePackages()) {
    const inside = relative(ROOT, path);
    await cp(path, join(home, inside), {
      recursive: true,
      filter: (source) => !LEFT_OUT.test(source) && !isNested(path, source),
    });
  }
  await mkdir(join(tree, 'usr/bin'), { recursive: true });
  await writeFile(
    join(tree, 'usr/bin/parley'),
    '#!/bin/sh\nexec /usr/lib/parley/bin/node /usr/lib/parley/dist/main.js "$@"\n',
    { mode: 0o755 },
  );
}

/** A package's own node_modules come as entries of their own. */
function isNested(path: string, source: string): boolean {
  return source.slice(path.length).split('/').includes('node_modules');
}

/** Folders of everything that is needed at run time, as npm resolved it. */
async function runtimePackages(): Promise<readonly string[]> {
  const said = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { timeoutMs: STEP_MS });
  const paths = said.stdout.split('\n').filter((line) => line.includes('/node_modules/'));
  if (paths.length === 0)
    throw new ParleyError('us/package', `expected npm to list run-time packages: ${said.stderr.slice(0, 300)}`);
  return paths.filter((path) => path.startsWith(ROOT));
}

async function writeControl(
  tree: string,
  about: { readonly version: string; readonly architecture: string },
): Promise<void> {
  const folder = join(tree, 'DEBIAN');
  await mkdir(folder, { recursive: true });
  const fields = [
    'Package: parley',
    `Version: ${about.version}`,
    `Architecture: ${about.architecture}`,
    `Maintainer: ${MAINTAINER}`,
    'Section: net',
    'Priority: optional',
    'Depends: libc6, libstdc++6, iproute2, nftables, tcpdump, util-linux, passwd',
    'Recommends: frr, lldpd',
    'Description: agent that asks its neighbours, names the fault and signs the report',
    ' Operators ask one router a question. Its agent asks the agents of the other',
    ' routers over mutual TLS, compares what both ends of every link count, names',
    ' the fault and keeps a signed report that can be verified offline.',
  ];
  await writeFile(join(folder, 'control'), `${fields.join('\n')}\n`);
  for (const script of await readdir(join(ROOT, 'packaging/debian'))) {
    await writeFile(join(folder, script), await readFile(join(ROOT, 'packaging/debian', script)), { mode: 0o755 });
  }
}

async function step(program: string, args: readonly string[]): Promise<void> {
  const ended = await run(program, args, { timeoutMs: STEP_MS });
  if (ended.exitCode !== 0) {
    throw new ParleyError(
      'us/package',
      `expected ${program} to succeed, got exit code ${ended.exitCode}: ${(ended.stderr || ended.stdout).slice(0, 500)}`,
    );
  }
}

if (import.meta.main) {
  try {
    const built = await buildPackage({ out: join(ROOT, 'var/package'), say: (line) => console.error(line) });
    console.log(`${relative(ROOT, built.file)} (${Math.round(built.bytes / 1e6)} MB)`);
  } catch (error) {
    console.error(`package: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
