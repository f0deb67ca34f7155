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
};

/** The numbers that one stream gives. */
export type Sequence = {
  /** Undefined for one server more than are counted. */
  next(route: Route): Numbered | undefined;
  /** So many of the server were lost before they came here. */
  skip(route: Route, count: number): void;
};

export function createSequence(call?: RpcId): Sequence {
  const last = new Map<string, number>();
  const advance = (route: Route, by: number): number | undefined => {
    const key = route.join('.');
    const known = last.get(key);
    if (known === undefined && last.size >= AGGREGATE_LIMITS.numberedServers) return undefined;
    const number = Math.min((known ?? 0) + by, Number.MAX_SAFE_INTEGER);
    last.set(key, number);
    return number;
  };
  return {
    next(route) {
      const number = advance(route, 1);
      return number === undefined ? undefined : { route, number, ...(call === undefined ? {} : { call }) };
    },
    skip(route, count) {
      if (count > 0) advance(route, count);
    },
  };
}

/** The numbers that one stream should have. Gives how many are missing before this one, within a bound: a made-up number must not use up ours. */
export type SequenceCheck = (heard: Pick<Numbered, 'route' | 'number'>) => number;

export function createSequenceCheck(): SequenceCheck {
  const last = new Map<string, number>();
  return ({ route, number }) => {
    const key = route.join('.');
    const known = last.get(key) ?? 0;
    if (number <= known || (known === 0 && last.size >= AGGREGATE_LIMITS.numberedServers)) return 0;
    last.set(key, number);
    return Math.min(number - known - 1, AGGREGATE_LIMITS.missingAtOnce);
  };
}

/** Numbers a part of a stream anew: what is left out on purpose makes no gap, what was lost before does. */
export type Renumbering = { heard(numbered: Numbered | undefined): void; next(route: Route): Numbered | undefined };

export function createRenumbering(call?: RpcId): Renumbering {
  const check = createSequenceCheck();
  const sequence = createSequence(call);
  return {
    heard(numbered) {
      if (numbered !== undefined) sequence.skip(numbered.route, check(numbered));
    },
    next: sequence.next,
  };
}

/** What a notification says of its place; undefined where it says nothing that can be read. */
export function numberedIn(params: JsonObject): Numbered | undefined {
  const given = objectOf(params['_meta'])[META.sequence];
  if (given === undefined || !isJsonObject(given)) return undefined;
  const { route, number, call } = given;
  if (!Number.isSafeInteger(number) || Number(number) < 1 || !isRoute(route)) return undefined;
  if (call !== undefined && typeof call !== 'number' && typeof call !== 'string') return undefined;
  return { route, number: Number(number), ...(call === undefined ? {} : { call }) };
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
