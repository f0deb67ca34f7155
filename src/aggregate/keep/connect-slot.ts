// Opens a subserver's session for a slot and keeps its lists fresh: on its word, and every minute. What it says is passed to the listeners.
import { STOPPED } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { SubserverEvents } from '../leaf/events.ts';
import type { OfferKind } from '../leaf/offers.ts';
import { openSubserver, type Subserver } from '../leaf/subserver.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Core, Listener } from '../tree/core.ts';
import type { Slot } from '../tree/slot.ts';
import type { Link } from '../wire/link.ts';
import type { Answer, IncomingRequest } from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';

export type ConnectInit = {
  readonly ended: (reason: string | undefined) => void;
  readonly agreed?: (version: string) => void;
  /** Requests of the other side beside those of MCP. */
  readonly more?: (request: IncomingRequest) => Promise<Answer | undefined>;
};

export type Connection = { readonly subserver: Subserver; close(reason: string): void };

/** Rejects as `openSubserver` does. */
export async function connectSlot(core: Core, slot: Slot, link: Link | Peer, init: ConnectInit): Promise<Connection> {
  const stopped = new AbortController();
  const stale = new Set<OfferKind>();
  let refreshing = false;
  let opened: Subserver | undefined;
  /** One refresh at a time; what changes meanwhile is read again after it. */
  const refresh = async () => {
    if (refreshing || opened === undefined) return;
    refreshing = true;
    while (stale.size > 0 && !stopped.signal.aborted) {
      const kinds = [...stale];
      stale.clear();
      const before = JSON.stringify(opened.offers);
      await opened
        .refresh(kinds)
        .catch((error) =>
          core.log.warn('the lists of a subserver cannot be read', { segment: slot.segment, reason: messageOf(error) }),
        );
      if (before !== JSON.stringify(opened.offers)) core.touched(kinds);
    }
    refreshing = false;
  };
  const subserver = await openSubserver(
    link,
    {
      clock: core.clock,
      segment: slot.segment,
      ...(init.agreed === undefined ? {} : { agreed: init.agreed }),
      ...(init.more === undefined ? {} : { more: init.more }),
    },
    {
      changed(kind) {
        stale.add(kind);
        void refresh();
      },
      ...eventsFor(core, slot),
      doubted: () => opened !== undefined && void check(opened, stopped.signal),
      ended(reason) {
        stopped.abort(STOPPED);
        init.ended(reason);
      },
    },
  );
  opened = subserver;
  slot.up(subserver);
  void upkeep(core, subserver, stopped.signal, () => {
    for (const kind of ['tools', 'resources', 'templates', 'prompts'] as const) stale.add(kind);
    void refresh();
  });
  return { subserver, close: (reason) => subserver.close(reason) };
}

/** What a subserver says goes to each listener, which decides whether its client hears it. */
function eventsFor(
  { listeners }: Core,
  slot: Slot,
): Pick<SubserverEvents, 'log' | 'updated' | 'told' | 'lost' | 'overflowed'> {
  const each = (tell: (listener: Listener) => void) => {
    for (const listener of listeners) tell(listener);
  };
  return {
    log: (params, route) => each((listener) => listener.log(params, route)),
    updated: (paramsText, uri, route) => each((listener) => listener.updated({ slot, paramsText, uri, route })),
    told(method, params, route) {
      const withSegment = withRoute(params, slot.segment);
      each((listener) => listener.told(method, withSegment, route));
    },
    lost: (route, count) => each((listener) => listener.lost(route, count)),
    overflowed: (overflow) => each((listener) => listener.overflowed(overflow)),
  };
}

/**
 * A ping that is not answered ends the session: its owner opens another. One that is refused, as for a token that does not hold, ends it when no
 * call is open: those go on that were taken before.
 */
async function check(subserver: Subserver, signal: AbortSignal): Promise<void> {
  try {
    await subserver.ping();
  } catch (error) {
    const isRefused = error instanceof ParleyError && error.data['code'] !== WIRE_CODES.timeout;
    if (signal.aborted || (isRefused && subserver.openCalls > 0)) return;
    subserver.close(`no answer to a ping: ${messageOf(error)}`);
  }
}

async function upkeep(core: Core, subserver: Subserver, signal: AbortSignal, relist: () => void): Promise<void> {
  let listedMs = core.clock.monotonicMs();
  try {
    while (!signal.aborted) {
      await check(subserver, signal);
      await core.clock.sleep(AGGREGATE_LIMITS.pingMs, signal);
      if (core.clock.monotonicMs() - listedMs < AGGREGATE_LIMITS.listAgeMs) continue;
      listedMs = core.clock.monotonicMs();
      relist();
    }
  } catch {
    // The session has ended.
  }
}

function withRoute(params: JsonObject, segment: string): JsonObject {
  const below = params['route'];
  return { ...params, route: [segment, ...(Array.isArray(below) ? below : [])] };
}
