// What a node remembers of the hosts on its ports: looks that were not as usual, asks for somebody off the link, names that a server
// gave and later did not. Bounded in number and age; of names only those that were lost ever leave the node.
import { LIMITS } from '#base/limits.ts';
import { isInside } from '#model/station-places.ts';
import type { KnockResult } from '#model/stations.ts';
import type { FarAsk, HeardAsk, HeardName, LookedPort, WatchedHosts } from '#model/watched-hosts.ts';
import { type Look, oddPartOf, type WatchedPort } from './host-oddities.ts';

export type HostRing = {
  /** What passed by since the last time. */
  heard(
    heard: { readonly asks: readonly HeardAsk[]; readonly names: readonly HeardName[] },
    ports: readonly WatchedPort[],
    atMs: number,
  ): void;
  /** A look at hosts; `tried` when services were tried as well. */
  looked(look: Look, tried: boolean, atMs: number): void;
  /** A server was asked for a name of its own. */
  named(name: HeardName, found: boolean, atMs: number): void;
  /** Names to ask servers for. */
  names(): readonly HeardName[];
  watched(nowMs: number, withPast: boolean): WatchedHosts;
};

type KeptLook = {
  readonly fromMs: number;
  untilMs: number;
  readonly mark: string;
  ports: readonly LookedPort[];
  tries: readonly KnockResult[];
};
type KeptName = HeardName & { okMs: number | undefined; lostMs: number | undefined };
type KeptAsk = Omit<FarAsk, 'agoMs'> & { readonly atMs: number };

/** Looks farther apart than this are not one after another. */
const GAP_MS = LIMITS.hostLookMs * 3;

export function createHostRing(): HostRing {
  let looks: KeptLook[] = [];
  const asks = new Map<string, KeptAsk>();
  const names = new Map<string, KeptName>();
  const hosts = createSpan();
  const services = createSpan();
  return {
    heard(heard, ports, atMs) {
      for (const ask of heard.asks) {
        const networks = ports.find(({ ifname }) => ifname === ask.ifname)?.networks ?? [];
        if (isFar(ask, networks)) keepAsk(asks, ask, atMs);
      }
      for (const name of heard.names) {
        const key = `${name.ifname} ${name.address} ${name.name}`;
        if (names.has(key)) continue;
        makeRoom(names, LIMITS.heardNames, ({ lostMs }) => lostMs === undefined);
        if (names.size < LIMITS.heardNames) names.set(key, { ...name, okMs: undefined, lostMs: undefined });
      }
    },
    looked(look, tried, atMs) {
      hosts.at(atMs);
      if (tried) services.at(atMs);
      const odd = oddPartOf(look);
      const last = looks.at(-1);
      if (odd !== undefined && last?.mark === odd.mark && atMs - last.untilMs <= GAP_MS)
        Object.assign(last, { ...odd, untilMs: atMs });
      else if (odd !== undefined) looks.push({ ...odd, fromMs: atMs, untilMs: atMs });
      looks = looks.filter(({ untilMs }) => atMs - untilMs <= LIMITS.historyMs).slice(-LIMITS.hostLooks);
      for (const [key, ask] of asks) if (atMs - ask.atMs > LIMITS.historyMs) asks.delete(key);
      for (const [key, { lostMs }] of names)
        if (lostMs !== undefined && atMs - lostMs > LIMITS.historyMs) names.delete(key);
    },
    named({ ifname, address, name }, found, atMs) {
      const kept = names.get(`${ifname} ${address} ${name}`);
      if (kept === undefined) return;
      if (found) kept.okMs = atMs;
      // What it never gave us it may give others only: views, lists of who may ask.
      else if (kept.okMs !== undefined) kept.lostMs = atMs;
    },
    names: () => [...names.values()].map(({ ifname, address, name }) => ({ ifname, address, name })),
    watched(nowMs, withPast) {
      const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
      return {
        ...hosts.told('hostsMs', nowMs),
        ...services.told('servicesMs', nowMs),
        asks: [...asks.values()].map(({ atMs, ...ask }) => ({ ...ask, agoMs: ago(atMs) })),
        names: [...names.values()].flatMap(({ okMs, lostMs, ...name }) =>
          okMs === undefined || lostMs === undefined ? [] : [{ ...name, okAgoMs: ago(okMs), lostAgoMs: ago(lostMs) }],
        ),
        ...(withPast
          ? {
              looks: looks
                .map(({ fromMs, untilMs, ports, tries }) => ({
                  ...{ fromAgoMs: ago(fromMs), untilAgoMs: ago(untilMs) },
                  ports,
                  tries,
                }))
                .reverse(),
            }
          : {}),
      };
    },
  };
}

/** Addresses that are never a neighbour's: what hosts look for there says nothing of their mask. */
const NOBODY = /^(?:0|127|169\.254|22[4-9]|23\d|24\d|25[0-5])\./;

function isFar({ sender, target }: HeardAsk, networks: WatchedPort['networks']): boolean {
  return (
    !NOBODY.test(target) &&
    networks.some((network) => isInside(network, sender)) &&
    !networks.some((network) => isInside(network, target))
  );
}

function keepAsk(asks: Map<string, KeptAsk>, ask: HeardAsk, atMs: number): void {
  const key = JSON.stringify([ask.ifname, ask.mac, ask.sender, ask.target]);
  const count = (asks.get(key)?.count ?? 0) + 1;
  asks.delete(key);
  makeRoom(asks, LIMITS.heardAsks, () => true);
  asks.set(key, { ...ask, count, atMs });
}

/** The oldest that may go makes room for one more. */
function makeRoom<T>(kept: Map<string, T>, most: number, mayGo: (entry: T) => boolean): void {
  if (kept.size < most) return;
  const oldest = [...kept].find(([, entry]) => mayGo(entry))?.[0];
  if (oldest !== undefined) kept.delete(oldest);
}

/** Since when something was done without a gap. */
function createSpan() {
  let [firstMs, lastMs]: readonly [number | undefined, number] = [undefined, 0];
  return {
    at(atMs: number): void {
      if (firstMs === undefined || atMs - lastMs > GAP_MS) firstMs = atMs;
      lastMs = atMs;
    },
    told<N extends string>(name: N, nowMs: number): { readonly [K in N]?: number } {
      const going = firstMs !== undefined && nowMs - lastMs <= GAP_MS;
      return (going ? { [name]: Math.min(Math.round(nowMs - firstMs!), LIMITS.historyMs) } : {}) as {
        [K in N]?: number;
      };
    },
  };
}
