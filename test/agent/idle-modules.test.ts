// What an agent loads at its start, by the static imports of its source: an idle node holds none of what answers questions, speaks to web
// clients or builds certificates. Each of these is loaded with its first use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolved } from '../../scripts/import-graph.ts';
import { importsOf, ROOT, readSource } from '../../scripts/source-files.ts';

const AGENT = 'src/cli/commands/agent.ts';
/** Packages and folders of hundreds of kilobytes. */
const AT_FIRST_USE = [
  ...['@modelcontextprotocol/server', 'jose', 'node-forge', 'ollama', 'ssh2', 'undici', 'minisearch', '@noble/curves'],
  ...['src/aggregate/', 'src/correlate/', 'src/mcp/modern/modern-server.ts', 'src/mcp/http/streamable.ts'],
];

/** Everything that is loaded with `entry`, types left out: files of src by their path, packages by their name. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const visit = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const file = readSource(ROOT, path);
    for (const { specifier, line, kind } of importsOf(file)) {
      const statement = file.text.split('\n').slice(line - 1)[0] ?? '';
      if (kind === 'dynamic' || /^import\s+type\b/.test(statement)) continue;
      const target = resolved(path, specifier);
      if (target === undefined) loaded.add(specifier);
      else visit(target);
    }
  };
  visit(entry);
  return loaded;
}

function heavyOf(loaded: ReadonlySet<string>): readonly string[] {
  return [...loaded].filter((each) =>
    AT_FIRST_USE.some((heavy) => each === heavy || each.startsWith(`${heavy.replace(/\/$/, '')}/`)),
  );
}

test('an idle agent has loaded nothing of what answers questions, serves web clients or builds certificates', () => {
  const loaded = loadedWith(AGENT);
  assert.ok(loaded.has('src/agent/create-agent.ts') && loaded.has('@modelcontextprotocol/sdk/server/index.js'));
  assert.deepEqual(heavyOf(loaded), []);
});

test('what is loaded with the first question, request or renewal is found', () => {
  assert.ok(heavyOf(loadedWith('src/agent/investigate.ts')).includes('src/correlate/diagnose.ts'));
  assert.ok(heavyOf(loadedWith('src/mcp/http/streamable.ts')).includes('@modelcontextprotocol/server'));
  assert.ok(heavyOf(loadedWith('src/mtls/renewal/renew.ts')).includes('node-forge'));
});
