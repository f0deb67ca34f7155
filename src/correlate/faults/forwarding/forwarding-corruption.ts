// device_forwarding_packet_corruption: a node damages packets that it forwards: probes through it arrive with wrong checksums, those over
// its links do not. A rule of its own that overwrites checksums, and took packets meanwhile, is named beside it. Of a remembered moment
// such a rule's counter says so. Explains only damage that packets through the node can have done.
import { nodeResource } from '#model/names.ts';
import { spoilsChecksums } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { type CaseFile, type Fact, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault, type Share, type Slice } from '../../engine/fault-definition.ts';
import { isLoss, type LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { echoesOver, walk } from '../../network/forwarding.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linksAt, ownerOf, type View, type World } from '../../network/world.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { damageSymptom } from '../../symptoms/wrong-checksums.ts';
import { rulesInUse, takenBy } from './rewriting-rules.ts';

/** Checksums of the probes that are sent through a node. */
const PROBE_CHECKSUMS = ['Udp6InCsumErrors'];
/** Without a checksum a datagram is whole all the same (RFC 768, RFC 6935). */
const NO_CHECKSUM = /^udp checksum\b.* = (?:0|0x0+)$/;

type Detail = {
  readonly node: string;
  /** What its rules write into, as the node words it. */
  readonly fields: readonly string[];
  /** Packets that those rules took. */
  readonly packets: number;
  /** Probes through it, those lost, and wrong checksums at the nodes that they were for; absent of a remembered moment. */
  readonly sent?: number;
  readonly lost?: number;
  readonly errors?: number;
  /** Neighbours between which the probes were sent. */
  readonly around: readonly string[];
};

export const forwardingCorruption = defineFault<Detail>({
  id: 'device_forwarding_packet_corruption',
  resource: 'node',
  accuses: true,
  labels: { nika: 'device_forwarding_packet_corruption', netOpsBench: null },
  summary:
    'a node damages packets that it forwards: probes through it arrive with wrong checksums, those over its links do not',
  memories: ['filters'],
  clue: 'rewrite',
  score: 4,
  detect: (slice) =>
    [...slice.world.views.values()].flatMap((view) =>
      slice.past === undefined ? damagedProbes(slice, view) : damagingRules(slice, view),
    ),
  describe: ({ node, packets, sent, lost, errors }) =>
    sent === undefined
      ? `${nodeRef(node)}: a rule of its packet filter wrote checksums of its own into ${packets} packets`
      : `${nodeRef(node)}: ${lost} of ${sent} probes that it forwarded were lost, and the nodes that they were sent to counted ${errors} wrong checksums`,
  remedy: ({ node }) => ({
    node,
    summary: `find out what ${nodeRef(node)} does to packets that it forwards: check its filter rules first`,
  }),
  consequences: (symptom, file, losses) => consequencesOf(symptom.detail, file, losses),
});

/**
 * Probes from one neighbour of the node to another are lost, the checksum counters of those two rise by half as much or more, and over
 * the links on the way nothing is lost.
 */
function damagedProbes(slice: Slice, view: View): readonly Detection<Detail>[] {
  const { node, sources } = view;
  const crossings = factsOf(slice, 'crossing').filter(({ value }) => value.through === node);
  const around = [...new Set(crossings.flatMap(({ value }) => [value.from, value.to]))];
  const [sent, lost] = [sum(crossings.map(({ value }) => value.sent)), sum(crossings.map(({ value }) => value.lost))];
  const damaged = factsOf(slice, 'node-errors').filter(
    ({ value }) => around.includes(value.node) && PROBE_CHECKSUMS.includes(value.counter),
  );
  const errors = sum(damaged.map(({ value }) => value.packets));
  if (!isLoss(sent, lost) || errors < lost / 2 || losesBeside(slice.facts, node, around)) return [];
  const evidence = [...sources, ...crossings.flatMap((fact) => fact.source), ...damaged.flatMap((fact) => fact.source)];
  const rules = rulesInUse(slice, view).filter(spoilsChecksums);
  const detail = { ...ruleWords(view, rules), node, sent, lost, errors, around };
  return [{ resource: nodeResource(node), evidence, nodes: [node], detail }];
}

/** Rules that are gone and took packets into which they wrote a checksum. */
function damagingRules(slice: Slice, view: View): readonly Detection<Detail>[] {
  const { node, sources } = view;
  const rules = rulesInUse(slice, view).flatMap((rule) => {
    const rewrites = (rule.rewrites ?? []).filter((text) => !NO_CHECKSUM.test(text));
    return spoilsChecksums({ hook: rule.hook, rewrites }) ? [{ ...rule, rewrites }] : [];
  });
  if (rules.length === 0) return [];
  const detail = { ...ruleWords(view, rules), node, around: [] };
  return [{ resource: nodeResource(node), evidence: sources, nodes: [node], detail }];
}

function ruleWords(view: View, rules: readonly FilterRule[]): Pick<Detail, 'fields' | 'packets'> {
  const texts = rules.flatMap(({ rewrites }) => rewrites ?? []);
  const fields = [...new Set(texts)].map((text) => text.replace(/ = \S+$/, ''));
  return { fields, packets: sum(rules.map((rule) => takenBy(view, rule))) };
}

function losesBeside(facts: readonly Fact[], node: string, around: readonly string[]): boolean {
  return factsOf({ facts }, 'probe-loss').some(
    ({ value: { from, to, sent, lost } }) =>
      [from, to].includes(node) && [from, to].some((each) => around.includes(each)) && isLoss(sent, lost),
  );
}

/** Lost echoes that the node was to forward, and wrong checksums at nodes that its packets reach. */
function consequencesOf({ node, around }: Detail, file: CaseFile, losses: readonly LossSymptom[]): readonly Share[] {
  const forwarded = reachSymptom
    .of(file)
    .filter(({ way, nodes }) => way?.nodes.includes(node) === true && !nodes.includes(node));
  const damaged = damageSymptom
    .of(file)
    .filter(
      ({ nodes: [at = ''] }) => isDamagedBy(file.world, { node, around }, at) && !isLossy(file, losses, node, at),
    );
  return [...damaged, ...forwarded].map(shareOf);
}

/** What is for the node itself it does not forward; what another gets passes it by the lookups of the others, or nothing is known of it. */
function isDamagedBy(world: World, { node, around }: Pick<Detail, 'node' | 'around'>, at: string): boolean {
  if (at === node) return false;
  if (around.includes(at)) return true;
  const asked = [...world.lookups].flatMap(([from, answers]) =>
    [...answers.keys()].filter((address) => ownerOf(world, address)?.node === at).map((address) => ({ from, address })),
  );
  const others = asked.filter(({ from }) => from !== node && from !== at);
  return others.length === 0 || others.some(({ from, address }) => walk(world, from, address).nodes.includes(node));
}

/** Packets are lost over another link of the damaged node, which this node's packets need not cross: the damage has a cause there. */
function isLossy({ world }: CaseFile, losses: readonly LossSymptom[], node: string, at: string): boolean {
  return linksAt(world, at)
    .filter(({ from, to }) => from.node !== node && to.node !== node)
    .some((link) => {
      const { sent, lost } = echoesOver(world, link);
      return isLoss(sent, lost) || losses.some(({ fact }) => fact.value.link === link.key && fact.value.to === at);
    });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
