// Keeps this node's view of its peers true between questions: sessions with those it heard of, their peer tables, and the end of
// idle sessions. Works slowly on purpose: an agent must not load the network it watches.
import { messageOf } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { PeerRecord } from '#model/peer.ts';
import { askForPeers, type FindParts } from './find-nodes.ts';
import type { Part } from './lifecycle.ts';

export function createNeighbourhood(
  parts: FindParts & { readonly log: Log; readonly newSessionId: () => string },
): Part {
  const ended = new AbortController();
  const askedAtMs = new Map<string, number>();
  let loop: Promise<void> = Promise.resolve();

  const isDue = (record: PeerRecord, nowMs: number): boolean => {
    const lastMs = askedAtMs.get(record.node);
    if (lastMs === undefined) return true;
    return nowMs - lastMs >= (record.verified ? LIMITS.peerRefreshMs : LIMITS.peerRetryMs);
  };
  /** One peer at a time: no burst of handshakes after a restart. */
  const visit = async () => {
    for (const record of parts.peers.list()) {
      if (ended.signal.aborted) return;
      const nowMs = parts.clock.monotonicMs();
      if (record.node === parts.node || record.hints.length === 0 || !isDue(record, nowMs)) continue;
      askedAtMs.set(record.node, nowMs);
      await askForPeers(parts, record.node, parts.newSessionId(), ended.signal);
    }
    await parts.sessions.closeIdle();
  };
  const run = async () => {
    while (!ended.signal.aborted) {
      await visit().catch((error) => parts.log.warn('a visit to the peers failed', { reason: messageOf(error) }));
      await parts.clock.sleep(LIMITS.peerVisitMs, ended.signal).catch(() => {});
    }
  };
  return {
    name: 'neighbourhood',
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
