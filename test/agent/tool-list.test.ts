// What people's MCP hosts get of a real agent before their first call: names, descriptions, schemas and hints that a language model can work
// with, within a budget of tokens (counted as OpenAI's o200k does).
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { createFrameChannel } from '#mcp/transports/frame-channel.ts';
import { createFramesTransport } from '#mcp/transports/frames.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialTo } from '../mtls/domain.ts';
import { type AgentBed, upAgents } from './agent-bed.ts';

type Role = 'observer' | 'operator' | 'admin';

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
  for (const role of ['observer', 'operator', 'admin'] as const)
    await bed.domain.identity(role, { kind: 'operator', role });
});
after(() => bed?.down());

async function as<T>(role: Role, work: (client: Client) => Promise<T>): Promise<T> {
  const { socket } = await dialTo({ port: bed.portOf('pe1') }, await loadIdentity(join(bed.dir, role)), {
    expectedNode: 'pe1',
  });
  const channel = createFrameChannel({ duplex: socket, role: 'calling' });
  const capabilities = { experimental: { parley: { capabilities: [] } } };
  const client = new Client({ name: 'host', version: '1' }, { capabilities });
  const connected = client.connect(createFramesTransport(channel));
  channel.start();
  await connected;
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

type Tool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

async function toolsOf(role: Role, all = false): Promise<readonly Tool[]> {
  const params = all ? { _meta: { 'io.parley/tools': 'all' } } : {};
  return (await as(role, (client) => client.listTools(params))).tools;
}

const tokens = (value: unknown) => countTokens(JSON.stringify(value));
const inputTokens = (tools: readonly Tool[]) =>
  tokens(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));

test('the whole list costs an observer at most 3000 tokens and an admin 5000, output schemas 3000 besides [NET-2] [NET-19]', async () => {
  for (const [role, most] of [
    ['observer', 3_000],
    ['operator', 5_000],
    ['admin', 5_000],
  ] as const) {
    const tools = await toolsOf(role);
    assert.ok(inputTokens(tools) <= most, `${role}: ${inputTokens(tools)} tokens`);
    assert.ok(tokens(tools.map(({ outputSchema }) => outputSchema)) <= 3_000);
  }
});

/** Patterns of hosts and of the interfaces of language models, with the prefixes that hosts put before a name. */
const NAME_CHECKS: readonly (readonly [host: string, prefix: string, pattern: RegExp])[] = [
  ['mcporter', '', /^[A-Za-z0-9_-]+$/],
  ['Claude', 'mcp__parley__', /^[a-zA-Z0-9_-]{1,64}$/],
  ['Codex', 'mcp__parley__', /^[a-zA-Z0-9_-]{1,64}$/],
  ['Copilot', 'mcp_parley_', /^[a-z0-9_-]{1,64}$/i],
  ['Gemini', '', /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/],
];

test('every listed name passes the name checks of hosts [NET-2] [NET-19]', async () => {
  for (const { name } of await toolsOf('admin', true)) {
    for (const [host, prefix, pattern] of NAME_CHECKS) assert.match(`${prefix}${name}`, pattern, `${name} in ${host}`);
  }
});

test('people see what they would use, and nothing that is for agents only [NET-2]', async () => {
  assert.deepEqual(
    (await toolsOf('operator')).map(({ name }) => name),
    [
      ...['network_cli_exec', 'network_yang_get', 'ping', 'traceroute', 'tracepath', 'tcpdump', 'clear-counters'],
      ...['parley-ask', 'parley-topology', 'parley-report-list', 'network_file_pull'],
    ],
  );
  const all = (await toolsOf('admin', true)).map(({ name }) => name);
  const between = ['parley-relay', 'parley-node-state', 'parley-lookups', 'parley-reach', 'parley-host-scan'];
  assert.deepEqual(
    between.filter((name) => all.includes(name)),
    [],
  );
  const net = ['cli_exec', 'cli_configure', 'yang_get', 'yang_edit', 'commit', 'rollback', 'file_pull', 'file_push'];
  const listed = (await toolsOf('admin')).map(({ name }) => name);
  for (const name of net) assert.ok(listed.includes(`network_${name}`), name);
});

/** Paths of the arguments without a description. */
function undescribed(schema: JsonValue | undefined, path: string): readonly string[] {
  if (schema === undefined || !isJsonObject(schema)) return [];
  const properties = Object.entries((schema['properties'] ?? {}) as JsonObject);
  const parts = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => (schema[key] as readonly JsonValue[] | undefined) ?? []);
  return [
    ...properties.flatMap(([name, one]) => {
      const at = `${path}.${name}`;
      return [...(isJsonObject(one) && one['description'] === undefined ? [at] : []), ...undescribed(one, at)];
    }),
    ...undescribed(schema['items'], `${path}[]`),
    ...parts.flatMap((part) => undescribed(part, path)),
  ];
}

test('every argument is described, and every output schema names members [NET-2] [NET-19]', async () => {
  const tools = await toolsOf('admin', true);
  assert.deepEqual(
    tools.flatMap(({ name, inputSchema }) => undescribed(inputSchema as JsonObject, name)),
    [],
  );
  const empty = tools.filter(({ outputSchema }) => Object.keys(outputSchema?.properties ?? {}).length === 0);
  assert.deepEqual(
    empty.map(({ name }) => name),
    [],
  );
});

test('only what changes nothing is called read-only [NET-2] [NET-19]', async () => {
  const changing = (await toolsOf('admin', true)).filter(({ annotations }) => annotations?.readOnlyHint !== true);
  assert.deepEqual(
    changing.map(({ name }) => name),
    [
      'parley-report-delete',
      ...['network_cli_configure', 'network_yang_edit', 'network_commit', 'network_rollback', 'rollback-config'],
      ...['network_file_push', 'parley-baseline-change', 'parley-expectations-change', 'parley-decide'],
    ],
  );
});

test('the OpenAPI form stands behind the link of its tool [TS-3] [TS-7]', async () => {
  const [tool] = await toolsOf('operator');
  const uri = String(tool!._meta?.['io.parley/openapi']);
  const { contents } = await as('operator', (client) => client.readResource({ uri }));
  const { operationId, requestBody } = JSON.parse((contents[0] as { text: string }).text) as JsonObject;
  assert.deepEqual([operationId, requestBody !== undefined], ['network.cli.exec', true]);
});

test('instructions name the tools that the caller has, by the names of the list [NET-19]', async () => {
  const [observer, admin] = [
    await as('observer', async (client) => client.getInstructions()),
    await as('admin', async (client) => client.getInstructions()),
  ];
  assert.match(admin!, /the router pe1\..* begin with parley-ask.*network_yang_get.*\{"confirm": true\}/s);
  assert.doesNotMatch(observer!, /parley-ask|network_commit|network\./);
  assert.ok(countTokens(admin!) <= 300);
});

test('an answer is the sentence first, then verdict, findings and a link to the report; both names of a tool are called [CARD-7]', async () => {
  await as('operator', async (client) => {
    const asked = await client.callTool({
      name: 'parley-ask',
      arguments: { intent: 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2' },
    });
    const content = asked.content as readonly JsonObject[];
    const { sentence, uri, verdict } = asked.structuredContent as JsonObject;
    assert.equal(content[0]!['text'], sentence);
    assert.match(String(content[1]!['text']), new RegExp(`^Verdict: ${(verdict as JsonObject)['kind']}\\.`));
    const link = content.at(-1)!;
    assert.deepEqual([link['type'], link['uri']], ['resource_link', uri]);
    assert.ok((await client.readResource({ uri: String(uri) })).contents.length > 0);
    for (const name of ['network_cli_exec', 'network.cli.exec']) {
      const shown = await client.callTool({ name, arguments: { cmd: 'show nothing' } });
      assert.equal(shown.isError, true);
      assert.match((shown.content as { text: string }[])[0]!.text, /^[A-Z].*: .+/);
    }
  });
});
