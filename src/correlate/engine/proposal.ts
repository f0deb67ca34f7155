// What rules share: shares for symptoms and losses, and which of them are consequences of a broken link or node.
import { covers } from '#base/ip.ts';
import type { LinkEnd } from '#model/names.ts';
import type { WorldLink } from '../network/world.ts';
import type { CaseFile } from './facts.ts';
import type { Share } from './fault-definition.ts';
import type { LossSymptom } from './loss-symptom.ts';
import type { SharedSymptomKind, Symptom } from './symptom.ts';

export function shareOf(symptom: Symptom): Share {
  return { symptom: symptom.id, lost: 1, spread: 0 };
}

function symptomsOfKind(file: CaseFile, ...kinds: readonly SharedSymptomKind[]): readonly Symptom[] {
  return file.symptoms.filter((symptom) => kinds.some((kind) => kind === symptom.kind));
}

/** A share of lost probes. */
export function lossShareOf({ id, fact }: LossSymptom): Share {
  return { symptom: id, lost: fact.value.lost, spread: 0 };
}

const OVER_A_LINK: readonly SharedSymptomKind[] = ['down', 'past', 'isis', 'ospf', 'bgp', 'bfd', 'entry'];

/** Everything on a link that follows when the link itself is broken: protocols over it, and all its lost probes. */
export function brokenLink(file: CaseFile, losses: readonly LossSymptom[], link: WorldLink): readonly Share[] {
  const symptoms = file.symptoms.filter(
    (symptom) =>
      (OVER_A_LINK.some((kind) => kind === symptom.kind) && symptom.link?.key === link.key) ||
      (symptom.kind === 'reach' && symptom.way?.links.includes(link.key) === true),
  );
  return [
    ...symptoms.map(shareOf),
    ...unsettledRoutes(file, [link.from, link.to]),
    ...lossOn(losses, link).map(lossShareOf),
  ];
}

/** Carrier changes so young that routing may still be on its way to a new state. */
const UNSETTLED_MS = 30_000;

/** Routes that a node lacks, or that are lacking to it, while one of its links has just changed: they may still come. */
export function unsettledRoutes(file: CaseFile, ends: readonly LinkEnd[]): readonly Share[] {
  const young = ends.filter(({ node, ifname }) =>
    file.world.views
      .get(node)
      ?.state.history?.events.some(
        (event) => event.kind === 'carrier' && event.subject === ifname && event.agoMs <= UNSETTLED_MS,
      ),
  );
  const nodes = young.map((end) => end.node);
  return symptomsOfKind(file, 'route')
    .filter(({ detail }) => detail['how'] === 'none')
    .filter(({ detail }) => nodes.includes(String(detail['owner'])) || nodes.includes(String(detail['at'])))
    .map(shareOf);
}

export function lossOn(losses: readonly LossSymptom[], { from, to }: WorldLink): readonly LossSymptom[] {
  return losses.filter(
    ({ fact: { value } }) =>
      (value.from === from.node && value.to === to.node) || (value.from === to.node && value.to === from.node),
  );
}

/** Protocol symptoms in which a node takes part. */
export function protocolsAt(file: CaseFile, node: string, kinds: readonly SharedSymptomKind[]): readonly Symptom[] {
  return file.symptoms.filter((symptom) => kinds.some((kind) => kind === symptom.kind) && symptom.nodes.includes(node));
}

/** Sessions and silences over an interface whose other end did not answer. */
export function facing(file: CaseFile, node: string, ifname: string): readonly Share[] {
  const addresses =
    file.world.views.get(node)?.state.inventory.interfaces.find((entry) => entry.name === ifname)?.addresses ?? [];
  const here = (address: unknown) => typeof address === 'string' && addresses.some((own) => covers(own, address));
  return file.symptoms
    .filter(
      (symptom) =>
        (symptom.kind === 'bgp' || symptom.kind === 'bfd') &&
        symptom.detail['node'] === node &&
        here(symptom.detail['peer']),
    )
    .map(shareOf);
}

/** The value that most of `all` have, when more than half do. */
export function majority<T>(all: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].sort((one, other) => other[1] - one[1]);
  return best !== undefined && best[1] * 2 > all.length ? best[0] : undefined;
}
