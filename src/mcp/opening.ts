// The messages of a session on frames until its dialect is decided (docs/design.md §5). The first request that a dialect accepts decides; what
// is refused decides nothing, and `server/discover` may still be followed by `initialize`: clients probe what a server speaks.
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { OnRefused } from './catalog/gate.ts';
import type { CallerScope } from './catalog/permission.ts';
import type { Push } from './dialects/draft-parts.ts';
import { createMcpSession } from './dialects/mcp.ts';
import type { McpDialectParts } from './dialects/mcp-lists.ts';
import { createMcpNetMethods } from './dialects/mcp-net-draft.ts';
import { createDraftMethods, negotiateDraft } from './dialects/troubleshooting-draft.ts';
import type { ModernSession } from './modern/modern-frames.ts';
import type { OpenCalls } from './modern/open-calls.ts';
import { findAnnouncement, intersect } from './protocol/negotiation.ts';
import { errorResponse, nameOfCode, RpcError, type RpcId, type RpcMessage, type RpcRequest } from './protocol/rpc.ts';
import type { OnSession } from './session-count.ts';
import type { FrameChannel } from './transports/frame-channel.ts';
import { createFramesTransport } from './transports/frames.ts';
import { startRpcSession } from './transports/rpc-session.ts';

export type FramesParts = McpDialectParts & {
  readonly onRefused: OnRefused;
  readonly onSession: OnSession;
  readonly log: Log;
  readonly clock: Clock;
  readonly calls: OpenCalls;
};

type Opening = {
  readonly parts: FramesParts;
  readonly channel: FrameChannel;
  readonly caller: Party;
  /** A dialect has accepted a request. */
  readonly decided: () => void;
  /** Has answered nothing but `server/discover` so far. */
  probed: ModernSession | undefined;
};

/** Receives the first messages of `channel`; hands it over in the turn of the one that decides: the next frame may already be decoded. */
export function openSession(init: Omit<Opening, 'probed'>): void {
  const opening: Opening = { ...init, probed: undefined };
  opening.channel.receive = (message) => open(opening, message);
}

function open(opening: Opening, message: RpcMessage): void {
  // An answer to nothing, or a notification that nothing was there to hear.
  if (message.kind !== 'request') return;
  // The envelope of the later revisions is in `_meta`; what reads it is loaded with the first of them.
  if ('_meta' in message.params) opening.channel.holdUntil(openByEnvelope(opening, message));
  else openOlder(opening, message);
}

async function openByEnvelope(opening: Opening, message: RpcRequest): Promise<void> {
  const { parts, channel } = opening;
  const { eraOf } = await import('./modern/era.ts');
  if (channel.closed) return;
  const era = eraOf(message.raw);
  if (era.kind === 'legacy') openOlder(opening, message);
  else if (era.kind === 'refused') answer(opening, errorResponse(message.id, era));
  else {
    const { startModernSession } = await import('./modern/modern-frames.ts');
    if (channel.closed) return;
    const { caller } = opening;
    opening.decided();
    opening.probed ??= startModernSession(parts, channel, modernScope(parts, channel, caller));
    const session = opening.probed;
    if (message.method !== 'server/discover') channel.receive = session.receive;
    session.receive(message);
  }
}

function openOlder(opening: Opening, message: RpcRequest): void {
  const { id, method } = message;
  if (method === 'initialize') initialize(opening, message);
  else if (method === 'mcp/initialize') beginDraft(opening, message);
  else if (method === 'ping') answer(opening, { jsonrpc: '2.0', id, result: {} });
  else tell(opening, id, WIRE_CODES.methodNotFound, 'expected initialize first');
}

function modernScope(parts: FramesParts, channel: FrameChannel, caller: Party): CallerScope {
  const ended = new AbortController();
  onEnd(channel, () => ended.abort(new Error('the session ended')));
  return { ...scopeOf(parts, caller, []), sessionEnded: ended.signal };
}

function initialize(opening: Opening, message: RpcRequest): void {
  const { parts, channel, caller } = opening;
  const announcement = findAnnouncement(message.params['capabilities']);
  if (announcement?.ok === false) {
    const { reason } = announcement;
    parts.onRefused({ party: caller, transport: 'frames', reason, code: WIRE_CODES.invalidParams });
    tell(opening, message.id, WIRE_CODES.invalidParams, reason);
    return;
  }
  opening.decided();
  opening.probed?.leave();
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

function beginDraft({ parts, channel, caller, decided }: Opening, message: RpcRequest): void {
  decided();
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

function tell(opening: Opening, id: RpcId, code: number, detail: string): void {
  answer(opening, errorResponse(id, { code, message: `${nameOfCode(code)}: ${detail}`, data: { detail } }));
}

function answer({ channel }: Opening, response: Parameters<FrameChannel['send']>[0]): void {
  channel.send(response).catch(() => {});
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
