// Calls of network sessions start in turn: one in each round of the event loop, the callers in rotation. A caller that fills all its
// sessions with calls delays another caller's next call by one call, not by all that it has waiting.
import type { Party } from '#model/identity.ts';

/** Resolves when the caller's call may start; calls of one caller start in the order in which they asked. */
export type Turns = (caller: Party) => Promise<void>;

export function createTurns(): Turns {
  /** What waits, by caller, in rotation: the first caller is next, then goes behind the others. */
  const waiting = new Map<string, (() => void)[]>();
  const startOne = () => {
    const next = waiting.entries().next();
    if (next.done) return;
    const [caller, calls] = next.value;
    waiting.delete(caller);
    calls.shift()?.();
    if (calls.length > 0) waiting.set(caller, calls);
    if (waiting.size > 0) setImmediate(startOne);
  };
  return ({ kind, domain, name }) => {
    const caller = `${kind}/${domain}/${name}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (waiting.size === 0) setImmediate(startOne);
    const calls = waiting.get(caller);
    if (calls === undefined) waiting.set(caller, [resolve]);
    else calls.push(resolve);
    return promise;
  };
}
