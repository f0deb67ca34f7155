// Persistent changes whose health gate has not spoken: while it is at work no caller can confirm the change, and where its answer was lost what ran
// before the change is kept, so that the confirmation asks it anew. In memory: after a restart of the agent nothing is left to compare with.
import { ParleyError } from '#base/error.ts';
import type { CommitView, ConfigurationPort, HealthBaseline } from '#model/router/configuration.ts';

type Begun = { readonly baseline: HealthBaseline; readonly persist: string | undefined };

export type PendingHealthGate = {
  /** `work` commits a candidate and asks the gate. */
  during<Value>(begun: Begun, work: () => Promise<Value>): Promise<Value>;
  /** The open change of this token, when its gate is to be asked anew. Rejects with `caller/wrong-commit-state` while a gate is at work. */
  find(persistId: string): Promise<{ readonly commit: CommitView; readonly baseline: HealthBaseline } | undefined>;
};

export function createPendingHealthGate(configuration: Pick<ConfigurationPort, 'open'>): PendingHealthGate {
  let atWork = 0;
  let last: Begun | undefined;
  return {
    async during(begun, work) {
      const before = last;
      last = begun;
      atWork += 1;
      try {
        return await work();
      } catch (error) {
        // Refused, or undone: what was open before still is.
        if (error instanceof ParleyError && error.code.startsWith('caller/')) last = before;
        throw error;
      } finally {
        atWork -= 1;
      }
    },
    async find(persistId) {
      if (atWork === 0 && last?.persist !== persistId) return undefined;
      const open = await configuration.open();
      if (atWork > 0 && open?.state !== 'VERIFIED') throw stillAsking();
      if (last?.persist !== persistId || open?.state !== 'APPLIED') return undefined;
      return { commit: open, baseline: last.baseline };
    },
  };
}

function stillAsking(): ParleyError {
  const message =
    'expected a change whose health gate has spoken, it is still at work: confirm once the commit has answered';
  return new ParleyError('caller/wrong-commit-state', message);
}
