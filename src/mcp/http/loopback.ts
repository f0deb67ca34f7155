// Streamable HTTP for MCP hosts on this machine, which cannot do mutual TLS: loopback addresses only. Refuses a wrong or missing
// token (compared in constant time), a Host other than this machine and an Origin of another site, so that no web page gets in by DNS
// rebinding. The holder of the token is the local operator.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { OnRefused } from '../catalog/gate.ts';
import { MCP_LIMITS } from '../limits.ts';
import { type HttpRefusal, header, replyRefusal } from './exchange.ts';
import { createLateStreamable } from './late-streamable.ts';
import type { StreamableParts } from './streamable.ts';

export type LoopbackParts = StreamableParts & { readonly onRefused: OnRefused };

export type LoopbackInit = {
  /** 0: any free port. */
  readonly port: number;
  readonly party: Party;
  /** undefined only in test builds: every caller on this machine is then the operator. */
  readonly token: string | undefined;
};

export type Loopback = { readonly port: number; close(): Promise<void> };

const HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Rejects with `us/cannot-listen` when the port is taken. */
export async function listenLoopback(parts: LoopbackParts, init: LoopbackInit): Promise<Loopback> {
  const streamable = createLateStreamable(parts);
  const server = createServer(
    {
      maxHeaderSize: MCP_LIMITS.headerBytes,
      headersTimeout: LIMITS.httpRequestMs,
      requestTimeout: LIMITS.httpRequestMs,
      keepAliveTimeout: MCP_LIMITS.httpIdleMs,
    },
    (request, response) => {
      const exchange = { request, response, party: init.party };
      const fault = faultOf(request, init.token);
      const answered = fault === undefined ? streamable.handle(exchange) : Promise.resolve(fault);
      answered.then(
        (refusal) => {
          if (refusal === undefined) return;
          parts.onRefused({ party: init.party, transport: 'http', reason: refusal.reason, code: refusal.code });
          if (!response.headersSent && !response.destroyed) replyRefusal(exchange, refusal);
        },
        (error) => {
          parts.log.warn('an HTTP request failed', { party: init.party.name, error: String(error) });
          response.destroy();
        },
      );
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ParleyError('us/cannot-listen', `expected 127.0.0.1:${init.port} to be free, got ${error.message}`, {
          cause: error,
        }),
      ),
    );
    server.listen(init.port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      streamable.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function faultOf(request: IncomingMessage, token: string | undefined): HttpRefusal | undefined {
  const denied = (reason: string): HttpRefusal => ({ status: 403, code: WIRE_CODES.accessDenied, reason });
  if (!HOSTS.has(hostOf(header(request, 'host') ?? ''))) return denied('expected a Host of this machine, got another');
  const origin = header(request, 'origin');
  if (origin !== undefined && !HOSTS.has(hostOf(origin.replace(/^https?:\/\//, ''))))
    return denied('expected an Origin of this machine, got another');
  if (request.url?.split('?')[0] !== '/mcp')
    return { status: 404, code: WIRE_CODES.methodNotFound, reason: 'expected /mcp, got another path' };
  if (token === undefined) return undefined;
  const given = /^Bearer (\S+)$/.exec(header(request, 'authorization') ?? '')?.[1] ?? '';
  if (sameText(given, token)) return undefined;
  return {
    status: 401,
    code: WIRE_CODES.accessDenied,
    reason: 'expected the token of this endpoint, got another or none',
  };
}

/** Without its port. */
function hostOf(text: string): string {
  return text.replace(/:\d{1,5}$/, '').toLowerCase();
}

/** Compares digests, so that timing reveals neither the length nor the position of a difference. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
