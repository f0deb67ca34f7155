// What passed on a node's ports of how hosts got their addresses, put together: what was offered for which network, when a host refused for its
// server, and whose questions stay unanswered. Which host asked is known for as long as its question is open, and never told. Bounded
// in number and age; what is oldest goes.
import { LIMITS } from '#base/limits.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { DhcpSign, PassedOffer, WatchedDhcp } from '#model/router/dhcp-history.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

type Ages<T> = Omit<T, 'fromAgoMs' | 'untilAgoMs'> & { readonly fromMs: number; untilMs: number };
/** `ended`: it has given something since. */
type Refusals = {
  readonly ifname: string;
  readonly server: string;
  readonly fromMs: number;
  untilMs: number;
  ended: boolean;
};
type Client = { readonly ifname: string; asked: number };

/** A client that asks as often as this with one transaction was not answered. */
const IN_VAIN = 2;
/** Refusals farther apart than this are not of one time. */
const GAP_MS = 15_000;

export type DhcpMemory = {
  add(signs: readonly DhcpSign[], atMs: number): void;
  /** Ports whose hosts have asked in vain since the last time, with servers that hosts there chose before. */
  inVain(): readonly { readonly ifname: string; readonly servers: readonly string[] }[];
  /** What servers said when they were asked because of that. */
  asked(answers: readonly DhcpAnswer[], atMs: number): void;
  told(nowMs: number): WatchedDhcp;
};

export function createDhcpMemory(): DhcpMemory {
  const offers = new Map<string, Ages<PassedOffer>>();
  let refusals: Refusals[] = [];
  let doubts: { readonly atMs: number; readonly answers: readonly DhcpAnswer[] }[] = [];
  const clients = new Map<string, Client>();
  /** Servers that hosts of a port chose; who was chosen last is the last. */
  const chosen = new Map<string, { readonly ifname: string; readonly server: string }>();

  const refused = (ifname: string, server: string, atMs: number) => {
    const last = refusals.findLast((each) => each.ifname === ifname && each.server === server);
    if (last !== undefined && !last.ended && atMs - last.untilMs <= GAP_MS) last.untilMs = atMs;
    else
      refusals = [...refusals, { ifname, server, fromMs: atMs, untilMs: atMs, ended: false }].slice(
        -LIMITS.dhcpFailures,
      );
  };
  const add = (sign: DhcpSign, atMs: number) => {
    const { ifname } = sign;
    if (sign.what === 'offered') {
      keepOffer(offers, sign, atMs);
      for (const each of refusals) if (each.server === sign.from) each.ended = true;
    } else if (sign.what === 'refused') refused(ifname, sign.server, atMs);
    else if (sign.what === 'asked') {
      const key = `${ifname} ${sign.transaction}`;
      push(clients, key, { ifname, asked: (clients.get(key)?.asked ?? 0) + 1 }, DRIVER_LIMITS.dhcpClients);
    } else {
      clients.delete(`${ifname} ${sign.transaction}`);
      push(chosen, `${ifname} ${sign.server}`, { ifname, server: sign.server }, DRIVER_LIMITS.dhcpClients);
    }
  };
  return {
    add(signs, atMs) {
      for (const sign of signs) add(sign, atMs);
      for (const [key, { untilMs }] of offers) if (atMs - untilMs > DRIVER_LIMITS.historyMs) offers.delete(key);
      refusals = refusals.filter(({ untilMs }) => atMs - untilMs <= DRIVER_LIMITS.historyMs);
      doubts = doubts.filter((doubt) => atMs - doubt.atMs <= DRIVER_LIMITS.historyMs);
    },
    inVain() {
      const waiting = [...clients].filter(([, { asked }]) => asked >= IN_VAIN);
      for (const [key] of waiting) clients.delete(key);
      return [...new Set(waiting.map(([, { ifname }]) => ifname))].map((ifname) => {
        const servers = [...chosen.values()].filter((each) => each.ifname === ifname).map(({ server }) => server);
        return { ifname, servers: servers.slice(-LIMITS.dhcpServers) };
      });
    },
    asked(answers, atMs) {
      doubts = [...doubts, { atMs, answers }].slice(-LIMITS.dhcpFailures);
    },
    told(nowMs) {
      const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
      const aged = <T extends { readonly fromMs: number; readonly untilMs: number }>({
        fromMs,
        untilMs,
        ...rest
      }: T) => ({
        ...rest,
        ...{ fromAgoMs: ago(fromMs), untilAgoMs: ago(untilMs) },
      });
      return {
        offers: [...offers.values()].map(aged),
        refusals: refusals.map(({ ended: _ended, ...each }) => aged(each)),
        doubts: doubts.map(({ atMs, answers }) => ({ agoMs: ago(atMs), answers })),
      };
    },
  };
}

/** Which address it was matters as little as whose it is: of one network it is the same offer. */
function keepOffer(
  offers: Map<string, Ages<PassedOffer>>,
  { what: _what, ...offer }: Extract<DhcpSign, { what: 'offered' }>,
  atMs: number,
): void {
  const { address, ...rest } = offer;
  const key = JSON.stringify([rest, address.split('.').slice(0, 3)]);
  push(offers, key, { ...offer, fromMs: offers.get(key)?.fromMs ?? atMs, untilMs: atMs }, LIMITS.observedOffers);
}

/** As the last one; the first makes room. */
function push<T>(kept: Map<string, T>, key: string, entry: T, most: number): void {
  kept.delete(key);
  if (kept.size >= most) kept.delete(kept.keys().next().value!);
  kept.set(key, entry);
}
