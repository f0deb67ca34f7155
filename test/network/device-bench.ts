// The definitions of one fake device behind the agent's own call handler and our MCP server, for tests over frames.
import { generateKeyPairSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import { loadPrompts } from '#agent/parts/prompts.ts';
import { createCallHandler } from '#agent/serving/serve.ts';
import { createDeviceDefinitions } from '#agent/tools/device.ts';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import { createChanges } from '#network/configuration/change.ts';
import { withConfigResources } from '#network/configuration/config-resources.ts';
import { configureTools } from '#network/configuration/configure.ts';
import { fileTools } from '#network/configuration/files.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';
import { fakeAskers } from '../fakes/asker.ts';
import { createFakeDevice, type FakeDevice } from '../fakes/device.ts';
import { type Bench, OPERATOR, openBench, PARLEY_INITIALIZE, type RawPeer, rawPeer } from '../mcp/harness.ts';

export type DeviceBench = Bench & { readonly catalog: Catalog; readonly fake: FakeDevice };

export async function openDeviceBench(
  t: TestContext,
  fake: FakeDevice = createFakeDevice(),
  promptsDir = '/nonexistent',
  access: Access = createAccess(),
  configured?: Configured,
): Promise<DeviceBench> {
  const clock = createSystemClock();
  const router = configured === undefined ? fake.router : { ...fake.router, configuration: configured.configuration };
  const definitions = createDeviceDefinitions({
    access,
    node: 'router1',
    router,
    device: fake.device,
    clock,
    log: silentLog,
  });
  await definitions.refresh();
  const prompts = await loadPrompts(
    promptsDir,
    {
      clock,
      newId: () => randomHex(systemRandom, 16),
      findTool: (name) => catalog.findTool(name),
      cliDialect: () => String(definitions.network()?.['cliDialect'] ?? ''),
      completeInterface: async () => ['TenGigE0/0/0/0'],
    },
    silentLog,
  );
  const editing = configured === undefined ? undefined : configResources(configured, definitions.resources, access);
  const catalog: Catalog = createCatalog({
    tools: [...definitions.tools, ...(editing?.tools ?? []), ...(configured?.tools ?? [])],
    resources: editing?.resources ?? definitions.resources,
    prompts,
    access,
  });
  let nonce = 0;
  const handler = createCallHandler({
    catalog: () => catalog,
    signer: createSigner({ node: 'router1', privateKey: generateKeyPairSync('ed25519').privateKey }),
    nonces: { boot: '1-00', next: () => String(++nonce) },
    window: createNonceWindow(),
    clock,
    audit: { append: async () => {} },
    log: silentLog,
    askers: fakeAskers({ kind: 'node', domain: 'lab', name: configured?.node ?? 'router1' }, clock),
  });
  const bench = await openBench({
    catalog,
    handler,
    network: definitions.network,
    serverInfo: { name: 'IOS-XR-MCP', version: '7.5.3' },
  });
  t.after(() => bench.close());
  return { ...bench, catalog, fake };
}

/** A device that can be configured: what changes it, and who agrees. */
export type Configured = {
  readonly configuration: ConfigurationPort;
  readonly consent?: ConsentGate;
  readonly tools?: readonly ToolDefinition[];
  /** Its name, where callers sign what they ask of it. */
  readonly node?: string;
};

const AGREED: ConsentGate = { ask: async () => ({ granted: true, by: 'the test' }) };

function configResources(
  { configuration, consent }: Configured,
  resources: readonly ResourceDefinition[],
  access: Access,
) {
  const changes = createChanges({
    configuration,
    gate: {
      baseline: async () => ({ holds: ['a sees b on eth1'] }),
      compare: async () => ({ missing: [], unproven: [] }),
    },
    consent: consent ?? AGREED,
    access,
    clock: createSystemClock(),
    log: silentLog,
  });
  return {
    tools: [
      ...configureTools(configuration, changes),
      ...fileTools(configuration, changes, { access, consent: consent ?? AGREED }),
    ],
    resources: withConfigResources(resources, configuration, changes),
  };
}

export type Asking = RawPeer & {
  /** Sends a request and gives its response without our envelope; what is pushed meanwhile is kept in `pushed`. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  readonly pushed: JsonObject[];
};

/** A session in the dialect of the MCP-NET draft, or of MCP where `mcp` is set. */
export async function openSession(bench: DeviceBench, mcp = false, party: Party = OPERATOR): Promise<Asking> {
  const raw = rawPeer(await bench.frames(party));
  const pushed: JsonObject[] = [];
  let id = 0;
  const ask = async (method: string, params?: JsonObject): Promise<JsonObject> => {
    raw.send({ jsonrpc: '2.0', id: ++id, method, ...(params === undefined ? {} : { params }) });
    for (;;) {
      const message = await raw.next();
      if (message === undefined) throw new Error('expected a response, got the end');
      if (message['id'] === id && message['method'] === undefined) return withoutEnvelope(message) as JsonObject;
      if (message['method'] === 'ping') raw.send({ jsonrpc: '2.0', id: message['id']!, result: {} });
      else pushed.push(message);
    }
  };
  const capabilities = mcp ? (PARLEY_INITIALIZE['params'] as JsonObject)['capabilities']! : {};
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities,
    clientInfo: { name: 'ACME-NetCtrl', version: '4.7.0' },
  });
  return { ...raw, ask, pushed };
}

/** Signatures differ with every run; an empty `_meta` goes with them. */
export function withoutEnvelope(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEnvelope);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name === 'io.parley/envelope') return [];
      const inner = withoutEnvelope(member);
      if (name === '_meta' && Object.keys(inner as object).length === 0) return [];
      return [[name, inner]];
    }),
  );
}
