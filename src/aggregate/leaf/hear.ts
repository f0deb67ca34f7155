// What a subserver says without being asked. Each notification goes to the sessions that it is for. Where one is lost, which a gap in the numbers or a
// dropped notification shows, the same sessions are told.
import type { JsonObject } from '#base/json.ts';
import { memberText } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { META, objectOf } from '../names/capability.ts';
import {
  createSequenceCheck,
  isRoute,
  NO_GAP,
  type Numbered,
  numberedIn,
  type Route,
  type SequenceCheck,
} from '../notify/sequence.ts';
import type { IncomingNotification } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import type { Caller, Overflow, SubserverEvents } from './events.ts';
import type { OfferKind } from './offers.ts';

export type Hearing = {
  hear(notification: IncomingNotification, related: RpcId | undefined): void;
  /** In place of `hear`, for one that is dropped. */
  drop(notification: IncomingNotification, related: RpcId | undefined): void;
  /** The burst in which some were dropped has passed. */
  overflowed(): void;
  /** Whether the other side is an aggregator of ours: its numbers and routes count, those of any other server do not. Undefined until it says. */
  isNumbered: boolean | undefined;
  readonly missing: number;
  /** What aggregators alone tell each other, said by another server: it is dropped. */
  readonly odd: number;
};

type HearingParts = {
  readonly callers: ReadonlyMap<number, Caller>;
  readonly events: SubserverEvents;
  readonly peer: Pick<Peer, 'extend'>;
  readonly segment: string;
};

/** What aggregators tell each other. A server that could say it would have its neighbours' clients believe in losses. */
const OF_AGGREGATORS = 'notifications/mcpax/';

export const OVERFLOW = `${OF_AGGREGATORS}notification_overflow`;

const CHANGES: Readonly<Record<string, readonly OfferKind[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'templates'],
  'notifications/prompts/list_changed': ['prompts'],
};

/** Whose notification it is, and where it was spoken. */
type Place = { readonly route: Route; readonly caller: Caller | undefined; readonly ofCall: boolean };

export function createHearing(parts: HearingParts): Hearing {
  const { callers, events, segment } = parts;
  const general = createSequenceCheck();
  const ofCalls = new WeakMap<Caller, SequenceCheck>();
  const burst = new Map<string, { readonly route: Route; dropped: number; ofCalls: number }>();
  let missing = 0;
  let odd = 0;

  const checkOf = (caller: Caller): SequenceCheck => {
    const known = ofCalls.get(caller) ?? createSequenceCheck();
    ofCalls.set(caller, known);
    return known;
  };
  const lose = ({ route, caller, ofCall }: Place, count: number) => {
    if (!ofCall) events.lost(route, count);
    else caller?.lost(route, count);
  };
  /** Looks first for what is missing before this one, and hands it to `say`. */
  const placeOf = (
    notification: IncomingNotification,
    related: RpcId | undefined,
    say: (overflow: Overflow) => void,
  ): Place => {
    const numbered = hearing.isNumbered === false ? undefined : numberedIn(notification.params);
    if (hearing.isNumbered === undefined) {
      // Overtook the answer to initialize: no gap, and none after it.
      if (numbered !== undefined) general(numbered);
      return { route: [segment], caller: undefined, ofCall: false };
    }
    const id = callIn(notification, related, numbered);
    const caller = id === undefined ? undefined : callers.get(id);
    const place = { route: [segment, ...(numbered?.route ?? [])], caller, ofCall: id !== undefined };
    // A call that is over hears nothing, and its numbers are none of the others.
    const check = !place.ofCall ? general : caller === undefined ? undefined : checkOf(caller);
    const gap = numbered === undefined ? NO_GAP : (check?.(numbered) ?? NO_GAP);
    if (gap.missing > 0) lose(place, gap.missing);
    const unsaid = gap.missing - gap.said;
    if (unsaid > 0) say({ route: place.route, dropped: unsaid, ofCalls: place.ofCall ? unsaid : 0 });
    missing += unsaid;
    return place;
  };
  /** What is lost in one burst is said once for each server. */
  const gather = ({ route, dropped, ofCalls: calls }: Overflow) => {
    const own = burst.size < AGGREGATE_LIMITS.numberedServers ? route : [segment];
    const found = burst.get(own.join('.')) ?? { route: own, dropped: 0, ofCalls: 0 };
    found.dropped += dropped;
    found.ofCalls += calls;
    burst.set(own.join('.'), found);
  };
  const isOdd = ({ method }: IncomingNotification) => hearing.isNumbered !== true && method.startsWith(OF_AGGREGATORS);
  const hearing: Hearing = {
    isNumbered: undefined,
    hear(notification, related) {
      if (isOdd(notification)) {
        odd += 1;
        return;
      }
      pass(parts, notification, placeOf(notification, related, events.overflowed));
    },
    drop(notification, related) {
      if (isOdd(notification)) return;
      const place = placeOf(notification, related, gather);
      // These two cannot be asked for again.
      for (const kind of CHANGES[notification.method] ?? []) events.changed(kind);
      const below = notification.method === OVERFLOW ? overflowIn(notification.params, segment) : undefined;
      if (below !== undefined) {
        events.lost(below.route, below.dropped - below.ofCalls);
        gather(below);
      }
      lose(place, 1);
      gather({ route: place.route, dropped: 1, ofCalls: place.ofCall ? 1 : 0 });
    },
    overflowed() {
      for (const each of burst.values()) events.overflowed(each);
      burst.clear();
    },
    get missing() {
      return missing;
    },
    get odd() {
      return odd;
    },
  };
  return hearing;
}

/** The call of ours that it belongs to. */
function callIn(
  { method, params }: IncomingNotification,
  related: RpcId | undefined,
  numbered: Numbered | undefined,
): number | undefined {
  if (method === 'notifications/progress') return Number(params['progressToken']);
  if (method !== 'notifications/message') return undefined;
  const id = numbered === undefined ? (related ?? objectOf(params['_meta'])[META.related]) : numbered.call;
  return id === undefined ? undefined : Number(id);
}

function pass({ events, peer, segment }: HearingParts, notification: IncomingNotification, place: Place): void {
  const { method, params, text } = notification;
  const { route, caller } = place;
  const paramsText = () => memberText(text, 'params') ?? '{}';
  if (CHANGES[method] !== undefined) for (const kind of CHANGES[method]) events.changed(kind);
  else if (method === 'notifications/progress') {
    peer.extend(Number(params['progressToken']));
    caller?.progress(paramsText(), route);
  } else if (method === 'notifications/message') {
    const said = prefixed(params, segment);
    if (caller === undefined) events.log(said, route);
    else caller.log(said, route);
  } else if (method === 'notifications/resources/updated') events.updated(paramsText(), String(params['uri']), route);
  else if (method === OVERFLOW) {
    const below = overflowIn(params, segment);
    if (below === undefined) return;
    events.lost(below.route, below.dropped - below.ofCalls);
    events.overflowed(below);
  } else events.told(method, params, route);
}

/** What was lost below, with the route from here; undefined where it cannot be read. */
function overflowIn({ route, dropped, ofCalls = 0 }: JsonObject, segment: string): Overflow | undefined {
  if (!isRoute(route) || !isCount(dropped) || !isCount(ofCalls) || ofCalls > dropped) return undefined;
  const most = AGGREGATE_LIMITS.missingAtOnce;
  return { route: [segment, ...route], dropped: Math.min(dropped, most), ofCalls: Math.min(ofCalls, most) };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** AX-18: the originating segment stands before the name of the logger. */
function prefixed(params: JsonObject, segment: string): JsonObject {
  const { logger } = params;
  return { ...params, logger: typeof logger === 'string' ? `${segment}.${logger}` : segment };
}
