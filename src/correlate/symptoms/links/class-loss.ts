// A link that loses a share of one class of traffic, as TCP, while other probes over it arrive: seen in two rounds, so that chance does not
// make it. No symptom where a filter of what is addressed to its own node took as many, or may have and the link did not, where all probes
// fare alike (that loss is a symptom of its own), or where a train was held up: a queue that is full takes from every class. Accuses no end.
import type { ReachTraffic } from '#model/router/router-port.ts';
import { type Fact, type FactWith, type FilterHits, factsOf } from '../../engine/facts.ts';
import { isLoss, percentOf } from '../../engine/loss-symptom.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { KERNEL_PORT } from '../../network/service-tries.ts';
import type { World, WorldLink } from '../../network/world.ts';
import { interfaceOf } from '../../network/world.ts';
import { type Attempt, type AttemptDetail, sendersOf } from '../../packet-filter/attempts.ts';
import { limitersAtItsEnds, takenAtTheirEnds } from '../../packet-filter/own-traffic.ts';
import { heldUpRates } from './bottleneck.ts';
import { largeOver, lostAtFullSize } from './large-probes.ts';

export type ClassLoss = {
  readonly traffic: ReachTraffic;
  /** Of the second look. */
  readonly sent: number;
  readonly lost: number;
  readonly lossPercent: number;
};

export const classLossSymptom = defineSymptom<ClassLoss>('class');

/** Of the packets of a second look: fewer are no share of a class. */
const LEAST_SHARE = 0.01;
export const CLASS_NAMES = {
  tcp: 'TCP connection requests',
  icmp: 'echoes',
  'large-icmp': 'echoes as long as its MTU',
} as const;

export function classLosses(world: World, facts: readonly Fact[]): readonly Symptom<ClassLoss>[] {
  return factsOf({ facts }, 'link-class').flatMap((fact) => {
    const { link: key, traffic, again } = fact.value;
    const lost = firstLost(facts, fact);
    const link = world.links.find((each) => each.key === key);
    if (link === undefined || lost === 0 || again === undefined || !isShare(again)) return [];
    if (losesAll(facts, link, traffic) || filtersThatTook(world, facts, fact).length > 0) return [];
    if (limitersBeside(world, facts, fact).length > 0) return [];
    const lossPercent = percentOf(again.lost, again.sent);
    const [one, other] = [link.from, link.to].map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`);
    return [
      classLossSymptom.raise({
        id: `class:${traffic} ${key}`,
        subject: key,
        text: `${one} – ${other}: ${again.lost} of ${again.sent} ${CLASS_NAMES[traffic]} over the link were lost (${lossPercent} %), and ${lost} of the first look; ${traffic === 'large-icmp' ? 'small' : 'other'} probes over it arrive`,
        source: fact.source,
        nodes: [link.from.node, link.to.node],
        link,
        detail: { traffic, sent: again.sent, lost: again.lost, lossPercent },
      }),
    ];
  });
}

function isShare({ sent, lost }: { readonly sent: number; readonly lost: number }): boolean {
  return isLoss(sent, lost) && lost >= sent * LEAST_SHARE;
}

/** Of the first look; at large packets that is a train of large probes, or along a path those of full size. */
function firstLost(facts: readonly Fact[], { value: { link, traffic, lost } }: FactWith<'link-class'>): number {
  return traffic === 'large-icmp' ? Math.max(largeOver(facts, link).lost, lostAtFullSize(facts)) : lost;
}

/** The probes of the reflectors are lost there as well, or, for a class of small packets, trains were: no matter of one class. */
function losesAll(facts: readonly Fact[], { key }: WorldLink, traffic: ReachTraffic): boolean {
  const udp = factsOf({ facts }, 'probe-loss').some(
    ({ value }) => value.link === key && isLoss(value.sent, value.lost),
  );
  const trains = traffic !== 'large-icmp' && largeOver(facts, key).lost > 0;
  return udp || trains || heldUpRates(facts).has(key);
}

/** Filters of what is addressed to their own node whose counters account for what was lost: policers of a control plane are such. */
export function filtersThatTook(
  world: World,
  facts: readonly Fact[],
  fact: FactWith<'link-class'>,
): readonly FilterHits[] {
  const { again, lost } = fact.value;
  const attempts = attemptsOf(world, fact).map((attempt) => ({ attempt, lost: lost + (again?.lost ?? 0) }));
  return [...new Set(attempts.flatMap((each) => takenAtTheirEnds(world, facts, [each]).get(each) ?? []))];
}

/** Limiters without a counter at the ends of a link whose own counters say, of both directions, that the link did not lose what was lost. */
export function limitersBeside(
  world: World,
  facts: readonly Fact[],
  fact: FactWith<'link-class'>,
): readonly FilterHits[] {
  if (!isLinkSound(facts, fact.value)) return [];
  return [...new Set(attemptsOf(world, fact).flatMap((attempt) => limitersAtItsEnds(world, facts, attempt)))];
}

const DIRECTIONS = 2;

function isLinkSound(facts: readonly Fact[], { link, traffic }: FactWith<'link-class'>['value']): boolean {
  const wires = factsOf({ facts }, 'link-class-wire').filter(
    ({ value }) => value.link === link && value.traffic === traffic,
  );
  const lacking = wires.reduce((sum, { value: { wire } }) => sum + Math.max(0, wire.txPackets - wire.rxPackets), 0);
  return (
    wires.length === DIRECTIONS &&
    wires.every(
      ({ value: { lost, wire } }) => wire.comparable && wire.lostAtLeast === 0 && lost > 0 && lacking * 2 < lost,
    )
  );
}

function attemptsOf(world: World, { value }: FactWith<'link-class'>): readonly Attempt[] {
  return attemptsOver(
    world,
    value,
    value.traffic === 'tcp' ? { service: 'tcp', port: KERNEL_PORT } : { service: 'echo' },
  );
}

/** In both families. Either end may have dropped requests or answers. Without a service: probes of the reflectors. */
export function attemptsOver(
  world: World,
  { link: over, sent }: Pick<FactWith<'link-class'>['value'], 'link' | 'sent'>,
  service: Pick<AttemptDetail, 'service' | 'port'> = {},
): readonly Attempt[] {
  const link = world.links.find(({ key }) => key === over);
  if (link === undefined) return [];
  return ['IPv4', 'IPv6'].flatMap((family) => {
    const onPort = interfaceOf(world, link.to)?.addresses ?? [];
    // Over a link without addresses of its own, probes are between others of its nodes.
    const isBare = link.link.addresses === undefined;
    const elsewhere = isBare ? (world.views.get(link.to.node)?.state.inventory.loopbacks ?? []) : [];
    const destination = [...onPort, ...elsewhere]
      .map((address) => address.split('/')[0]!)
      .find((address) => address.includes(':') === (family === 'IPv6') && !/^fe[89ab]/i.test(address));
    if (destination === undefined) return [];
    const [from, owner] = [link.from.node, link.to.node];
    const sources = sendersOf(world, from, destination);
    return [
      { from, owner, destination, sources },
      { from: owner, owner: from, destination: sources[0] ?? destination, sources: [destination] },
    ].map((each) => ({
      way: { nodes: [from, owner], links: [link.key] },
      detail: { ...each, ...service, sent },
    }));
  });
}
