// A client of MCP 2026-07-28 by hand: the envelope and headers of one request, and the published client over HTTP and frames.
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '#base/json.ts';
import { createFrameChannel } from '#mcp/transports/frame-channel.ts';
import { post, type Reply } from '../http/http-bench.ts';

export const REVISION = '2026-07-28';

export function envelope(capabilities: JsonObject = {}, revision = REVISION): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
}

export function request(
  id: string | number,
  method: string,
  params: JsonObject = {},
  meta: JsonObject = envelope(),
): JsonObject {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

/** One POST with the headers that its body asks for, unless `headers` say otherwise. */
export function postModern(url: string, message: JsonObject, headers: Record<string, string> = {}): Promise<Reply> {
  const { name, uri } = (message['params'] ?? {}) as JsonObject;
  const named = name ?? uri;
  return post(url, message, {
    'mcp-protocol-version': REVISION,
    'mcp-method': String(message['method']),
    ...(named === undefined ? {} : { 'mcp-name': String(named) }),
    ...headers,
  });
}

export type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

const CAPABILITIES = { elicitation: {}, sampling: {}, experimental: { parley: { capabilities: [] } } };

export function modernClient(mode: Mode): Client {
  return new Client({ name: 'published', version: '2' }, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
}

export async function overHttp(t: TestContext, url: string, mode: Mode): Promise<Client> {
  const client = modernClient(mode);
  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

type Transport = Parameters<Client['connect']>[0];

export async function overFrames(t: TestContext, duplex: Duplex, mode: Mode): Promise<Client> {
  const client = modernClient(mode);
  t.after(() => client.close());
  const channel = createFrameChannel({ duplex, role: 'calling' });
  const transport: Transport = {
    start: async () => channel.start(),
    send: (message) => channel.send(message as unknown as JsonObject),
    close: async () => channel.close(),
  };
  channel.receive = (message) => transport.onmessage?.(message.raw as never);
  channel.ended = () => transport.onclose?.();
  await client.connect(transport);
  return client;
}
