// Remembers when the counter of a dropping rule was last seen to move, from the whole states that the sampler reads. Keeps one moment a
// rule and no counts; when the packets passed that the first state had counted already is not known. Bounded in rules and age.
import { LIMITS } from '#base/limits.ts';
import type { FilterDrop } from '#model/router/control-plane.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type FilterMemory = {
  add(filters: readonly FilterRule[], atMs: number): void;
  drops(nowMs: number): readonly FilterDrop[];
};

type Kept = { readonly rule: Omit<FilterDrop, 'agoMs'>; readonly packets: bigint; readonly movedMs?: number };

export function createFilterMemory(): FilterMemory {
  let known: ReadonlyMap<string, Kept> | undefined;
  return {
    add(filters, atMs) {
      const counted = filters
        .filter(({ verdict, packets }) => (verdict === 'drop' || verdict === 'reject') && packets !== undefined)
        .slice(0, LIMITS.filterRules);
      const before = known;
      known = new Map(
        counted.map(({ family, table, chain, handle, ruleSha256, packets = '0' }): [string, Kept] => {
          const key = JSON.stringify([family, table, chain, handle, ruleSha256]);
          const was = before?.get(key);
          const now = BigInt(packets);
          const moved = before !== undefined && now > (was?.packets ?? 0n);
          const movedMs = moved ? atMs : was?.movedMs;
          const rule = { family, table, chain, handle };
          return [key, { rule, packets: now, ...(movedMs === undefined ? {} : { movedMs }) }];
        }),
      );
    },
    drops(nowMs) {
      return [...(known?.values() ?? [])].flatMap(({ rule, movedMs }) =>
        movedMs === undefined || nowMs - movedMs > DRIVER_LIMITS.filterDropMs
          ? []
          : [{ ...rule, agoMs: Math.max(0, Math.round(nowMs - movedMs)) }],
      );
    },
  };
}
