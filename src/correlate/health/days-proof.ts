// Whether recorded minutes prove that nothing was wrong in a time that is longer ago than rounds of probes are kept: each node recorded all of
// it, each link was probed in it by one end at least, and no adjacency or session was lost but with a reboot, a restart of its daemon, a commit or
// maintenance of either end. Else why not, by name.
import { ageWords, reachWords } from '#model/settings/change-words.ts';
import { type Loss, lossesIn } from '../network/lost-neighbours.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { View, World, WorldLink } from '../network/world.ts';
import { isPlanned } from './planned-losses.ts';

/** Whether one of these nodes, or the link of a loss, was under maintenance so long ago. */
export type Maintained = (loss: Loss) => boolean;

/** Minutes that a link's probes may be short of: of a start, and of a round that ended late. */
const SPARE_MINUTES = 5;

export const LIMITS_OF_DAYS =
  'recorded minute by minute: carriers, adjacencies, sessions, probes over links, errors, settings; not remembered that long: hosts, services, routes, how much links can carry';

/** True where minutes on disk answer and rounds in memory do not reach. */
export function isOfDays({ days, sinceMs = 0 }: World, roundsMs: number): boolean {
  return (days?.size ?? 0) > 0 && sinceMs > roundsMs;
}

/** Lines that say what is not proven, with node references. */
export function unprovenDays(world: World, sinceMs: number, isMaintained: Maintained): readonly string[] {
  const { untilMs = 0 } = world;
  return [
    ...[...world.views.values()].flatMap((view) => unrecorded(world, view, sinceMs, untilMs)),
    ...world.links.flatMap((link) => unprobed(world, link, sinceMs)),
    ...lostThen(world, sinceMs, isMaintained),
  ];
}

function unrecorded(world: World, { node }: View, sinceMs: number, untilMs: number): readonly string[] {
  const days = world.days?.get(node);
  if (days === undefined) return [`${nodeRef(node)} does not tell what it remembers of days`];
  if (days.reachMs + SPARE_MINUTES * 60_000 < sinceMs) return [`${nodeRef(node)} ${reachWords(days.reachMs)}`];
  return days.gaps
    .filter((gap) => gap.fromAgoMs > untilMs && gap.untilAgoMs < sinceMs)
    .slice(0, 1)
    .map(
      ({ fromAgoMs, untilAgoMs }) =>
        `${nodeRef(node)} recorded nothing from ${ageWords(fromAgoMs)} to ${ageWords(untilAgoMs)} ago`,
    );
}

function unprobed(world: World, { from, to }: WorldLink, sinceMs: number): readonly string[] {
  const isProbed = [from, to].some(({ node, ifname }) => {
    const days = world.days?.get(node);
    const mine = days?.links.find((link) => link.ifname === ifname);
    return days !== undefined && mine !== undefined && mine.minutes + SPARE_MINUTES >= days.minutes && mine.sent > 0;
  });
  const name = `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}`;
  return isProbed ? [] : [`${name}: not probed all the time in the last ${ageWords(sinceMs)}`];
}

function lostThen(world: World, sinceMs: number, isMaintained: Maintained): readonly string[] {
  return lossesThen(world, sinceMs)
    .filter((loss) => !isExplained(world, loss, isMaintained))
    .map(
      ({ node, kind, subject, agoMs }) =>
        `${nodeRef(node)} lost the ${kind} ${subject} ${ageWords(agoMs)} ago, and no finding explains it`,
    );
}

/** How many losses of the time that was asked about go with what is remembered, or with maintenance. */
export function explainedLosses(world: World, sinceMs: number, isMaintained: Maintained): number {
  return lossesThen(world, sinceMs).filter((loss) => isExplained(world, loss, isMaintained)).length;
}

function lossesThen(world: World, sinceMs: number): readonly Loss[] {
  return lossesIn(world).filter(({ agoMs }) => agoMs <= sinceMs && agoMs >= (world.untilMs ?? 0));
}

function isExplained(world: World, loss: Loss, isMaintained: Maintained): boolean {
  return isPlanned(world, loss) || isMaintained(loss);
}
