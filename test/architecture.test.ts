// The shape of the house, held as a literal table: which folder may import which, which packages and which parts of
// Node each may reach, how long a file may be. It refuses cycles, barrels and anything outside the table.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { findCycle, resolved } from '../scripts/import-graph.ts';
import { importsOf, lineAt, listFiles, ROOT, readSource, type SourceFile, sourceOf } from '../scripts/source-files.ts';

type Row = { readonly folders: readonly string[]; readonly node: readonly string[] | 'any' };

const STAGES =
  'discovery mtls mcp router network fanout evidence report consent audit controller aggregate bridge console';
const STORED = ['crypto', 'fs', 'fs/promises', 'path'];

/** One row a folder: the folders it may import, and the `node:` modules it may reach. */
const TABLE: Readonly<Record<string, Row>> = {
  base: { folders: [], node: 'any' },
  codec: { folders: ['base'], node: ['crypto'] },
  model: { folders: ['base'], node: [] },
  sign: { folders: ['base', 'codec', 'model'], node: STORED },
  config: { folders: ['base', 'model'], node: ['fs', 'fs/promises', 'path', 'os'] },
  intent: { folders: ['base', 'model'], node: [] },
  measure: { folders: ['base', 'model'], node: [] },
  correlate: { folders: ['base', 'model', 'measure'], node: [] },
  narrate: { folders: ['base', 'model'], node: [] },
  discovery: { folders: ['base', 'codec', 'model', 'sign'], node: ['crypto'] },
  mtls: { folders: ['base', 'codec', 'model', 'sign'], node: [...STORED, 'tls', 'net', 'https', 'events', 'stream'] },
  mcp: {
    folders: ['base', 'codec', 'model', 'sign'],
    node: ['crypto', 'events', 'http', 'http2', 'net', 'stream', 'stream/promises', 'timers/promises'],
  },
  router: {
    folders: ['base', 'codec', 'model'],
    node: [
      ...STORED,
      'child_process',
      'dgram',
      'events',
      'module',
      'net',
      'os',
      'readline',
      'timers/promises',
      'util',
      'worker_threads',
    ],
  },
  network: { folders: ['base', 'codec', 'model'], node: ['crypto'] },
  fanout: { folders: ['base', 'codec', 'model', 'sign'], node: ['crypto'] },
  evidence: { folders: ['base', 'codec', 'model', 'sign'], node: ['crypto'] },
  report: { folders: ['base', 'codec', 'model', 'sign'], node: [...STORED, 'sqlite', 'worker_threads', 'zlib'] },
  consent: { folders: ['base', 'codec', 'model', 'sign'], node: ['crypto'] },
  audit: { folders: ['base', 'codec', 'model', 'sign'], node: STORED },
  controller: { folders: ['base', 'codec', 'model', 'sign'], node: ['crypto'] },
  aggregate: {
    folders: ['base', 'codec', 'model', 'sign', 'consent', 'mcp'],
    node: ['child_process', 'fs/promises', 'http', 'stream'],
  },
  bridge: { folders: ['base', 'codec', 'model'], node: [] },
  console: { folders: ['base', 'model', 'sign/portable'], node: ['fs/promises', 'module'] },
  agent: {
    folders: [
      'base',
      'codec',
      'model',
      'sign',
      'config',
      'intent',
      'measure',
      'correlate',
      'narrate',
      ...STAGES.split(' '),
    ],
    node: ['crypto', 'events', 'fs', 'fs/promises', 'http', 'net', 'os', 'path', 'stream'],
  },
  cli: {
    folders: ['agent', 'aggregate', 'config', 'model', 'base', 'sign', 'report', 'audit', 'mtls', 'mcp'],
    node: ['fs', 'fs/promises', 'net', 'os', 'path', 'process', 'readline/promises', 'stream', 'url', 'util'],
  },
  'main.ts': { folders: ['cli', 'config', 'base'], node: ['process'] },
  'index.ts': {
    folders: ['agent', 'base', 'cli', 'codec', 'config', 'correlate', 'intent', 'model', 'mtls', 'report', 'sign'],
    node: [],
  },
};

/** Every npm package that src may import, and the folders that may. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/sdk': ['mcp'],
  '@modelcontextprotocol/server': ['mcp'],
  '@noble/curves': ['mtls/enrol'],
  '@noble/ed25519': ['sign'],
  canonicalize: ['codec', 'sign'],
  commander: ['cli'],
  jose: ['mtls/tokens'],
  koffi: ['router'],
  minisearch: ['aggregate'],
  'node-forge': ['mtls'],
  ollama: ['narrate'],
  'p-limit': ['fanout'],
  ssh2: ['router'],
  ajv: ['mcp'],
  undici: ['mcp', 'narrate', 'controller', 'aggregate'],
  yaml: ['config', 'intent', 'cli', 'network'],
  zod: [
    ...['config', 'mcp', 'intent', 'codec', 'network', 'narrate', 'audit', 'report', 'evidence', 'agent', 'router'],
    // The schemas of what goes over the wire, from which its types are made (docs/decisions/0040-one-schema-a-message.md).
    ...['model/router', 'model/wire', 'mtls/enrol', 'mtls/revocation'],
  ],
};

const sources = listFiles(ROOT, ['src'], '.ts').map((path) => readSource(ROOT, path));
const others = listFiles(ROOT, ['simulations', 'scripts', 'bench', 'test'], '.ts').map((path) =>
  readSource(ROOT, path),
);

/** `src/mtls/enrol/ca.ts` is in `mtls`; `src/main.ts` is a row of its own. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function faultsOf(files: readonly SourceFile[], check: (file: SourceFile) => readonly string[]): string[] {
  return files.flatMap((file) => check(file).map((fault) => `${file.path}: ${fault}`));
}

function importFaults(file: SourceFile): string[] {
  const row = TABLE[folderOf(file.path)];
  if (!row) return ['lies in a folder that has no row in the table'];
  return importsOf(file).flatMap(({ specifier, line }) => {
    const fault = edgeFault(file.path, row, specifier);
    return fault === undefined ? [] : [`line ${line}: ${fault}`];
  });
}

function edgeFault(path: string, row: Row, specifier: string): string | undefined {
  const own = folderOf(path);
  if (specifier === '?') return 'a dynamic import needs a plain string, or the table cannot be checked';
  if (specifier.startsWith('node:')) {
    if (path.startsWith('src/sign/portable/')) return `sign/portable has no ${specifier}`;
    return row.node === 'any' || row.node.includes(specifier.slice(5))
      ? undefined
      : `${own} may not import ${specifier}`;
  }
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(path), specifier));
    if (!specifier.endsWith('.ts')) return `${specifier} does not end in .ts`;
    return folderOf(target) === own || own.endsWith('.ts')
      ? undefined
      : `${specifier} leaves its folder; write #folder/file.ts`;
  }
  if (specifier.startsWith('#')) {
    const target = specifier.slice(1);
    const folder = target.split('/')[0] ?? '';
    if (folder === own) return `${specifier} points into its own folder; write ./file.ts`;
    const allowed = row.folders.some((entry) => target.startsWith(`${entry}/`));
    return allowed ? undefined : `${own} may not import ${specifier}`;
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const owners = PACKAGES[name];
  if (!owners) return `package ${name} is not in the table`;
  return owners.some((owner) => path.startsWith(`src/${owner}/`) || owner === own)
    ? undefined
    : `only ${owners.join(', ')} may import ${name}`;
}

function lengthFaults(file: SourceFile): string[] {
  const lineCount = file.text.replace(/\n$/, '').split('\n').length;
  return lineCount > 400 ? [`${lineCount} lines, at most 400`] : [];
}

function headerFaults(file: SourceFile): string[] {
  const lines = file.text.replace(/^#!.*\n/, '').split('\n');
  const count = lines.findIndex((line) => !line.startsWith('//'));
  if (count === 0) return ['does not open with a comment that says what it is'];
  return count > 5 ? [`its header has ${count} lines, at most 5`] : [];
}

/** Words that only some folders may use, looked for outside comments and strings. */
const WORDS: readonly { readonly pattern: RegExp; readonly what: string; readonly allowed: readonly string[] }[] = [
  { pattern: /(?<![\w.$])(?:const\s+)?enum\s+\w+\s*\{/g, what: 'enum', allowed: [] },
  { pattern: /(?<![\w.$])namespace\s+\w+[\w.]*\s*\{/g, what: 'namespace', allowed: [] },
  {
    pattern: /\bconstructor\s*\([^)]*\b(?:public|private|protected|readonly)\s+\w+\s*[:,)]/g,
    what: 'parameter property',
    allowed: [],
  },
  { pattern: /^\s*@\w+/gm, what: 'decorator', allowed: [] },
  { pattern: /(?<![\w.$#])console\s*\.\s*\w/g, what: 'the console', allowed: ['cli', 'base'] },
  {
    pattern: /\bprocess\s*\.\s*(?:env|argv)\b/g,
    what: 'process.env or process.argv',
    allowed: ['config', 'cli', 'base'],
  },
  {
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bMath\s*\.\s*random\b|\bperformance\s*\.\s*now\b/g,
    what: 'the ambient clock or random',
    allowed: ['base', 'cli'],
  },
];

function wordFaults(file: SourceFile): string[] {
  const folder = folderOf(file.path);
  const entry = file.path.endsWith('/main.ts');
  return WORDS.flatMap(({ pattern, what, allowed }) =>
    allowed.includes(folder) || (entry && /ambient|process/.test(what))
      ? []
      : [...file.bare.matchAll(pattern)].map((match) => `line ${lineAt(file.text, match.index)}: uses ${what}`),
  );
}

function barrelFaults(file: SourceFile): string[] {
  if (file.path === 'src/index.ts')
    return importsOf(file).length > 0 && /export\s*\*/.test(file.bare) ? ['exports a star'] : [];
  return importsOf(file)
    .filter(({ kind }) => kind === 'export')
    .map(({ specifier, line }) => `line ${line}: passes on ${specifier}; import it where it is written`);
}

test('every import of src is an edge of the table', () => {
  assert.deepEqual(faultsOf(sources, importFaults), []);
});

test('every imported file of the project exists', () => {
  const faults = faultsOf([...sources, ...others], (file) =>
    importsOf(file).flatMap(({ specifier }) => {
      const target = resolved(file.path, specifier);
      return target === undefined || existsSync(join(ROOT, target))
        ? []
        : [`imports ${specifier}, which does not exist`];
    }),
  );
  assert.deepEqual(faults, []);
});

test('no file of src imports itself by way of others', () => {
  const edges = new Map(
    sources.map((file) => [
      file.path,
      importsOf(file).flatMap(({ specifier }) => resolved(file.path, specifier) ?? []),
    ]),
  );
  assert.equal(findCycle(edges)?.join(' -> '), undefined);
});

test('no file is longer than 400 lines', () => {
  assert.deepEqual(faultsOf([...sources, ...others], lengthFaults), []);
});

test('every file opens with one to five comment lines', () => {
  assert.deepEqual(faultsOf([...sources, ...others], headerFaults), []);
});

test('no function of src is longer than 70 lines', () => {
  const rules = ['lint', '--only=complexity/noExcessiveLinesPerFunction', '--max-diagnostics=50', 'src'];
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), rules, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  const hidden = sources.filter(({ text }) => /biome-ignore\s+lint\/complexity\/noExcessiveLines/.test(text));
  assert.deepEqual(
    hidden.map(({ path }) => path),
    [],
  );
});

test('src uses erasable syntax, and the clock, the environment and the console only at its edges', () => {
  assert.deepEqual(faultsOf(sources, wordFaults), []);
});

test('nothing but src/index.ts passes on the exports of others', () => {
  assert.deepEqual(faultsOf(sources, barrelFaults), []);
});

test('every dependency of package.json has a row among the packages', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(dependencies).sort(), Object.keys(PACKAGES).sort());
});

test('the top level and the packages are those of the outline [CARD-11]', () => {
  const expected = ['package.json', 'tsconfig.json', 'certs', 'test', 'simulations'];
  const stages = ['discovery', 'mtls', 'correlate', 'report'].map((folder) => `src/${folder}`);
  assert.deepEqual(
    [...expected, ...stages].filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packages = ['@modelcontextprotocol/sdk', '@noble/ed25519', 'node-forge', 'undici', 'ollama', 'p-limit'];
  assert.deepEqual(
    packages.filter((name) => !/^\d+\.\d+\.\d+$/.test(dependencies[name])),
    [],
  );
  const imported = new Set(sources.flatMap((file) => importsOf(file).map(({ specifier }) => specifier)));
  const unused = packages.filter((name) => ![...imported].some((specifier) => `${specifier}/`.startsWith(`${name}/`)));
  assert.deepEqual(unused, [], 'packages that nothing imports');
});

test('the checks find what they are for', () => {
  const check = (path: string, text: string) => importFaults(sourceOf(path, text));
  assert.deepEqual(check('src/codec/a.ts', "import { x } from '#model/x.ts';"), [
    'line 1: codec may not import #model/x.ts',
  ]);
  assert.deepEqual(check('src/mcp/a.ts', "import tls from 'node:tls';"), ['line 1: mcp may not import node:tls']);
  assert.deepEqual(check('src/mcp/a.ts', "type F = import('node-forge').F;"), [
    'line 1: only mtls may import node-forge',
  ]);
  assert.deepEqual(check('src/mcp/a.ts', 'await import(name);'), [
    'line 1: a dynamic import needs a plain string, or the table cannot be checked',
  ]);
  assert.deepEqual(check('src/mcp/a.ts', "\nexport { x } from '../mtls/x.ts';"), [
    'line 2: ../mtls/x.ts leaves its folder; write #folder/file.ts',
  ]);
  assert.deepEqual(check('src/mcp/t/a.ts', "import '#mcp/x.ts';"), [
    'line 1: #mcp/x.ts points into its own folder; write ./file.ts',
  ]);
  assert.deepEqual(check('src/console/a.ts', "import '#sign/native.ts';"), [
    'line 1: console may not import #sign/native.ts',
  ]);
  assert.deepEqual(check('src/sign/portable/a.ts', "import 'node:crypto';"), [
    'line 1: sign/portable has no node:crypto',
  ]);
  assert.deepEqual(check('src/mcp/a.ts', "// import 'node:tls'\nconst s = `import 'node:tls'`;"), []);
  assert.deepEqual(wordFaults(sourceOf('src/mcp/a.ts', 'console.log(process.env);')).length, 2);
  assert.deepEqual(
    wordFaults(sourceOf('src/mcp/a.ts', 'enum A { b }\nclass C { constructor(private a: string) {} }')).length,
    2,
  );
  assert.deepEqual(wordFaults(sourceOf('src/router/a.ts', 'const atMs = performance.now();')), [
    'line 1: uses the ambient clock or random',
  ]);
  assert.deepEqual(barrelFaults(sourceOf('src/mcp/a.ts', "export * from './b.ts';")).length, 1);
  const loop = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ]);
  assert.deepEqual(findCycle(loop), ['b', 'c', 'b']);
});
