// What the log says of peers with which no session could be opened: one line when it begins and one when there is a session again, for each.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { createOutage, type Log, type Outage } from '#base/log.ts';

export type PeerOutages = {
  failed(node: string, addresses: readonly string[], reason: unknown): void;
  worked(node: string): void;
};

export function createPeerOutages(init: {
  readonly log: Log;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): PeerOutages {
  const outages = new Map<string, Outage>();
  return {
    failed(node, addresses, reason) {
      const outage =
        outages.get(node) ??
        createOutage({
          log: init.log.child({ peer: node }),
          clock: init.clock,
          broken: 'no session with a peer',
          back: 'a session with a peer again',
        });
      // The one that was put in first makes room.
      const [oldest] = outages.keys();
      if (!outages.has(node) && outages.size >= LIMITS.peers && oldest !== undefined) outages.delete(oldest);
      outages.set(node, outage);
      outage.failed(reason, { addresses });
    },
    worked(node) {
      outages.get(node)?.worked();
      outages.delete(node);
    },
  };
}
