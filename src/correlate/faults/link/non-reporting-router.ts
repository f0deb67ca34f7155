// Loss and damage at a link of a router whose agent is silent: packet_loss at the end that sends, or link_packet_corruption where those whom the
// lost probes were for count wrong checksums: routers forward UDP over IPv6 without reading its checksum, so that damage shows
// at the end of the way. Queues and filters of the end that answers, if they dropped packets, leave it open.
import { nodeKey, type ResourceId } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import type { Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export function lossBesideSilent(file: CaseFile): readonly Proposal[] {
  return placed(file).flatMap((symptom) => {
    const sender = symptom.detail['sender'];
    if (typeof sender !== 'string' || damageAt(file, symptom).length > 0 || dropsItself(file, symptom)) return [];
    return [proposal('packet_loss', sender as ResourceId, [symptom])];
  });
}

export function damageBesideSilent(file: CaseFile): readonly Proposal[] {
  const links = Map.groupBy(placed(file), ({ detail }) => String(detail['link'] ?? ''));
  return [...links].flatMap(([link, symptoms]) => {
    const damage = [...new Set(symptoms.flatMap((symptom) => damageAt(file, symptom)))];
    const lost = symptoms.reduce((sum, { detail }) => sum + Number(detail['lost']), 0);
    if (link === '' || damage.length === 0 || errorsOf(damage) * 2 < lost) return [];
    return [proposal('link_packet_corruption', link as ResourceId, [...symptoms, ...damage])];
  });
}

function placed(file: CaseFile): readonly Symptom[] {
  return symptomsOfKind(file, 'silent-link').filter(({ detail }) => detail['towards'] !== undefined);
}

function damageAt(file: CaseFile, { detail }: Symptom): readonly Symptom[] {
  const receivers = Array.isArray(detail['receivers']) ? detail['receivers'] : [];
  return symptomsOfKind(file, 'corrupt').filter(({ nodes }) => receivers.includes(nodes[0]!));
}

/** Checksums that the probes carry. */
function errorsOf(damage: readonly Symptom[]): number {
  return damage.reduce((sum, { detail }) => sum + Number(detail['Udp6InCsumErrors'] ?? 0), 0);
}

/** A queue that overflows there, a filter that took as many, or an IP layer that threw away what came in: the wire may be well. */
function dropsItself(file: CaseFile, { detail, nodes }: Symptom): boolean {
  const filtered = factsOf(file, 'filter-hits').some(
    ({ value }) => nodeKey(value.node) === nodeKey(nodes[0]!) && (value.packets ?? 0) * 2 >= Number(detail['lost']),
  );
  const discarded = factsOf(file, 'node-errors').some(
    ({ value }) =>
      detail['towards'] === false && nodeKey(value.node) === nodeKey(nodes[0]!) && /InDiscards$/.test(value.counter),
  );
  const queued = symptomsOfKind(file, 'queue').some((queue) => queue.detail['node'] === detail['node']);
  return filtered || discarded || queued;
}

function proposal(fault: string, resource: ResourceId, symptoms: readonly Symptom[]): Proposal {
  const { text, detail } = symptoms[0]!;
  const node = String(detail['node']);
  return newProposal(
    { id: fault },
    resource,
    symptoms.map(shareOf),
    symptoms.flatMap(({ source }) => source),
    {
      confidence: 'likely',
      details: { what: text, lossPercent: detail['lossPercent'] ?? 0 },
      remedy: {
        node,
        summary: `check cable and optics between ${mark(node)} ${detail['ifname']} and ${mark(String(detail['silent']))}`,
      },
    },
  );
}
