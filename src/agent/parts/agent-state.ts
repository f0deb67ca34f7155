// The agent's own state in a tech-support file (TS-26).
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { VERSION } from '#base/version.ts';
import type { PeerTable } from '#model/peer.ts';

export function agentStateOf({
  config,
  identity,
  clock,
  peers,
}: {
  readonly config: { readonly node: string };
  readonly identity: () => { readonly thumbprint: string };
  readonly clock: Clock;
  readonly peers: Pick<PeerTable, 'list'>;
}): JsonObject {
  return {
    node: config.node,
    version: VERSION,
    certificate: identity().thumbprint,
    uptimeSeconds: Math.round(clock.monotonicMs() / 1_000),
    peers: peers.list().map(({ node, verified }) => ({ node, verified: verified !== undefined })),
  };
}
