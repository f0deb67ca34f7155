// host_ip_conflict: an address is on two nodes, or on a host beside the node or host whose it is. The node that has it besides another
// address of the same subnet is named; where neither or both do, nothing says whose it is.
import { covers } from '#base/ip.ts';
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, type ResourceId } from '#model/names.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { defineSymptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { interfaceOf, type World } from '../../network/world.ts';
import { duplicateAddressSymptom } from '../../symptoms/duplicate-addresses.ts';

/** Of a symptom of a host (hosts/): `what` says of which kind. */
type HostDetail = {
  readonly what: string;
  readonly port: ResourceId;
  readonly conflict?: string;
  readonly known?: boolean;
};

const hostSymptom = defineSymptom<HostDetail>('host');

/** `others` are the nodes that have the address too; `extra`: this one has it besides another of the subnet. */
type Detail = {
  readonly what: string;
  readonly node: string;
  readonly address: string;
  readonly interface?: string;
  readonly others?: readonly string[];
  readonly extra?: boolean;
};

export const hostIpConflict = defineCause<Detail>({
  id: 'host_ip_conflict',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'host_ip_conflict', netOpsBench: null },
  summary: 'an address is on two nodes; the one that has it besides another of the same subnet is named',
  exact: '`no ip address …` on a router, where the address is known to be another’s',
  explain: (file) => [...betweenHosts(file), ...betweenNodes(file)],
  describe: ({ what }) => what,
  remedy: ({ what, node, address, interface: ifname, others, extra }, { world }) =>
    others === undefined || ifname === undefined
      ? { node, summary: `take ${address} off that host: ${what}` }
      : {
          node,
          summary: `${address} is also on ${mark(others[0]!)}: take it off one of them`,
          ...(extra === true ? takenOff(world, { node, ifname }, address) : { decide: 'whose address it is' }),
        },
});

function betweenHosts(file: CaseFile): readonly Explanation<Detail>[] {
  return hostSymptom.of(file).flatMap((symptom) => {
    const { what, port, conflict, known } = symptom.detail;
    if (what !== 'conflict' || conflict === undefined) return [];
    return [
      {
        resource: port,
        confidence: known === true ? ('certain' as const) : ('likely' as const),
        explains: [shareOf(symptom)],
        evidence: symptom.source,
        detail: { what: symptom.text, node: symptom.nodes[0]!, address: conflict },
      },
    ];
  });
}

function betweenNodes(file: CaseFile): readonly Explanation<Detail>[] {
  return duplicateAddressSymptom.of(file).flatMap((symptom) => {
    const { address } = symptom.detail;
    const owners = file.world.owners.get(address) ?? [];
    if (owners.length !== 2) return [];
    const withExtra = owners.filter((owner) => hasBesides(file.world, owner, address));
    const extra = withExtra.length === 1;
    return (extra ? withExtra : owners).map((owner) => ({
      resource: interfaceResource(owner),
      explains: [shareOf(symptom)],
      evidence: symptom.source,
      ...(extra ? {} : { withheld: `${address} is on two nodes, and nothing says whose it is` }),
      detail: {
        what: symptom.text,
        ...{ node: owner.node, interface: owner.ifname, address, extra },
        others: owners.filter((each) => each !== owner).map((each) => each.node),
      },
    }));
  });
}

/** The interface has another address whose subnet the address is in. */
function hasBesides(world: World, owner: LinkEnd, address: string): boolean {
  return (interfaceOf(world, owner)?.addresses ?? []).some(
    (each) =>
      each.split('/')[0] !== address && covers(each, address) && !each.endsWith('/32') && !each.endsWith('/128'),
  );
}

function takenOff(world: World, owner: LinkEnd, address: string): Pick<Remedy, 'change'> {
  const own = interfaceOf(world, owner)?.addresses.filter((each) => each.split('/')[0] === address) ?? [];
  const lines = own.map((each) => `no ${each.includes(':') ? 'ipv6' : 'ip'} address ${each}`);
  return lines.length === 0 ? {} : frrChange(world, owner.node, onInterface(owner.ifname, ...lines));
}
