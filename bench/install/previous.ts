// The package of an older commit, built in a clone of this repository with the packages that it names.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/source-files.ts';
import { must } from './roots.ts';

/** Path of the package; it is kept, and built once. */
export async function previousPackage(folder: string, commit: string, say: (line: string) => void): Promise<string> {
  const clone = join(folder, `previous-${commit}`);
  const out = join(clone, 'var/package');
  const built = existsSync(out) ? (await readdir(out)).find((name) => name.endsWith('.deb')) : undefined;
  if (built !== undefined) return join(out, built);
  say(`building the package of ${commit}`);
  if (!existsSync(clone)) await must('git', ['clone', '-q', ROOT, clone]);
  await must('git', ['-C', clone, 'checkout', '-q', commit]);
  await must('npm', ['ci', '--no-audit', '--no-fund', '--prefix', clone]);
  await must('npm', ['run', 'package', '--prefix', clone]);
  return join(out, (await readdir(out)).find((name) => name.endsWith('.deb'))!);
}
