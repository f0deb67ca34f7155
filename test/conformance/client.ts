// The program that the official suite tests as a client, with the address of the suite's server as last argument: an aggregator whose only leaf is
// that server, `parley mcp` before it, and before that a published client that lists, calls and reads all there is. What the suite hears is what
// our own clients send.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { MODERN_REVISION } from '#mcp/modern/era.ts';
import { until } from '../fakes/clock.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

type ListedTool = { readonly name: string; readonly inputSchema: JsonObject };
type PlannedCall = { readonly name: string; readonly arguments: JsonObject };

const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const planned = (JSON.parse(context) as { readonly toolCalls?: readonly PlannedCall[] }).toolCalls;

const isModern = revision === MODERN_REVISION;

await run(process.argv.at(-1)!);
process.exit(0);

async function run(url: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-client-'));
  const socket = join(dir, 'control.sock');
  const config = aggregateSchema.parse({
    node: 'root',
    state: dir,
    identity: { dir: join(dir, 'none') },
    control: { socket },
    leaves: [{ segment: 's', url, unsaid: 'open', revision: isModern ? MODERN_REVISION : 'auto' }],
    view: { mount: 's', names: 'dotted' },
  });
  const running = await createAggregatorProcess(config, silentLog);
  try {
    await until(() => running.aggregator.core.slots.get('s')?.state === 'up', 'the server of the suite');
    const args = ['--conditions=parley-source', MAIN, 'mcp', '--socket', socket];
    const client = createClient();
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    await useAll(client);
    await client.close();
  } finally {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

function createClient(): Client {
  const mode = isModern ? { pin: MODERN_REVISION } : ('legacy' as const);
  const client = new Client(
    { name: 'conformance', version: '1' },
    { capabilities: { elicitation: { form: { applyDefaults: true } } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept' as const, content: {} }));
  return client;
}

/** Calls at once what the scenario demands, or else every tool; then reads every resource and gets every prompt. */
async function useAll(client: Client): Promise<void> {
  const offered = client.getServerCapabilities() ?? {};
  if (offered.tools !== undefined) {
    const { tools } = (await client.listTools()) as unknown as { readonly tools: readonly ListedTool[] };
    const calls = planned ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool, tools) }));
    // A server need not answer a call: what counts is what it hears.
    await Promise.allSettled(calls.map((call) => client.callTool(call as Parameters<Client['callTool']>[0])));
  }
  if (offered.resources !== undefined)
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  if (offered.prompts !== undefined)
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
}

/** A value for every argument that a tool demands. An object is a schema as this client sees it: that of the first tool. */
function argumentsOf({ inputSchema }: ListedTool, tools: readonly ListedTool[]): JsonObject {
  const { properties, required } = inputSchema;
  const samples: Readonly<Record<string, JsonValue>> = {
    string: 'text',
    number: 5,
    integer: 5,
    boolean: true,
    object: tools[0]!.inputSchema,
  };
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  const typeOf = (name: string) => {
    const schema = isJsonObject(properties ?? null) ? (properties as JsonObject)[name] : undefined;
    return schema !== undefined && isJsonObject(schema) ? String(schema['type']) : 'string';
  };
  return Object.fromEntries(names.map((name) => [name, samples[typeOf(name)] ?? 'text']));
}
