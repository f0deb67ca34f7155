// Faults of virtual routers, where a drawn network has one: two of them active, or none.
import type { Draft } from '../model.ts';
import { type Drawn, inNode, type Mechanism, nodeOf } from './mechanism.ts';

/** The routers of the group: the active one first. */
type Group = { readonly ports: readonly { readonly node: string; readonly ifname: string }[] };

function groupIn(draft: Draft): Group | undefined {
  const ports = draft.routers
    .filter(({ hasAgent }) => hasAgent)
    .flatMap((router) =>
      router.ports.flatMap(({ ifname, lines }) => {
        const priority = lines
          .find((line) => line.startsWith('vrrp 5 priority'))
          ?.split(' ')
          .at(-1);
        return priority === undefined ? [] : [{ node: router.name, ifname, priority: Number(priority) }];
      }),
    )
    .sort((one, other) => other.priority - one.priority);
  return ports.length < 2 ? undefined : { ports };
}

const vty = (ifname: string, line: string): string =>
  `vtysh -c 'configure terminal' -c 'interface ${ifname}' -c '${line}'`;

const ofGroup = (fault: string, by: string, draw: (group: Group) => Drawn): Mechanism => ({
  ...{ fault, by },
  draw: (draft) => {
    const group = groupIn(draft);
    return group && draw(group);
  },
});

const both = ({ ports }: Group, fault: string): Drawn['truth'] => ({
  right: ports.map(({ node }) => `${nodeOf(node)} ${fault}`),
  place: ports.map(({ node }) => nodeOf(node)),
});

export const twoMastersByFilter = ofGroup('vrrp_two_masters', 'the backup drops advertisements', (group) => {
  const table = 'netdev edge_lan';
  const { node, ifname } = group.ports[1]!;
  const chain = `add chain ${table} in { type filter hook ingress device "${ifname}" priority 0; }`;
  return {
    inject: [
      inNode(
        node,
        [`nft 'add table ${table}; ${chain}; add rule ${table} in ip protocol 112 drop'`, 'sleep 5'],
        [`nft delete table ${table}`],
      ),
    ],
    truth: both(group, 'vrrp_two_masters'),
  };
});

export const twoMastersByVersion = ofGroup(
  'vrrp_two_masters',
  'another interval and version at the backup',
  (group) => {
    const { node, ifname } = group.ports[1]!;
    return {
      inject: [inNode(node, [vty(ifname, 'vrrp 5 version 2'), 'sleep 6'], [vty(ifname, 'vrrp 5 version 3')])],
      truth: both(group, 'vrrp_two_masters'),
    };
  },
);

export const noMaster = ofGroup('vrrp_no_master', 'shut down at both, one after the other', (group) => {
  const [first, second] = group.ports;
  return {
    inject: [second!, first!].map(({ node, ifname }) =>
      inNode(node, [vty(ifname, 'vrrp 5 shutdown'), 'sleep 6'], [vty(ifname, 'no vrrp 5 shutdown')]),
    ),
    truth: { ...both(group, 'vrrp_no_master'), right: [`${nodeOf(first!.node)} vrrp_no_master`] },
  };
});
