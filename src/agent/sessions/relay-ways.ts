// Opens one session with a node that others pass on: each of them is asked for a connection to the next, on behalf of who asked, and the
// connection to it is passed on by those before it. TLS on every one of these connections ends at the node that it is for. Bounded in time.
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { RELAY_TOOL } from '#measure/call.ts';
import type { Asking } from '#model/asker.ts';
import type { PeerSession, RawAnswer } from '#model/call.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { PeerTable } from '#model/peer.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { RelayDialer } from './dial-peer.ts';
import type { RelayBook } from './relay-book.ts';
import type { Sessions } from './sessions.ts';

/** What sessions through others are opened with. */
export type Relaying = RelayDialer & {
  readonly log: Log;
  /** A connection to a neighbour's agent over the link itself; at each `turn` it begins with the next address. Rejects where this node hears no such neighbour. */
  connect(node: string, signal: AbortSignal, turn: number): Promise<Socket>;
};

export type RelayedParts = {
  /** The asked node. */
  readonly node: string;
  readonly peers: Pick<PeerTable, 'find'>;
  readonly sessions: Sessions;
  readonly relaying: Relaying;
  readonly clock: Clock;
  readonly record: (record: AuditRecord) => void;
};

/** A node between has no place for the connection now, and may have one later. */
export const RELAY_BUSY = 'peer/relay-busy';

/** On whose behalf, and for which collaboration domain. */
export type AskedFor = Asking & { readonly sessionId: string };

/** A session with `node`, from its neighbour `relay`; the asked node itself is one, too. Rejects with ParleyError `peer/…`. */
export type ReachThrough = (node: string, relay: string, signal: AbortSignal) => Promise<PeerSession>;

export function createReachThrough(parts: RelayedParts, question: AskedFor, book: RelayBook): ReachThrough {
  const { node: home, sessions, peers, relaying, clock } = parts;
  const streamTo = async (node: string, relay: string, signal: AbortSignal): Promise<Socket> => {
    if (relay === home) return relaying.connect(node, signal, book.turnOf(node, relay));
    const session = book.current(relay);
    if (session === undefined) throw new ParleyError('peer/unreachable', `no session with ${relay} any more`);
    const ticket = await ticketFor(parts, question, { node, relay: session, book }, signal);
    const at = peers.find(relay)?.verified;
    if (sessions.current(relay) !== undefined && at !== undefined) return relaying.claim(relay, at, ticket, signal);
    const before = book.reached.get(relay)?.relays.at(-1) ?? home;
    return relaying.claim(relay, { over: await streamTo(relay, before, signal) }, ticket, signal);
  };
  return (node, relay, signal) => {
    const way = book.wayTo(relay) ?? [];
    const what = `a session with ${node} ${way.length === 0 ? 'over the link' : `through ${way.join(', ')}`}`;
    return withBudget({ clock, budgetMs: AGENT_LIMITS.relayOpenMs, signal, what }, async (until) => {
      const over = await streamTo(node, relay, until);
      try {
        return marked(await relaying.openOver(node, over, way.join(', ') || 'the link', until), way);
      } catch (error) {
        book.noteAstray(node, relay);
        throw error;
      }
    });
  };
}

/** What the relay gave for a connection to one of its neighbours. */
async function ticketFor(
  { record }: RelayedParts,
  { sessionId, asker, askedBy }: AskedFor,
  { node, relay, book }: { readonly node: string; readonly relay: PeerSession; readonly book: RelayBook },
  signal: AbortSignal,
): Promise<string> {
  const { name } = relay.peer;
  if (!relay.authorised.includes(RELAY_TOOL)) {
    book.notePassesNone(name);
    throw new ParleyError('peer/refused', `${name} passes no connections on for this node`);
  }
  const about = { party: `node/${name}`, asker: askedBy, method: `tool ${RELAY_TOOL}`, sessionId };
  record({ event: 'request', direction: 'out', ...about });
  // Agents that know of no turns are asked for none the first time.
  const turn = book.turnOf(node, name);
  const { answer } = await relay.call({
    ...{ kind: 'tool', name: RELAY_TOOL, arguments: { node, channel: true, ...(turn === 0 ? {} : { turn }) } },
    ...{ sessionId, asker, timeoutMs: AGENT_LIMITS.relayMs, signal },
  });
  const { status, reason, code } = answer;
  if (isUnknown(answer)) book.noteUnknown(node, name);
  else if (code === WIRE_CODES.invalidParams && turn === 0) book.notePassesNone(name);
  record({ event: 'response', direction: 'in', ...about, status, ...(reason === undefined ? {} : { reason }) });
  const ticket = isJsonObject(answer.body) ? answer.body['ticket'] : undefined;
  if (status === 'answered' && typeof ticket === 'string' && /^[0-9a-f]{32}$/.test(ticket)) return ticket;
  const why = reason ?? 'an answer without a ticket';
  if (code === WIRE_CODES.busy)
    throw new ParleyError(RELAY_BUSY, `${name} cannot pass a connection on to ${node} now: ${why}`);
  throw new ParleyError('peer/refused', `expected ${name} to pass a connection on to ${node}, got ${why}`);
}

function isUnknown({ body }: RawAnswer): boolean {
  const data = isJsonObject(body) ? body['data'] : undefined;
  return isJsonObject(data) && data['errorCode'] === 'caller/unknown-node';
}

function marked(session: PeerSession, through: readonly string[]): PeerSession {
  return {
    peer: session.peer,
    chain: session.chain,
    authorised: session.authorised,
    through,
    call: (call) => session.call(call),
    get closed() {
      return session.closed;
    },
    close: () => session.close(),
  };
}
