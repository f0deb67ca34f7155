// Keeps this node's view of its peers current between questions: opens sessions with known peers, reads their peer tables, closes idle
// sessions. Slow on purpose, as an agent must not load the network that it monitors; only an order makes it visit all peers at once.
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { askForPeers, type FindParts } from './find-nodes.ts';
import { type DueVisit, dueVisits, nextVisit, type PastVisits, type VisitKind } from './visit-order.ts';

export type PeerMaintenanceParts = FindParts & { readonly log: Log; readonly newSessionId: () => string };

export type PeerMaintenance = Part & {
  /** Begins to visit every peer now. A peer that is being visited is visited once more after that. */
  readonly visitAll: () => void;
};

export function createPeerMaintenance(parts: PeerMaintenanceParts): PeerMaintenance {
  const { clock, log, sessions } = parts;
  const ended = new AbortController();
  const visits = createVisits(parts, ended.signal);
  let isStarted = false;
  let loop: Promise<void> = Promise.resolve();

  const run = async () => {
    while (!ended.signal.aborted) {
      visits.look();
      await sessions
        .closeIdle()
        .catch((error) => log.warn('idle sessions could not be closed', { reason: messageOf(error) }));
      await clock.sleep(AGENT_LIMITS.peerVisitMs, ended.signal).catch(() => {});
    }
  };
  return {
    name: 'peer maintenance',
    visitAll: () => {
      visits.wantAll();
      // Before the start every peer is new, and is due at the start.
      if (isStarted) visits.look();
    },
    start: async () => {
      isStarted = true;
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
      await visits.settled();
      await sessions.close();
    },
  };
}

/** Visits under way, and what is remembered of those before; begins none after the end. */
function createVisits(parts: PeerMaintenanceParts, ended: AbortSignal) {
  const { clock, log } = parts;
  const pastOf = new Map<string, PastVisits>();
  const underWay = new Map<string, { readonly kind: VisitKind; readonly done: Promise<void> }>();
  let due: readonly DueVisit[] = [];
  /** Of the last visit to a peer that had not answered. */
  let before: VisitKind = 'claimed';

  const visit = async ({ node, past }: DueVisit): Promise<void> => {
    past.sinceMs = clock.monotonicMs();
    past.isWanted = false;
    try {
      const question = { sessionId: parts.newSessionId(), asker: OWN_UPKEEP, askedBy: `node/${parts.node}` };
      past.hasAnswered = (await askForPeers(parts, node, question, ended)) === 'answered';
    } catch (error) {
      past.hasAnswered = false;
      log.warn('a visit to a peer failed', { peer: node, reason: messageOf(error) });
    }
  };
  /** A few at a time: no burst of handshakes after a restart, and none twice at once. */
  const fill = () => {
    while (!ended.aborted) {
      const free = due.filter(({ node }) => !underWay.has(node));
      const kinds = [...underWay.values()].map(({ kind }) => kind);
      const next = nextVisit(free, kinds, before);
      if (next === undefined) return;
      due = due.filter((other) => other !== next);
      if (next.kind !== 'answered') before = next.kind;
      const done = visit(next).finally(() => {
        underWay.delete(next.node);
        fill();
      });
      underWay.set(next.node, { kind: next.kind, done });
    }
  };
  return {
    /** Begins what is due and has a place; what has none follows as places become free. */
    look() {
      const records = parts.peers.list();
      const nowMs = clock.monotonicMs();
      const known = new Set(records.map(({ node }) => node));
      for (const node of pastOf.keys()) if (!known.has(node) && !underWay.has(node)) pastOf.delete(node);
      const visited = records.filter(({ node, hints }) => node !== parts.node && hints.length > 0);
      const peers = visited.map((record) => {
        const past = pastOf.get(record.node) ?? { sinceMs: nowMs, hasAnswered: false, isWanted: true };
        pastOf.set(record.node, past);
        return { record, past };
      });
      due = dueVisits(peers, nowMs);
      fill();
    },
    wantAll() {
      for (const past of pastOf.values()) past.isWanted = true;
    },
    async settled() {
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}
