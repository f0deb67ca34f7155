// Which classes of traffic were tested over links, and which were not: a line a class. A class that nothing answered is not tested, which
// is said; a share of it lost is a symptom of its own (symptoms/links/class-loss.ts), or was dropped by a filter of what is addressed
// to its node, which is said as well.
import { type Fact, type FactWith, factsOf, type Proof } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';
import { CLASS_NAMES, filtersThatTook, limitersBeside } from '../symptoms/links/class-loss.ts';

/** Links that a line names before it counts. */
const NAMED = 3;

export function classProof(world: World, facts: readonly Fact[]): Proof {
  const classes = factsOf({ facts }, 'link-class');
  const proven = (['tcp', 'icmp', 'large-icmp'] as const).flatMap((traffic) => {
    const mine = classes.filter(({ value }) => value.traffic === traffic);
    return mine.length === 0 ? [] : linesOf(world, facts, mine, CLASS_NAMES[traffic]);
  });
  return { proven, lacking: [] };
}

function linesOf(
  world: World,
  facts: readonly Fact[],
  classes: readonly FactWith<'link-class'>[],
  what: string,
): readonly string[] {
  const heard = classes.filter(({ value }) => value.sent > 0);
  const total = (pick: (value: FactWith<'link-class'>['value']) => number) =>
    heard.reduce((sum, { value }) => sum + pick(value), 0);
  const [sent, lost] = [total((value) => value.sent), total((value) => value.lost)];
  const silent = classes.filter(({ value }) => value.sent === 0);
  return [
    ...(heard.length === 0 ? [] : [`${what}: ${sent - lost} of ${sent} over ${heard.length} links were answered`]),
    ...(silent.length === 0 ? [] : [`${what}: not tested over ${namesOf(world, silent)}, where none was answered`]),
    ...heard.flatMap((fact) =>
      fact.value.lost === 0
        ? []
        : [
            ...filtersThatTook(world, facts, fact).map(
              ({ node, acl }) =>
                `${what}: ${acl} of ${nodeRef(node)} dropped some, and takes only what is for its own node`,
            ),
            ...limitersBeside(world, facts, fact).map(
              ({ node, acl }) =>
                `${what}: ${acl} of ${nodeRef(node)} may have dropped some: it has no counter, limits only what is for its own node, and did so for as long as the agents remember; the link itself lost none, as the counters of both ends say`,
            ),
          ],
    ),
  ];
}

function namesOf(world: World, classes: readonly FactWith<'link-class'>[]): string {
  const keys = new Set(classes.map(({ value }) => value.link));
  const names = world.links
    .filter(({ key }) => keys.has(key))
    .map(({ from, to }) => `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}`);
  const rest = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(rest > 0 ? [`${rest} more links`] : [])].join(', ');
}
