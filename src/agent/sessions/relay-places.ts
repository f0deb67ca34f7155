// Places for connections that a node passes on: shared among the calling nodes, as their certificates name them, and among the askers of each; few for one
// far node until TLS with it stands, so that its own neighbours' handshakes find room there. Counts; opens nothing.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** The calling node, the node that it wants to reach, and on whose behalf. */
export type Wanted = { readonly caller: string; readonly node: string; readonly asker: string };

export type RelayPlace = {
  /** TLS with the far node goes on: the connection no longer counts as one that is being opened. */
  settle(): void;
  /** Gives the place back; more than once is harmless. */
  leave(): void;
  /** Counts bytes of the caller; false where it has had those of a minute. */
  mayPass(bytes: number): boolean;
};

/** Throws `caller/relay-budget`. */
export type TakePlace = (wanted: Wanted) => RelayPlace;

type Account = { bytes: number; openings: number; atMs: number };
type Taken = Wanted & { isOpening: boolean };

const MINUTE_MS = 60_000;

export function createRelayPlaces(clock: Pick<Clock, 'monotonicMs'>): TakePlace {
  const accounts = new Map<string, Account>();
  const taken = new Set<Taken>();
  const countOf = (isCounted: (each: Taken) => boolean) => [...taken].filter(isCounted).length;
  return (wanted) => {
    const { caller, node, asker } = wanted;
    const nowMs = clock.monotonicMs();
    for (const [name, each] of accounts) {
      refill(each, nowMs);
      if (each.bytes === 0 && each.openings === 0) accounts.delete(name);
    }
    const account = accounts.get(caller) ?? { bytes: 0, openings: 0, atMs: nowMs };
    const ofCaller = countOf((each) => each.caller === caller);
    // One caller gets half of all, two a third each: there is always room for the next.
    if (ofCaller >= AGENT_LIMITS.relayChannels - taken.size) throw over('a share of the relayed connections');
    if (countOf((each) => each.caller === caller && each.asker === asker) >= AGENT_LIMITS.relayChannelsPerAsker)
      throw over(`${AGENT_LIMITS.relayChannelsPerAsker} relayed connections of one asker`);
    const opening = [...taken].filter((each) => each.isOpening && each.node === node);
    if (opening.filter((each) => each.caller === caller).length >= AGENT_LIMITS.relayOpenings)
      throw over(`${AGENT_LIMITS.relayOpenings} connections of one caller being opened to ${node}`);
    if (opening.length >= AGENT_LIMITS.relayOpeningsToNode)
      throw over(`${AGENT_LIMITS.relayOpeningsToNode} connections being opened to ${node}`);
    if (account.openings >= AGENT_LIMITS.relayOpeningsPerMinute)
      throw over(`${AGENT_LIMITS.relayOpeningsPerMinute} relayed connections a minute for one node`);
    if (account.bytes >= AGENT_LIMITS.relayBytesPerMinute)
      throw over(`${AGENT_LIMITS.relayBytesPerMinute} bytes a minute for one node`);
    account.openings += 1;
    accounts.set(caller, account);
    const place: Taken = { ...wanted, isOpening: true };
    taken.add(place);
    return {
      settle() {
        place.isOpening = false;
      },
      leave: () => void taken.delete(place),
      mayPass(bytes) {
        // An account that was empty may have been forgotten meanwhile.
        const mine = accounts.get(caller) ?? account;
        accounts.set(caller, mine);
        refill(mine, clock.monotonicMs());
        mine.bytes += bytes;
        return mine.bytes <= AGENT_LIMITS.relayBytesPerMinute;
      },
    };
  };
}

/** What was used is forgotten evenly over a minute. */
function refill(account: Account, nowMs: number): void {
  const part = (nowMs - account.atMs) / MINUTE_MS;
  account.bytes = Math.max(0, account.bytes - part * AGENT_LIMITS.relayBytesPerMinute);
  account.openings = Math.max(0, account.openings - part * AGENT_LIMITS.relayOpeningsPerMinute);
  account.atMs = nowMs;
}

function over(most: string): ParleyError {
  return new ParleyError('caller/relay-budget', `expected at most ${most} at this node, got more: try again later`, {
    data: { wireCode: WIRE_CODES.busy, wireMessage: 'relay budget used up', retryPossible: true },
  });
}
