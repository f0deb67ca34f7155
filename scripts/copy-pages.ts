// Copies the operators' page beside the compiled code: its files are served as they are written, so the build only has to
// bring them along. Run: node scripts/copy-pages.ts
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** `dist`: the folder that the compiler wrote. */
export async function copyPages(dist: string): Promise<void> {
  await cp(join(ROOT, 'src/console/web'), join(dist, 'console/web'), { recursive: true });
}

if (import.meta.main) await copyPages(join(ROOT, 'dist'));
