// What this node does for nodes that reach each other through others, and itself with their help: its own connections over its links, those
// that it passes on, and the tool by which both are asked for. Wiring only.
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { PeerTable } from '#model/peer.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { dialPlain } from '#mtls/dial-plain.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { PeerDialer } from '../sessions/dial-peer.ts';
import { createNeighbourTargets } from '../sessions/neighbour-targets.ts';
import { createRelayChannels, type RelayChannels } from '../sessions/relay-channels.ts';
import type { Relaying } from '../sessions/relay-ways.ts';
import type { MayDial } from '../sessions/told-addresses.ts';
import { createRelayTool, fromTurn } from './relay.ts';

export type RelayParts = {
  readonly tool: ToolDefinition;
  readonly channels: RelayChannels;
  readonly relaying: Relaying;
};

export function createRelayParts(parts: {
  readonly router: RouterPort;
  readonly peers: PeerTable;
  readonly dialer: PeerDialer;
  /** On which this node's agent listens. */
  readonly port: number;
  readonly mayDial: MayDial;
  readonly record: (record: AuditRecord) => void;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
}): RelayParts {
  const { clock, dialer, random } = parts;
  const targets = createNeighbourTargets(parts);
  const channels = createRelayChannels(parts);
  const newSessionId = () => randomHex(random, 16);
  return {
    tool: createRelayTool({ ...parts, open: dialer.open, newSessionId, passing: { targets, channels } }),
    channels,
    relaying: {
      ...dialer,
      log: parts.log,
      connect: async (node, signal, turn) => {
        const found = await targets(node, signal);
        return dialPlain({ targets: fromTurn(found, turn), timeoutMs: AGENT_LIMITS.relayConnectMs, signal, clock });
      },
    },
  };
}
