// Numbers of passed-on notifications (AX-18): each stream counts from one for each server, so that the client sees what is missing. A stream
// is what one client hears without asking, or what it hears of one call. Every hop counts anew, and a loss below becomes a gap above.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { memberText, withMember, withoutMembers } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { META, objectOf } from '../names/capability.ts';
import { isSegment } from '../names/names.ts';

/** Segments from the one who numbers to the server that spoke; empty: the one who numbers itself. */
export type Route = readonly string[];

export type Numbered = {
  readonly route: Route;
  readonly number: number;
  /** The hearer's own request; absent in the stream of what it hears without asking. */
  readonly call?: RpcId | undefined;
  /** How many of all before it were lost, each of which has been said: the hop above does not say them again. Absent for clients. */
  readonly lost?: number | undefined;
};

/** The numbers that one stream gives. */
export type Sequence = {
  /** Undefined for one server more than are counted. */
  next(route: Route): Numbered | undefined;
  /** So many of the server were lost before they came here. */
  skip(route: Route, count: number): void;
};

/** `tellsLost`: the hearer is an aggregator. */
export function createSequence(call?: RpcId, tellsLost = false): Sequence {
  const places = new Map<string, { number: number; lost: number }>();
  const placeOf = (route: Route) => {
    const key = route.join('.');
    const known = places.get(key);
    if (known !== undefined || places.size >= AGGREGATE_LIMITS.numberedServers) return known;
    const place = { number: 0, lost: 0 };
    places.set(key, place);
    return place;
  };
  const plus = (one: number, other: number) => Math.min(one + other, Number.MAX_SAFE_INTEGER);
  return {
    next(route) {
      const place = placeOf(route);
      if (place === undefined) return undefined;
      place.number = plus(place.number, 1);
      const { number, lost } = place;
      return {
        ...{ route, number },
        ...(call === undefined ? {} : { call }),
        ...(tellsLost && lost > 0 ? { lost } : {}),
      };
    },
    skip(route, count) {
      const place = count > 0 ? placeOf(route) : undefined;
      if (place === undefined) return;
      place.number = plus(place.number, count);
      place.lost = plus(place.lost, count);
    },
  };
}

/** What is missing before one notification; of these, so many were lost further below, and have been said. */
export type Gap = { readonly missing: number; readonly said: number };

/** The numbers that one stream should have. Gaps are bounded: a made-up number must not use up ours. */
export type SequenceCheck = (heard: Pick<Numbered, 'route' | 'number' | 'lost'>) => Gap;

export const NO_GAP: Gap = { missing: 0, said: 0 };

export function createSequenceCheck(): SequenceCheck {
  const places = new Map<string, { number: number; lost: number }>();
  return ({ route, number, lost = 0 }) => {
    const key = route.join('.');
    const known = places.get(key);
    if (known === undefined && places.size >= AGGREGATE_LIMITS.numberedServers) return NO_GAP;
    const before = known ?? { number: 0, lost: 0 };
    if (number <= before.number) return NO_GAP;
    places.set(key, { number, lost: Math.max(before.lost, lost) });
    const missing = Math.min(number - before.number - 1, AGGREGATE_LIMITS.missingAtOnce);
    return { missing, said: Math.min(missing, Math.max(0, lost - before.lost)) };
  };
}

/** Numbers a part of a stream anew: what is left out on purpose makes no gap, what was lost before does. */
export type Renumbering = { heard(numbered: Numbered | undefined): void; next(route: Route): Numbered | undefined };

export function createRenumbering(call?: RpcId): Renumbering {
  const check = createSequenceCheck();
  const sequence = createSequence(call);
  return {
    heard(numbered) {
      if (numbered !== undefined) sequence.skip(numbered.route, check(numbered).missing);
    },
    next: sequence.next,
  };
}

/** What a notification says of its place; undefined where it says nothing that can be read. */
export function numberedIn(params: JsonObject): Numbered | undefined {
  const given = objectOf(params['_meta'])[META.sequence];
  if (given === undefined || !isJsonObject(given)) return undefined;
  const { route, number, call, lost } = given;
  if (!Number.isSafeInteger(number) || Number(number) < 1 || !isRoute(route)) return undefined;
  if (call !== undefined && typeof call !== 'number' && typeof call !== 'string') return undefined;
  const isCounted = Number.isSafeInteger(lost) && Number(lost) > 0;
  return {
    ...{ route, number: Number(number) },
    ...(call === undefined ? {} : { call }),
    ...(isCounted ? { lost: Number(lost) } : {}),
  };
}

export function isRoute(value: unknown): value is Route {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string' && isSegment(each))) return false;
  return value.join('.').length <= AGGREGATE_LIMITS.nameChars;
}

/** The params with this number, and without what was meant for the hop before; all else byte for byte. */
export function withNumber(paramsText: string, numbered: Numbered | undefined): string {
  const given = memberText(paramsText, '_meta');
  if (given !== undefined && !given.startsWith('{')) return paramsText;
  if (given === undefined && numbered === undefined) return paramsText;
  const kept = withoutMembers(given ?? '{}', [META.sequence, META.related]);
  const meta = numbered === undefined ? kept : withMember(kept, META.sequence, JSON.stringify(numbered));
  return withMember(paramsText, '_meta', meta);
}
