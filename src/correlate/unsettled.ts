// What was measured and nothing explains: links over which probes were lost, and links over which packets may have come damaged; the
// worst of each first. Input of the extended round; says nothing of what is wrong.
import type { Link } from '#model/links/links.ts';
import { type CaseFile, factsOf } from './engine/facts.ts';
import { type LossSymptom, underWay } from './engine/loss-symptom.ts';
import type { Ranked } from './engine/rank.ts';
import type { Symptom } from './engine/symptom.ts';
import { duplicatedFrames } from './faults/link/duplicated-frames.ts';
import { echoesOver } from './network/forwarding.ts';
import { directionsOf, type WorldLink } from './network/world.ts';
import { isDoubtful, wiresOver } from './observe/wire.ts';
import { heldUpRates } from './symptoms/links/bottleneck.ts';
import { type ClassLoss, classLossSymptom } from './symptoms/links/class-loss.ts';
import { recurringLossSymptom } from './symptoms/links/recurring-loss.ts';

export type Unsettled = {
  /** With the share of the probes that was lost and, where trains over it are held up, with what it passes a second. */
  readonly losses: readonly { readonly link: Link; readonly share: number; readonly megabits?: number }[];
  readonly damage: readonly Link[];
  readonly classes: readonly { readonly link: Link; readonly traffic: ClassLoss['traffic'] }[];
};

export function unsettledIn(
  file: CaseFile,
  losses: readonly LossSymptom[],
  { unexplained, open, chosen }: Ranked,
): Unsettled {
  // That a loss has a place and no name is no reason to look no further.
  const placed = new Set(
    chosen.flatMap(({ lastResort, explains }) => (lastResort === true ? explains.map(({ symptom }) => symptom) : [])),
  );
  const unnamed = [...unexplained, ...losses.filter(({ id }) => placed.has(id))];
  // Along a path counters are doubted for the proof of health alone: with a finding, or with losses that stay open, there is none.
  const isAnswered =
    file.path.length > 0 && (unexplained.length > 0 || chosen.some(({ accuses }) => accuses !== false));
  // That probes of the lengths below tell which way is no reason not to count in quiet.
  const byLength = new Set(
    chosen.flatMap(({ details, explains }) =>
      details['lengths'] === undefined ? [] : explains.map(({ symptom }) => symptom),
    ),
  );
  const isCounted = ({ link }: Symptom) =>
    factsOf(file, 'link-class-wire').some(({ value }) => value.link === link?.key);
  const classes = classLossSymptom
    .of(file)
    .filter((symptom) => open.includes(symptom) || (byLength.has(symptom.id) && !isCounted(symptom)))
    .sort((one, other) => other.detail.lost - one.detail.lost);
  return {
    losses: [...lossesIn(file, unnamed), ...inDoubt(open), ...(isAnswered ? [] : doubtfulCounters(file, losses))],
    damage: damageIn(file, open),
    classes: classes.flatMap(({ link, detail: { traffic } }) => (link ? [{ link: link.link, traffic }] : [])),
  };
}

/** Lost one way or both. */
function lossesIn(file: CaseFile, unexplained: readonly LossSymptom[]): Unsettled['losses'] {
  const shares = new Map<WorldLink, number>();
  // Many probes over a narrow link would be lost because of us.
  const narrow = file.symptoms.filter(({ kind }) => kind === 'narrow').map(({ link }) => link?.key);
  const rates = heldUpRates(file.facts);
  for (const { fact } of unexplained) {
    const link = file.world.links.find(({ key }) => key === fact.value.link);
    const { sent, lost } = underWay(fact.value);
    if (link !== undefined && !narrow.includes(link.key) && fact.value.directionKnown && sent > 0)
      shares.set(link, Math.max(shares.get(link) ?? 0, lost / sent));
  }
  return [...shares]
    .sort(([, one], [, other]) => other - one)
    .map(([{ key, link }, share]) => {
      const megabits = rates.get(key);
      return { link, share, ...(megabits === undefined ? {} : { megabits }) };
    });
}

/** As many probes as a longer look may send: the next loss may be seconds away. */
const RECURRING_SHARE = 0.01;

/** Links of which one end's word says that they lose packets now and then, or deliver them twice. */
function inDoubt(open: Ranked['open']): Unsettled['losses'] {
  return open
    .filter((symptom) => recurringLossSymptom.is(symptom) || duplicatedFrames.symptoms.is(symptom))
    .flatMap(({ link }) => (link === undefined ? [] : [{ link: link.link, share: RECURRING_SHARE }]));
}

/** Without a path: of more links than these the machine was busy, and a second look would be as busy. */
const FEW_LINKS = 2;
/** So many probes as a loss of a few per cent gets. */
const COUNTERS_SHARE = 0.05;

/**
 * Links whose probes all arrived and whose counters disagree by a little: of few links, as on a busy machine all of them do, and of a path,
 * where the counters of every hop are part of the proof.
 */
function doubtfulCounters(file: CaseFile, losses: readonly LossSymptom[]): Unsettled['losses'] {
  const found = file.world.links.filter(
    (each) =>
      !losses.some(({ fact }) => fact.value.link === each.key) &&
      each.link.doubts.length === 0 &&
      directionsOf(each).some((way) => wiresOver(file, way).some(({ value }) => isDoubtful(value))),
  );
  const isFew = file.path.length > 0 || found.length <= FEW_LINKS;
  return isFew ? found.map(({ link }) => ({ link, share: COUNTERS_SHARE })) : [];
}

/** All links of nodes that counted damaged packets: those over which IPv4 was lost before, then those whose ends counted most. */
function damageIn({ world }: CaseFile, open: Ranked['open']): Unsettled['damage'] {
  const counted = new Map<string, number>();
  for (const { kind, nodes, detail } of open) {
    const packets = kind === 'corrupt' ? Object.values(detail).reduce<number>((sum, each) => sum + Number(each), 0) : 0;
    if (packets > 0) for (const node of nodes) counted.set(node, packets);
  }
  return world.links
    .filter(({ from, to }) => counted.has(from.node) || counted.has(to.node))
    .map((each) => {
      const { sent, lost } = echoesOver(world, each);
      const packets = (counted.get(each.from.node) ?? 0) + (counted.get(each.to.node) ?? 0);
      return { link: each.link, share: sent === 0 ? 0 : lost / sent, packets };
    })
    .sort((one, other) => other.share - one.share || other.packets - one.packets)
    .map(({ link }) => link);
}
