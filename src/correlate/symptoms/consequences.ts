// Which symptoms follow from a broken link or node.
import { covers } from '#base/ip.ts';
import type { LinkEnd } from '#model/names.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Share } from '../engine/fault-definition.ts';
import type { LossSymptom } from '../engine/loss-symptom.ts';
import { lossOn, lossShareOf, shareOf } from '../engine/proposal.ts';
import type { SharedSymptomKind, Symptom } from '../engine/symptom.ts';
import type { WorldLink } from '../network/world.ts';
import { ospfSymptom, versionOf } from './adjacency.ts';
import type { EntryDetail } from './neighbour-entries.ts';
import { routeSymptom } from './routes.ts';
import { bfdSymptom, bgpSymptom } from './sessions.ts';
import { reachSymptom } from './unanswered-echoes.ts';

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
  return routeSymptom
    .of(file)
    .filter(({ detail: { how, owner, at } }) => how === 'none' && (nodes.includes(owner) || nodes.includes(at)))
    .map(shareOf);
}

/** Protocol symptoms in which a node takes part. */
export function protocolsAt(file: CaseFile, node: string, kinds: readonly SharedSymptomKind[]): readonly Symptom[] {
  return file.symptoms.filter((symptom) => kinds.some((kind) => kind === symptom.kind) && symptom.nodes.includes(node));
}

/** Sessions and silences over an interface whose other end did not answer. */
export function facing(file: CaseFile, node: string, ifname: string): readonly Share[] {
  const addresses =
    file.world.views.get(node)?.state.inventory.interfaces.find((entry) => entry.name === ifname)?.addresses ?? [];
  return [...bgpSymptom.of(file), ...bfdSymptom.of(file)]
    .filter(({ detail }) => detail.node === node && addresses.some((own) => covers(own, detail.peer)))
    .map(shareOf);
}

/** What follows from an entry for a neighbour that is wrong or missing: sessions of the same family over this link, and echoes across it. */
export function overAddress(file: CaseFile, { link, detail }: Symptom<EntryDetail>): readonly Share[] {
  if (link === undefined) return [];
  const isSix = detail.address.includes(':');
  const isHere = (each: Symptom) => each.link?.key === link.key;
  const sessions = [...bgpSymptom.of(file), ...bfdSymptom.of(file)].filter(
    (each) => isHere(each) && each.detail.peer.includes(':') === isSix,
  );
  const echoes = reachSymptom
    .of(file)
    .filter((each) => each.way?.links.includes(link.key) === true && each.detail.destination.includes(':') === isSix);
  const adjacencies = isSix ? [] : ospfSymptom.of(file).filter((each) => isHere(each) && versionOf(each) === 2);
  return [...sessions, ...adjacencies, ...echoes].map(shareOf);
}
