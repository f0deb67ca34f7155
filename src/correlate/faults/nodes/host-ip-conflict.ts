// host_ip_conflict: an address is on two nodes, or on a host beside the node or host whose it is. The node that has it besides another
// address of the same subnet is named; where neither or both do, nothing says whose it is.
import { covers } from '#base/ip.ts';
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, type ResourceId } from '#model/names.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, type World } from '../../network/world.ts';
import { addressConflict, type ConflictDetail } from '../../symptoms/address-conflict.ts';
import { duplicateAddressSymptom } from '../../symptoms/duplicate-addresses.ts';

/** Between hosts, with what is known of the one that has it beside its own address; or between nodes, one of which is named. */
type Detail = HostConflict | NodeConflict;

type HostConflict = Omit<ConflictDetail, 'what'> & { readonly what: string };

type NodeConflict = {
  readonly what: string;
  readonly address: string;
  readonly node: string;
  readonly ifname: string;
  /** The other node that has it. */
  readonly other: string;
  /** This one has it besides another address of the subnet. */
  readonly extra: boolean;
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
  remedy: (detail, { world }) => {
    if ('conflict' in detail)
      return { node: detail.router, summary: `remove ${detail.conflict} from that host: ${detail.what}` };
    const { node, address, other, extra } = detail;
    return {
      node,
      summary: `${address} is also on ${nodeRef(other)}: remove it from one of them`,
      ...(extra ? takenOff(world, detail, address) : { decide: 'whose address it is' }),
    };
  },
});

function betweenHosts(file: CaseFile): readonly Explanation<Detail>[] {
  return addressConflict.of(file).map((symptom) => ({
    resource: symptom.detail.port as ResourceId,
    confidence: symptom.detail.known ? 'certain' : 'likely',
    explains: [shareOf(symptom)],
    evidence: symptom.source,
    detail: { ...symptom.detail, what: symptom.text },
  }));
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
        ...{ address, node: owner.node, ifname: owner.ifname, extra },
        other: owners.find((each) => each !== owner)!.node,
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
