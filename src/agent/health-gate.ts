// The health gate of a change: every adjacency that was up before must be proven alive after it, from this side and from the neighbours', over
// this agent's own sessions. An adjacency that is only still up proves nothing: it must outlive the hold time that was left.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { HealthGate } from '#model/configuration.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerTable } from '#model/peer.ts';
import type { Adjacency, RouterPort } from '#model/router-port.ts';
import type { Sessions } from './sessions.ts';

export type HealthGateParts = {
  readonly node: string;
  readonly router: RouterPort;
  readonly peers: PeerTable;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly newSessionId: () => string;
};

/** What is seen at one moment: seconds of hold time left, or undefined where none is known. */
type Seen = ReadonlyMap<string, number | undefined>;

type Proof = { readonly firstMs: number; readonly leftSeconds: number; proven: boolean; lastSeconds: number };

const POLL_MS = 500;
/** Where a neighbour does not tell its hold time: IS-IS's default, RFC 1195. */
const HOLD_SECONDS = 30;

export function createHealthGate(parts: HealthGateParts): HealthGate {
  return {
    async baseline(signal) {
      const { adjacencies, missing } = await parts.router.state(signal);
      const unseen = missing.find(({ part }) => part === 'adjacencies')?.reason;
      const own = adjacencies.filter(({ state }) => state === 'up').map((entry) => heldBy(parts.node, entry)[0]);
      const seen = await observe(parts, neighboursOf(parts, adjacencies), signal);
      // A second reading that fails takes nothing away from what the first has shown.
      const holds = [...new Set([...own, ...seen.keys()])].toSorted();
      return unseen === undefined ? { holds } : { holds, unseen };
    },
    async compare(baseline, signal) {
      const neighbours = baseline.holds.filter((key) => key.startsWith('session with ')).map((key) => key.slice(13));
      const proofs = new Map<string, Proof>();
      let missing: readonly string[] = baseline.holds;
      while (!signal.aborted) {
        const seen = await observe(parts, neighbours, signal);
        for (const key of baseline.holds) note(proofs, key, seen, parts.clock.monotonicMs());
        missing = baseline.holds.filter((key) => proofs.get(key)?.proven !== true);
        if (missing.length === 0) return [];
        await parts.clock.sleep(POLL_MS, signal).catch(() => {});
      }
      return missing.map((key) => `not proven: ${key}`);
    },
  };
}

/** Gone: forget what was proven. New: begin. Refreshed, or alive after all the hold time it had left: proven. */
function note(proofs: Map<string, Proof>, key: string, seen: Seen, nowMs: number): void {
  if (!seen.has(key)) {
    proofs.delete(key);
    return;
  }
  const leftSeconds = seen.get(key) ?? HOLD_SECONDS;
  const proof = proofs.get(key);
  if (proof === undefined) {
    proofs.set(key, { firstMs: nowMs, leftSeconds, proven: key.startsWith('session '), lastSeconds: leftSeconds });
    return;
  }
  if (leftSeconds > proof.lastSeconds || nowMs - proof.firstMs > (proof.leftSeconds + 1) * 1_000) proof.proven = true;
  proof.lastSeconds = leftSeconds;
}

function neighboursOf(parts: HealthGateParts, adjacencies: readonly Adjacency[]): readonly string[] {
  const known = adjacencies.flatMap(({ hostname }) =>
    hostname === undefined ? [] : [parts.peers.find(nodeKey(hostname))?.node],
  );
  return [...new Set(known.filter((node) => node !== undefined))];
}

async function observe(parts: HealthGateParts, neighbours: readonly string[], signal: AbortSignal): Promise<Seen> {
  const own = parts.router
    .state(signal)
    .then(({ adjacencies }) =>
      adjacencies.filter(({ state }) => state === 'up').map((entry) => heldBy(parts.node, entry)),
    );
  const others = neighbours.map((peer) => askNeighbour(parts, peer, signal));
  // A side that cannot be asked is missing from what is seen, which is what the gate is there to notice.
  const parted = await Promise.allSettled([own, ...others]);
  return new Map(parted.flatMap((part) => (part.status === 'fulfilled' ? part.value : [])));
}

function heldBy(node: string, { hostname, systemId, ifname, holdSeconds }: Adjacency): [string, number | undefined] {
  return [`${node} sees ${hostname ?? systemId} on ${ifname}`, holdSeconds];
}

async function askNeighbour(
  parts: HealthGateParts,
  peer: string,
  signal: AbortSignal,
): Promise<[string, number | undefined][]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.healthAskMs)]);
  const session = await parts.sessions.open(peer, limited);
  const call = {
    kind: 'tool',
    name: 'parley-node-state',
    arguments: {},
    sessionId: parts.newSessionId(),
    timeoutMs: LIMITS.healthAskMs,
    signal: limited,
  } as const;
  const { answer } = await session.call(call);
  if (answer.status !== 'answered') throw new Error(messageOf(answer.reason));
  const back = adjacenciesIn(answer.body).filter(
    ({ hostname, state }) => state === 'up' && hostname !== undefined && nodeKey(hostname) === nodeKey(parts.node),
  );
  return [[`session with ${peer}`, undefined], ...back.map((entry) => heldBy(peer, entry))];
}

/** Device text of a neighbour: only what has the right form counts. */
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
