// What this node takes the word of other nodes for, from its configuration, CA and connections. Wiring only.
import type { Clock } from '#base/clock.ts';
import type { Result } from '#base/result.ts';
import type { Config } from '#config/schema.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { CallerChains } from '../sessions/listeners.ts';
import type { AskerParts } from './asker.ts';

export function askersOf(parts: {
  readonly config: Config;
  readonly self: Party;
  readonly clock: Clock;
  /** At the newest time that this node has proof of; revoked certificates do not count. */
  readonly verifyNow: (chain: CertificateChain) => Result<Party>;
  readonly callerChains: CallerChains;
}): AskerParts {
  const { config, self, clock, verifyNow, callerChains } = parts;
  return {
    self,
    rules: config.peers.askers,
    clock,
    verifyChain: verifyNow,
    chainOf: (caller) => callerChains.get(caller),
  };
}
