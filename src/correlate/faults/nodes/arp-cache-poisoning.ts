// arp_cache_poisoning: a node's table says that a neighbour's address is at a MAC address that the neighbour does not have. The right
// one is what the neighbour itself reports, or what a host answers to address resolution. Explains what is lost over that address, not the neighbour's other protocols.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Share } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { overAddress } from '../../symptoms/consequences.ts';
import { entrySymptom } from '../../symptoms/neighbour-entries.ts';
import { serviceSymptom } from '../../symptoms/service.ts';

/** `true` is the MAC address that the neighbour has; `fixed`: the entry was set by hand. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly interface: string;
  readonly address: string;
  readonly mac: string;
  readonly true: string;
  readonly fixed: boolean;
  readonly host?: true;
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
        const { node, ifname, address, mac = '', ownerMac, fixed, host } = symptom.detail;
        return {
          resource: nodeResource(node),
          score: fixed ? 4 : 3,
          // Of a host the node alone tells, and another device may have answered in its name.
          confidence: fixed && host === undefined ? 'certain' : 'likely',
          explains: [
            shareOf(symptom),
            ...overAddress(file, symptom),
            ...(host === undefined ? [] : atHost(file, address)),
          ],
          evidence: symptom.source,
          detail: {
            what: symptom.text,
            node,
            interface: ifname,
            address,
            mac,
            true: ownerMac,
            fixed,
            ...(host === undefined ? {} : { host }),
          },
        };
      }),
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, address, mac, fixed, host }) => ({
    node,
    summary: `delete the neighbour entry of ${address} on ${nodeRef(node)}`,
    command: `ip neigh del ${address} dev ${ifname}`,
    ...(host === undefined ? {} : { decide: 'whether the host that answers now is the one that is meant' }),
    // A fixed entry comes back as it was; one that was learned goes by itself.
    ...(fixed && host === undefined
      ? { change: { live: [{ kind: 'neighbour-delete', ifname, address, mac: mac.toLowerCase() }] } }
      : {}),
  }),
});

/** What is sent to the host over the entry does not arrive. */
function atHost(file: CaseFile, address: string): readonly Share[] {
  return serviceSymptom
    .of(file)
    .filter(({ detail }) => detail.destination === address)
    .map(shareOf);
}
