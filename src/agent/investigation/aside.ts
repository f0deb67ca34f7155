// Calls that run beside the other steps of a question: whole states of the nodes of a path, which a slow node takes long to read. No step waits for
// them longer than it takes itself; the answer does where it depends on them.
import { ParleyError } from '#base/error.ts';
import type { PlannedCall } from '#model/call.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { Journal } from '../parts/progress.ts';
import { type ConsultParts, consult, type Gathered } from './collect.ts';

export type Aside = {
  isOver(): boolean;
  /** Resolves when all have come, and some time after they were sent in any case. */
  soon(signal: AbortSignal): Promise<void>;
  /** Resolves when each call has its outcome: as it comes, or at once where none is needed any more. */
  end(isNeeded: boolean): Promise<void>;
};

/** No call waits for the answer to another. */
export function isAside({ purpose }: PlannedCall): boolean {
  return purpose.kind === 'path-state';
}

export function startAside(
  parts: ConsultParts,
  calls: readonly PlannedCall[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Aside {
  const startedMs = parts.clock.monotonicMs();
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  let open = calls.length;
  // Their time is no part of that of the step that they run beside.
  const mine = { ...gathered, elapsedMs: {} };
  const done = Promise.all(
    calls.map((call) => consult(parts, [call], mine, journal, until).finally(() => void open--)),
  ).then(() => undefined);
  done.catch(() => {});
  return {
    isOver: () => open === 0,
    async soon(within) {
      const budgetMs = AGENT_LIMITS.asideMs - (parts.clock.monotonicMs() - startedMs);
      if (open === 0 || budgetMs <= 0) return;
      await withBudget({ clock: parts.clock, budgetMs, signal: within, what: 'states' }, (over) =>
        Promise.race([done, aborted(over)]),
      );
    },
    async end(isNeeded) {
      if (!isNeeded) stop.abort(new ParleyError('peer/timeout', 'the answer did not depend on it'));
      await done;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
