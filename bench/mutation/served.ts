// How a change reaches the processes of a test run: one environment variable, which hook.ts reads.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Characters `start` to `end` of this file, an absolute path, are served as `text`. */
export type Served = { readonly file: string; readonly start: number; readonly end: number; readonly text: string };

/** What the environment of a test run holds beside the usual; without a change the same hook is loaded and does nothing. */
export function environmentOf(served: Served | undefined): Readonly<Record<string, string>> {
  const hook = pathToFileURL(join(import.meta.dirname, 'hook.ts')).href;
  const others = process.env['NODE_OPTIONS'] ?? '';
  return {
    NODE_OPTIONS: `${others} --import=${hook}`.trim(),
    ...(served === undefined ? {} : { PARLEY_MUTANT: JSON.stringify(served) }),
  };
}
