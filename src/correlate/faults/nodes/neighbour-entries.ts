// arp_cache_poisoning: a node's table says that a neighbour's address is at a MAC that the neighbour does not have. The true
// one is what the neighbour itself says. Explains what is lost over that address, not the neighbour's other protocols.
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Rule, Share } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, troublesOfKind } from '../../engine/proposal.ts';
import type { Trouble } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const arpCachePoisoning: Rule = {
  fault: 'arp_cache_poisoning',
  resourceForm: 'node',
  accuses: true,
  nika: 'arp_cache_poisoning',
  netOpsBench: null,
  summary: 'a node’s neighbour table has a wrong MAC address for a neighbour',
  exact: 'the entry deleted in the kernel, where it is a fixed one',
  propose: (file) =>
    troublesOfKind(file, 'entry')
      .filter(({ detail }) => detail['unresolved'] !== true)
      .map((trouble) => {
        const node = String(trouble.detail['node']);
        return newProposal(
          arpCachePoisoning,
          nodeResource(node),
          [shareOf(trouble), ...overAddress(file, trouble)],
          trouble.source,
          {
            score: trouble.detail['fixed'] === true ? 4 : 3,
            confidence: trouble.detail['fixed'] === true ? 'certain' : 'likely',
            details: {
              address: trouble.detail['address'] ?? '',
              mac: trouble.detail['mac'] ?? '',
              true: trouble.detail['ownerMac'] ?? '',
            },
            remedy: {
              node,
              summary: `delete the entry of ${trouble.detail['address']} on ${mark(node)}`,
              command: `ip neigh del ${trouble.detail['address']} dev ${trouble.detail['ifname']}`,
              ...(trouble.detail['fixed'] === true ? deletionOf(trouble) : {}),
            },
          },
        );
      }),
};

/** Of a fixed entry, which comes back as it was; one that was learned goes by itself. */
function deletionOf({ detail }: Trouble): Pick<Remedy, 'change'> {
  const [ifname, address, mac] = [detail['ifname'], detail['address'], detail['mac']].map(String) as [
    string,
    string,
    string,
  ];
  return { change: { live: [{ kind: 'neighbour-delete', ifname, address, mac: mac.toLowerCase() }] } };
}

/** Sessions of the same family over this link, and probes across it. */
function overAddress(file: CaseFile, entry: Trouble): readonly Share[] {
  const six = String(entry.detail['address']).includes(':');
  return file.troubles
    .filter(
      (trouble) =>
        (['bgp', 'bfd'].includes(trouble.kind) &&
          trouble.link?.key === entry.link?.key &&
          String(trouble.detail['peer']).includes(':') === six) ||
        (trouble.kind === 'ospf' && trouble.link?.key === entry.link?.key && !six) ||
        (trouble.kind === 'reach' &&
          entry.link !== undefined &&
          trouble.way?.links.includes(entry.link.key) === true &&
          String(trouble.detail['destination']).includes(':') === six),
    )
    .map(shareOf);
}
