// The files of the Debian package: compiled code, the packages that it needs at run time, Node, units, and the documents that the README leads to.
// What only a compiler, a browser, another machine or a reader of a dependency's source needs is left out.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import { copyPages } from '../copy-pages.ts';
import { ROOT } from '../source-files.ts';
import type { Native } from './native.ts';
import { STEP_MS, step } from './step.ts';

const HOME = 'usr/lib/parley';
const DOCUMENTS = 'usr/share/doc/parley';

/** Sources, types, maps, and texts for those who build on a dependency. */
const NOT_RUN =
  /\.(map|[cm]?ts|tsx|flow|md|markdown|c|cc|cpp|h|hh|hpp|inc|S|asm|gyp|gypi|swf|def)$|\/(test|tests|docs|example|examples|benchmark|\.github)$/i;

/** Folders of one package that it does not load under Node, and packages that only speed up another when they are compiled here. */
const NOT_LOADED: Readonly<Record<string, readonly string[]>> = {
  koffi: ['doc', 'vendor', 'cnoke.cjs'],
  'node-forge': ['dist', 'flash'],
  zod: ['src'],
  ssh2: ['util', 'install.js'],
};
const NOT_COMPILED = ['cpu-features', 'nan', 'buildcheck'];

/** Lays the tree out in `tree` for the machine that `native` is of. */
export async function layOut(tree: string, native: Native): Promise<void> {
  const home = join(tree, HOME);
  await step(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    ...['--outDir', join(home, 'dist'), '--declaration', 'false'],
  ]);
  await copyPages(join(home, 'dist'));
  await mkdir(join(home, 'bin'), { recursive: true });
  await cp(native.node, join(home, 'bin/node'));
  await cp(join(ROOT, 'package.json'), join(home, 'package.json'));
  await putDocuments(join(tree, DOCUMENTS));
  await putUnits(tree);
  for (const path of await runtimePackages()) await putPackage(path, home);
  await cp(native.koffi, join(home, 'node_modules', native.koffiName), { recursive: true });
  await mkdir(join(tree, 'usr/bin'), { recursive: true });
  await writeFile(
    join(tree, 'usr/bin/parley'),
    '#!/bin/sh\nexec /usr/lib/parley/bin/node /usr/lib/parley/dist/main.js "$@"\n',
    { mode: 0o755 },
  );
}

async function putUnits(tree: string): Promise<void> {
  for (const unit of await readdir(join(ROOT, 'packaging/systemd'))) {
    const to = unit.endsWith('.sysusers.conf')
      ? 'usr/lib/sysusers.d/parley.conf'
      : unit.endsWith('.tmpfiles.conf')
        ? 'usr/lib/tmpfiles.d/parley.conf'
        : `usr/lib/systemd/system/${unit}`;
    await cp(join(ROOT, 'packaging/systemd', unit), join(tree, to), { recursive: true });
  }
}

async function putPackage(path: string, home: string): Promise<void> {
  const inside = relative(join(ROOT, 'node_modules'), path);
  // The build of koffi for this machine: the one for the package's machine comes instead.
  if (NOT_COMPILED.includes(inside) || inside.startsWith('@koromix/')) return;
  const left = (NOT_LOADED[inside] ?? []).map((name) => join(path, name));
  await cp(path, join(home, 'node_modules', inside), {
    recursive: true,
    filter: (source) => !NOT_RUN.test(source.slice(path.length)) && !left.includes(source) && !isNested(path, source),
  });
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

/** Texts that an operator reads; those about the source stay with the source. */
const ABOUT_THE_SOURCE = [
  'requirements.md',
  'adding-a-fault.md',
  'labs.md',
  'replay.md',
  'injections.md',
  'notes-for-draft-authors.md',
];

/** The README and all that it leads to, as in the repository. A link to what is not in the package becomes plain text. */
async function putDocuments(to: string): Promise<void> {
  const kept = (source: string) => !ABOUT_THE_SOURCE.includes(relative(join(ROOT, 'docs'), source));
  await mkdir(to, { recursive: true });
  await cp(join(ROOT, 'docs'), join(to, 'docs'), { recursive: true, filter: kept });
  for (const name of ['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'certs/README.md'])
    await cp(join(ROOT, name), join(to, name), { recursive: true });
  await cp(join(ROOT, 'LICENSE'), join(to, 'copyright'));
  await cp(join(ROOT, 'LICENSE'), join(to, 'LICENSE'));
  await symlink('docs/operations/parley.yaml', join(to, 'parley.yaml'));
  const files = (await readdir(to, { recursive: true })).filter((name) => name.endsWith('.md'));
  const there = new Set(await readdir(to, { recursive: true }));
  for (const name of files) {
    const path = join(to, name);
    await writeFile(path, withoutDeadLinks(await readFile(path, 'utf8'), dirname(name), there));
  }
}

/** `[words](path)` becomes `words` where `path` is not among `there`. */
export function withoutDeadLinks(text: string, folder: string, there: ReadonlySet<string>): string {
  return text.replace(/\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)/g, (whole, words: string, path: string) => {
    const isElsewhere = /^[a-z]+:/.test(path);
    const target = join(folder, path).replace(/\/$/, '');
    return isElsewhere || there.has(target) ? whole : words;
  });
}
