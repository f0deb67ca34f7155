// duplicated_frames: a link delivers frames twice. Probes of both ends over it come back twice, and where the copy is made between the two
// ports, the receiver counts more packets than the sender sent. One end's word is not enough. Without counters that show the copies (an end that copies before it counts), the link is named without a direction, as likely.
import { isBetween } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault, type Slice } from '../../engine/fault-definition.ts';
import { LEAST_PROBES, percentOf } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { directionsOf, interfaceOf, type WorldLink } from '../../network/world.ts';
import { wiresOver } from '../../observe/wire.ts';
import { contradictionSymptom } from '../../symptoms/links/contradiction.ts';

/** Probes of one end that came back twice: fewer, or a smaller share, may be a retransmission below IP. */
const LEAST_DUPLICATES = 5;
const LEAST_SHARE = 0.01;
/** Both ends' probes cross both directions, so that they meet the same copies: one end's share may not be below this part of the other's. */
const ALIKE = 0.25;
/** Packets that the receiver counts beyond those sent, of as many as the probes' share makes expect. */
const COUNTED_SHARE = 0.5;

type Detail = {
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly probesReceived: number;
  readonly duplicates: number;
  /** Of the probes, in percent. */
  readonly duplicatePercent: number;
  /** Of the window or of a longer look, the direction in which the receiver counted more than was sent. */
  readonly direction?: string;
  readonly txPackets?: number;
  readonly rxPackets?: number;
};

export const duplicatedFrames = defineFault<Detail>({
  id: 'duplicated_frames',
  resource: 'link',
  accuses: true,
  alongPath: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a link delivers frames twice: probes of both ends come back twice, and a receiver counts more than was sent',
  detect: (slice) => (slice.past === undefined ? slice.world.links.flatMap((link) => doubledOn(slice, link)) : []),
  describe: ({ ends: [one, other], probesReceived, duplicates, duplicatePercent, direction, txPackets, rxPackets }) => {
    const probes = `${duplicates} of ${probesReceived} probes came back twice (${duplicatePercent} %)`;
    const counted = direction === undefined ? '' : `; ${direction}: ${txPackets} sent, ${rxPackets} received`;
    return `${endRef(one)} – ${endRef(other)}: ${probes}${counted}`;
  },
  remedy: ({ ends: [one, other] }) => ({
    node: one.node,
    summary: `look for what copies frames between ${endRef(one)} and ${endRef(other)}: a tap, a mirrored port, a bond, or a rule of either end`,
  }),
  consequences: ({ link, detail }, file) => (detail.direction === undefined ? [] : contradictionsOn(file, link)),
});

type Returned = FactWith<'returned-probes'>;

function doubledOn(slice: Slice, link: WorldLink): readonly Detection<Detail>[] {
  const said = factsOf(slice, 'returned-probes').filter(({ value }) => isOver(slice, link, value));
  const byEnd = [...Map.groupBy(said, ({ value }) => value.from).values()].map(totalOf);
  const told = byEnd.filter(({ received }) => received >= LEAST_PROBES);
  const most = Math.max(0, ...told.map(shareIn));
  const isSeen = told.some(({ duplicates }) => duplicates >= LEAST_DUPLICATES) && most >= LEAST_SHARE;
  if (!isSeen || told.some((each) => shareIn(each) < most * ALIKE)) return [];
  const all = totalOf(told.flatMap(({ facts }) => facts));
  const way = countedTwice(slice, link, most);
  const isAlone = told.length < 2 && way === undefined;
  const [received, duplicates] = [all.received, all.duplicates];
  const duplicatePercent = percentOf(duplicates, received);
  return [
    {
      ...{ resource: link.key, nodes: [link.from.node, link.to.node], link },
      evidence: [...all.facts.flatMap(({ source }) => source), ...(way?.source ?? [])],
      confidence: told.length > 1 && way !== undefined ? 'certain' : 'likely',
      ...(isAlone ? { withheld: 'one end alone says so, and no counters show it' } : {}),
      ...(isPlain(slice, link)
        ? {}
        : { remark: 'frames arrive twice over a link of several members, which may be meant' }),
      detail: {
        ...{ ends: [link.from, link.to] as const, probesReceived: received, duplicates, duplicatePercent },
        ...(way === undefined ? {} : { direction: way.direction, txPackets: way.txPackets, rxPackets: way.rxPackets }),
      },
    },
  ];
}

/** Bonds may send each frame over all of their members. */
function isPlain({ world }: Slice, { from, to }: WorldLink): boolean {
  return [from, to].every((end) => interfaceOf(world, end)?.kind === 'physical');
}

/** Of a link's own probes, or of a path's over this hop where no other link joins its nodes. */
function isOver({ world }: Slice, link: WorldLink, { from, to, link: crossed }: Returned['value']): boolean {
  if (crossed !== undefined) return crossed === link.key;
  return isBetween(link, from, to) && world.links.filter((each) => isBetween(each, from, to)).length === 1;
}

function totalOf(facts: readonly Returned[]) {
  return {
    facts,
    received: facts.reduce((sum, { value }) => sum + value.received, 0),
    duplicates: facts.reduce((sum, { value }) => sum + value.duplicates, 0),
  };
}

function shareIn({ received, duplicates }: { readonly received: number; readonly duplicates: number }): number {
  return duplicates / Math.max(1, received);
}

/** The direction in which the receiver counted the most packets beyond those sent, if they are as many as the share of probes makes expect. */
function countedTwice(slice: Slice, link: WorldLink, share: number) {
  const longer = factsOf(slice, 'extended-measurement').filter(({ value }) => value.link === link.key);
  const looks = longer.map(({ value: { wire }, source }) => ({ value: wire, source }));
  const ways = [...directionsOf(link).flatMap((way) => wiresOver(slice, way)), ...looks].flatMap(
    ({ value: { from, to, txPackets, rxPackets, gained }, source }) => {
      const surplus = rxPackets - txPackets;
      // Beyond what the readings of two nodes can be apart.
      return gained === true && surplus >= Math.max(LEAST_DUPLICATES, txPackets * share * COUNTED_SHARE)
        ? [{ surplus, direction: `${endRef(from)} → ${endRef(to)}`, txPackets, rxPackets, source }]
        : [];
    },
  );
  return ways.sort((one, other) => other.surplus - one.surplus)[0];
}

function endRef({ node, ifname }: LinkEnd): string {
  return `${nodeRef(node)} ${ifname}`;
}

/** Counters that differ because of the copies contradict nothing. */
function contradictionsOn(file: CaseFile, link: WorldLink | undefined) {
  return contradictionSymptom
    .of(file)
    .filter((symptom) => symptom.link?.key === link?.key && symptom.detail.what === 'packets')
    .map(shareOf);
}
