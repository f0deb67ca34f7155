// Preloaded into every process of a test run (`--import`): serves one source file with one change, from memory. Nothing on disk is touched.
// The change stands in the environment, so that child processes and worker threads see it as well.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Served } from './served.ts';

const written = process.env['PARLEY_MUTANT'];

if (written !== undefined) {
  const { file, start, end, text } = JSON.parse(written) as Served;
  const target = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target || loaded.source === undefined || loaded.source === null) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: source.slice(0, start) + text + source.slice(end) };
    },
  });
}
