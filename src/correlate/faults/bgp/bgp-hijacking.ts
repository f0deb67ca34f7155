// bgp_hijacking: a node announces a more specific part of a prefix that another node has connected and announces, so that packets for
// the owner's hosts reach it instead.
import { covers } from '#base/ip.ts';
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import { frrChange, inFamily, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { View, World } from '../../network/world.ts';
import { duplicateAddressSymptom } from '../../symptoms/duplicate-addresses.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { rpkiInvalid } from './rpki-invalid.ts';

type Detail = { readonly node: string; readonly network: string; readonly owner: string };

export const bgpHijacking = defineCause<Detail>({
  id: 'bgp_hijacking',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_hijacking', netOpsBench: null },
  summary: 'a node announces a more specific part of a prefix that another node has connected and announces',
  exact: '`no network …`, and the addresses of it',
  explain: (file) =>
    [...file.world.views.values()].flatMap((view) =>
      (view.state.bgp?.networks ?? []).flatMap((network) => explanationOf(file, view, network)),
    ),
  describe: announces,
  remedy: (detail, { world }) => ({
    node: detail.node,
    summary: announces(detail),
    command: `no network ${detail.network}`,
    ...withdrawal(world, detail),
  }),
});

function announces({ node, network, owner }: Detail): string {
  return `${nodeRef(node)} announces ${network}, which is a part of what ${owner} has`;
}

function explanationOf(file: CaseFile, { node }: View, network: string): readonly Explanation<Detail>[] {
  const mine = [
    ...duplicateAddressSymptom.of(file).filter(({ detail }) => covers(network, detail.address)),
    ...[...routeSymptom.of(file), ...reachSymptom.of(file)].filter(({ detail }) => covers(network, detail.destination)),
  ];
  if (mine.length === 0) return [];
  const owner = [...file.world.views.values()].find((other) => other.node !== node && owns(other, network));
  if (owner === undefined) return [];
  return [
    {
      resource: nodeResource(node),
      score: 5,
      explains: [...mine, ...invalidOf(file, network)].map(shareOf),
      evidence: mine.flatMap((symptom) => symptom.source),
      detail: { node, network, owner: nodeRef(owner.node) },
    },
  ];
}

/** That its holder did not sign it for that AS is said of the same announcement. */
function invalidOf(file: CaseFile, network: string) {
  return rpkiInvalid.symptoms.of(file).filter(({ detail }) => detail.prefix === network);
}

/** The node has a wider network connected, not on a loopback alone, and announces one. */
function owns({ state }: View, network: string): boolean {
  const isAnnounced = (state.bgp?.networks ?? []).some(
    (wide) => !wide.endsWith('/0') && covers(wide, network) && lengthOf(wide) < lengthOf(network),
  );
  const isConnected = state.inventory.interfaces.some(
    (entry) =>
      entry.kind !== 'loopback' &&
      entry.addresses.some(
        (address) => covers(address, network.split('/')[0]!) && lengthOf(address) < lengthOf(network),
      ),
  );
  return isAnnounced && isConnected;
}

/** The statement, and the addresses by which the node answers in the owner's place. */
function withdrawal(world: World, { node, network }: Detail): Pick<Remedy, 'change'> {
  const state = world.views.get(node)!.state;
  const answering = state.inventory.interfaces.flatMap((entry) =>
    entry.addresses
      .filter((address) => covers(network, address.split('/')[0]!))
      .flatMap((address) => [
        'exit',
        ...onInterface(entry.name, `no ${address.includes(':') ? 'ipv6' : 'ip'} address ${address}`),
      ]),
  );
  return frrChange(world, node, [...inFamily(state.bgp!.asn, network, `no network ${network}`), ...answering]);
}

function lengthOf(prefix: string): number {
  return Number(prefix.split('/')[1] ?? 128);
}
