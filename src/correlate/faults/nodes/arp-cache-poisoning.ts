// arp_cache_poisoning: a node's table says that a neighbour's address is at a MAC address that the neighbour does not have. The right
// one is what the neighbour itself reports. Explains what is lost over that address, not the neighbour's other protocols.
import { nodeResource } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { overAddress } from '../../symptoms/consequences.ts';
import { entrySymptom } from '../../symptoms/neighbour-entries.ts';

/** `true` is the MAC address that the neighbour has; `fixed`: the entry was set by hand. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly interface: string;
  readonly address: string;
  readonly mac: string;
  readonly true: string;
  readonly fixed: boolean;
};

export const arpCachePoisoning = defineCause<Detail>({
  id: 'arp_cache_poisoning',
  resource: 'node',
  accuses: true,
  labels: { nika: 'arp_cache_poisoning', netOpsBench: null },
  summary: 'a node’s neighbour table has a wrong MAC address for a neighbour',
  exact: 'the entry deleted in the kernel, where it is a fixed one',
  explain: (file) =>
    entrySymptom
      .of(file)
      .filter(({ detail }) => !detail.unresolved)
      .map((symptom) => {
        const { node, ifname, address, mac = '', ownerMac, fixed } = symptom.detail;
        return {
          resource: nodeResource(node),
          score: fixed ? 4 : 3,
          confidence: fixed ? 'certain' : 'likely',
          explains: [shareOf(symptom), ...overAddress(file, symptom)],
          evidence: symptom.source,
          detail: { what: symptom.text, node, interface: ifname, address, mac, true: ownerMac, fixed },
        };
      }),
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, address, mac, fixed }) => ({
    node,
    summary: `delete the neighbour entry of ${address} on ${nodeRef(node)}`,
    command: `ip neigh del ${address} dev ${ifname}`,
    // A fixed entry comes back as it was; one that was learned goes by itself.
    ...(fixed ? { change: { live: [{ kind: 'neighbour-delete', ifname, address, mac: mac.toLowerCase() }] } } : {}),
  }),
});
