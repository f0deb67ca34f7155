// MCP 2026-07-28 over HTTP: each request stands for itself and is told from the older revisions by its envelope, never by a session. The SDK
// checks envelope and headers; what a caller may have open at once is bounded here, for there is no session that could be.
import { createMcpHandler, type ServerEvent } from '@modelcontextprotocol/server';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { whenClosed } from '#base/when-closed.ts';
import type { Party } from '#model/identity.ts';
import type { McpDialectParts } from '../dialects/mcp-lists.ts';
import { MCP_LIMITS } from '../limits.ts';
import { eraOf } from '../modern/era.ts';
import { LISTEN_METHOD, type Listening, openListening } from '../modern/listen.ts';
import { createModernServer, isServed } from '../modern/modern-server.ts';
import type { OpenCalls } from '../modern/open-calls.ts';
import { scopeOf } from '../opening.ts';
import { createFlight, type Flight } from '../protocol/flight.ts';
import { Backlog, createUnreadWatch } from '../transports/backlog.ts';
import { type HttpExchange, header } from './exchange.ts';
import { sendWebResponse, webRequest } from './web-exchange.ts';

export type ModernHttpParts = McpDialectParts & { readonly log: Log; readonly calls: OpenCalls };

export type ModernHttp = {
  /** Answers a POST whose body is of this revision, valid or not; false: it is of an older one. */
  handle(exchange: HttpExchange, body: JsonObject): Promise<boolean>;
};

/** What one party has open. */
type Open = { readonly flight: Flight; exchanges: number; listens: number };

export function createModernHttp(parts: ModernHttpParts): ModernHttp {
  const parties = new Map<string, Open>();
  return {
    async handle(exchange, body) {
      if (!isModern(exchange, body)) return false;
      const key = keyOf(exchange.party);
      const open = parties.get(key) ?? { flight: createFlight(), exchanges: 0, listens: 0 };
      parties.set(key, open);
      open.exchanges++;
      try {
        await (body['method'] === LISTEN_METHOD ? listen : serve)(parts, exchange, body, open);
      } finally {
        open.exchanges--;
        if (open.exchanges === 0) parties.delete(key);
      }
      return true;
    },
  };
}

/** By its envelope or, of revisions without sessions, its header: never by a session. What is no message at all is answered as of old. */
function isModern({ request }: HttpExchange, body: JsonObject): boolean {
  const era = eraOf(body, {
    version: header(request, 'mcp-protocol-version'),
    method: header(request, 'mcp-method'),
    name: header(request, 'mcp-name'),
  });
  return era.kind === 'modern' || (era.kind === 'refused' && era.isMessage);
}

async function serve(
  parts: ModernHttpParts,
  exchange: HttpExchange,
  body: JsonObject,
  { flight }: Open,
): Promise<void> {
  const { unread, offer } = watched(exchange);
  const handler = createMcpHandler(
    () => {
      const scope = scopeOf(parts, exchange.party, []);
      const server = createModernServer(parts, { scope, transport: 'http', calls: parts.calls, flight, offer });
      // Without a handler the SDK answers with the status that HTTP has for an unknown method.
      if (!isServed(String(body['method']))) delete server.fallbackRequestHandler;
      return server;
    },
    { legacy: 'reject', onerror: reporter(parts, exchange), maxRequestBodySize: LIMITS.bodyBytes },
  );
  try {
    await sendWebResponse(exchange, await handler.fetch(webRequest(exchange), { parsedBody: body }));
  } finally {
    unread.end();
    await handler.close();
  }
}

async function listen(parts: ModernHttpParts, exchange: HttpExchange, body: JsonObject, open: Open): Promise<void> {
  const { unread, offer } = watched(exchange);
  const scope = scopeOf(parts, exchange.party, []);
  let listener: ((event: ServerEvent) => void) | undefined;
  open.listens++;
  const params = (body['params'] ?? {}) as JsonObject;
  const hasRoom = open.listens <= MCP_LIMITS.listensPerParty;
  const listening: Listening | undefined = hasRoom
    ? await openListening(parts, { scope, transport: 'http', params }, ({ uri, meta }) =>
        offer(async () => listener?.({ kind: 'resource_updated', uri, params: { _meta: meta } })),
      )
    : undefined;
  const bus = {
    publish: () => {},
    subscribe(hear: (event: ServerEvent) => void) {
      listener = hear;
      return () => {
        listener = undefined;
      };
    },
  };
  const { flight } = open;
  const handler = createMcpHandler(
    () => createModernServer(parts, { scope, transport: 'http', calls: parts.calls, flight, offer }),
    { legacy: 'reject', onerror: reporter(parts, exchange), bus, maxSubscriptions: hasRoom ? 1 : 0 },
  );
  try {
    const parsedBody = listening === undefined ? body : { ...body, params: listening.params };
    await sendWebResponse(exchange, await handler.fetch(webRequest(exchange), { parsedBody }));
  } finally {
    open.listens--;
    listening?.close();
    unread.end();
    await handler.close();
  }
}

/** The SDK queues what a client does not read: nothing that may be lost is given to it meanwhile, and a client that never reads is given up. */
function watched({ response }: HttpExchange) {
  const unread = createUnreadWatch(() => response.destroy());
  const writable = 'stream' in response ? response.stream : response;
  const offer = async (send: () => Promise<void>) => {
    if (!writable.writableNeedDrain) return send();
    unread.begin();
    const room = new Promise<void>((resolve) => {
      response.once('drain', resolve);
      whenClosed(response, resolve);
    });
    void room.then(() => unread.end());
    throw new Backlog(room);
  };
  return { unread, offer };
}

function reporter({ log }: ModernHttpParts, { party }: HttpExchange) {
  return (error: Error) => log.debug('an MCP request was refused', { party: party.name, error: String(error) });
}

function keyOf({ kind, domain, name, thumbprint = '' }: Party): string {
  return `${kind}/${domain}/${name}/${thumbprint}`;
}
