// Which peers are due for a visit, and which of them is visited next. Peers that answered last time come first, so that an order reaches them
// at once. Of the others, names that were never proved cannot keep a proved one waiting. Decides only: peer-maintenance.ts visits.
import type { PeerRecord } from '#model/peer.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** `answered`: it answered the last visit. `proved`: it did not, but mutual TLS with it succeeded before. `claimed`: it never has. */
export type VisitKind = 'answered' | 'proved' | 'claimed';

/** What is remembered of the visits to one peer. */
export type PastVisits = {
  /** Monotonic time at which the last visit began; before the first visit, at which the peer was first seen. */
  sinceMs: number;
  hasAnswered: boolean;
  /** Due now, however short a time ago the last visit was. */
  isWanted: boolean;
};

export type VisitedPeer = { readonly record: PeerRecord; readonly past: PastVisits };

export type DueVisit = {
  readonly node: string;
  readonly kind: VisitKind;
  readonly dueAtMs: number;
  readonly past: PastVisits;
};

/** The visits that are due, longest due first. `peers` are all that are visited at all: how many are proved decides how often. */
export function dueVisits(peers: readonly VisitedPeer[], nowMs: number): readonly DueVisit[] {
  const refreshMs = refreshMsOf(peers.filter(({ record }) => record.verified !== undefined).length);
  return peers
    .map(({ record, past }): DueVisit => {
      const kind = kindOf(record, past);
      const dueAtMs = past.isWanted ? past.sinceMs : past.sinceMs + intervalMsOf(kind, refreshMs);
      return { node: record.node, kind, dueAtMs, past };
    })
    .filter(({ dueAtMs }) => dueAtMs <= nowMs)
    .sort((one, other) => one.dueAtMs - other.dueAtMs);
}

/**
 * The visit that begins next, beside those of the kinds `underWay`; undefined where none may begin. A silent peer holds its place for
 * seconds, so that some places stay free for peers that answered last time. The other two kinds take turns, and `before` had the last one: a
 * flood of claimed names that never answer leaves half of these places to proved peers, and many proved peers that are away leave half to new ones.
 */
export function nextVisit(
  due: readonly DueVisit[],
  underWay: readonly VisitKind[],
  before: VisitKind,
): DueVisit | undefined {
  if (underWay.length >= AGENT_LIMITS.peerVisits) return undefined;
  const first = (kind: VisitKind) => due.find((visit) => visit.kind === kind);
  const answered = first('answered');
  if (answered !== undefined) return answered;
  if (underWay.filter((kind) => kind !== 'answered').length >= AGENT_LIMITS.peerDoubtfulVisits) return undefined;
  return first(before === 'proved' ? 'claimed' : 'proved') ?? due[0];
}

function kindOf({ verified }: PeerRecord, { hasAnswered }: PastVisits): VisitKind {
  if (hasAnswered) return 'answered';
  return verified === undefined ? 'claimed' : 'proved';
}

/**
 * A proved peer that is away may come back at any time, and must not wait minutes for an order or a trust list then. It is not visited as often as
 * a claimed one: each visit in vain holds a place for seconds.
 */
function intervalMsOf(kind: VisitKind, refreshMs: number): number {
  if (kind === 'answered') return refreshMs;
  return kind === 'proved' ? AGENT_LIMITS.peerRefreshMs : AGENT_LIMITS.peerRetryMs;
}

/** Where all know each other, visits of all to all grow with the square of the network: the more peers, the less often each. */
function refreshMsOf(verifiedCount: number): number {
  const { peerRefreshMs, peerRefreshEachMs, peerRefreshLongestMs } = AGENT_LIMITS;
  return Math.max(peerRefreshMs, Math.min(verifiedCount * peerRefreshEachMs, peerRefreshLongestMs));
}
