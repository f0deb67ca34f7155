// Probes of many lengths as proof of health: a line for all links and one for a path; what of them was lost and not seen to be so again is a stray, or
// keeps the answer from being healthy where there was no second look. What a filter of what is addressed to its own node took is said. A loss that was seen twice is a symptom (symptoms/links/length-loss.ts).
import type { Outcome } from '#model/call.ts';
import { linkResource } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import { type CaseFile, type FactWith, factsOf, type Proof } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { WorldLink } from '../network/world.ts';
import { lostAtFullSize } from '../symptoms/links/large-probes.ts';
import { againOver, isOfAll, lengthsOf } from '../symptoms/links/length-loss.ts';
import { filtersThatTookLengths, limitersBesideLengths } from '../symptoms/links/length-witnesses.ts';
import { linkLabel } from '../symptoms/links/on-link.ts';

/** Links that a line names before it counts. */
const NAMED = 3;
/** One lost probe of a run is a stray. */
const STRAYS = 1;

type Case = Pick<CaseFile, 'facts' | 'world'>;

export function lengthProof(file: Case, outcomes: readonly Outcome[]): Proof {
  const runs = factsOf(file, 'link-lengths');
  const first = runs.filter(({ value }) => value.round === 'first');
  const [sent, lost] = [lengthsOf(first, 'tested'), lengthsOf(first, 'lost')];
  const open = file.world.links.flatMap((link) => {
    const mine = runs.filter(({ value }) => value.link === link.key);
    const [gone, again] = [lengthsOf(mine, 'lost'), againOver(mine)];
    // A loss of all packets is reported by other rules.
    if (gone.length === 0 || isOfAll(file.facts, link)) return [];
    const [sentAgain, lostAgain] = [lengthsOf(again, 'tested').length, lengthsOf(again, 'lost').length];
    const rules = rulesThatTook(file, link);
    const isOpen = rules.length === 0 && (sentAgain === 0 ? gone.length > STRAYS : isLoss(sentAgain, lostAgain));
    const words = sentAgain === 0 ? 'there was no second look' : `of ${sentAgain} in a second look ${lostAgain}`;
    const before = lengthsOf(
      mine.filter(({ value }) => value.round === 'first'),
      'lost',
    );
    return [
      {
        line: `${linkLabel(link)}: ${lostWords(before.length === 0 ? gone : before)}, and ${[words, ...rules].join('; ')}`,
        isOpen,
      },
    ];
  });
  const lines = (isWanted: boolean) => open.flatMap(({ line, isOpen }) => (isOpen === isWanted ? [line] : []));
  return joined([
    {
      proven: [
        ...(sent.length === 0
          ? []
          : [
              `probes of ${Math.min(...sent)} to ${Math.max(...sent)} octets: ${sent.length - lost.length} of ${sent.length} over ${first.length} ${first.length === 1 ? 'link' : 'links'} came back`,
            ]),
        ...lines(false),
        ...untested(file, outcomes),
      ],
      lacking: lines(true),
    },
    ...factsOf(file, 'path-lengths').map(({ value }) => ofPath(file, value)),
  ]);
}

function rulesThatTook({ facts, world }: Case, link: WorldLink): readonly string[] {
  const took = filtersThatTookLengths(world, facts, link).map(
    ({ node, acl }) => `${acl} of ${nodeRef(node)} dropped some, and takes only what is for its own node`,
  );
  if (took.length > 0) return took;
  return limitersBesideLengths(world, facts, link).map(
    ({ node, acl }) =>
      `${acl} of ${nodeRef(node)} may have dropped some: it limits only what is for its own node, and the link itself lost none, as the counters of both ends say`,
  );
}

function ofPath(file: Case, { from, to, tested, lost }: FactWith<'path-lengths'>['value']): Proof {
  const line = `${nodeRef(from)} → ${nodeRef(to)} and back: ${tested.length - lost.length} of ${tested.length} probes of ${tested[0]} to ${tested.at(-1)} octets arrived`;
  if (lost.length === 0) return { proven: [line], lacking: [] };
  const isOfAllSizes = factsOf(file, 'probe-loss').some(({ value }) => isLoss(value.sent, value.lost));
  const isOneOfAHop = lost.length <= STRAYS && isEachHopTested(file, from, to);
  const isStray = isOneOfAHop || isOfAllSizes || lostAtFullSize(file.facts) > 0;
  return isStray
    ? { proven: [`${line}; ${lostWords(lost)}`], lacking: [] }
    : { proven: [], lacking: [`${line}; ${lostWords(lost)}`] };
}

/** One lost probe got a second look where it was one of a hop's own; where a hop has none, it may be all that is seen of its loss. */
function isEachHopTested({ facts }: Case, from: string, to: string): boolean {
  const tested = new Set(factsOf({ facts }, 'link-lengths').map(({ value }) => value.link));
  const hops = factsOf({ facts }, 'link').map(({ value }) => value);
  if (!hops.every((hop) => tested.has(linkResource(hop.from, hop.to)))) return false;
  const met = new Set([from]);
  // Each turn meets the neighbours of those that were met.
  for (const _ of hops)
    for (const hop of hops) {
      const ends = [hop.from.node, hop.to.node];
      if (ends.some((end) => met.has(end))) for (const end of ends) met.add(end);
    }
  return met.has(to);
}

function lostWords(lost: readonly number[]): string {
  const [least, most] = [Math.min(...lost), Math.max(...lost)];
  if (lost.length === 1) return `1 probe of ${least} octets was lost`;
  return `${lost.length} probes of ${least} to ${most} octets were lost`;
}

/** Links over which such probes were planned, and whose nodes did not tell which were lost. */
function untested({ facts, world }: Case, outcomes: readonly Outcome[]): readonly string[] {
  const told = new Set(factsOf({ facts }, 'link-lengths').map(({ value }) => value.link));
  const planned = outcomes.flatMap((outcome) => {
    const purpose = purposeOf(outcome, 'length-probe');
    return purpose === undefined ? [] : [linkResource(purpose.from, purpose.to)];
  });
  const links = world.links.filter(({ key }) => planned.includes(key) && !told.has(key)).map(linkLabel);
  if (links.length === 0) return [];
  const more = links.length > NAMED ? `, and ${links.length - NAMED} more` : '';
  return [`not tested: packets between small and full size over ${links.slice(0, NAMED).join(', ')}${more}`];
}

function joined(parts: readonly Proof[]): Proof {
  return { proven: parts.flatMap(({ proven }) => proven), lacking: parts.flatMap(({ lacking }) => lacking) };
}
