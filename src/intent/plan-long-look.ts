// The calls of a longer look at links over which probes were lost, or packets damaged, and nothing says where: both ends' counters read in quiet, many probes
// from both ends at once, and the counters again. The longer it is the less a few packets of the exchange itself weigh. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links.ts';
import { call, NODE_STATE_TOOL, planBothEnds, reachAgain, type States } from './plan-scope.ts';

export type LongSuspect = {
  readonly link: Link;
  /** Share of the probes that were lost before. */
  readonly share: number;
};

/** So many lost probes are to be expected at the share that was seen. */
const WANTED_LOST = 40;
const LEAST_PROBES = 1_000;
const INTERVAL_MS = 1;
/** Runs of IPv4 probes from each end of a link that may damage packets: of 600 each way one percent spares none. */
const ECHO_RUNS = [1, 2, 3];

/** Steps, each to be over before the next begins; none without a suspect. */
export function planLongLook(
  states: States,
  suspects: readonly LongSuspect[],
  damaged: readonly Link[] = [],
): readonly (readonly PlannedCall[])[] {
  const looked = suspects
    .filter(({ link }) => states.has(link.from.node) && states.has(link.to.node))
    .slice(0, LIMITS.longLooks);
  const probes = looked.flatMap(({ link, share }) =>
    planBothEnds(states, link, { count: countFor(share), intervalMs: INTERVAL_MS }, 'long'),
  );
  const pinged = damaged.slice(0, LIMITS.longLooks);
  const echoes = pinged.flatMap((link) => ECHO_RUNS.flatMap((run) => reachAgain(link, states, `long/${run}`)));
  if (probes.length === 0 && echoes.length === 0) return [];
  const [lossy, all] = [endsOf(looked.map(({ link }) => link)), endsOf(pinged)];
  const nodes = [...new Set([...lossy, ...all])];
  const counts = (node: string, when: 'first' | 'last') => countsOf(node, when, all.includes(node) ? 'all' : 'wire');
  return [
    nodes.map((node) => counts(node, 'first')),
    [...probes, ...echoes],
    nodes.map((node) => counts(node, 'last')),
  ];
}

function countFor(share: number): number {
  const wanted = Math.ceil(WANTED_LOST / Math.max(share, 0.001));
  return Math.max(LEAST_PROBES, Math.min(wanted, LIMITS.longLookProbes));
}

function endsOf(links: readonly Link[]): readonly string[] {
  return links.flatMap(({ from, to }) => [from.node, to.node]);
}

/** Damage to IPv4 packets is counted in the larger state alone; the smaller one is less traffic beside what it counts. */
function countsOf(node: string, when: 'first' | 'last', parts: 'all' | 'wire'): PlannedCall {
  const planned = call('deepen', node, NODE_STATE_TOOL, { parts }, 'state', LIMITS.sweepCallMs);
  return { ...planned, id: `deepen/${node}/counts/${when}` };
}
