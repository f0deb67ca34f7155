// Who hears what of a subserver: the client behind a call, or all who listen.
import type { JsonObject } from '#base/json.ts';
import type { Route } from '../notify/sequence.ts';
import type { Answer } from '../wire/message.ts';
import type { OfferKind } from './offers.ts';

/** Who stands behind a call to a subserver. */
export type Caller = {
  /** The same object for all calls of one client. */
  readonly client: object;
  /** A question of the subserver to the client. */
  ask(method: string, paramsText: string): Promise<Answer>;
  /** `paramsText` has the subserver's progress token; `route` leads to the server that spoke. */
  progress(paramsText: string, route: Route): void;
  log(params: JsonObject, route: Route): void;
  /** So many notifications of this call are lost. */
  lost(route: Route, count: number): void;
};

export type SubserverEvents = {
  /** One of its lists is another now. */
  changed(kind: OfferKind): void;
  /** For all clients: no call of one client is the cause. */
  log(params: JsonObject, route: Route): void;
  updated(paramsText: string, uri: string, route: Route): void;
  /** Anything else, such as what aggregators tell each other. */
  told(method: string, params: JsonObject, route: Route): void;
  /** So many of those that belong to no call are lost. */
  lost(route: Route, count: number): void;
  overflowed(overflow: Overflow): void;
  /** It may be gone: a ping shows it. */
  doubted(): void;
  ended(reason: string | undefined): void;
};

/** `dropped`: all that are lost, here or on the way here; `ofCalls`: those among them that belonged to a call. */
export type Overflow = { readonly route: Route; readonly dropped: number; readonly ofCalls: number };
