// The import graph of src for the gates: what a specifier means, cycles, and the folders as rooms. No parser: see source-files.ts.
import { dirname, join, normalize } from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

export function resolved(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`;
  return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined;
}

/** The first cycle among files, as a path that ends where it began. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of edges.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of edges.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}

export const folderOfFile = ({ path }: { readonly path: string }) => dirname(path);

/** Every folder of `files`, and the folders above them up to src. */
export function foldersOf(files: readonly { readonly path: string }[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (let folder of files.map(folderOfFile)) for (; folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return folders;
}

/** An inner folder is a room; a file that lies beside subfolders is a room of its own. */
function roomsOf(files: readonly SourceFile[]): (path: string) => string {
  const parents = new Set([...foldersOf(files)].map((folder) => dirname(folder)));
  return (path) => (parents.has(dirname(path)) ? path : dirname(path));
}

/** Which rooms import which, without what a room imports of itself. */
export function roomEdges(files: readonly SourceFile[]): Map<string, readonly string[]> {
  const roomOf = roomsOf(files);
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = edges.get(roomOf(file.path)) ?? new Set();
    edges.set(roomOf(file.path), from);
    for (const { specifier } of importsOf(file)) {
      const target = resolved(file.path, specifier);
      if (target !== undefined && roomOf(target) !== roomOf(file.path)) from.add(roomOf(target));
    }
  }
  return new Map([...edges].map(([room, to]) => [room, [...to]]));
}
