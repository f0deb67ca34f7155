// Who asks, where a test does not care, and what a node of a test takes the word of others for.
import type { AskerParts } from '#agent/serving/asker.ts';
import type { Clock } from '#base/clock.ts';
import { type Asking, DEFAULT_ASKER_RULES } from '#model/asker.ts';
import type { Party } from '#model/identity.ts';
import { fakeVerifyChain } from './signed-exchange.ts';

/** A user at the node that is asked. */
export const LOCAL_ASKER: Asking = { asker: { kind: 'local', via: [], name: 'local' }, askedBy: 'operator/local' };

export function fakeAskers(self: Party, clock: Clock, over: Partial<AskerParts> = {}): AskerParts {
  return {
    self,
    rules: DEFAULT_ASKER_RULES,
    clock,
    verifyChain: (chain) => fakeVerifyChain(chain, clock.nowMs()),
    chainOf: () => undefined,
    ...over,
  };
}
