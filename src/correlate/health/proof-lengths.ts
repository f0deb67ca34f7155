// Probes of many lengths as proof of health: a line for all links and one for a path; what of them was lost and not seen to be so again is a stray, or
// keeps the answer from being healthy where there was no second look. A loss that was seen twice is a symptom (symptoms/links/length-loss.ts).
import type { Outcome } from '#model/call.ts';
import { linkResource } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import { type CaseFile, type FactWith, factsOf, type Proof } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { lostAtFullSize } from '../symptoms/links/large-probes.ts';
import { againOver, isOfAll, lengthsOf } from '../symptoms/links/length-loss.ts';
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
    // What all packets suffer is told by others.
    if (gone.length === 0 || isOfAll(file.facts, link)) return [];
    const [sentAgain, lostAgain] = [lengthsOf(again, 'tested').length, lengthsOf(again, 'lost').length];
    const isOpen = sentAgain === 0 ? gone.length > STRAYS : isLoss(sentAgain, lostAgain);
    const words = sentAgain === 0 ? 'there was no second look' : `of ${sentAgain} in a second look ${lostAgain}`;
    const before = lengthsOf(
      mine.filter(({ value }) => value.round === 'first'),
      'lost',
    );
    return [{ line: `${linkLabel(link)}: ${lostWords(before.length === 0 ? gone : before)}, and ${words}`, isOpen }];
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

function ofPath(file: Case, { from, to, tested, lost }: FactWith<'path-lengths'>['value']): Proof {
  const line = `${nodeRef(from)} → ${nodeRef(to)} and back: ${tested.length - lost.length} of ${tested.length} probes of ${tested[0]} to ${tested.at(-1)} octets arrived`;
  if (lost.length === 0) return { proven: [line], lacking: [] };
  const isOfAllSizes = factsOf(file, 'probe-loss').some(({ value }) => isLoss(value.sent, value.lost));
  const isStray = lost.length <= STRAYS || isOfAllSizes || lostAtFullSize(file.facts) > 0;
  return isStray
    ? { proven: [`${line}; ${lostWords(lost)}`], lacking: [] }
    : { proven: [], lacking: [`${line}; ${lostWords(lost)}`] };
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
