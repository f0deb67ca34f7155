// The files of the operators' page (TS-12): an exact list; a caller's text never becomes a file name. The verifier's modules are those
// that the agent runs, with types stripped and imports rewritten to paths.
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { ParleyError } from '#base/error.ts';

export type Asset = { readonly type: string; readonly text: string };

export type Assets = {
  readonly paths: readonly string[];
  /** Undefined for a path that is not on the list. Rejects with ParleyError `us/console-file` when a file is missing. */
  load(path: string): Promise<Asset | undefined>;
};

const SCRIPT = 'text/javascript; charset=utf-8';

/** Path → file beside this one. */
const PAGE: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/console/approvals': ['approvals.html', 'text/html; charset=utf-8'],
  '/console/console.css': ['console.css', 'text/css; charset=utf-8'],
  '/console/icon.svg': ['icon.svg', 'image/svg+xml'],
  '/console/main.js': ['main.js', SCRIPT],
  '/console/admin-key.js': ['admin-key.js', SCRIPT],
  '/console/agent.js': ['agent.js', SCRIPT],
  '/console/answer.js': ['answer.js', SCRIPT],
  '/console/approvals.js': ['approvals.js', SCRIPT],
  '/console/certificate.js': ['certificate.js', SCRIPT],
  '/console/changes.js': ['changes.js', SCRIPT],
  '/console/consent-view.js': ['consent-view.js', SCRIPT],
  '/console/conversation.js': ['conversation.js', SCRIPT],
  '/console/dom.js': ['dom.js', SCRIPT],
  '/console/kept.js': ['kept.js', SCRIPT],
  '/console/links-picture.js': ['links-picture.js', SCRIPT],
  '/console/network-picture.js': ['network-picture.js', SCRIPT],
  '/console/open-change.js': ['open-change.js', SCRIPT],
  '/console/overview.js': ['overview.js', SCRIPT],
  '/console/path-picture.js': ['path-picture.js', SCRIPT],
  '/console/proof.js': ['proof.js', SCRIPT],
  '/console/remedy.js': ['remedy.js', SCRIPT],
  '/console/reports.js': ['reports.js', SCRIPT],
  '/console/silence.js': ['silence.js', SCRIPT],
  '/console/verify.js': ['verify.js', SCRIPT],
  '/console/waiting.js': ['waiting.js', SCRIPT],
  '/console/when.js': ['when.js', SCRIPT],
  '/console/words.js': ['words.js', SCRIPT],
};

/** Path → the specifier under which the agent itself imports the module. */
const MODULES: Readonly<Record<string, string>> = {
  '/console/sign/portable/decision.js': '#sign/portable/decision.ts',
  '/console/sign/portable/ed25519.js': '#sign/portable/ed25519.ts',
  '/console/sign/portable/pae.js': '#sign/portable/pae.ts',
  '/console/sign/portable/public-key.js': '#sign/portable/public-key.ts',
  '/console/base/result.js': '#base/result.ts',
  '/console/base/error.js': '#base/error.ts',
  '/console/base/limits.js': '#base/limits.ts',
  '/console/codec/canonical-json.js': '#codec/canonical-json.ts',
  '/console/codec/limits.js': '#codec/limits.ts',
  '/console/model/envelope.js': '#model/envelope.ts',
  '/console/model/names.js': '#model/names.ts',
  '/console/model/reports/report-gaps.js': '#model/reports/report-gaps.ts',
  '/console/model/reports/remedy-judge.js': '#model/reports/remedy-judge.ts',
  '/console/canonicalize/canonicalize.js': 'canonicalize',
  '/console/noble/ed25519.js': '@noble/ed25519',
};

export function createAssets(): Assets {
  const loaded = new Map<string, Asset>();
  return {
    paths: [...Object.keys(PAGE), ...Object.keys(MODULES)],
    async load(path) {
      const known = loaded.get(path);
      if (known !== undefined) return known;
      const asset = await read(path);
      if (asset !== undefined) loaded.set(path, asset);
      return asset;
    },
  };
}

async function read(path: string): Promise<Asset | undefined> {
  if (Object.hasOwn(PAGE, path)) {
    const [file, type] = PAGE[path]!;
    return { type, text: await readText(new URL(`./web/${file}`, import.meta.url)) };
  }
  if (!Object.hasOwn(MODULES, path)) return undefined;
  const url = new URL(import.meta.resolve(MODULES[path]!));
  const text = await readText(url);
  const script = url.pathname.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  return { type: SCRIPT, text: nameImportsByPath(script) };
}

/** A browser resolves neither packages nor `#folder/x.ts`; within a folder only the file extension differs. */
export function nameImportsByPath(script: string): string {
  const paths = new Map(Object.entries(MODULES).map(([path, specifier]) => [specifier, path]));
  return script.replace(
    /^((?:import|export)\b[^;'"]*?\bfrom\s*)'([^']+)'/gm,
    (_whole, head: string, specifier: string) => {
      const path = /^\.\.?\//.test(specifier) ? specifier.replace(/\.ts$/, '.js') : paths.get(specifier);
      if (path === undefined)
        throw new ParleyError('us/console-file', `expected an import that the page may load, got ${specifier}`);
      return `${head}'${path}'`;
    },
  );
}

async function readText(url: URL): Promise<string> {
  try {
    return await readFile(url, 'utf8');
  } catch (cause) {
    throw new ParleyError('us/console-file', `expected a file of the operators' page at ${url.pathname}, found none`, {
      cause,
    });
  }
}
