// address_missing: an address that a node is expected to have (baseline) is not set any more. Explains the sessions that ran over it
// and the ways that led to it. Without a baseline nobody knows of it, and nobody is accused.
import { covers } from '#base/ip.ts';
import { interfaceResource } from '#model/names.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';

export const addressMissing: FaultDefinition = {
  id: 'address_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'an interface lacks an address that its baseline has; needs `parley baseline save`',
  exact: 'the address set in the kernel, as the baseline has it',
  propose: (file) =>
    symptomsOfKind(file, 'expected')
      .filter(({ detail }) => detail['part'] === 'address')
      .map((symptom) => {
        const { node, ifname, address } = symptom.detail as { node: string; ifname: string; address: string };
        const others = file.symptoms.filter((each) => each !== symptom && concerns(each, node, ifname, address));
        return newProposal(
          addressMissing,
          interfaceResource({ node, ifname }),
          [symptom, ...others].map(shareOf),
          symptom.source,
          {
            score: 4,
            details: { what: symptom.text, address },
            remedy: {
              node,
              summary: `give ${mark(node)} ${ifname} its address ${address} again`,
              command: `ip address add ${address} dev ${ifname}`,
              change: { live: [{ kind: 'address-add', ifname, address }] },
            },
          },
        );
      }),
};

/** What ran over the address or its subnet, and the link that is recognised by it. */
function concerns(
  { kind, detail, nodes, subject, link }: Symptom,
  node: string,
  ifname: string,
  address: string,
): boolean {
  const inSubnet = (value: unknown) => typeof value === 'string' && covers(address, value);
  const onInterface =
    subject.includes(`${node}:${ifname}`) ||
    [link?.from, link?.to].some((end) => end?.node === node && end.ifname === ifname);
  switch (kind) {
    case 'expected':
      return detail['part'] === 'link' ? onInterface : inSubnet(detail['peer']);
    case 'bgp':
    case 'bfd':
      return inSubnet(detail['peer']) || (onInterface && nodes.includes(node));
    case 'route':
    case 'reach':
      return inSubnet(detail['destination']);
    case 'isis':
    case 'ospf':
    case 'entry':
      return onInterface;
    default:
      return false;
  }
}
