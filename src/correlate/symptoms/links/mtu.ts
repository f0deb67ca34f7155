// Links whose ends have different MTUs, that lose what is close to their MTU, or that are too small for what hosts send while every
// other link is larger. Smaller links that carry what hosts send are a remark.
import type { Remark } from '#model/finding.ts';
import type { LinkEnd } from '#model/names.ts';
import { mayTake } from '#model/router/packet-match.ts';
import { type Fact, factsOf } from '../../engine/facts.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { remarkOf } from '../../network/remark.ts';
import { interfaceOf, type World, type WorldLink } from '../../network/world.ts';
import { isForItself } from '../../packet-filter/own-traffic.ts';
import { COVERED, PROBE_PACKETS } from '../../packet-filter/probe-packets.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type MtuDetail = {
  readonly from: number;
  readonly to: number;
  /** The ends agree, and large probes are lost all the same. */
  readonly large?: true;
  /** What every other link has, or what is expected of this one. */
  readonly others?: number;
  readonly expected?: true;
};

export const mtuSymptom = defineSymptom<MtuDetail>('mtu');

/** Others that must agree before what they have is called usual. */
const LEAST_ALIKE = 3;
/** What an Ethernet carries (RFC 894): hosts send packets of this size. */
const ETHERNET_MTU = 1_500;

export function mtuSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  return world.links
    .filter((link) => interfaceOf(world, link.from) && interfaceOf(world, link.to))
    .flatMap((link) => unequal(world, link, facts));
}

function unequal(world: World, link: WorldLink, facts: readonly Fact[]): readonly Symptom[] {
  // On a network of many each has its own size, and no end is the other one's.
  if (!link.link.pointToPoint || link.link.doubts.length > 0) return [];
  const [from, to] = [interfaceOf(world, link.from)!.mtu, interfaceOf(world, link.to)!.mtu];
  const detail = { from, to };
  if (from !== to) {
    const text = `${linkLabel(link)}: MTU ${from} at one end, ${to} at the other`;
    return [linkSymptom(mtuSymptom, world, link, { text, detail })];
  }
  const large = factsOf({ facts }, 'large-probes').filter(({ value }) => value.link === link.key);
  if (
    large.length > 0 &&
    large.every((fact) => fact.value.received === 0) &&
    passesSmall(link, facts) &&
    !isPoliced(world, link, facts)
  ) {
    const text = `${linkLabel(link)}: probes close to the MTU of ${from} are lost, small ones are not`;
    const source = large.flatMap((fact) => fact.source);
    return [linkSymptom(mtuSymptom, world, link, { text, detail: { ...detail, large: true }, source })];
  }
  return lowForItsKind(world, link, from);
}

function passesSmall(link: WorldLink, facts: readonly Fact[]): boolean {
  return facts.some(
    (fact) =>
      fact.predicate === 'probe-loss' &&
      link.key.includes(`${fact.value.from}:`) &&
      link.key.includes(`${fact.value.to}:`) &&
      fact.value.lost < fact.value.sent / 2,
  );
}

/** A filter of what is addressed to one of the ends may have dropped as many large probes as were lost: then not their size did it. */
function isPoliced(world: World, { key, from, to }: WorldLink, facts: readonly Fact[]): boolean {
  const large = factsOf({ facts }, 'large-probes').filter(({ value }) => value.link === key);
  const lost = large.reduce((sum, { value }) => sum + value.sent - value.received, 0);
  return factsOf({ facts }, 'filter-hits').some(
    ({ value }) =>
      [from.node, to.node].includes(value.node) &&
      (value.packets ?? 0) >= lost * COVERED &&
      isForItself(world, value) &&
      PROBE_PACKETS.some((packet) => mayTake(value, packet)),
  );
}

/** Both ends smaller than every other link between routers, which all agree, and too small for what hosts send: those packets are lost or cut. */
function lowForItsKind(world: World, link: WorldLink, mtu: number): readonly Symptom[] {
  const others = usualAround(world, link);
  if (others === undefined || mtu >= others || mtu >= ETHERNET_MTU) return [];
  const text = `${linkLabel(link)}: MTU ${mtu} at both ends, ${others} on every other link`;
  return [linkSymptom(mtuSymptom, world, link, { text, detail: { from: mtu, to: mtu, others } })];
}

/** Links that are smaller than the others and carry what hosts send all the same, in words: the operator's choice. */
export function smallerLinks(world: World): readonly Remark[] {
  return world.links.flatMap((link) => {
    const [mtu, its] = [link.from, link.to].map((end) => interfaceOf(world, end)?.mtu ?? 0);
    const usual = mtu === its && link.link.pointToPoint ? usualAround(world, link) : undefined;
    if (usual === undefined || mtu! >= usual || mtu! < ETHERNET_MTU) return [];
    const text = `${linkLabel(link)}: MTU ${mtu} at both ends, ${usual} on every other link`;
    const { key: resource, from, to } = link;
    return [remarkOf(world, [from.node, to.node], { kind: 'mtu_mismatch', why: 'no-change', resource, text })];
  });
}

/** The size of all other point-to-point links between routers, when they agree. */
function usualAround(world: World, link: WorldLink): number | undefined {
  const routing = (end: LinkEnd) => (world.views.get(end.node)?.state.daemons?.length ?? 0) > 0;
  if (!routing(link.from) || !routing(link.to)) return undefined;
  const others = world.links.filter(
    (each) => each.key !== link.key && each.link.pointToPoint && routing(each.from) && routing(each.to),
  );
  // Where the ends of a link differ, one is wrong already: the larger shows what it should be.
  const sizes = others.map((each) => Math.max(...[each.from, each.to].map((end) => interfaceOf(world, end)?.mtu ?? 0)));
  return others.length < LEAST_ALIKE || new Set(sizes).size !== 1 ? undefined : sizes[0];
}
