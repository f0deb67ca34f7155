// Links that lose packets again and again, as the standing probes of one end saw, while this question's own probes fell into the time
// between two losses. One end's word: it accuses no end, keeps the answer from `healthy`, and has the link measured for longer from both
// ends. No symptom where this question's own probes lost some too: that loss is judged by its own rules.

import type { RecurringLoss } from '#model/router/link-monitor.ts';
import { isAboveRate } from '#model/router/packet-match.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Fact, factsOf } from '../../engine/facts.ts';
import { isLoss, percentOf } from '../../engine/loss-symptom.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { directionsOf, type World, type WorldLink } from '../../network/world.ts';
import { probedLink } from '../../observe/monitor-rounds.ts';
import { wiresOver } from '../../observe/wire.ts';
import { takenAtTheirEnds } from '../../packet-filter/own-traffic.ts';
import { attemptsOver } from './class-loss.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type RecurringLossDetail = {
  readonly sent: number;
  /** Away from the end that probes, and on the way back. */
  readonly lostOut: number;
  readonly lostBack: number;
  readonly seconds: number;
};

export const recurringLossSymptom = defineSymptom<RecurringLossDetail>('recurring-loss');

type Seen = { readonly loss: RecurringLoss; readonly link: WorldLink; readonly node: string };

/** Of the present: a question about a time span reads the rounds themselves, and says what is over. */
export function recurringLosses(world: World, facts: readonly Fact[]): readonly Symptom<RecurringLossDetail>[] {
  const seen = world.sinceMs === undefined ? seenOn(world) : [];
  return seen
    .filter(({ link }) => !isProbedAsLossy(facts, link))
    .filter((each) => !isLimited(world, facts, each))
    .map(({ loss: { sent, lostOut, lostBack, firstAgoMs, lastAgoMs, lossyRounds }, link }) => {
      const lost = lostOut + lostBack;
      return linkSymptom(recurringLossSymptom, world, link, {
        text: `${linkLabel(link)}: standing probes lost ${lost} of ${sent} (${percentOf(lost, sent)} %) in ${lossyRounds} rounds of the last ${ageWords(firstAgoMs)}, the last ${ageWords(lastAgoMs)} ago`,
        detail: { sent, lostOut, lostBack, seconds: Math.round(firstAgoMs / 1_000) },
      });
    });
}

/** As the nodes reported last. */
function seenOn(world: World): readonly Seen[] {
  const all = [...world.views.values()].flatMap((view) =>
    ((view.state.history ?? view.before?.history)?.recurringLosses ?? []).flatMap((loss): Seen[] => {
      const link = probedLink(world, { node: view.node, ifname: loss.ifname }, loss.far);
      return link === undefined ? [] : [{ loss, link, node: view.node }];
    }),
  );
  return [...new Map(all.map((each) => [each.link.key, each])).values()];
}

/** How long before a question the probes of the last one may have filled a limiter. */
const JUST_BEFORE_MS = 8_000;

/**
 * The probes of this question filled what the far end, or the near one, allows of what is for itself: as many as were lost were counted there, none was lost
 * before, and by the counters of both ends the link lost no packet.
 */
function isLimited(world: World, facts: readonly Fact[], { loss, link, node }: Seen): boolean {
  const view = world.views.get(node);
  const [began, ended] = [view?.before?.countersReadMs, view?.state.countersReadMs];
  if (began === undefined || ended === undefined || loss.firstAgoMs > ended - began + JUST_BEFORE_MS) return false;
  const wires = directionsOf(link).map((way) => wiresOver({ facts }, way).map(({ value }) => value));
  const isSound = wires.every(
    (all) => all.length > 0 && all.every(({ comparable, lostAtLeast }) => comparable && lostAtLeast === 0),
  );
  if (!isSound) return false;
  const attempts = attemptsOver(world, { link: link.key, sent: loss.sent });
  const lost = attempts.map((attempt) => ({ attempt, lost: loss.lostOut + loss.lostBack }));
  return lost.some((each) => takenAtTheirEnds(world, facts, [each]).get(each)?.some(isAboveRate) === true);
}

/** Probes along a path name its nodes and no link. */
function isProbedAsLossy(facts: readonly Fact[], { key, from, to }: WorldLink): boolean {
  return factsOf({ facts }, 'probe-loss').some(({ value }) => {
    const isHop = [value.from, value.to].every((node) => node === from.node || node === to.node);
    return (value.link === undefined ? isHop : value.link === key) && isLoss(value.sent, value.lost);
  });
}
