// What the tests of mcp share: a small catalog, parties, a server on a loopback socket, and raw frames to talk to it.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createFrameDecoder, encodeFrame } from '#codec/frame.ts';
import { type Catalog, createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate, type GateParts, type Refused } from '#mcp/catalog/gate.ts';
import { createMcpServer, type McpServer, type McpServerInit, type McpServerParts } from '#mcp/server.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { CallHandler, IncomingCall } from '#model/ports.ts';

export const NODE: Party = { kind: 'node', domain: 'lab', name: 'pe1', thumbprint: 'aa'.repeat(32) };
export const OTHER_NODE: Party = { kind: 'node', domain: 'lab', name: 'pe3', thumbprint: 'bb'.repeat(32) };
export const OPERATOR: Party = { kind: 'operator', domain: 'lab', name: 'ann' };

const EVERYBODY = ['node', 'operator', 'controller'] as const;

export function toolDefinition(init: Partial<ToolDefinition> & { readonly name: string }): ToolDefinition {
  return {
    title: init.name,
    description: `the ${init.name} tool`,
    capability: init.name,
    mutability: 'read',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    callers: EVERYBODY,
    call: async () => ({}),
    ...init,
  };
}

export function resourceDefinition(
  init: Partial<ResourceDefinition> & { readonly uriTemplate: string },
): ResourceDefinition {
  return {
    name: 'resource',
    title: 'resource',
    description: 'a resource',
    mimeType: 'application/yang-data+json',
    capability: 'ietf-interface-counters',
    callers: EVERYBODY,
    serves: (uri) => uri.startsWith(init.uriTemplate.replace(/\{.*$/, '')),
    read: async () => ({}),
    ...init,
  };
}

export const COUNTERS_URN = 'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=SID Endpoint/statistics';

export function sampleCatalog(): Catalog {
  const pingSchema: JsonObject = {
    type: 'object',
    properties: { Count: { type: 'integer', minimum: 1, maximum: 1000 } },
    required: ['Count'],
    additionalProperties: false,
  };
  return createCatalog({
    tools: [
      toolDefinition({ name: 'ietf-srv6-ping', inputSchema: pingSchema, mutability: 'probe' }),
      toolDefinition({ name: 'parley-node-state' }),
      toolDefinition({ name: 'parley-ask', callers: ['operator'] }),
    ],
    resources: [
      resourceDefinition({
        uriTemplate: 'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface={name}/statistics',
      }),
    ],
  });
}

/** An envelope that names what it stands for; nothing in mcp verifies it. */
export function fakeEnvelope(
  label: string,
  payloadType: SignedEnvelope['payloadType'] = PAYLOAD_TYPES.result,
): SignedEnvelope {
  return {
    payloadType,
    payload: Buffer.from(label).toString('base64'),
    signature: Buffer.from(`signed ${label}`).toString('base64'),
  };
}

export type Bench = {
  readonly server: McpServer;
  readonly refused: Refused[];
  readonly calls: IncomingCall[];
  /** A socket whose other end the server speaks frames on, for `party`. */
  frames(party?: Party): Promise<Socket>;
  /** A port that hands each connection to `serve`. */
  listen(serve: (socket: Socket) => void): Promise<number>;
  close(): Promise<void>;
};

const echo: CallHandler = async (call) => ({
  status: 'answered',
  body: { echo: call.content.params },
  envelope: fakeEnvelope('answer'),
});

/** Answers every call with `{echo: params}` unless `handler` says otherwise. */
export async function openBench(
  init: Partial<McpServerInit & McpServerParts & Pick<GateParts, 'handler' | 'signRefusal'>> = {},
): Promise<Bench> {
  const { handler = echo, signRefusal, catalog = sampleCatalog(), ...rest } = init;
  const refused: Refused[] = [];
  const calls: IncomingCall[] = [];
  const closers: (() => Promise<void>)[] = [];
  const server = createMcpServer({
    serverInfo: { name: 'parley', version: '0.1.0' },
    node: 'p2',
    port: 9514,
    capabilities: ['ietf-interface-counters', 'ietf-srv6-ping'],
    catalog,
    gate: createGate({
      catalog: () => catalog,
      handler: (call) => {
        calls.push(call);
        return handler(call);
      },
      onRefused: (entry) => refused.push(entry),
      log: silentLog,
      ...(signRefusal === undefined ? {} : { signRefusal }),
    }),
    log: silentLog,
    random: systemRandom,
    clock: createSystemClock(),
    onRefused: (entry) => refused.push(entry),
    onSession: () => {},
    ...rest,
  });
  const listen = async (serve: (socket: Socket) => void) => {
    const sockets = new Set<Socket>();
    const listener = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      serve(socket);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    closers.push(async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    });
    return (listener.address() as { port: number }).port;
  };
  return {
    server,
    refused,
    calls,
    listen,
    async frames(party = NODE) {
      const port = await listen((socket) => server.serveFrames(socket, party));
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      closers.unshift(async () => {
        socket.destroy();
      });
      return socket;
    },
    async close() {
      server.close();
      for (const close of closers) await close();
    },
  };
}

export type RawPeer = {
  send(message: JsonValue): void;
  sendBytes(bytes: Uint8Array): void;
  /** The next message, or undefined when the other side ended. */
  next(): Promise<JsonObject | undefined>;
  end(): void;
};

/** Speaks frames by hand. */
export function rawPeer(duplex: Duplex): RawPeer {
  const decoder = createFrameDecoder();
  const arrived: (JsonObject | undefined)[] = [];
  const waiting: ((message: JsonObject | undefined) => void)[] = [];
  const give = (message: JsonObject | undefined) => {
    const waiter = waiting.shift();
    if (waiter) waiter(message);
    else arrived.push(message);
  };
  duplex.on('data', (chunk: Uint8Array) => {
    const frames = decoder.push(chunk);
    if (!frames.ok) throw new Error(frames.reason);
    for (const frame of frames.value) give(JSON.parse(Buffer.from(frame).toString()));
  });
  duplex.on('end', () => give(undefined));
  duplex.on('error', () => give(undefined));
  return {
    send: (message) => duplex.write(encodeFrame(Buffer.from(JSON.stringify(message)))),
    sendBytes: (bytes) => duplex.write(bytes),
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve)),
    end: () => duplex.end(),
  };
}

export const PARLEY_INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { experimental: { parley: { node: 'pe1', capabilities: ['ietf-srv6-ping', 'something-else'] } } },
    clientInfo: { name: 'raw', version: '1' },
  },
};

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
