// address_missing: an address that a node is expected to have (baseline), or that its memory saw, is not set any more. Explains the sessions
// that ran over it and the routes that led to it. An address that memory alone knows may have been taken away on purpose: it is a fault only
// where something wants it, and then likely.
import { covers } from '#base/ip.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { ospfVersionFor } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { settingsBefore } from '../../network/remembered.ts';
import { interfaceOf, otherEnd, sourcesOf, type View, type World } from '../../network/world.ts';
import { isisSymptom, ospfSymptom, versionOf } from '../../symptoms/adjacency.ts';
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
  summary: 'an interface lacks an address that its baseline has, or that it had before and that others want',
  exact: 'the address set in the kernel, as the baseline or the memory has it',
  explain: (file) => [
    ...expectedSymptom.of(file).flatMap((symptom) => {
      const { part, node, ifname, address } = symptom.detail;
      if (part !== 'address' || node === undefined || ifname === undefined || address === undefined) return [];
      const end = { node, ifname };
      const others = file.symptoms.filter((each) => each !== symptom && followsFrom(file.world, each, end, address));
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
    ...[...file.world.views.values()].flatMap((view) => rememberedBy(file, view)),
  ],
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, address }) => ({
    node,
    summary: `restore the address ${address} on ${nodeRef(node)} ${ifname}`,
    command: `ip address add ${address} dev ${ifname}`,
    change: { live: [{ kind: 'address-add', ifname, address }] },
  }),
});

/** Addresses of interfaces that are not shut, as the node remembers them, that it has nowhere now and that something wants. */
function rememberedBy(file: CaseFile, { node, state }: View): readonly Explanation<Detail>[] {
  const { interfaces } = state.inventory;
  const present = new Set(interfaces.flatMap(({ addresses }) => addresses));
  return interfaces
    .filter(({ adminUp }) => adminUp)
    .flatMap(({ name: ifname }) => {
      const [before = ''] = settingsBefore(file.world, node, 'address', ifname);
      const gone = before.split(' ').filter((address) => address !== '' && !present.has(address));
      return gone.flatMap((address): readonly Explanation<Detail>[] => {
        const others = file.symptoms.filter(
          (each) =>
            followsFrom(file.world, each, { node, ifname }, address) && isWanted(file.world, each, node, address),
        );
        if (others.length === 0) return [];
        const what = `${nodeRef(node)} ${ifname} no longer has ${address}`;
        return [
          {
            ...{ resource: interfaceResource({ node, ifname }), key: address, confidence: 'likely', score: 3.5 },
            ...{ explains: others.map(shareOf), evidence: sourcesOf(file.world, node) },
            // Addresses of both families that went together are one change.
            together: `${node} ${ifname}`,
            detail: { what, node, interface: ifname, address },
          },
        ];
      });
    });
}

/** The symptom names an address of the subnet, or lies on a link whose other end has one still. */
function isWanted(world: World, symptom: Symptom, node: string, address: string): boolean {
  if (bgpSymptom.is(symptom) || bfdSymptom.is(symptom)) return covers(address, symptom.detail.peer);
  if (routeSymptom.is(symptom) || reachSymptom.is(symptom)) return covers(address, symptom.detail.destination);
  const far = symptom.link === undefined ? undefined : interfaceOf(world, otherEnd(symptom.link, node));
  return far?.addresses.some((its) => covers(address, its.split('/')[0]!)) === true;
}

/** What ran over the address or its subnet, and the link that is recognised by it. */
function followsFrom(world: World, symptom: Symptom, end: LinkEnd, address: string): boolean {
  const { node, ifname } = end;
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
  // OSPFv2 speaks over IPv4 alone, OSPFv3 over IPv6.
  if (ospfSymptom.is(symptom) && versionOf(symptom) !== ospfVersionFor(address)) return false;
  if (ospfSymptom.is(symptom) && versionOf(symptom) === 3) return isOnInterface && !hasLinkLocal(world, end);
  return isOnInterface && [isisSymptom, ospfSymptom, entrySymptom].some(({ kind }) => kind === symptom.kind);
}

/** OSPFv3 speaks from the link-local address (RFC 5340 §2.5), which goes where all addresses of an interface are removed. */
function hasLinkLocal(world: World, end: LinkEnd): boolean {
  return interfaceOf(world, end)?.addresses.some((address) => /^fe[89ab]/i.test(address)) === true;
}
