// Names that servers on a node's ports gave, to this node when it asked or to others as it passed by, and those that they no longer give.
// A name counts as lost where the client that was given it before gets it no more. A name that other clients get and this node does not
// may not be meant for this node: it is kept apart, until the server is seen to give it to this node after it denied it. Bounded; of
// names only these leave the node.
import { LIMITS } from '#base/limits.ts';
import type { HeardName, LostName } from '#model/router/host-history.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type KeptNames = {
  /** Names that were given, or no longer, since the call before; in the order of the calls. */
  heard(names: readonly HeardName[], atMs: number): void;
  /** This node asked for it. */
  asked(name: HeardName, found: boolean, atMs: number): void;
  all(): readonly HeardName[];
  lost(nowMs: number): readonly LostName[];
  forget(nowMs: number): void;
};

type Kept = Pick<HeardName, 'ifname' | 'address' | 'name'> & {
  /** To this node itself. */
  okMs?: number | undefined;
  lostMs?: number | undefined;
  /** To any client. */
  givenMs: number;
  /** When a client that had been given it got the answer that there is none. */
  takenMs?: number | undefined;
  /** When this node was told so, which had never been given it. */
  deniedMs?: number | undefined;
};

export function createKeptNames(): KeptNames {
  const kept = new Map<string, Kept>();
  /** Servers that give others what they do not give this node. */
  const choosy = new Set<string>();
  let lastHeardMs = 0;
  return {
    heard(names, atMs) {
      for (const { taken, ...name } of names) {
        const known = kept.get(keyOf(name)) ?? added(kept, name, atMs);
        if (known === undefined) continue;
        if (taken) {
          known.takenMs = atMs;
          continue;
        }
        // Given since the call before: surely after this node was denied it, when that is longer ago.
        if (known.deniedMs !== undefined && known.deniedMs <= lastHeardMs) choosy.add(serverOf(known));
        back(known);
        known.givenMs = atMs;
      }
      lastHeardMs = atMs;
      for (const server of choosy)
        if (![...kept.values()].some((each) => serverOf(each) === server)) choosy.delete(server);
    },
    asked(name, found, atMs) {
      const known = kept.get(keyOf(name));
      if (known === undefined) return;
      if (found) {
        back(known);
        known.okMs = atMs;
        known.deniedMs = undefined;
      } else if (known.okMs !== undefined) known.lostMs = atMs;
      else known.deniedMs = atMs;
    },
    all: () => [...kept.values()].map(({ ifname, address, name }) => ({ ifname, address, name })),
    lost: (nowMs) => [...kept.values()].flatMap((each) => lostOf(each, choosy.has(serverOf(each)), nowMs)),
    forget(nowMs) {
      for (const [key, each] of kept) {
        const lostMs = each.takenMs ?? each.lostMs;
        if (lostMs !== undefined && nowMs - lostMs > DRIVER_LIMITS.historyMs) kept.delete(key);
      }
    },
  };
}

function lostOf(each: Kept, choosy: boolean, nowMs: number): readonly LostName[] {
  const { ifname, address, name, okMs, lostMs, givenMs, takenMs, deniedMs } = each;
  const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
  const told = (knownMs: number, atMs: number) => ({
    ...{ ifname, address, name },
    okAgoMs: ago(knownMs),
    lostAgoMs: ago(atMs),
  });
  if (okMs !== undefined && lostMs !== undefined) return [told(okMs, lostMs)];
  if (takenMs !== undefined) return [told(Math.max(givenMs, okMs ?? 0), takenMs)];
  if (deniedMs === undefined || choosy || nowMs - givenMs > DRIVER_LIMITS.historyMs) return [];
  return [{ ...told(givenMs, deniedMs), othersOnly: true }];
}

/** It is given again: that it was not for a while stays known. */
function back(each: Kept): void {
  if (each.takenMs === undefined) return;
  each.lostMs = each.takenMs;
  each.takenMs = undefined;
}

function added(kept: Map<string, Kept>, name: HeardName, atMs: number): Kept | undefined {
  if (kept.size >= LIMITS.dnsRecords) {
    const oldest = [...kept].find(([, { lostMs, takenMs }]) => lostMs === undefined && takenMs === undefined)?.[0];
    if (oldest === undefined) return undefined;
    kept.delete(oldest);
  }
  const entry: Kept = { ifname: name.ifname, address: name.address, name: name.name, givenMs: atMs };
  kept.set(keyOf(name), entry);
  return entry;
}

function keyOf({ ifname, address, name }: HeardName): string {
  return `${ifname} ${address} ${name}`;
}

function serverOf({ ifname, address }: Kept): string {
  return `${ifname} ${address}`;
}
