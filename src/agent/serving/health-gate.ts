// The health gate of a change: every adjacency and routing session that was up before the change must be proven alive after it, from this
// side and from the neighbours' side. Being still up proves nothing: a packet must have arrived since, or the hold time must have passed.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerTable } from '#model/peer.ts';
import type { HealthGate, HealthVerdict } from '#model/router/configuration.ts';
import type { Adjacency, NodeState, RouterPort, StateParts } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Sessions } from '../sessions/sessions.ts';
import {
  adjacencyIndicator,
  type Indicator,
  type Indicators,
  indicatorsOf,
  isConfiguredAway,
  unseenIn,
} from './health-indicators.ts';

export type HealthGateParts = {
  readonly node: string;
  readonly router: RouterPort;
  readonly peers: PeerTable;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly newSessionId: () => string;
};

type Proof = { readonly firstMs: number; readonly leftSeconds: number; proven: boolean; lastSeconds: number };

/** One observation, and this node's own state if it could be read. */
type Seen = { readonly indicators: Indicators; readonly state: NodeState | undefined };

const POLL_MS = 500;
/** Used if a neighbour does not report its hold time: the default of IS-IS, RFC 1195. */
const HOLD_SECONDS = 30;
/** A node reports the age of the last packet in whole seconds. */
const HEARD_GRAIN_MS = 1_000;
/** Observed from one end only, with timers that may exceed the gate's wait. */
const SLOW = /^(BGP|OSPF|OSPFv3|BFD) with | is up$/;

export function createHealthGate(parts: HealthGateParts): HealthGate {
  return {
    async baseline(signal) {
      const state = await parts.router.state(signal, 'all');
      const unseen = unseenIn(state);
      const seen = await observe(parts, neighboursOf(parts, state.adjacencies), 'all', signal);
      // If the second reading fails, the first one still counts.
      const indicators = new Map([...indicatorsOf(parts.node, state), ...seen.indicators]);
      const holds = [...indicators].filter(([, indicator]) => !indicator.isOff).map(([key]) => key);
      return unseen === undefined ? { holds: holds.toSorted() } : { holds: holds.toSorted(), unseen };
    },
    async compare({ holds }, signal) {
      const neighbours = holds.filter((key) => key.startsWith('session with ')).map((key) => key.slice(13));
      // The whole state takes several times as long to read.
      const depth = holds.some((key) => SLOW.test(key)) ? 'all' : 'wire';
      const proofs = new Map<string, Proof>();
      let verdict: HealthVerdict = { missing: holds.map(notProven), unproven: [] };
      while (!signal.aborted) {
        const seen = await observe(parts, neighbours, depth, signal);
        // A reading that the deadline cut short proves nothing.
        if (signal.aborted) break;
        for (const key of holds) note(proofs, key, seen.indicators.get(key), parts.clock.monotonicMs());
        const open = holds.filter((key) => proofs.get(key)?.proven !== true);
        verdict = judged(open, seen);
        if (open.every((key) => isOff(key, seen))) return verdict;
        await parts.clock.sleep(POLL_MS, signal).catch(() => {});
      }
      return verdict;
    },
  };
}

function judged(open: readonly string[], seen: Seen): HealthVerdict {
  const off = open.filter((key) => isOff(key, seen));
  const slow = open.filter((key) => !off.includes(key) && SLOW.test(key) && seen.indicators.has(key));
  const missing = open.filter((key) => !off.includes(key) && !slow.includes(key));
  const unproven = [
    ...off.map((key) => `switched off by configuration: ${key}`),
    ...slow.map((key) => `still up, nothing heard yet: ${key}`),
  ];
  return { missing: missing.map(notProven), unproven };
}

function notProven(key: string): string {
  return `not proven: ${key}`;
}

function isOff(key: string, { indicators, state }: Seen): boolean {
  return (
    indicators.get(key)?.isOff === true || (state !== undefined && !indicators.has(key) && isConfiguredAway(key, state))
  );
}

/** Gone: forget the proof. New: start timing. A packet since, a refresh, or up for longer than the hold time that was left: proven. */
function note(proofs: Map<string, Proof>, key: string, indicator: Indicator | undefined, nowMs: number): void {
  if (indicator === undefined || indicator.isOff) {
    proofs.delete(key);
    return;
  }
  const leftSeconds = indicator.leftSeconds ?? HOLD_SECONDS;
  const proof = proofs.get(key);
  if (proof === undefined) {
    proofs.set(key, { firstMs: nowMs, leftSeconds, proven: indicator.isProof === true, lastSeconds: leftSeconds });
    return;
  }
  const sinceMs = nowMs - proof.firstMs;
  const isHeard = indicator.heardAgoMs !== undefined && indicator.heardAgoMs + HEARD_GRAIN_MS <= sinceMs;
  const isRefreshed = leftSeconds > proof.lastSeconds;
  if (isHeard || isRefreshed || sinceMs > (proof.leftSeconds + 1) * 1_000) proof.proven = true;
  proof.lastSeconds = leftSeconds;
}

function neighboursOf(parts: HealthGateParts, adjacencies: readonly Adjacency[]): readonly string[] {
  const known = adjacencies.flatMap(({ hostname }) =>
    hostname === undefined ? [] : [parts.peers.find(nodeKey(hostname))?.node],
  );
  return [...new Set(known.filter((node) => node !== undefined))];
}

async function observe(
  parts: HealthGateParts,
  neighbours: readonly string[],
  depth: StateParts,
  signal: AbortSignal,
): Promise<Seen> {
  const own = parts.router.state(signal, depth).catch(() => undefined);
  const others = neighbours.map((peer) => askNeighbour(parts, peer, signal));
  // A neighbour that cannot be reached is missing from the observation; the gate must notice that.
  const parted = await Promise.allSettled(others);
  const state = await own;
  const mine = state === undefined ? [] : indicatorsOf(parts.node, state);
  return {
    indicators: new Map([...mine, ...parted.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))]),
    state,
  };
}

async function askNeighbour(parts: HealthGateParts, peer: string, signal: AbortSignal): Promise<[string, Indicator][]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(AGENT_LIMITS.neighbourCheckMs)]);
  const session = await parts.sessions.open(peer, limited);
  const call = {
    kind: 'tool',
    name: 'parley-node-state',
    arguments: {},
    sessionId: parts.newSessionId(),
    asker: OWN_UPKEEP,
    timeoutMs: AGENT_LIMITS.neighbourCheckMs,
    signal: limited,
  } as const;
  const { answer } = await session.call(call);
  if (answer.status !== 'answered') throw new Error(messageOf(answer.reason));
  const back = adjacenciesIn(answer.body).filter(
    ({ hostname, state }) => state === 'up' && hostname !== undefined && nodeKey(hostname) === nodeKey(parts.node),
  );
  return [[`session with ${peer}`, { isProof: true }], ...back.map((entry) => adjacencyIndicator(peer, entry))];
}

/** Text of a neighbour's device: counts only if it has the expected form. */
function adjacenciesIn(body: JsonValue): readonly Adjacency[] {
  const rows = isJsonObject(body) ? body['adjacencies'] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.filter((row: JsonValue) => isJsonObject(row) && isAdjacency(row)) as unknown as readonly Adjacency[];
}

function isAdjacency({ ifname, systemId, state, hostname, holdSeconds }: JsonObject): boolean {
  const texts = [ifname, systemId, state].every((value) => typeof value === 'string');
  return (
    texts &&
    (hostname === undefined || typeof hostname === 'string') &&
    (holdSeconds === undefined || typeof holdSeconds === 'number')
  );
}
