// HTTP over mutual TLS as an MCP host with a certificate and an access token speaks it: requests, and calls of tools in a session.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { JsonObject } from '#base/json.ts';
import type { Identity } from '#mtls/identity.ts';

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

export type Send = {
  readonly port: number;
  readonly identity: Pick<Identity, 'certPem' | 'keyPem'>;
  readonly ca: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The name of a node's certificate is its party's, which browsers and MCP hosts do not read; the CA is checked. */
export async function send({ port, identity, ca, path, method = 'GET', headers = {}, body }: Send): Promise<Answer> {
  const sent = request({
    ...{ host: '127.0.0.1', port, path, method, headers, ca, agent: false },
    ...{ cert: identity.certPem, key: identity.keyPem },
    checkServerIdentity: () => undefined,
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces).toString() };
}

export type McpHost = {
  /** Status and headers of `initialize`; calls need its session. */
  open(token?: string): Promise<Answer>;
  /** The JSON-RPC response of a tool call, or of another method where `method` says so. */
  call(params: JsonObject, token?: string, method?: string): Promise<JsonObject & { readonly status?: number }>;
};

export function mcpHost(at: Pick<Send, 'port' | 'identity' | 'ca'>): McpHost {
  let session = '';
  let id = 0;
  const post = (message: JsonObject, token: string | undefined) =>
    send({
      ...at,
      path: '/mcp',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === '' ? {} : { 'mcp-session-id': session }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  return {
    async open(token) {
      session = '';
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const answer = await post({ id: ++id, method: 'initialize', params }, token);
      session = String(answer.headers['mcp-session-id'] ?? '');
      if (answer.status === 200) await post({ method: 'notifications/initialized' }, token);
      return answer;
    },
    async call(params, token, method = 'tools/call') {
      const answer = await post({ id: ++id, method, params }, token);
      if (answer.status !== 200) return { status: answer.status };
      const lines = answer.body.split('\n').filter((line) => line.startsWith('data: {'));
      return JSON.parse(lines.length > 0 ? lines.at(-1)!.slice(6) : answer.body) as JsonObject;
    },
  };
}

export async function tokenFrom(at: Pick<Send, 'port' | 'identity' | 'ca'>, fields: Readonly<Record<string, string>>) {
  const answer = await send({
    ...at,
    path: '/oauth/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: answer.status, body: JSON.parse(answer.body) as JsonObject };
}
