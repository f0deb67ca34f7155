// arp_cache_poisoning: a node's table says that a neighbour's address is at a MAC that the neighbour does not have. The true
// one is what the neighbour itself says. Explains what is lost over that address, not the neighbour's other protocols.
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Share } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const arpCachePoisoning: FaultDefinition = {
  id: 'arp_cache_poisoning',
  resource: 'node',
  accuses: true,
  labels: { nika: 'arp_cache_poisoning', netOpsBench: null },
  summary: 'a node’s neighbour table has a wrong MAC address for a neighbour',
  exact: 'the entry deleted in the kernel, where it is a fixed one',
  propose: (file) =>
    symptomsOfKind(file, 'entry')
      .filter(({ detail }) => detail['unresolved'] !== true)
      .map((symptom) => {
        const node = String(symptom.detail['node']);
        return newProposal(
          arpCachePoisoning,
          nodeResource(node),
          [shareOf(symptom), ...overAddress(file, symptom)],
          symptom.source,
          {
            score: symptom.detail['fixed'] === true ? 4 : 3,
            confidence: symptom.detail['fixed'] === true ? 'certain' : 'likely',
            details: {
              address: symptom.detail['address'] ?? '',
              mac: symptom.detail['mac'] ?? '',
              true: symptom.detail['ownerMac'] ?? '',
            },
            remedy: {
              node,
              summary: `delete the entry of ${symptom.detail['address']} on ${mark(node)}`,
              command: `ip neigh del ${symptom.detail['address']} dev ${symptom.detail['ifname']}`,
              ...(symptom.detail['fixed'] === true ? deletionOf(symptom) : {}),
            },
          },
        );
      }),
};

/** Of a fixed entry, which comes back as it was; one that was learned goes by itself. */
function deletionOf({ detail }: Symptom): Pick<Remedy, 'change'> {
  const [ifname, address, mac] = [detail['ifname'], detail['address'], detail['mac']].map(String) as [
    string,
    string,
    string,
  ];
  return { change: { live: [{ kind: 'neighbour-delete', ifname, address, mac: mac.toLowerCase() }] } };
}

/** Sessions of the same family over this link, and probes across it. */
function overAddress(file: CaseFile, entry: Symptom): readonly Share[] {
  const six = String(entry.detail['address']).includes(':');
  return file.symptoms
    .filter(
      (symptom) =>
        (['bgp', 'bfd'].includes(symptom.kind) &&
          symptom.link?.key === entry.link?.key &&
          String(symptom.detail['peer']).includes(':') === six) ||
        (symptom.kind === 'ospf' && symptom.link?.key === entry.link?.key && !six) ||
        (symptom.kind === 'reach' &&
          entry.link !== undefined &&
          symptom.way?.links.includes(entry.link.key) === true &&
          String(symptom.detail['destination']).includes(':') === six),
    )
    .map(shareOf);
}
