// The calls of a longer look at links over which probes were lost, or packets damaged, and nothing says where: both ends' counters read in
// quiet, many probes from both ends at once, and the counters again. The longer it is the less a few packets of the exchange itself
// weigh. Sends no more than a share of what a link passes, and asks no node for more runs at once than its helper takes. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { isAlongPath } from '#model/intent.ts';
import { isBetween, type Link } from '#model/links/links.ts';
import { callFor } from '../call.ts';
import { decodeNodeState } from '../decode/decode.ts';
import type { LinkClass, LossyLink, Unsettled } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import type { Scope } from '../scope.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';
import { classesOver, LARGE_RUN_MS } from './link-classes.ts';
import { reachOverAll } from './link-echoes.ts';
import { lightly } from './link-probes.ts';
import { bothEnds, type Run, SMALL, smallOver } from './link-runs.ts';

/** So many lost probes are to be expected at the share that was seen. */
const WANTED_LOST = 40;
const SHORTEST_RUN = 1_000;
const INTERVAL_MS = 1;
const LONGEST_RUN_MS = MEASURE_LIMITS.extendedProbes * INTERVAL_MS;
/** Runs of IPv4 probes from each end of a link that may damage packets: of 600 each way one percent spares none. */
const ECHO_RUNS = [0, 1, 2];
/** Runs of a class of traffic that a link loses: of 1,200 packets each way 5 % are more than the rest of the traffic hides. */
const CLASS_RUNS = [1, 2, 3];
/** Of them a node sends about so many a millisecond. */
const ECHOES_A_MS = 3;

/** Counters of both ends, read in quiet before and after. */
export const quietCounters = defineMeasurement({
  kinds: ['counters'],
  about: 'every',
  rounds: {
    extended: (scope, unsettled) => {
      const { losses, damage, classes } = answering(scope, unsettled);
      return planExtendedMeasurement(scope.states, losses, damage, classes);
    },
  },
  read: decodeNodeState,
});

/** Links in doubt that are too many for one extended round. */
export function leftOut(scope: Scope, unsettled: Unsettled): number {
  const { losses, damage, classes } = answering(scope, unsettled);
  const beyond = (count: number, most: number) => Math.max(0, count - most);
  return (
    beyond(losses.length, MEASURE_LIMITS.extendedLinks) +
    beyond(damage.length, MEASURE_LIMITS.extendedDamagedLinks) +
    beyond(classes.length, MEASURE_LIMITS.extendedLinks)
  );
}

/** Links of which both ends can be asked to measure; along a path its own hops alone. */
function answering({ intent, nodes, relays }: Scope, { losses, damage, classes }: Unsettled): Unsettled {
  const isHop = (link: Link) =>
    !isAlongPath(intent) || nodes.slice(1).some((node, index) => isBetween(link, nodes[index]!, node));
  const answers = (link: Link) => isHop(link) && !relays.has(link.from.node) && !relays.has(link.to.node);
  return {
    losses: losses.filter(({ link }) => answers(link)),
    damage: damage.filter(answers),
    classes: classes.filter(({ link }) => answers(link)),
  };
}

/** Steps, each to be over before the next begins; none without a suspect. The worst come first: what is too many is left out. */
export function planExtendedMeasurement(
  states: States,
  suspects: readonly LossyLink[],
  damaged: readonly Link[] = [],
  classes: readonly LinkClass[] = [],
): readonly (readonly PlannedCall[])[] {
  const looked = suspects
    .filter(({ link }) => states.has(link.from.node) && states.has(link.to.node))
    .slice(0, MEASURE_LIMITS.extendedLinks);
  const probes = looked.flatMap((suspect) => fromBothEnds(states, suspect.link, runOf(suspect)));
  const pinged = damaged.slice(0, MEASURE_LIMITS.extendedDamagedLinks);
  const echoes = echoRuns(states, pinged);
  const doubted = classes.slice(0, MEASURE_LIMITS.extendedLinks);
  const ofClasses = inTurn(CLASS_RUNS.map((run) => classesOver(doubted, states, { round: 'extended', run })));
  if (probes.length + echoes.length + ofClasses.length === 0) return [];
  const [lossy, all] = [endsOf([...looked, ...doubted].map(({ link }) => link)), endsOf(pinged)];
  const nodes = [...new Set([...lossy, ...all])];
  const counts = (node: string, when: 'first' | 'last') => countsOf(node, when, all.includes(node) ? 'all' : 'wire');
  return [
    nodes.map((node) => counts(node, 'first')),
    [...probes, ...echoes, ...ofClasses],
    nodes.map((node) => counts(node, 'last')),
  ];
}

function fromBothEnds(states: States, link: Link, run: Pick<Run, 'count' | 'intervalMs'>): readonly PlannedCall[] {
  return bothEnds(link, scopeLinks(states)).flatMap(
    (ends) => smallOver(link, states, ends, { ...SMALL, ...run }, 'extended') ?? [],
  );
}

function runOf({ share, megabits }: LossyLink) {
  const wanted = Math.ceil(WANTED_LOST / Math.max(share, 0.001));
  const count = Math.max(SHORTEST_RUN, Math.min(wanted, MEASURE_LIMITS.extendedProbes));
  return megabits === undefined ? { count, intervalMs: INTERVAL_MS } : lightly(megabits, count, LONGEST_RUN_MS);
}

function echoRuns(states: States, links: readonly Link[]): readonly PlannedCall[] {
  return inTurn(ECHO_RUNS.map((run) => reachOverAll(links, states, run + 1)));
}

/** One run after the other, and of each run one node after the other: a node with many neighbours answers them all. */
function inTurn(runs: readonly (readonly PlannedCall[])[]): readonly PlannedCall[] {
  const most = Math.max(...runs.flat().map((each) => (each.arguments['destinations'] as readonly string[]).length));
  const turnMs = (most * LIMITS.reachProbes) / ECHOES_A_MS;
  return runs.flatMap((calls, run) => {
    // Large ones are a load: both ends send theirs at once, and the next run begins when these are over.
    const large = calls.filter(isLarge);
    const small = calls.filter((each) => !isLarge(each));
    return [
      ...small.map((planned, index) => ({ ...planned, afterMs: Math.round((run + index / small.length) * turnMs) })),
      ...large.map((planned) => ({ ...planned, afterMs: run * LARGE_RUN_MS })),
    ];
  });
}

function isLarge({ arguments: { traffic } }: PlannedCall): boolean {
  return traffic === 'large-icmp';
}

function endsOf(links: readonly Link[]): readonly string[] {
  return links.flatMap(({ from, to }) => [from.node, to.node]);
}

/** Damage to IPv4 packets is counted in the larger state alone; the smaller one is less traffic beside what it counts. */
function countsOf(node: string, when: 'first' | 'last', parts: 'all' | 'wire'): PlannedCall {
  return callFor(node, { kind: 'counters', reading: when }, { parts }, MEASURE_LIMITS.sweepCallMs);
}
