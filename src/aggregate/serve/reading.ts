// Resources of one client: reading, links that came in results, and subscriptions, which several clients of one subserver share.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Caller } from '../leaf/events.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { META, objectOf } from '../names/capability.ts';
import type { Core } from '../tree/core.ts';
import { type Found, nameIn } from '../tree/resources.ts';
import type { Slot } from '../tree/slot.ts';
import { type Answer, errorAnswer, type IncomingRequest, resultAnswer } from '../wire/message.ts';
import { passOn } from './prompts.ts';

export type Reading = {
  read(request: IncomingRequest, signal: AbortSignal, caller: Caller): Promise<Answer>;
  subscribe(request: IncomingRequest, signal: AbortSignal, caller: Caller): Promise<Answer>;
  unsubscribe(request: IncomingRequest, signal: AbortSignal, caller: Caller): Promise<Answer>;
  /** The resource that is meant by `uri`, and by the route in `_meta` where one stands there. */
  find(params: JsonObject): Found | undefined;
  /** What scopes of tokens call the resource that is asked for: its URI, as the list of the whole tree has it. */
  nameOf(params: JsonObject): string;
  /** Keeps which subserver the links of a result came from. */
  remember(answer: Answer, slot: Slot | undefined): void;
  /** What this client calls a resource that it has subscribed to; undefined where it has not. */
  subscribedAs(slot: Slot, uri: string): string | undefined;
  end(): void;
};

/** Clients that have subscribed to a resource of a slot: the subserver is told once for all of them. */
const SUBSCRIBERS = new WeakMap<Slot, Map<string, Set<object>>>();

/** `mount`: the client sees nothing else than what lies below it. */
export function createReading(core: Core, client: object, mount: () => string | undefined): Reading {
  const links = new Map<string, Slot>();
  const subscriptions = new Map<string, Found>();
  const find = (params: JsonObject): Found | undefined => {
    const uri = String(params['uri']);
    const resources = core.resources(mount());
    const route: JsonValue | undefined = objectOf(params['_meta'])[META.route];
    if (Array.isArray(route)) return resources.along(route.map(String), uri);
    // A server that could name another one's resource in a link would be read in its place from then on.
    const named = resources.named(uri);
    if (named !== undefined) return named;
    const linked = links.get(uri);
    return linked !== undefined && core.slots.get(linked.segment) === linked
      ? { slot: linked, uri }
      : resources.find(uri);
  };
  const pass = (request: IncomingRequest, found: Found, signal: AbortSignal, caller: Caller) => {
    const paramsText = withMember(memberText(request.text, 'params') ?? '{}', 'uri', JSON.stringify(found.uri));
    return passOn(found.slot, { method: request.method, paramsText, params: request.params }, signal, caller);
  };
  const leave = (uri: string, { slot, uri: own }: Found): boolean => {
    subscriptions.delete(uri);
    const clients = SUBSCRIBERS.get(slot)?.get(own);
    clients?.delete(client);
    if (clients === undefined || clients.size > 0) return false;
    SUBSCRIBERS.get(slot)?.delete(own);
    return true;
  };
  return {
    async read(request, signal, caller) {
      const found = find(request.params);
      return found === undefined ? noSuchResource(request.params) : pass(request, found, signal, caller);
    },
    async subscribe(request, signal, caller) {
      const uri = String(request.params['uri']);
      const found = find(request.params);
      if (found === undefined) return noSuchResource(request.params);
      if (subscriptions.size >= AGGREGATE_LIMITS.aggregatedSubscriptions)
        return errorAnswer(WIRE_CODES.busy, 'Too many subscriptions');
      const answer = await pass(request, found, signal, caller);
      if (answer.kind === 'error') return answer;
      subscriptions.set(uri, found);
      const ofSlot = SUBSCRIBERS.get(found.slot) ?? new Map<string, Set<object>>();
      SUBSCRIBERS.set(found.slot, ofSlot);
      ofSlot.set(found.uri, (ofSlot.get(found.uri) ?? new Set()).add(client));
      return answer;
    },
    async unsubscribe(request, signal, caller) {
      const uri = String(request.params['uri']);
      const found = subscriptions.get(uri);
      if (found === undefined) return resultAnswer({});
      return leave(uri, found) ? pass(request, found, signal, caller) : resultAnswer({});
    },
    find,
    nameOf(params) {
      const found = find(params);
      return found === undefined ? String(params['uri']) : nameIn(core.resources(), found);
    },
    remember(answer, slot) {
      if (slot === undefined || answer.kind !== 'result' || !answer.text.includes('"resource')) return;
      for (const uri of linksIn(JSON.parse(answer.text) as JsonValue)) {
        links.delete(uri);
        links.set(uri, slot);
        const oldest = links.keys().next().value;
        if (links.size > AGGREGATE_LIMITS.links && oldest !== undefined) links.delete(oldest);
      }
    },
    subscribedAs(slot, uri) {
      for (const [asked, found] of subscriptions) if (found.slot === slot && found.uri === uri) return asked;
      return undefined;
    },
    end() {
      for (const [uri, found] of [...subscriptions]) {
        if (leave(uri, found))
          found.slot.subserver?.request({
            method: 'resources/unsubscribe',
            paramsText: JSON.stringify({ uri: found.uri }),
            timeoutMs: AGGREGATE_LIMITS.upkeepMs,
            caller: undefined,
          });
      }
    },
  };
}

function noSuchResource(params: JsonObject): Answer {
  return errorAnswer(WIRE_CODES.resourceNotFound, 'Resource not found', { uri: String(params['uri']).slice(0, 1_024) });
}

function linksIn(result: JsonValue): readonly string[] {
  const content = isJsonObject(result) ? result['content'] : undefined;
  return (Array.isArray(content) ? (content as readonly JsonValue[]) : []).flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const uri = item['type'] === 'resource_link' ? item['uri'] : objectOf(item['resource'])['uri'];
    return typeof uri === 'string' ? [uri] : [];
  });
}
