// MCP 2026-07-28 over frames, and so over stdio: the SDK keeps one server for the connection and checks the envelope of each request.
import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CallerScope } from '../catalog/permission.ts';
import type { McpDialectParts } from '../dialects/mcp-lists.ts';
import { MCP_LIMITS } from '../limits.ts';
import { createFlight } from '../protocol/flight.ts';
import { errorResponse, nameOfCode, type RpcId, type RpcMessage } from '../protocol/rpc.ts';
import { isLosable } from '../transports/backlog.ts';
import type { FrameChannel } from '../transports/frame-channel.ts';
import { sendOrExplain } from '../transports/frames.ts';
import { LISTEN_METHOD, type Listening, openListening } from './listen.ts';
import { createModernServer } from './modern-server.ts';
import type { OpenCalls } from './open-calls.ts';

export type ModernFramesParts = McpDialectParts & { readonly log: Log; readonly calls: OpenCalls };

export type ModernSession = {
  receive(message: RpcMessage): void;
  /** Stops without an end of the channel: its client speaks an older revision after all. */
  leave(): void;
};

type SdkTransport = NonNullable<NonNullable<Parameters<typeof serveStdio>[1]>['transport']>;

export function startModernSession(parts: ModernFramesParts, channel: FrameChannel, scope: CallerScope): ModernSession {
  const listens = createListens(parts, channel, scope);
  let isLeft = false;
  const transport: SdkTransport = {
    start: async () => {},
    send: async (message) => {
      if (isLeft) return;
      const sent = message as unknown as JsonObject;
      await (isLosable(sent) ? channel.offer(sent) : sendOrExplain(channel, sent));
    },
    close: async () => {
      if (!isLeft) channel.close();
    },
  };
  const flight = createFlight();
  const offer = (send: () => Promise<void>) => send();
  const init = { scope, transport: 'frames' as const, calls: parts.calls, flight, offer };
  const onerror = (error: Error) =>
    parts.log.debug('an MCP session reported an error', { party: scope.caller.name, error: String(error) });
  serveStdio(() => createModernServer(parts, init), { legacy: 'reject', transport, onerror });
  const ended = channel.ended;
  channel.ended = (reason) => {
    listens.close();
    ended(reason);
    transport.onclose?.();
  };
  return {
    receive(message) {
      void listens.admit(message).then((raw) => raw && transport.onmessage?.(raw as never));
    },
    leave() {
      isLeft = true;
      channel.ended = ended;
      transport.onclose?.();
    },
  };
}

/** The subscriptions of one connection, by the id of the request that opened them. */
function createListens(parts: ModernFramesParts, channel: FrameChannel, scope: CallerScope) {
  const open = new Map<RpcId, Listening>();
  /** Messages are handed over in the order in which they came. */
  let last: Promise<unknown> = Promise.resolve();
  const resources = () => [...open.values()].reduce((count, each) => count + each.resourceCount, 0);
  /** Undefined: it was answered here. */
  const admitted = async (message: RpcMessage): Promise<JsonObject | undefined> => {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      const id = message.params['requestId'] as RpcId;
      open.get(id)?.close();
      open.delete(id);
    }
    if (message.kind !== 'request' || message.method !== LISTEN_METHOD) return message.raw;
    const { id, params } = message;
    // Each stays open and watches: one session has as many as one of the older revisions, whatever ids its requests have.
    open.get(id)?.close();
    open.delete(id);
    if (open.size >= MCP_LIMITS.listensPerParty) {
      await sendOrExplain(channel, tooMany(id)).catch(() => {});
      return undefined;
    }
    const most = MCP_LIMITS.subscriptions - resources();
    const listening = await openListening(parts, { scope, transport: 'frames', params, most }, ({ uri, meta }) => {
      const told = { uri, _meta: { ...meta, [SUBSCRIPTION_ID_META_KEY]: id } };
      return channel.offer({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: told });
    });
    open.set(id, listening);
    return { ...message.raw, params: listening.params };
  };
  return {
    admit(message: RpcMessage): Promise<JsonObject | undefined> {
      const next = last.then(() => admitted(message));
      last = next.catch(() => {});
      return next;
    },
    close() {
      for (const listening of open.values()) listening.close();
      open.clear();
    },
  };
}

function tooMany(id: RpcId): JsonObject {
  const detail = `at most ${MCP_LIMITS.listensPerParty} subscriptions/listen on one session`;
  const data = { detail, retryPossible: true };
  return errorResponse(id, { code: WIRE_CODES.busy, message: nameOfCode(WIRE_CODES.busy), data });
}
