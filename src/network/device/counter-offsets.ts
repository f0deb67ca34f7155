// "Clear counters" where the platform cannot clear: an offset for each caller, so that no other caller's view changes (TS-3). It
// ends by itself after a while and with `restore` (TS-22), and evidence that agents exchange is never offset.
import type { Clock } from '#base/clock.ts';
import type { Party } from '#model/identity.ts';
import type { InterfaceCounters, InterfaceState } from '#model/router/router-port.ts';
import { NETWORK_LIMITS } from '../limits.ts';

export type CounterOffsets = {
  /** Counters of `interfaces` count from now on for this caller. */
  clear(caller: Party, interfaces: readonly InterfaceState[]): void;
  restore(caller: Party): void;
  apply(caller: Party, interfaces: readonly InterfaceState[]): readonly InterfaceState[];
  /** RFC 3339; undefined when this caller has cleared nothing. */
  clearedAt(caller: Party): string | undefined;
};

type Baseline = {
  readonly atMs: number;
  readonly monotonicMs: number;
  readonly counters: Map<string, InterfaceCounters>;
};

export function createCounterOffsets(clock: Clock): CounterOffsets {
  /** By caller, longest unused first. */
  const baselines = new Map<string, Baseline>();
  const keyOf = (caller: Party) => `${caller.kind}/${caller.domain}/${caller.name}`;
  const find = (caller: Party): Baseline | undefined => {
    const key = keyOf(caller);
    const found = baselines.get(key);
    if (found !== undefined && clock.monotonicMs() - found.monotonicMs > NETWORK_LIMITS.counterOffsetMs) {
      baselines.delete(key);
      return undefined;
    }
    return found;
  };
  return {
    clear(caller, interfaces) {
      const counters = new Map(find(caller)?.counters);
      for (const entry of interfaces) counters.set(entry.name, entry.counters);
      const key = keyOf(caller);
      baselines.delete(key);
      if (baselines.size >= NETWORK_LIMITS.counterOffsets) baselines.delete(baselines.keys().next().value!);
      baselines.set(key, { atMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), counters });
    },
    restore: (caller) => void baselines.delete(keyOf(caller)),
    apply(caller, interfaces) {
      const found = find(caller);
      if (found === undefined) return interfaces;
      return interfaces.map((entry) => {
        const base = found.counters.get(entry.name);
        return base === undefined ? entry : { ...entry, counters: difference(entry.counters, base) };
      });
    },
    clearedAt(caller) {
      const found = find(caller);
      return found && new Date(found.atMs).toISOString();
    },
  };
}

/** A counter below its offset began anew (the interface was made again): it is shown as it is. */
function difference(now: InterfaceCounters, base: InterfaceCounters): InterfaceCounters {
  const entries = Object.entries(now) as [keyof InterfaceCounters, string][];
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const left = BigInt(value) - BigInt(base[name]);
      return [name, left < 0n ? value : String(left)];
    }),
  ) as InterfaceCounters;
}
