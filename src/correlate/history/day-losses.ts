// Losses over links that recorded minutes show, days back. A minute on disk has both directions together, so that the link is named and no end
// of it; where a carrier had gone, its own fault says so.
import type { Proposal } from '../engine/fault-definition.ts';
import { unexplainedLoss } from '../faults/unexplained/unexplained-loss.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, type World, type WorldLink } from '../network/world.ts';

export type DayLoss = {
  readonly link: WorldLink;
  readonly by: string;
  readonly source: string;
  readonly fromAgoMs: number;
  readonly untilAgoMs: number;
  readonly sent: number;
  readonly lost: number;
};

/** A minute with a carrier change loses probes for that. */
const CARRIER_MS = 60_000;
/** Below this the probes of the last minutes themselves tell more. */
const MINUTES_MS = 300_000;

/** Of the time that was asked about, newest first. */
export function dayLosses(world: World): readonly DayLoss[] {
  const { sinceMs = 0, untilMs = 0 } = world;
  const asked = Math.max(untilMs, MINUTES_MS);
  return [...(world.days ?? [])]
    .flatMap(([node, { losses, source }]) =>
      losses
        .filter(({ fromAgoMs, untilAgoMs }) => untilAgoMs <= sinceMs && fromAgoMs >= asked)
        .flatMap(({ ifname, ...time }) =>
          linkOn(world, { node, ifname })
            .filter((link) => !changedCarrier(world, link, time))
            .map((link) => ({ link, by: node, source, ...time })),
        ),
    )
    .sort((one, other) => one.untilAgoMs - other.untilAgoMs);
}

function changedCarrier(
  world: World,
  { from, to }: WorldLink,
  { fromAgoMs, untilAgoMs }: Pick<DayLoss, 'fromAgoMs' | 'untilAgoMs'>,
): boolean {
  return [from, to].some(({ node, ifname }) =>
    (world.views.get(node)?.state.history?.events ?? []).some(
      ({ kind, subject, agoMs }) =>
        kind === 'carrier' && subject === ifname && agoMs <= fromAgoMs + CARRIER_MS && agoMs >= untilAgoMs - CARRIER_MS,
    ),
  );
}

/** One a link: all its times together, over since the last of them. */
export function dayFindings(
  world: World,
): readonly { readonly proposal: Proposal; readonly agoMs: number; readonly link: WorldLink }[] {
  const byLink = Map.groupBy(dayLosses(world), ({ link }) => link.key);
  return [...byLink.values()].map((times) => {
    const { link } = times[0]!;
    // Both ends probe: the times of one prober are counted, those of the other agree with it.
    const by = times.filter((time) => time.by === times[0]!.by);
    const [sent, lost] = [sumOf(by, 'sent'), sumOf(by, 'lost')];
    const [agoMs, beganAgoMs] = [times[0]!.untilAgoMs, Math.max(...times.map(({ fromAgoMs }) => fromAgoMs))];
    const ends = [link.from, link.to].map((end) => `${nodeRef(end.node)} ${end.ifname}`).join(' – ');
    const what = `${ends}: ${lost} of ${sent} probes lost in the minutes in which any number was, the direction is not recorded`;
    const proposal: Proposal = {
      ...{ fault: unexplainedLoss.id, resource: link.key, confidence: 'likely', score: 1, explains: [], against: [] },
      evidence: [...new Set(times.map(({ source }) => source))],
      details: { what, beganAgoSeconds: Math.round(beganAgoMs / 1_000), probesSent: sent, probesLost: lost },
      headline: `${ends} lost ${lost} of ${sent} probes`,
    };
    return { proposal, agoMs, link };
  });
}

function sumOf(times: readonly DayLoss[], name: 'sent' | 'lost'): number {
  return times.reduce((total, time) => total + time[name], 0);
}
