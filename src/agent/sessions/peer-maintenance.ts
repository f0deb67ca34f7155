// Keeps this node's view of its peers current between questions: opens sessions with known peers, reads their peer tables, closes idle
// sessions. Slow on purpose: an agent must not load the network that it monitors.
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import type { PeerRecord } from '#model/peer.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { askForPeers, type FindParts } from './find-nodes.ts';

export function createPeerMaintenance(
  parts: FindParts & { readonly log: Log; readonly newSessionId: () => string },
): Part & { /** The next visit is to every peer. */ readonly visitAll: () => void } {
  const ended = new AbortController();
  const askedAtMs = new Map<string, number>();
  let loop: Promise<void> = Promise.resolve();

  const isDue = (record: PeerRecord, nowMs: number, refreshMs: number): boolean => {
    const lastMs = askedAtMs.get(record.node);
    if (lastMs === undefined) return true;
    return nowMs - lastMs >= (record.verified ? refreshMs : AGENT_LIMITS.peerRetryMs);
  };
  const visitOne = async (node: string) => {
    askedAtMs.set(node, parts.clock.monotonicMs());
    await askForPeers(
      parts,
      node,
      { sessionId: parts.newSessionId(), asker: OWN_UPKEEP, askedBy: `node/${parts.node}` },
      ended.signal,
    );
  };
  /** A few at a time: no burst of handshakes after a restart, and forged peers that never answer do not delay the others. */
  const visit = async () => {
    const records = parts.peers.list();
    const nowMs = parts.clock.monotonicMs();
    const refreshMs = refreshMsOf(records);
    const due = records.filter(
      (record) => record.node !== parts.node && record.hints.length > 0 && isDue(record, nowMs, refreshMs),
    );
    const work = async () => {
      for (let next = due.shift(); next !== undefined && !ended.signal.aborted; next = due.shift())
        await visitOne(next.node);
    };
    await Promise.all(Array.from({ length: AGENT_LIMITS.peerVisits }, work));
    const known = new Set(records.map((record) => record.node));
    for (const node of askedAtMs.keys()) if (!known.has(node)) askedAtMs.delete(node);
    await parts.sessions.closeIdle();
  };
  const run = async () => {
    while (!ended.signal.aborted) {
      await visit().catch((error) => parts.log.warn('a visit to the peers failed', { reason: messageOf(error) }));
      await parts.clock.sleep(AGENT_LIMITS.peerVisitMs, ended.signal).catch(() => {});
    }
  };
  return {
    name: 'peer maintenance',
    visitAll: () => askedAtMs.clear(),
    start: async () => {
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
      await parts.sessions.close();
    },
  };
}

/** Where all know each other, visits of all to all grow with the square of the network: the more peers, the less often each. */
function refreshMsOf(records: readonly PeerRecord[]): number {
  const { peerRefreshMs, peerRefreshEachMs, peerRefreshLongestMs } = AGENT_LIMITS;
  const verified = records.filter((record) => record.verified !== undefined).length;
  return Math.max(peerRefreshMs, Math.min(verified * peerRefreshEachMs, peerRefreshLongestMs));
}
