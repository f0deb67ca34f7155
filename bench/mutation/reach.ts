// Which test files can reach a source file at all, by what their texts name: imports, and files that are started by name.
// Only these are run for their coverage. Where helpers start programs, no text says what those load: such tests count for their own folder.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listFiles, sourceOf } from '../../scripts/source-files.ts';

/** Not run for mutants: they need network namespaces, start builds, browsers or whole agents, or read the sources as texts. */
export const LEFT_OUT = [
  'test/lab/',
  'test/conformance/',
  'test/build.test.ts',
  'test/agent/processes.test.ts',
  'test/console/browser.test.ts',
  'test/architecture.test.ts',
  'test/house-rules.test.ts',
  'test/requirements.test.ts',
  'test/docs.test.ts',
];

const NAMED = /['"`]((?:\.{1,2}\/|#|src\/)[\w./-]+\.ts)['"`]/g;
const STARTS = /\b(?:spawn|spawnSync|fork|execFile|execFileSync|Worker)\(/;

export type Reach = {
  readonly tests: readonly string[];
  /** True when this test file names the source file itself. */
  readonly names: (test: string, file: string) => boolean;
};

export type ReachInit = {
  readonly root: string;
  /** Sources, from the root; so are the tests of the answer. */
  readonly files: ReadonlySet<string>;
  /** Also the tests that come to these files by way of other folders of src, as those of whole agents do. */
  readonly far: boolean;
};

/** The tests that enter a file's folder of src themselves, or start programs in the folder's own tests. */
export function testsReaching({ root, files, far }: ReachInit): Reach {
  const edgesOf = cached((path: string): readonly string[] => {
    const { code } = sourceOf(path, readFileSync(join(root, path), 'utf8'));
    const named = [...code.matchAll(NAMED)].map(([, name]) => resolved(path, name!));
    return [...new Set(named)].filter((target) => existsSync(join(root, target)));
  });
  const starts = cached((path: string) => STARTS.test(readFileSync(join(root, path), 'utf8')));
  const folders = new Set([...files].map(folderOf));
  const reaches = (test: string): boolean => {
    const seen = new Set([test]);
    for (const path of seen) {
      const isSource = path.startsWith('src/');
      if (files.has(path) || (!isSource && (far || folders.has(folderOf(test))) && starts(path))) return true;
      const targets = edgesOf(path).filter((target) => !isSource || far || folderOf(target) === folderOf(path));
      for (const target of targets) seen.add(target);
    }
    return false;
  };
  const tests = listFiles(root, ['test'], '.test.ts').filter(
    (test) => !LEFT_OUT.some((start) => test.startsWith(start)),
  );
  return { tests: tests.filter(reaches), names: (test, file) => edgesOf(test).includes(file) };
}

/** `sign` of `src/sign/call.ts` and of `test/sign/call.test.ts`. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function cached<T>(work: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, work(path));
    return known.get(path)!;
  };
}

function resolved(path: string, name: string): string {
  if (name.startsWith('#')) return `src/${name.slice(1)}`;
  return name.startsWith('.') ? normalize(join(dirname(path), name)) : name;
}
