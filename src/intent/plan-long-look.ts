// The calls of a longer look at links over which probes were lost and nothing says where: both ends' counters read in quiet, many probes
// from both ends at once, and the counters again. The longer it is the less a few packets of the exchange itself weigh. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links.ts';
import { call, NODE_STATE_TOOL, planBothEnds, type States } from './plan-scope.ts';

export type LongSuspect = {
  readonly link: Link;
  /** Share of the probes that were lost before. */
  readonly share: number;
};

/** So many lost probes are to be expected at the share that was seen. */
const WANTED_LOST = 40;
const LEAST_PROBES = 1_000;
const INTERVAL_MS = 1;

/** Steps, each to be over before the next begins; none without a suspect. */
export function planLongLook(states: States, suspects: readonly LongSuspect[]): readonly (readonly PlannedCall[])[] {
  const looked = suspects
    .filter(({ link }) => states.has(link.from.node) && states.has(link.to.node))
    .slice(0, LIMITS.longLooks);
  const probes = looked.flatMap(({ link, share }) =>
    planBothEnds(states, link, { count: countFor(share), intervalMs: INTERVAL_MS }, 'long'),
  );
  if (probes.length === 0) return [];
  const nodes = [...new Set(looked.flatMap(({ link }) => [link.from.node, link.to.node]))];
  return [nodes.map((node) => counts(node, 'first')), probes, nodes.map((node) => counts(node, 'last'))];
}

function countFor(share: number): number {
  const wanted = Math.ceil(WANTED_LOST / Math.max(share, 0.001));
  return Math.max(LEAST_PROBES, Math.min(wanted, LIMITS.longLookProbes));
}

function counts(node: string, when: 'first' | 'last'): PlannedCall {
  const planned = call('deepen', node, NODE_STATE_TOOL, { parts: 'wire' }, 'state', LIMITS.sweepCallMs);
  return { ...planned, id: `deepen/${node}/counts/${when}` };
}
