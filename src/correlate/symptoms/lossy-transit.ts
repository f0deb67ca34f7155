// Nodes that lose what they forward: probes from one neighbour to another are lost, and those over its links to both are not. Where nothing at all
// came back there may be no route between the two; that counts only where the same kind of probes passes another node.
import { nodeResource } from '#model/names.ts';
import { type Fact, type FactWith, factsOf } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { defineOwnSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linksAt, otherEnd, sourcesOf, type World } from '../network/world.ts';

export type TransitDetail = {
  readonly node: string;
  readonly sent: number;
  readonly lost: number;
  /** Ways from neighbour to neighbour, with what was lost of each. */
  readonly ways: readonly string[];
};

export const transitSymptom = defineOwnSymptom<TransitDetail>('transit');

/** Less may be a busy machine that had no time for its packets. */
const LEAST_SHARE = 0.02;

export function lossyTransits(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const all = factsOf({ facts }, 'transit');
  const somePass = all.some(({ value }) => value.sent > 0 && !isLoss(value.sent, value.lost));
  return [...Map.groupBy(all, ({ value }) => value.through)].flatMap(([node, runs]) => {
    const lossy = runs.filter(({ value: { sent, lost } }) => isLoss(sent, lost) && lost >= sent * LEAST_SHARE);
    const isWhole = lossy.every(({ value }) => value.lost === value.sent);
    // One way may have a reason of its own: all of them do only where the node is what they share.
    if (lossy.length === 0 || lossy.length < runs.length || (isWhole && !somePass)) return [];
    const around = lossy.flatMap(({ value }) => [value.from, value.to]);
    return around.every((other) => isClean(world, facts, node, other)) ? [raised(world, node, lossy)] : [];
  });
}

/** Probes passed every link between the two that was probed, and one was. */
function isClean(world: World, facts: readonly Fact[], node: string, other: string): boolean {
  const keys = linksAt(world, node)
    .filter((link) => otherEnd(link, node).node === other)
    .map(({ key }) => key);
  const probes = factsOf({ facts }, 'probe-loss').filter(
    ({ value }) => value.link !== undefined && keys.includes(value.link) && value.sent > 0,
  );
  return probes.length > 0 && probes.every(({ value }) => !isLoss(value.sent, value.lost));
}

function raised(world: World, node: string, runs: readonly FactWith<'transit'>[]): Symptom {
  const sent = runs.reduce((sum, { value }) => sum + value.sent, 0);
  const lost = runs.reduce((sum, { value }) => sum + value.lost, 0);
  const ways = runs.map(({ value }) => `${nodeRef(value.from)} → ${nodeRef(value.to)}: ${value.lost} of ${value.sent}`);
  return transitSymptom.raise({
    ...{ id: `transit:${node}`, subject: nodeResource(node), nodes: [node], clue: 'reach' },
    text: `probes that ${nodeRef(node)} was to forward were lost (${ways.join(', ')}), those over its links were not`,
    source: [...runs.flatMap(({ source }) => source), ...sourcesOf(world, node)],
    detail: { node, sent, lost, ways },
  });
}
