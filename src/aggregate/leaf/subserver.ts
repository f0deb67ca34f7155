// One open session with a subserver, in which this aggregator is the MCP client: initialize, lists, calls, and what the subserver asks and
// says in turn. A question of the subserver goes to the client whose call it belongs to, and to no other.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { VERSION } from '#base/version.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { AGGREGATE_EXPERIMENT, META, objectOf } from '../names/capability.ts';
import { createLimiter } from '../notify/limiter.ts';
import type { Link } from '../wire/link.ts';
import { type Answer, errorAnswer, type IncomingRequest, resultAnswer } from '../wire/message.ts';
import { type Call, createPeer, type Peer } from '../wire/peer.ts';
import type { Caller, SubserverEvents } from './events.ts';
import { createHearing } from './hear.ts';
import { ask, type OfferKind, type Offers, readOffers } from './offers.ts';

/** Revisions that a subserver may answer with, the newest first. */
export const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export type Request = {
  readonly method: string;
  readonly paramsText: string | ((id: number) => string);
  readonly timeoutMs: number | undefined;
  readonly caller: Caller | undefined;
};

export type Subserver = {
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | undefined;
  readonly offers: Offers;
  /** Of the last ping. */
  readonly roundTripMs: number;
  readonly openCalls: number;
  /** Notifications that were dropped here, because there were too many, or because they are not for this server to say. */
  readonly dropped: number;
  /** Notifications that were lost on the way here, as their numbers show. */
  readonly missing: number;
  request(request: Request): Call;
  notify(method: string, paramsText: string): void;
  refresh(kinds: readonly OfferKind[]): Promise<void>;
  ping(): Promise<void>;
  close(reason?: string): void;
};

export type SubserverParts = {
  readonly clock: Clock;
  readonly segment: string;
  /** Hears the revision of MCP that was agreed. */
  readonly agreed?: (version: string) => void;
  /** Requests of the other side beside those of MCP. */
  readonly more?: (request: IncomingRequest) => Promise<Answer | undefined>;
};

const KINDS: readonly OfferKind[] = ['tools', 'resources', 'templates', 'prompts'];

/** Rejects with `peer/refused`, `peer/protocol` when the subserver does not begin a session. */
export async function openSubserver(
  link: Link | Peer,
  parts: SubserverParts,
  events: SubserverEvents,
): Promise<Subserver> {
  const { clock } = parts;
  const peer = 'call' in link ? link : createPeer(link, clock);
  if (!('call' in link)) link.doubted = events.doubted;
  const callers = new Map<number, Caller>();
  peer.onRequest = async (request, _, related) =>
    (await parts.more?.(request)) ?? questionOf(request, related, callers);
  const hearing = createHearing({ callers, events, peer, segment: parts.segment });
  const limiter = createLimiter({ clock, onOverflow: hearing.overflowed });
  peer.onNotification = (notification, related) =>
    limiter.offer(
      () => hearing.hear(notification, related),
      () => hearing.drop(notification, related),
    );
  const onEnd = peer.onEnd;
  peer.onEnd = (reason) => {
    limiter.stop();
    onEnd(reason);
    events.ended(reason);
  };
  const begun = await begin(peer, parts.agreed);
  const { capabilities } = begun;
  hearing.isNumbered = objectOf(capabilities['experimental'])[AGGREGATE_EXPERIMENT] !== undefined;
  let offers: Offers = { tools: [], resources: [], templates: [], prompts: [] };
  let roundTripMs = 0;
  const subserver: Subserver = {
    ...begun,
    get offers() {
      return offers;
    },
    get roundTripMs() {
      return roundTripMs;
    },
    get openCalls() {
      return callers.size;
    },
    get dropped() {
      return limiter.dropped + hearing.odd;
    },
    get missing() {
      return hearing.missing;
    },
    request({ caller, ...outgoing }) {
      const call = peer.call(outgoing);
      if (caller === undefined) return call;
      callers.set(call.id, caller);
      const answer = call.answer.then((given) => {
        callers.delete(call.id);
        return given;
      });
      return { ...call, answer };
    },
    notify: (method, paramsText) => peer.notify(method, paramsText),
    async refresh(kinds) {
      const lists = await Promise.all(kinds.map((kind) => readOffers(peer, capabilities, kind)));
      offers = { ...offers, ...Object.fromEntries(kinds.map((kind, index) => [kind, lists[index]!])) };
    },
    async ping() {
      const startedMs = clock.monotonicMs();
      await ask(peer, 'ping', {});
      roundTripMs = clock.monotonicMs() - startedMs;
    },
    close: (reason) => peer.close(reason),
  };
  await subserver.refresh(KINDS);
  return subserver;
}

/** This aggregator can pass every question on; a client that cannot answer one says so itself. */
const CLIENT_CAPABILITIES = { roots: { listChanged: false }, sampling: {}, elicitation: { form: {}, url: {} } };

async function begin(peer: Peer, agreed: ((version: string) => void) | undefined) {
  const result = await ask(peer, 'initialize', {
    protocolVersion: REVISIONS[0],
    capabilities: CLIENT_CAPABILITIES,
    clientInfo: { name: 'parley-aggregate', version: VERSION },
  }).catch((error) => {
    peer.close();
    throw error;
  });
  const version = REVISIONS.find((each) => each === result['protocolVersion']);
  if (version === undefined) {
    peer.close();
    throw new ParleyError(
      'peer/protocol',
      `expected a revision of MCP that is known here, got ${String(result['protocolVersion']).slice(0, 32)}`,
    );
  }
  agreed?.(version);
  peer.notify('notifications/initialized');
  const instructions = result['instructions'];
  return {
    capabilities: objectOf(result['capabilities']),
    serverInfo: objectOf(result['serverInfo']),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

const QUESTIONS = new Set(['sampling/createMessage', 'elicitation/create', 'roots/list']);

/** Goes to the client whose call it came with. Where that is not clear, to none: another client must not answer it. */
async function questionOf(
  request: IncomingRequest,
  related: RpcId | undefined,
  callers: ReadonlyMap<number, Caller>,
): Promise<Answer> {
  if (request.method === 'ping') return resultAnswer({});
  if (!QUESTIONS.has(request.method)) return errorAnswer(WIRE_CODES.methodNotFound, 'Method not found');
  const caller = callerOf(request.params, related, callers);
  if (caller !== undefined) return caller.ask(request.method, memberText(request.text, 'params') ?? '{}');
  if (request.method === 'roots/list') return resultAnswer({ roots: [] });
  const detail = 'this question belongs to no call of one client: send it in the stream of that call';
  return errorAnswer(WIRE_CODES.invalidRequest, 'Invalid Request', { detail });
}

function callerOf(
  params: JsonObject,
  related: RpcId | undefined,
  callers: ReadonlyMap<number, Caller>,
): Caller | undefined {
  const told = objectOf(params['_meta'])[META.related];
  const named = callers.get(Number(related ?? told));
  if (named !== undefined) return named;
  const clients = new Map([...callers.values()].map((each) => [each.client, each]));
  return clients.size === 1 ? [...clients.values()][0] : undefined;
}

/** The params with the token that the client gave. */
export function withProgressToken(paramsText: string, token: string): string {
  return withMember(paramsText, 'progressToken', token);
}
