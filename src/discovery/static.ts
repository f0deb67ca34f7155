// Peers that the operator wrote into the configuration, as hints like all others: the certificate still decides who
// is there. A wrong pin is a matter of the dial, not of discovery (docs/design.md §3).
import type { Clock } from '#base/clock.ts';
import type { Discovery, PeerTable } from '#model/peer.ts';

export type StaticPeer = {
  readonly node: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly thumbprint?: string;
};

export function createStaticDiscovery(init: {
  readonly peers: readonly StaticPeer[];
  readonly table: PeerTable;
  readonly clock: Clock;
}): Discovery {
  let started = false;
  return {
    async start(signal) {
      if (started || signal?.aborted) return;
      started = true;
      for (const peer of init.peers) {
        init.table.add({ source: 'static', ...peer, hops: 0, heardAtMs: init.clock.nowMs() });
      }
    },
    async stop() {
      started = false;
    },
  };
}
