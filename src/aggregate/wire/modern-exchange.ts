// One request of MCP 2026-07-28 over HTTP: headers and body must agree, and what precedes the answer makes a stream of it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '#base/json.ts';
import { whenClosed } from '#base/when-closed.ts';
import { ERA_CODES, type EraHeaders, eraOf, headerFault, mayBeModern } from '#mcp/modern/era.ts';
import { type ParamFault, paramHeaderFault } from '#mcp/modern/param-headers.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import type { Party } from '#model/identity.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import { respond } from './http-answers.ts';
import { type Answer, errorAnswer, type Incoming, type IncomingRequest, responseText } from './message.ts';

/** Where what belongs to one request goes. `status`: of HTTP, where it is not 200. */
export type ModernOut = { tell(text: string): void; answer(answer: Answer, status?: 400 | 404): void };

export type ModernServing = {
  readonly modern: (message: IncomingRequest, out: ModernOut, party: Party, query: URLSearchParams) => void;
  readonly abandon: (out: ModernOut) => void;
  /** What the tool of this name takes, as the client sees it. */
  readonly schemaOf: (tool: string, query: URLSearchParams) => JsonObject | undefined;
};

export function isOfModernEra(request: IncomingMessage, message: Incoming): boolean {
  if (message.kind === 'response') return false;
  if (!mayBeModern(message.params, headersOf(request).version)) return false;
  const era = eraOf(message.raw, headersOf(request));
  return era.kind === 'modern' || (era.kind === 'refused' && era.isMessage);
}

type Asked = { readonly message: Incoming; readonly party: Party; readonly query: URLSearchParams };

export function answerModern(
  serving: ModernServing,
  request: IncomingMessage,
  response: ServerResponse,
  { message, party, query }: Asked,
): void {
  // A cancellation is the end of its stream.
  if (message.kind !== 'request') {
    response.writeHead(202).end();
    return;
  }
  const headers = headersOf(request);
  const era = eraOf(message.raw, headers);
  if (era.kind === 'refused') {
    refuse(response, message.id, era.status, era);
    return;
  }
  const fault = headerFault(message.raw, headers);
  if (fault !== undefined) {
    refuse(response, message.id, 400, { code: ERA_CODES.headerMismatch, message: fault });
    return;
  }
  const mismatch = paramFault(serving, request, message, query);
  if (mismatch !== undefined) {
    const data = { mismatch: mismatch.mismatch };
    refuse(response, message.id, 400, { code: ERA_CODES.headerMismatch, message: mismatch.message, data });
    return;
  }
  const out = outOf(response, message.id);
  serving.modern(message, out, party, query);
  whenClosed(response, () => serving.abandon(out));
}

/** Who stands between decides by the headers, the server by the body: both must say the same. */
function paramFault(
  { schemaOf }: ModernServing,
  { headers }: IncomingMessage,
  { method, params }: IncomingRequest,
  query: URLSearchParams,
): ParamFault | undefined {
  if (method !== 'tools/call') return undefined;
  const schema = schemaOf(String(params['name']), query);
  return schema === undefined ? undefined : paramHeaderFault(schema, objectOf(params['arguments']), headers);
}

function headersOf({ headers }: IncomingMessage): EraHeaders {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { version: one('mcp-protocol-version'), method: one('mcp-method'), name: one('mcp-name') };
}

type Refusal = { readonly code: number; readonly message: string; readonly data?: JsonObject };

function refuse(response: ServerResponse, id: RpcId, status: number, { code, message, data }: Refusal): void {
  respond(response, status, responseText(id, errorAnswer(code, message, data)), {});
}

function outOf(response: ServerResponse, id: RpcId): ModernOut {
  const event = (text: string) => {
    if (response.destroyed) return;
    if (!response.headersSent) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.flushHeaders();
    }
    // A line break between tokens of JSON would end the event.
    response.write(`event: message\ndata: ${text.replace(/[\r\n]/g, ' ')}\n\n`);
  };
  return {
    tell(text) {
      // Nothing that may be lost is kept without end for a client that does not read.
      if (response.writableLength <= AGGREGATE_LIMITS.unreadBytes) event(text);
    },
    answer(given, status: number = 200) {
      if (response.destroyed || response.writableEnded) return;
      const text = responseText(id, given);
      if (!response.headersSent) return respond(response, status, text, {});
      event(text);
      response.end();
    },
  };
}
