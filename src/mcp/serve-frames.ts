// A session on ALPN `mcp`: the first message decides the dialect (docs/design.md §5). Refuses a peer that sends no initialize request
// within LIMITS.initializeMs, and sessions beyond the listener's bound.
import type { Duplex } from 'node:stream';
import { type Clock, STOPPED } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { OnRefused } from './catalog/gate.ts';
import type { CallerScope } from './catalog/permission.ts';
import type { Push } from './dialects/draft-parts.ts';
import { createMcpSession, type McpDialectParts } from './dialects/mcp.ts';
import { createMcpNetMethods } from './dialects/mcp-net-draft.ts';
import { createDraftMethods, negotiateDraft } from './dialects/troubleshooting-draft.ts';
import { MCP_LIMITS } from './limits.ts';
import { findAnnouncement, intersect } from './protocol/negotiation.ts';
import { errorResponse, RpcError, type RpcMessage, type RpcRequest } from './protocol/rpc.ts';
import { createSessionCount, type OnSession } from './session-count.ts';
import { createFrameChannel, type FrameChannel } from './transports/frame-channel.ts';
import { createFramesTransport } from './transports/frames.ts';
import { startRpcSession } from './transports/rpc-session.ts';

export type FramesParts = McpDialectParts & {
  readonly onRefused: OnRefused;
  readonly onSession: OnSession;
  readonly log: Log;
  readonly clock: Clock;
};

export type FramesServer = {
  serve(duplex: Duplex, caller: Party): void;
  /** Ends every session. */
  close(): void;
};

export function createFramesServer(parts: FramesParts): FramesServer {
  // Sessions of this machine have places of their own: those of the network, however many, must not shut out the operator at the router.
  const network = new Set<FrameChannel>();
  const local = new Set<FrameChannel>();
  return {
    serve(duplex, caller) {
      const [channels, most] =
        caller.thumbprint === undefined ? [local, MCP_LIMITS.localSessions] : [network, LIMITS.sessions];
      const count = createSessionCount(parts, caller, 'frames');
      const channel = createFrameChannel({ duplex, role: 'serving', heard: count.heard });
      const waiting = new AbortController();
      channels.add(channel);
      channel.ended = (reason) => {
        channels.delete(channel);
        waiting.abort(STOPPED);
        count.end();
        if (reason !== undefined) parts.onRefused({ party: caller, transport: 'frames', reason });
      };
      channel.receive = (message) => {
        waiting.abort(STOPPED);
        begin(parts, channel, caller, message);
      };
      channel.start();
      if (channels.size > most) {
        channel.refuse(`expected at most ${most} sessions, got one more`, {
          id: null,
          code: WIRE_CODES.busy,
        });
        return;
      }
      parts.clock.sleep(LIMITS.initializeMs, waiting.signal).then(
        () =>
          channel.refuse(`expected initialize within ${LIMITS.initializeMs} ms, got nothing`, {
            id: null,
            code: WIRE_CODES.timeout,
          }),
        () => {},
      );
    },
    close() {
      for (const channel of [...network, ...local]) channel.close();
    },
  };
}

/** Picks the dialect by the first message and hands the channel over in the same turn: the next frame may already be decoded. */
function begin(parts: FramesParts, channel: FrameChannel, caller: Party, message: RpcMessage): void {
  if (message.kind !== 'request' || (message.method !== 'initialize' && message.method !== 'mcp/initialize')) {
    const id = message.kind === 'request' ? message.id : null;
    channel.refuse('expected an initialize request first, got something else', {
      id,
      code: WIRE_CODES.invalidRequest,
    });
    return;
  }
  if (message.method === 'mcp/initialize') {
    beginDraft(parts, channel, caller, message);
    return;
  }
  const announcement = findAnnouncement(message.params['capabilities']);
  if (announcement?.ok === false) {
    channel.refuse(announcement.reason, { id: message.id, code: WIRE_CODES.invalidParams });
    return;
  }
  if (announcement === undefined) {
    const scope = { caller, authorised: caller.kind === 'node' ? [] : undefined };
    const methods = createMcpNetMethods(parts, scope, pushTo(channel));
    onEnd(channel, methods.close);
    startRpcSession(channel, methods.answer, message, parts.log);
    return;
  }
  const server = createMcpSession(parts, scopeOf(parts, caller, announcement.value.capabilities), 'frames');
  server.onerror = (error) =>
    parts.log.debug('an MCP session reported an error', { party: caller.name, error: String(error) });
  void server.connect(createFramesTransport(channel));
  channel.receive(message);
}

function beginDraft(parts: FramesParts, channel: FrameChannel, caller: Party, message: RpcRequest): void {
  try {
    const session = negotiateDraft(parts, caller, message.params);
    const methods = createDraftMethods(parts, caller, session, pushTo(channel));
    onEnd(channel, methods.close);
    startRpcSession(channel, methods.answer, message, parts.log);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    channel.send(errorResponse(message.id, error)).catch(() => {});
    parts.onRefused({
      party: caller,
      transport: 'frames',
      reason: String(error.data['detail']),
      code: error.code,
      method: message.method,
    });
    channel.close();
  }
}

function pushTo(channel: FrameChannel): Push {
  return {
    offer: (method, params) => channel.offer({ jsonrpc: '2.0', method, params }),
    send: (method, params) => channel.send({ jsonrpc: '2.0', method, params }),
  };
}

function onEnd(channel: FrameChannel, close: () => void): void {
  const ended = channel.ended;
  channel.ended = (reason) => {
    close();
    ended(reason);
  };
}

/** The scope of a caller that announced `theirs` (TS-14). */
export function scopeOf(
  parts: Pick<McpDialectParts, 'capabilities'>,
  caller: Party,
  theirs: readonly string[],
): CallerScope {
  return { caller, authorised: caller.kind === 'node' ? intersect(parts.capabilities, theirs) : undefined };
}
