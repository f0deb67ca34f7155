// Labs that test files began and could not take down, because the tests were interrupted or killed: each wrote down what it made in a folder of
// its own below the temporary folder, and its owner is gone. What is written down is removed, and nothing else.
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';
import { downStale } from '../simulations/lab/network-lab.ts';
import { createRegistry } from '../simulations/lab/registry.ts';

/** Names of the labs that were removed. A folder that cannot be read, or holds anything else, stays as it is. */
export async function removeStaleLabs(parent = tmpdir(), say: (line: string) => void = () => {}): Promise<string[]> {
  const folders = (await readdir(parent, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const removed: string[] = [];
  for (const { name } of folders) {
    const dir = join(parent, name);
    if (!(await holdsLabs(dir))) continue;
    try {
      const names = await downStale(createRegistry(dir));
      removed.push(...names);
      if (names.length > 0 && (await readdir(dir)).length === 0) await rm(dir, { recursive: true });
    } catch (error) {
      say(`lab of an interrupted test in ${dir} not removed: ${messageOf(error)}`);
    }
  }
  return removed;
}

/** A lab NAME is an entry NAME.json beside a folder NAME.d. */
async function holdsLabs(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch((): string[] => []);
  return names.some((name) => name.endsWith('.json') && names.includes(name.replace(/\.json$/, '.d')));
}
