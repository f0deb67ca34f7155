// What this node takes the word of other nodes for, from its configuration, CA and connections. Wiring only.
import type { Clock } from '#base/clock.ts';
import type { Config } from '#config/schema.ts';
import type { Identity } from '#mtls/identity.ts';
import type { Trust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import type { CallerChains } from '../sessions/listeners.ts';
import type { AskerParts } from './asker.ts';

export function askersOf(parts: {
  readonly config: Config;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly trust: Trust;
  readonly callerChains: CallerChains;
}): AskerParts {
  const { config, identity, clock, trust, callerChains } = parts;
  return {
    self: identity.party,
    rules: config.peers.askers,
    clock,
    verifyChain: (chain) => verifyChain(chain, identity.caPem, trust.nowMs()),
    chainOf: (caller) => callerChains.get(caller),
  };
}
