// mac_address_conflict: both ends of a link have one MAC address. host_ip_conflict: an address is on two nodes, and one of them
// has it besides an address of its own. bgp_hijacking: the second one also announces a part of the owner's prefix.
import { covers } from '#base/ip.ts';
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource, type ResourceId } from '#model/names.ts';
import { frrChange, inFamily, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { brokenLink, facing, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { interfaceOf } from '../../network/world.ts';

export const macAddressConflict: FaultDefinition = {
  id: 'mac_address_conflict',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'mac_address_conflict', netOpsBench: null },
  summary: 'two interfaces of one link have the same MAC address; both are named',
  propose: (file, losses) =>
    symptomsOfKind(file, 'duplicate').flatMap((symptom) => {
      const { link } = symptom;
      if (link === undefined) return toldByOneEnd(file, symptom);
      return [link.from, link.to].map((end) =>
        newProposal(
          macAddressConflict,
          interfaceResource(end),
          [shareOf(symptom), ...brokenLink(file, losses, link)],
          symptom.source,
          {
            score: 4,
            together: symptom.id,
            details: { mac: symptom.detail['mac'] ?? '' },
            remedy: {
              node: end.node,
              summary: `give ${mark(end.node)} ${end.ifname} or its other end a MAC address of its own`,
            },
          },
        ),
      );
    }),
};

/** The other end does not answer, for this very reason: its sessions over the link follow from it. */
function toldByOneEnd(file: CaseFile, symptom: Symptom): readonly Proposal[] {
  const { mac, node, ifname, owners } = symptom.detail;
  if (mac === undefined || !Array.isArray(owners)) return [];
  const lost = facing(file, String(node), String(ifname));
  return owners.map((owner) =>
    newProposal(macAddressConflict, String(owner) as ResourceId, [shareOf(symptom), ...lost], symptom.source, {
      ...{ score: 4, together: symptom.id, confidence: 'likely', details: { mac } },
      remedy: {
        node: String(node),
        summary: `give ${mark(String(node))} ${ifname} or its other end a MAC address of its own`,
      },
    }),
  );
}

export const hostIpConflict: FaultDefinition = {
  id: 'host_ip_conflict',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'host_ip_conflict', netOpsBench: null },
  summary: 'an address is on two nodes; the one that has it besides another of the same subnet is named',
  exact: '`no ip address …` on a router, where the address is known to be another’s',
  propose: (file) => [
    ...symptomsOfKind(file, 'host')
      .filter(({ detail }) => detail['what'] === 'conflict')
      .map((symptom) =>
        newProposal(hostIpConflict, String(symptom.detail['port']) as ResourceId, [shareOf(symptom)], symptom.source, {
          confidence: symptom.detail['known'] === true ? 'certain' : 'likely',
          details: symptom.detail,
          remedy: {
            node: symptom.nodes[0]!,
            summary: `take ${symptom.detail['conflict']} off that host: ${symptom.text}`,
          },
        }),
      ),
    ...symptomsOfKind(file, 'duplicate').flatMap((symptom) => {
      const address = String(symptom.detail['address'] ?? '');
      const owners = file.world.owners.get(address) ?? [];
      if (symptom.link !== undefined || owners.length !== 2) return [];
      const extra = owners.filter((owner) => {
        const mine = interfaceOf(file.world, owner)?.addresses ?? [];
        return mine.some(
          (each) =>
            each.split('/')[0] !== address && covers(each, address) && !each.endsWith('/32') && !each.endsWith('/128'),
        );
      });
      const named = extra.length === 1 ? extra : owners;
      return named.map((owner) =>
        newProposal(hostIpConflict, interfaceResource(owner), [shareOf(symptom)], symptom.source, {
          details: { address },
          remedy: {
            node: owner.node,
            summary: `${address} is also on ${mark(owners.find((each) => each !== owner)!.node)}: take it off one of them`,
            ...(extra.length === 1 ? takenOff(file, owner, address) : { decide: 'whose address it is' }),
          },
          ...(extra.length === 1 ? {} : { withheld: `${address} is on two nodes, and nothing says whose it is` }),
        }),
      );
    }),
  ],
};

export const bgpHijacking: FaultDefinition = {
  id: 'bgp_hijacking',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_hijacking', netOpsBench: null },
  summary: 'a node announces a more specific part of a prefix that another node has connected and announces',
  exact: '`no network …`, and the addresses of it',
  propose: (file) =>
    [...file.world.views.values()].flatMap(({ node, state }) =>
      (state.bgp?.networks ?? []).flatMap((network) => {
        const owner = [...file.world.views.values()].find(
          (other) =>
            other.node !== node &&
            (other.state.bgp?.networks ?? []).some(
              (wide) =>
                wide !== network && !wide.endsWith('/0') && covers(wide, network) && lengthOf(wide) < lengthOf(network),
            ) &&
            other.state.inventory.interfaces.some(
              (entry) =>
                entry.kind !== 'loopback' &&
                entry.addresses.some(
                  (address) => covers(address, network.split('/')[0]!) && lengthOf(address) < lengthOf(network),
                ),
            ),
        );
        if (owner === undefined) return [];
        const mine = file.symptoms.filter(
          (symptom) =>
            (symptom.kind === 'duplicate' && covers(network, String(symptom.detail['address'] ?? ''))) ||
            ((symptom.kind === 'route' || symptom.kind === 'reach') &&
              covers(network, String(symptom.detail['destination'] ?? ''))),
        );
        if (mine.length === 0) return [];
        return [
          newProposal(
            bgpHijacking,
            nodeResource(node),
            mine.map(shareOf),
            [...mine.flatMap((symptom) => symptom.source)],
            {
              score: 5,
              details: { network, owner: mark(owner.node) },
              remedy: {
                node,
                summary: `${mark(node)} announces ${network}, which is a part of what ${mark(owner.node)} has`,
                command: `no network ${network}`,
                ...withdrawal(file, node, network),
              },
            },
          ),
        ];
      }),
    ),
};

/** The statement, and the addresses by which the node answers in the owner's place. */
function withdrawal(file: CaseFile, node: string, network: string): Pick<Remedy, 'change'> {
  const state = file.world.views.get(node)!.state;
  const answering = state.inventory.interfaces.flatMap((entry) =>
    entry.addresses
      .filter((address) => covers(network, address.split('/')[0]!))
      .flatMap((address) => ['exit', ...onInterface(entry.name, `no ${wordOf(address)} address ${address}`)]),
  );
  return frrChange(file.world, node, [...inFamily(state.bgp!.asn, network, `no network ${network}`), ...answering]);
}

function takenOff(file: CaseFile, owner: LinkEnd, address: string): Pick<Remedy, 'change'> {
  const own = interfaceOf(file.world, owner)?.addresses.filter((each) => each.split('/')[0] === address) ?? [];
  const lines = own.map((each) => `no ${wordOf(each)} address ${each}`);
  return lines.length === 0 ? {} : frrChange(file.world, owner.node, onInterface(owner.ifname, ...lines));
}

function wordOf(address: string): string {
  return address.includes(':') ? 'ipv6' : 'ip';
}

function lengthOf(prefix: string): number {
  return Number(prefix.split('/')[1] ?? 128);
}
