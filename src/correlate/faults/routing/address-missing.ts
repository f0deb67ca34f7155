// address_missing: an address that a node is expected to have (baseline) is not set any more. Explains the sessions that ran over it
// and the routes that led to it. Without a baseline it is not known, and no node is accused.
import { covers } from '#base/ip.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isisSymptom, ospfSymptom } from '../../symptoms/adjacency.ts';
import { expectedSymptom } from '../../symptoms/expectations.ts';
import { entrySymptom } from '../../symptoms/neighbour-entries.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { bfdSymptom, bgpSymptom } from '../../symptoms/sessions.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

type Detail = { readonly what: string; readonly node: string; readonly interface: string; readonly address: string };

export const addressMissing = defineCause<Detail>({
  id: 'address_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'an interface lacks an address that its baseline has; needs `parley baseline save`',
  exact: 'the address set in the kernel, as the baseline has it',
  explain: (file) =>
    expectedSymptom.of(file).flatMap((symptom) => {
      const { part, node, ifname, address } = symptom.detail;
      if (part !== 'address' || node === undefined || ifname === undefined || address === undefined) return [];
      const end = { node, ifname };
      const others = file.symptoms.filter((each) => each !== symptom && followsFrom(each, end, address));
      return [
        {
          resource: interfaceResource(end),
          score: 4,
          explains: [symptom, ...others].map(shareOf),
          evidence: symptom.source,
          detail: { what: symptom.text, node, interface: ifname, address },
        },
      ];
    }),
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, address }) => ({
    node,
    summary: `give ${nodeRef(node)} ${ifname} its address ${address} again`,
    command: `ip address add ${address} dev ${ifname}`,
    change: { live: [{ kind: 'address-add', ifname, address }] },
  }),
});

/** What ran over the address or its subnet, and the link that is recognised by it. */
function followsFrom(symptom: Symptom, { node, ifname }: LinkEnd, address: string): boolean {
  const { nodes, subject, link } = symptom;
  const isInSubnet = (other: string | undefined) => other !== undefined && covers(address, other);
  const isOnInterface =
    subject.includes(`${node}:${ifname}`) ||
    [link?.from, link?.to].some((end) => end?.node === node && end.ifname === ifname);
  if (expectedSymptom.is(symptom))
    return symptom.detail.part === 'link' ? isOnInterface : isInSubnet(symptom.detail.peer);
  if (bgpSymptom.is(symptom) || bfdSymptom.is(symptom))
    return isInSubnet(symptom.detail.peer) || (isOnInterface && nodes.includes(node));
  if (routeSymptom.is(symptom) || reachSymptom.is(symptom)) return isInSubnet(symptom.detail.destination);
  return isOnInterface && [isisSymptom, ospfSymptom, entrySymptom].some(({ kind }) => kind === symptom.kind);
}
