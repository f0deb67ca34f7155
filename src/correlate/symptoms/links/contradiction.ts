// What the two ends of a link say of it and cannot both be so: packets that one end's counters lost and no probe did, losses that
// one end's probes met and the other end's did not at the same time, a carrier that fell at one end alone. Names what each end reports;
// which of the two is wrong only further neighbours can decide (faults/nodes/agent-contradicted.ts).
import { type Fact, type FactWith, factsOf, type ProbeLoss, type Wire } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { denies, isFarBelow } from '../../engine/second-witness.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, type World, type WorldLink } from '../../network/world.ts';
import { flapsAtOneEnd } from './link-flap.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type ContradictionDetail = { readonly what: 'carrier' | 'packets' };

export const contradictionSymptom = defineSymptom<ContradictionDetail>('contradiction');

/** Packets of the exchange itself, and this share of all, may be counted at one end alone. */
const COUNTED_APART = 64;
const COUNTED_APART_SHARE = 0.02;

type Way = { readonly from: string; readonly to: string };

export function contradictionSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  return world.links
    .filter((link) => isSteady(world, link))
    .flatMap((link) => [...carriers(world, link), ...measured(world, link, facts)].slice(0, 1));
}

/** Both ends up, of one size: else frames are lost in honest ways that probes need not meet. */
function isSteady(world: World, link: WorldLink): boolean {
  const [from, to] = [link.from, link.to].map((end) => interfaceOf(world, end));
  return from?.operUp === true && to?.operUp === true && from.mtu === to.mtu;
}

function carriers(world: World, link: WorldLink): readonly Symptom[] {
  const loud = flapsAtOneEnd(world, link);
  if (loud === undefined) return [];
  const calm = loud.end === link.from ? link.to : link.from;
  const text = `${linkLabel(link)}: ${nodeRef(loud.end.node)} says that the carrier changed ${loud.changes} times lately, ${nodeRef(calm.node)} saw no change`;
  return [linkSymptom(contradictionSymptom, world, link, { text, detail: { what: 'carrier' } })];
}

function measured(world: World, link: WorldLink, facts: readonly Fact[]): readonly Symptom[] {
  const losses = factsOf({ facts }, 'probe-loss').filter(({ value }) => value.link === link.key);
  const wires = factsOf({ facts }, 'wire').filter(({ value }) => isOn(link, value));
  return wires.flatMap((wire): readonly Symptom[] => {
    const way = { from: wire.value.from.node, to: wire.value.to.node };
    const text = ofProbes(losses, wire.value, way) ?? ofCounters(losses, wire.value, way);
    if (text === undefined) return [];
    const said = { text: `${linkLabel(link)}: ${text}`, detail: { what: 'packets' } } as const;
    const source = losses.flatMap((fact) => fact.source);
    return [linkSymptom(contradictionSymptom, world, link, { ...said, source })];
  });
}

function isOn({ from, to }: WorldLink, wire: Wire): boolean {
  return [
    [from, to],
    [to, from],
  ].some(
    ([one, other]) =>
      wire.from.node === one!.node &&
      wire.from.ifname === one!.ifname &&
      wire.to.node === other!.node &&
      wire.to.ifname === other!.ifname,
  );
}

/** One end's probes lost many in this direction, and its counters agree; the other end's, at the same time, did not. */
function ofProbes(losses: readonly FactWith<'probe-loss'>[], wire: Wire, way: Way): string | undefined {
  if (!wire.comparable || wire.lostAtLeast === 0) return undefined;
  const words = losses.filter(({ value }) => runs(value, way) && value.again !== undefined);
  for (const { value: claim } of words) {
    const denial = words.find(({ value }) => value.measuredBy !== claim.measuredBy)?.value;
    if (denial === undefined || !denies(denial.again!, claim.again!)) continue;
    return `of probes ${nodeRef(way.from)} → ${nodeRef(way.to)}, ${countOf(claim)}, ${countOf(denial)}`;
  }
  return undefined;
}

function countOf({ measuredBy, again }: ProbeLoss): string {
  return `${nodeRef(measuredBy)} counted ${again!.lost} of ${again!.sent} lost`;
}

/** The counters of the two ends show a loss, or a gain, that neither end's probes met. */
function ofCounters(losses: readonly FactWith<'probe-loss'>[], wire: Wire, way: Way): string | undefined {
  const { txPackets: sent, rxPackets: received } = wire;
  const counted = `${nodeRef(way.from)} counted ${sent} packets sent, ${nodeRef(way.to)} ${received} received`;
  const mine = losses.filter(({ value }) => runs(value, way)).map(({ value }) => value);
  if (mine.length === 0 || mine.some((value) => isLoss(value.sent, value.lost))) return undefined;
  const probes = mine.reduce((sum, value) => ({ sent: sum.sent + value.sent, lost: sum.lost + value.lost }), {
    sent: 0,
    lost: 0,
  });
  const lost = wire.comparable && isFarBelow(probes.lost, (wire.lostAtLeast / Math.max(1, sent)) * probes.sent);
  const gained =
    !wire.comparable && wire.gained === true && received - sent > COUNTED_APART + sent * COUNTED_APART_SHARE;
  return lost || gained ? `${counted}, and of ${probes.sent} probes ${probes.lost} were lost` : undefined;
}

function runs(value: ProbeLoss, way: Way): boolean {
  return value.directionKnown && value.from === way.from && value.to === way.to;
}
