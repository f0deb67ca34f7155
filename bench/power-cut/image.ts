// A disk's content as files of a real folder: written for a check, read back for comparing.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Image } from './disk.ts';

/** SQLite's memory that processes share is no state: it is made anew by the first that opens the database. */
const NO_STATE = /-shm$/;

export async function imageOfFolder(root: string): Promise<Image> {
  const image = new Map<string, Buffer | undefined>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    image.set(relative(root, path), entry.isDirectory() ? undefined : await readFile(path));
  }
  return image;
}

/** Makes `dir` what the image has below `prefix`; without that folder in the image there is none. Synchronous: it is done tens of thousands of times. */
export function writeImage(image: Image, prefix: string, dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  for (const [path, content] of image) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    if (NO_STATE.test(path)) continue;
    const target = join(dir, path.slice(prefix.length));
    if (content === undefined) mkdirSync(target, { recursive: true });
    else writeFileSync(target, content);
  }
}

/** Throws at the first difference. */
export function mustBeSame(recorded: Image, real: Image): void {
  const paths = new Set([...recorded.keys(), ...real.keys()].filter((path) => !NO_STATE.test(path)));
  for (const path of paths) {
    const [one, other] = [recorded, real].map((image) => (image.has(path) ? (image.get(path) ?? 'folder') : 'nothing'));
    const isSame = one instanceof Buffer && other instanceof Buffer ? one.equals(other) : one === other;
    if (!isSame)
      throw new Error(
        `the recording gives ${shown(one)} in ${path}, there is ${shown(other)}: the recorder has missed something`,
      );
  }
}

function shown(content: Buffer | string | undefined): string {
  return content instanceof Buffer ? `${content.length} octets` : String(content);
}
