// A link that loses packets of some lengths and carries shorter and longer ones: seen in two looks, in the second of which each run lost most of those
// between the shortest and the longest lost one. No symptom where small probes are lost as well, which is a loss of all packets, where a queue holds
// packets back, where filters of what is addressed to the nodes account for it, or where it is the longest packets that are lost: that is a matter of
// full size, which is measured apart, but for links without addresses of their own. Accuses no end.
import type { LinkEnd } from '#model/names.ts';
import { type Fact, type FactWith, factsOf } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { directionsOf, type World, type WorldLink } from '../../network/world.ts';
import { heldUpRates } from './bottleneck.ts';
import { largeOver, lostAtFullSize } from './large-probes.ts';
import { filtersThatTookLengths, limitersBesideLengths, losesMost } from './length-witnesses.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

/** So few packets of full size are lost by chance. */
const STRAYS = 2;

export type LengthLoss = {
  /** Shortest and longest of the lost packets, IP header included. */
  readonly least: number;
  readonly most: number;
  /** Of the second look, of lengths between those. */
  readonly sent: number;
  readonly lost: number;
};

export const lengthLossSymptom = defineSymptom<LengthLoss>('length');

type Run = FactWith<'link-lengths'>;

export function lengthLosses(world: World, facts: readonly Fact[]): readonly Symptom<LengthLoss>[] {
  const groups = Map.groupBy(factsOf({ facts }, 'link-lengths'), ({ value }) => value.link);
  return [...groups].flatMap(([key, runs]) => {
    const link = world.links.find((each) => each.key === key);
    const first = runs.filter(({ value }) => value.round === 'first');
    const again = againOver(runs);
    const lost = lengthsOf(again, 'lost');
    if (link === undefined || lengthsOf(first, 'lost').length === 0) return [];
    if (!isLoss(lengthsOf(again, 'tested').length, lost.length) || isOfOthers(world, facts, link, runs)) return [];
    const [least, most] = [Math.min(...lost), Math.max(...lost)];
    if (!again.every(({ value }) => losesMost(value, least, most))) return [];
    const within = lengthsOf(again, 'tested').filter((each) => each >= least && each <= most).length;
    const text = `${linkLabel(link)}: ${lost.length} of ${within} probes of ${least} to ${most} octets over the link were lost in a second look${othersThat(runs, least, most)}`;
    const source = [...new Set(runs.flatMap((run) => run.source))];
    return [
      linkSymptom(lengthLossSymptom, world, link, {
        text,
        source,
        detail: { least, most, sent: within, lost: lost.length },
      }),
    ];
  });
}

function isOfOthers(world: World, facts: readonly Fact[], link: WorldLink, runs: readonly Run[]): boolean {
  return (
    isOfAll(facts, link) ||
    // A queue that is full takes what it takes.
    heldUpRates(facts).has(link.key) ||
    (link.link.addresses !== undefined && isOfTheLongest(facts, link.key, runs)) ||
    filtersThatTookLengths(world, facts, link).length > 0 ||
    limitersBesideLengths(world, facts, link).length > 0
  );
}

/** Small probes over it are lost as well. */
export function isOfAll(facts: readonly Fact[], { key, from, to }: Pick<WorldLink, 'key' | 'from' | 'to'>): boolean {
  const isOver = ({ link, scope, from: one, to: other }: FactWith<'probe-loss'>['value']) =>
    link === key || (link === undefined && scope === 'segment' && isBetween([one, other], from, to));
  return factsOf({ facts }, 'probe-loss').some(({ value }) => isOver(value) && isLoss(value.sent, value.lost));
}

function isBetween(nodes: readonly string[], from: LinkEnd, to: LinkEnd): boolean {
  return nodes.includes(from.node) && nodes.includes(to.node);
}

function isOfTheLongest(facts: readonly Fact[], key: string, runs: readonly Run[]): boolean {
  const longest = Math.max(...lengthsOf(runs, 'tested'));
  const isLost = lengthsOf(runs, 'lost').includes(longest);
  return isLost && Math.max(largeOver(facts, key).lost, lostAtFullSize(facts)) > STRAYS;
}

export function againOver(runs: readonly Run[]): readonly Run[] {
  return runs.filter(({ value }) => value.round === 'confirmation');
}

export function lengthsOf(runs: readonly Run[], which: 'tested' | 'lost'): readonly number[] {
  return runs.flatMap(({ value }) => value[which]);
}

/** Of one direction of a link, each run of its second look: what went this way, and what of it was lost. */
export function lossesThisWay(runs: readonly Run[], from: string) {
  return againOver(runs).map(({ value: { measuredBy, out, back }, source }) => ({
    measuredBy,
    source,
    ...(measuredBy === from ? out : back),
  }));
}

/** Directions of a link in which both ends' own probes were lost. */
export function directionsThatLose(link: WorldLink, runs: readonly Run[]) {
  return directionsOf(link).filter(({ from, to }) => {
    const losses = lossesThisWay(runs, from.node).filter(({ sent, lost }) => isLoss(sent, lost));
    return [from, to].every(({ node }) => losses.some(({ measuredBy }) => measuredBy === node));
  });
}

function othersThat(runs: readonly Run[], least: number, most: number): string {
  const passed = runs.flatMap(({ value: { tested, lost } }) => tested.filter((each) => !lost.includes(each)));
  const [below, above] = [passed.filter((each) => each < least), passed.filter((each) => each > most)];
  const words = [
    ...(below.length === 0 ? [] : [`of up to ${Math.max(...below)}`]),
    ...(above.length === 0 ? [] : [`of ${Math.min(...above)} and more`]),
  ];
  return words.length === 0 ? '' : `; those ${words.join(' and ')} octets arrive`;
}
