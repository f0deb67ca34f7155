// Filter rules that write into packets, and how many packets they took: in the window of the question, or in the whole life of a rule that
// its node remembers and has no more. What a rule would do is no evidence; that it took packets is.
import type { FilterRule } from '#model/router/router-port.ts';
import type { Slice } from '../../engine/fault-definition.ts';
import type { View } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';

/** Packets that a rule took since the first reading. */
export function takenBy({ before }: View, rule: FilterRule): number {
  const was = before?.filters.find((each) => isSamePlace(each, rule));
  return rule.packets === undefined ? 0 : (counterDelta(was?.packets ?? '0', rule.packets) ?? 0);
}

/**
 * Rules of a node that took packets. Of a remembered moment those alone that are gone, as what is still there is judged by its probes; and
 * only where the slice is of the filters that this node remembers.
 */
export function rulesInUse({ past }: Slice, view: View): readonly FilterRule[] {
  const moved = view.state.filters.filter((rule) => takenBy(view, rule) > 0);
  if (past === undefined) return moved;
  if (past.kept?.memory !== 'filters' || past.kept.node !== view.node) return [];
  const today = past.now.views.get(view.node)?.state.filters ?? [];
  return moved.filter((rule) => !today.some((each) => isSameRule(each, rule)));
}

function isSamePlace(one: FilterRule, other: FilterRule): boolean {
  return (
    one.family === other.family && one.table === other.table && one.chain === other.chain && one.handle === other.handle
  );
}

/** Wherever it stands: a rule that was loaded again has another handle. */
function isSameRule(one: FilterRule, other: FilterRule): boolean {
  const text = ({ family, hook, matches, rewrites, outInterfaces }: FilterRule) =>
    JSON.stringify([family, hook, matches, rewrites, outInterfaces]);
  return text(one) === text(other);
}
