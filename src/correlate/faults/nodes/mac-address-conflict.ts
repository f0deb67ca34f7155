// mac_address_conflict: both ends of a link have one MAC address, by what both say, or by what one end alone says where the other does
// not answer for this very reason: a host on its link claims the MAC address that it has there itself. Both ends are named.
import { interfaceResource, type LinkEnd, nodeKey, type ResourceId } from '#model/names.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultDefinition } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { defineOwnSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, linkOn, sourcesOf, type View, type World } from '../../network/world.ts';
import { brokenLink, facing } from '../../symptoms/consequences.ts';

/** The two interfaces; `node` and `ifname` of the one that alone says so. */
type ConflictDetail = {
  readonly mac: string;
  readonly owners: readonly ResourceId[];
  readonly node?: string;
  readonly ifname?: string;
};

const conflictSymptom = defineOwnSymptom<ConflictDetail>('duplicate-mac');

type Detail = { readonly mac: string; readonly node: string; readonly interface: string };

const card = defineCause<Detail>({
  id: 'mac_address_conflict',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'mac_address_conflict', netOpsBench: null },
  summary: 'two interfaces of one link have the same MAC address; both are named',
  explain: (file, losses) => conflictSymptom.of(file).flatMap((symptom) => explanations(file, losses, symptom)),
  describe: ({ node, interface: ifname, mac }) => `${nodeRef(node)} ${ifname} and its other end both have ${mac}`,
  remedy: ({ node, interface: ifname }) => ({
    node,
    summary: `give ${nodeRef(node)} ${ifname} or its other end a MAC address of its own`,
  }),
});

export const macAddressConflict: FaultDefinition = {
  ...card,
  detect: ({ world }) => [
    ...sameAtBothEnds(world),
    ...[...world.views.values()].flatMap((view) =>
      view.state.inventory.interfaces.flatMap((entry) => claimedByOther(world, view, entry)),
    ),
  ],
};

function sameAtBothEnds(world: World): readonly Symptom[] {
  return world.links.flatMap((link) => {
    const { from, to } = link;
    const [mac, other] = [interfaceOf(world, from)?.mac, interfaceOf(world, to)?.mac];
    if (mac === undefined || mac !== other) return [];
    const nodes = [from.node, to.node];
    const text = `${nodeRef(from.node)} ${from.ifname} and ${nodeRef(to.node)} ${to.ifname} both have ${mac}`;
    return [
      conflictSymptom.raise({
        id: `duplicate:${link.key}`,
        ...{ subject: link.key, text, source: sourcesOf(world, ...nodes), nodes, link },
        clue: 'duplicate',
        detail: { mac, owners: [interfaceResource(from), interfaceResource(to)] },
      }),
    ];
  });
}

/** Known where a neighbour is heard on the link, so that both ends are. */
function claimedByOther(world: World, view: View, { name, mac, addresses }: InterfaceState): readonly Symptom[] {
  const { node, state, before, sources } = view;
  const heard = state.neighbours.find((each) => each.ifname === name);
  const peer = world.nodes.find((each) => nodeKey(each) === nodeKey(heard?.systemName ?? ''));
  const port = heard?.portId;
  // Where both ends report, they are compared.
  if (peer === undefined || port === undefined || linkOn(world, { node, ifname: name }).length > 0) return [];
  const own = addresses.map((address) => address.split('/')[0]!);
  const claimed = [state, before]
    .flatMap((each) => each?.neighbourTable ?? [])
    .find(
      (row) =>
        row.ifname === name &&
        row.mac !== undefined &&
        row.mac.toLowerCase() === mac?.toLowerCase() &&
        !/PERMANENT|NOARP/.test(row.state) &&
        !own.includes(row.address),
    );
  if (claimed?.mac === undefined) return [];
  const near = interfaceResource({ node, ifname: name });
  const text = `${nodeRef(node)} ${name}: ${claimed.address} of ${nodeRef(peer)} ${port} has the MAC address ${claimed.mac} of ${nodeRef(node)} itself`;
  return [
    conflictSymptom.raise({
      id: `duplicate:${near}`,
      ...{ subject: near, text, source: sources, nodes: [node, peer] },
      clue: 'duplicate',
      detail: {
        mac: claimed.mac,
        owners: [near, interfaceResource({ node: peer, ifname: port })],
        ...{ node, ifname: name },
      },
    }),
  ];
}

function explanations(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: Symptom<ConflictDetail>,
): readonly Explanation<Detail>[] {
  const { link, detail, id, source } = symptom;
  const { mac, node = '', ifname = '', owners } = detail;
  const shared = { score: 4, together: id, evidence: source };
  const detailAt = (end: LinkEnd): Detail => ({ mac, node: end.node, interface: end.ifname });
  if (link !== undefined)
    return [link.from, link.to].map((end) => ({
      ...shared,
      resource: interfaceResource(end),
      explains: [shareOf(symptom), ...brokenLink(file, losses, link)],
      detail: detailAt(end),
    }));
  // The other end does not answer, for this very reason: its sessions over the link follow from it.
  const lost = facing(file, node, ifname);
  return owners.map((owner) => ({
    ...shared,
    resource: owner,
    confidence: 'likely',
    explains: [shareOf(symptom), ...lost],
    detail: detailAt({ node, ifname }),
  }));
}
