// Which nodes one question has reached through others, which node hears which, and through which of them to try next. Bounded in nodes, hops and
// tries. No way visits a node twice: it only ever leads on from a node that was reached. Opens nothing.
import type { States } from '#measure/states.ts';
import type { PeerSession } from '#model/call.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerRecord, PeerTable } from '#model/peer.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Sessions } from './sessions.ts';

/** A node that was reached through others; none of them where it was over a link. */
export type Reached = { readonly session: PeerSession; readonly relays: readonly string[] };

export type RelayBook = {
  readonly reached: Map<string, Reached>;
  /** The open session, whatever way it takes; routing's comes first. */
  current(node: string): PeerSession | undefined;
  /** Nodes from here to a neighbour of `relay`, which is the last of them; undefined where there is no session with it. */
  wayTo(relay: string): readonly string[] | undefined;
  /** The next node to try, of those that were reached and not tried; the asked node itself for what it hears on a link. Those that were busy come last. */
  next(node: string, busy?: ReadonlySet<string>): string | undefined;
  noteTried(node: string, relay: string): void;
  /** The try was none: that node has no place now. */
  noteBusy(node: string, relay: string): void;
  /** It passed a connection on, and at its end was not the node: another address of it may be tried once. */
  noteAstray(node: string, relay: string): void;
  /** How often it was tried before, in vain. */
  turnOf(node: string, relay: string): number;
  /** Forgets the tries for a node whose session has ended, so that it may be opened in the same way again; a few times. */
  renew(node: string): void;
  /** Was asked for a connection to that node, and knows what that is. */
  wasAsked(node: string, relay: string): boolean;
  /** It hears no such node: it does not count among the tries. */
  noteUnknown(node: string, relay: string): void;
  /** An agent that passes no connections on, as those of earlier versions. */
  notePassesNone(relay: string): void;
  learn(states: States): void;
};

export function createRelayBook(parts: {
  /** The asked node. */
  readonly node: string;
  readonly peers: Pick<PeerTable, 'find'>;
  readonly sessions: Pick<Sessions, 'current'>;
}): RelayBook {
  const { node: home, peers, sessions } = parts;
  const reached = new Map<string, Reached>();
  /** Node → node through which it was tried → how often. */
  const tried = new Map<string, Map<string, number>>();
  const astray = new Set<string>();
  const renewed = new Map<string, number>();
  const everAsked = new Set<string>();
  /** For how many nodes each was asked: of those that are as near to a node, the one with the fewest comes first. */
  const asked = new Map<string, number>();
  const passesNone = new Set<string>();
  const unknown = new Map<string, number>();
  /** Node key → nodes that hear it on a port that is up. */
  const hearers = new Map<string, Set<string>>();
  const wayTo = (relay: string): readonly string[] | undefined => {
    if (relay === home) return [];
    if (sessions.current(relay) !== undefined) return [relay];
    const known = reached.get(relay);
    return known === undefined || known.session.closed ? undefined : [...known.relays, relay];
  };
  const load = (relay: string) => asked.get(relay) ?? 0;
  const candidates = (node: string): readonly string[] => {
    const hear = [...(hearers.get(nodeKey(node)) ?? [])].sort();
    return relaysOf(node, home, peers.find(node), hear, load);
  };
  return {
    reached,
    wayTo,
    current(node) {
      const known = reached.get(node)?.session;
      return sessions.current(node) ?? (known?.closed === false ? known : undefined);
    },
    next(node, busy) {
      const done = tried.get(node) ?? new Map<string, number>();
      const refusals = Math.min(unknown.get(node) ?? 0, AGENT_LIMITS.relayRefusals);
      if (reached.size >= AGENT_LIMITS.relayedNodes) return undefined;
      const open = candidates(node).filter((relay) => {
        const way = wayTo(relay);
        return way !== undefined && way.length <= AGENT_LIMITS.relayHops && !way.includes(node);
      });
      const fresh = done.size - refusals >= AGENT_LIMITS.relayTries ? [] : open.filter((relay) => !done.has(relay));
      const again = open.filter((relay) => done.get(relay) === 1 && astray.has(pairOf(node, relay)));
      return fresh.find((relay) => busy?.has(relay) !== true) ?? again[0] ?? fresh[0];
    },
    noteTried(node, relay) {
      const tries = tried.get(node) ?? new Map<string, number>();
      tried.set(node, tries.set(relay, (tries.get(relay) ?? 0) + 1));
      everAsked.add(pairOf(node, relay));
      asked.set(relay, (asked.get(relay) ?? 0) + 1);
    },
    noteBusy(node, relay) {
      const tries = tried.get(node);
      const left = (tries?.get(relay) ?? 0) - 1;
      if (left > 0) tries?.set(relay, left);
      else tries?.delete(relay);
      if (left <= 0) everAsked.delete(pairOf(node, relay));
      asked.set(relay, Math.max(0, load(relay) - 1));
    },
    noteAstray: (node, relay) => void astray.add(pairOf(node, relay)),
    turnOf: (node, relay) => Math.max(0, (tried.get(node)?.get(relay) ?? 0) - 1),
    renew(node) {
      const times = renewed.get(node) ?? 0;
      if (times >= AGENT_LIMITS.relayRenewals) return;
      renewed.set(node, times + 1);
      reached.delete(node);
      tried.delete(node);
      unknown.delete(node);
    },
    wasAsked: (node, relay) => everAsked.has(pairOf(node, relay)) && !passesNone.has(relay),
    noteUnknown: (node) => void unknown.set(node, (unknown.get(node) ?? 0) + 1),
    notePassesNone: (relay) => void passesNone.add(relay),
    learn(states) {
      for (const [hearer, { inventory, neighbours }] of states) {
        const up = new Set(inventory.interfaces.filter(({ operUp }) => operUp).map(({ name }) => name));
        for (const { ifname, systemName } of neighbours) {
          if (systemName === undefined || !up.has(ifname)) continue;
          const key = nodeKey(systemName);
          hearers.set(key, (hearers.get(key) ?? new Set()).add(hearer));
        }
      }
    },
  };
}

function pairOf(node: string, relay: string): string {
  return `${node} ${relay}`;
}

/** This node over its own link comes first, then those that hear it, then those that told of it, the nearest first. */
function relaysOf(
  node: string,
  home: string,
  record: PeerRecord | undefined,
  hearers: readonly string[],
  load: (relay: string) => number,
): readonly string[] {
  // A neighbour that announces no agent has none to be reached.
  if (record === undefined || [...record.hints, record.verified, record.remembered].every((each) => each === undefined))
    return [];
  const isHeard = record.hints.some(({ source }) => source === 'lldp');
  const told = record.hints
    .filter(({ source }) => source === 'peer-exchange')
    .toSorted((one, other) => one.hops - other.hops || load(one.toldBy ?? '') - load(other.toldBy ?? ''))
    .flatMap(({ toldBy }) => toldBy ?? []);
  const heard = hearers.filter((each) => each !== home).toSorted((one, other) => load(one) - load(other));
  return [...new Set([...(isHeard ? [home] : []), ...heard, ...told])].filter((each) => each !== node);
}
