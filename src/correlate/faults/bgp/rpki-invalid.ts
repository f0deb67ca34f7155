// rpki_invalid: a node announces a prefix that, by what its holder signed (RFC 6480), its AS may not announce, or not so long a part of it; a node that checks says
// so of the route that it uses. The signed statement may be the one that is old: a fault where the announcement is new within memory, or takes packets away
// from another node that has the prefix; likely, since one of the two is wrong. Else it is a remark, and of networks without agents too: a provider that announces
// the prefix of a customer hands the packets on to it.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { RouteOrigin } from '#model/router/router-port.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { settingsBefore } from '../../network/remembered.ts';
import { ownerOf, sourcesOf, type World } from '../../network/world.ts';
import { duplicateAddressSymptom } from '../../symptoms/duplicate-addresses.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

type Detail = {
  /** That announces it; else the one that uses it. */
  readonly node: string;
  readonly prefix: string;
  readonly asn: number;
  /** Nodes that check, and use it all the same. */
  readonly users: readonly string[];
  /** A node that has addresses of the prefix. */
  readonly owner?: string;
};

type Used = { readonly user: string; readonly destination: string; readonly origin: RouteOrigin };

export const rpkiInvalid = defineFault<Detail>({
  id: 'rpki_invalid',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a node announces a prefix that the RPKI does not let its AS announce, and did not before, or takes it from the node that has it',
  detect: ({ world, past }) => (past === undefined ? invalidIn(world) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ node, prefix, asn, users }) => ({
    node,
    summary: `stop announcing ${prefix} from ${nodeRef(node)}, or have its holder sign a ROA for AS ${asn}`,
    command: `no network ${prefix}`,
    decide: `which of the two is meant; and whether ${users.map(nodeRef).join(', ')} should refuse what is invalid (\`match rpki invalid\`)`,
  }),
  score: 3,
  consequences: ({ detail: { prefix }, remark }, file) =>
    remark !== undefined
      ? []
      : [
          ...[...routeSymptom.of(file), ...reachSymptom.of(file)].filter(({ detail }) =>
            covers(prefix, detail.destination),
          ),
          ...duplicateAddressSymptom.of(file).filter(({ detail }) => covers(prefix, detail.address)),
        ].map(shareOf),
});

function sentence({ node, prefix, asn, users, owner }: Detail): string {
  const whose = owner === undefined ? '' : `, and ${nodeRef(owner)} has addresses of it`;
  return `${nodeRef(node)} announces ${prefix} as AS ${asn}, which the RPKI does not let it${whose}; ${users.map(nodeRef).join(', ')} checked it`;
}

function invalidIn(world: World): readonly Detection<Detail>[] {
  const used = [...world.lookups].flatMap(([user, answers]) =>
    [...answers.values()].flatMap(({ destination, origin }): readonly Used[] =>
      origin?.validity === 'invalid' && origin.asPath.length > 0 ? [{ user, destination, origin }] : [],
    ),
  );
  const announced = Map.groupBy(used, ({ origin }) => `${origin.prefix} ${origin.asPath.at(-1)}`);
  return [...announced.values()].map((rows) => judged(world, rows));
}

function judged(world: World, rows: readonly Used[]): Detection<Detail> {
  const [{ user, origin }] = rows as [Used];
  const { prefix } = origin;
  const asn = origin.asPath.at(-1)!;
  const users = [...new Set(rows.map((row) => row.user))].sort();
  const node = announcerOf(world, asn, prefix);
  const owner = rows
    .filter(({ destination }) => node === undefined || !handsOn(world, node, destination))
    .map(({ destination }) => ownerOf(world, destination)?.node)
    .find((each) => each !== undefined && each !== node);
  const detail = { node: node ?? user, prefix, asn, users, ...(owner === undefined ? {} : { owner }) };
  const found = {
    ...{ resource: nodeResource(detail.node), key: `${prefix} ${asn}`, detail },
    ...{
      evidence: sourcesOf(world, ...new Set([detail.node, ...users])),
      nodes: [...new Set([detail.node, ...users])],
    },
  };
  if (node === undefined)
    return {
      ...found,
      remark: `${users.map(nodeRef).join(', ')} use${users.length === 1 ? 's' : ''} ${prefix} of AS ${asn}, which the RPKI does not let that AS announce; which node announces it is not known`,
    };
  if (owner !== undefined || isNew(world, node, prefix)) return { ...found, confidence: 'likely' };
  return { ...found, remark: `${sentence(detail)}, and it always did as far as its agent remembers` };
}

/** The node of that AS which brings the prefix into BGP itself; none where several do. */
function announcerOf(world: World, asn: number, prefix: string): string | undefined {
  const found = [...world.views.values()].filter(({ state: { bgp } }) => {
    const own = bgp?.ownPrefixes.some((each) => each.prefix === prefix && each.originated) === true;
    return bgp?.asn === asn && (own || bgp.networks.includes(prefix));
  });
  return found.length === 1 ? found[0]!.node : undefined;
}

/** It sends packets for the destination to a next hop, where it does not keep them. */
function handsOn({ lookups }: World, node: string, destination: string): boolean {
  const answer = lookups.get(node)?.get(destination);
  return answer?.kind === 'unicast' && answer.nextHop !== undefined;
}

/**
 * Its statement came within memory, or none of its neighbours heard of it before. What was taken out for a while, as for maintenance, and is back, was there
 * when memory begins, and is not new.
 */
function isNew(world: World, node: string, prefix: string): boolean {
  const settings = world.views.get(node)?.state.history?.settings ?? [];
  const [first] = settings
    .filter(({ kind, subject }) => kind === 'network' && subject === prefix)
    .sort((one, other) => other.agoMs - one.agoMs);
  const cameByStatement = first !== undefined && first.was === undefined && first.is !== undefined;
  return cameByStatement || settingsBefore(world, node, 'announced', prefix).at(-1) === 'none';
}
