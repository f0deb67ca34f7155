// route_leak: a node hands on to one neighbour what it learned from another, and both are providers or peers of it (RFC 7908 §3.1), so that strangers'
// traffic crosses it. What the three are to each other is known by their roles (RFC 9234), where those are configured: that contradicts itself. Else it is a
// fault where the policy towards the neighbour is gone and packets die on a link to one of the two, or is another and a queue overflows there; without harm it
// is a remark: any network may carry others, and policies are written anew every day.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { BgpRole, BgpSession } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { type Fact, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault, type Share } from '../../engine/fault-definition.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { lossOn, lossShareOf, shareOf } from '../../engine/proposal.ts';
import { isLeakedBy, roleOf } from '../../network/bgp-roles.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { settingsBefore } from '../../network/remembered.ts';
import { linksAt, ownerOf, sourcesOf, type World, type WorldLink } from '../../network/world.ts';
import { queueSymptom, queueSymptoms } from '../../symptoms/links/queue-overflow.ts';
import { isUp, type SessionEnds, sessionsOf } from '../../symptoms/sessions.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

/** `to` sends packets for `prefixes` to the node, which has them from `from`, a node or an address. */
type Detail = {
  readonly node: string;
  readonly to: string;
  readonly from: string;
  readonly prefixes: readonly string[];
  /** Policies towards `to` that are gone or changed. */
  readonly policies: readonly string[];
  /** What the node is to the two, where that is known. */
  readonly roles: readonly BgpRole[];
};

export const routeLeak = defineFault<Detail>({
  id: 'route_leak',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node hands on to one provider or peer what it learned from another, and carries packets between the two',
  detect: ({ world, facts, past }) => (past === undefined ? leaksIn(world, facts) : []),
  describe: (detail) => sentence(detail),
  remedy: ({ node, to, policies }) => ({
    node,
    summary: `let ${nodeRef(node)} announce to ${nodeRef(to)} only routes of its own and of its customers`,
    decide: `${policies.length === 0 ? 'which policy is to keep the routes back' : `what ${policies.join(', ')} was there for`}; and whether ${nodeRef(to)} should take all that it is told`,
  }),
  score: 5,
  consequences: ({ detail: { node, to, from }, remark }, file, losses): readonly Share[] => {
    if (remark !== undefined) return [];
    const links = linksAt(file.world, node);
    return [
      ...queueSymptom
        .of(file)
        .filter(
          ({ detail }) =>
            detail.node === node ||
            links.some(({ from, to: end }) =>
              [from, end].some((each) => each.node === detail.node && each.ifname === detail.ifname),
            ),
        )
        .map(shareOf),
      ...reachSymptom
        .of(file)
        .filter(({ way }) => way?.nodes.includes(node) === true && way.nodes.includes(to))
        .map(shareOf),
      ...links
        .filter((link) => leadsTo(link, [to, from]))
        .flatMap((link) => lossOn(losses, link))
        .map(lossShareOf),
    ];
  },
});

function sentence({ node, to, from, prefixes, policies, roles }: Detail): string {
  const what = prefixes.length === 1 ? prefixes[0] : `${prefixes[0]} and ${prefixes.length - 1} more prefixes`;
  const why =
    roles.length === 2
      ? `it is ${roles[0]} to the one and ${roles[1]} to the other`
      : `${policies.join(', ')} towards ${nodeRef(to)} ${policies.length === 1 ? 'is' : 'are'} gone or changed`;
  return `${nodeRef(node)} hands on ${what} from ${nodeRef(from)} to ${nodeRef(to)}, which sends through it: ${why}`;
}

function leaksIn(world: World, facts: readonly Fact[]): readonly Detection<Detail>[] {
  const sessions = sessionsOf(world).filter(({ near }) => isUp(near.row) && near.row.remoteAs !== near.row.localAs);
  return [...Map.groupBy(sessions, ({ near }) => near.node)].flatMap(([node, own]) =>
    own.flatMap((towards) => handedOn(world, node, own, towards).flatMap((found) => judged(world, facts, found))),
  );
}

type HandedOn = {
  readonly towards: SessionEnds;
  readonly source: SessionEnds;
  readonly prefixes: readonly string[];
  /** Of one of them both ends told the prefix: what one hands on is what it has. */
  readonly isExact: boolean;
};

/** What the far end of a session sends to the node, and the node to the far end of another, of a third network. */
function handedOn(world: World, node: string, own: readonly SessionEnds[], towards: SessionEnds): readonly HandedOn[] {
  const { far } = towards;
  if (far === undefined) return [];
  const found = [...(world.lookups.get(far.node)?.values() ?? [])].flatMap((theirs) => {
    if (!isBgp(theirs) || ownerOf(world, theirs.nextHop ?? '')?.node !== node) return [];
    const ours = world.lookups.get(node)?.get(theirs.destination);
    const source = own.find(({ near }) => isBgp(ours) && near.row.peer === ours?.nextHop);
    if (source === undefined || source.near.row.remoteAs === towards.near.row.remoteAs) return [];
    // A wider prefix is the node's own aggregate, or came from elsewhere. Lookups of IPv6 do not tell.
    if (theirs.matched !== ours?.matched || (theirs.matched === undefined && hasOwn(world, node, theirs.destination)))
      return [];
    return [{ source, prefix: theirs.matched ?? theirs.destination, isExact: theirs.matched !== undefined }];
  });
  return [...Map.groupBy(found, ({ source }) => source)].map(([source, rows]) => ({
    towards,
    source,
    prefixes: [...new Set(rows.map(({ prefix }) => prefix))].sort(),
    isExact: rows.some(({ isExact }) => isExact),
  }));
}

/** It announces a prefix of its own that the destination is in, or throws away packets for the rest of one, though not for all. */
function hasOwn(world: World, node: string, destination: string): boolean {
  const { bgp, staticRoutes = [] } = world.views.get(node)?.state ?? {};
  const own = [
    ...(bgp?.networks ?? []),
    ...(bgp?.ownPrefixes ?? []).filter(({ originated }) => originated).map(({ prefix }) => prefix),
    ...staticRoutes
      .filter(({ kind, prefix }) => kind !== 'unicast' && !prefix.endsWith('/0'))
      .map(({ prefix }) => prefix),
  ];
  return own.some((prefix) => covers(prefix, destination));
}

function isBgp(answer: RouteAnswer | undefined): boolean {
  return answer?.kind === 'unicast' && answer.protocol === 'bgp';
}

function judged(
  world: World,
  facts: readonly Fact[],
  { towards, source, prefixes, isExact }: HandedOn,
): readonly Detection<Detail>[] {
  const { near, far } = towards;
  const { node } = near;
  const roles = [roleOf(source.near.row, source.far?.row), roleOf(near.row, far?.row)];
  // Carrying routes to or from a customer is what a provider is for.
  if (roles.some((role) => role !== undefined && !isLeakedBy(role))) return [];
  const known = roles.flatMap((role) => role ?? []);
  const policies = changedPolicies(world, node, near.row);
  if (known.length < 2 && policies.length === 0) return [];
  const from = source.far?.node ?? source.near.row.peer;
  const detail = { node, to: far!.node, from, prefixes, policies, roles: known };
  const found = {
    ...{ resource: nodeResource(node), key: `${from} ${far!.node}`, detail },
    ...{ evidence: sourcesOf(world, node, far!.node), nodes: [node, far!.node] },
  };
  if (known.length === 2) return [isExact ? found : { ...found, confidence: 'likely' }];
  const isOpen = !near.row.policies.some(isOut);
  if (suffers(world, facts, node, [far!.node, from], isOpen)) return [{ ...found, confidence: 'likely' }];
  const why = `nothing is lost on it, and whether ${nodeRef(far!.node)} is a customer is not said (\`local-role\`)`;
  return [{ ...found, remark: `${sentence(detail)}; ${why}` }];
}

function isOut(policy: string): boolean {
  return policy.endsWith(' out');
}

function leadsTo({ from, to }: WorldLink, nodes: readonly string[]): boolean {
  return nodes.includes(from.node) || nodes.includes(to.node);
}

/** Policies for what goes out that stood within memory and are gone, or whose statements are others now. */
function changedPolicies(world: World, node: string, { peer, policies }: BgpSession): readonly string[] {
  const before = settingsBefore(world, node, 'session', peer, 'policies').flatMap((was) =>
    was.split(', ').filter(isOut),
  );
  const gone = before.filter((policy) => !policies.includes(policy));
  const changed = policies.filter(isOut).filter((policy) => {
    const name = policy.replace(/ out$/, '').replace(/^distribute-list/, 'access-list');
    return isLate(world, node, name) && settingsBefore(world, node, 'policy', name).length > 0;
  });
  return [...new Set([...gone, ...changed])].sort();
}

/** Lists of prefixes are written anew every night in many networks: a queue that overflows long after is not of them. */
const LATELY_MS = 3_600_000;

function isLate(world: World, node: string, name: string): boolean {
  const settings = world.views.get(node)?.state.history?.settings ?? [];
  return settings.some(({ kind, subject, agoMs }) => kind === 'policy' && subject === name && agoMs <= LATELY_MS);
}

/** Queues of its links to these `others` overflow; where no policy keeps anything back any more, packets that die on the way to them are enough. */
function suffers(
  world: World,
  facts: readonly Fact[],
  node: string,
  others: readonly string[],
  isOpen: boolean,
): boolean {
  const links = linksAt(world, node).filter((link) => leadsTo(link, others));
  const ends = links.flatMap(({ from, to }) => [from, to]);
  const isNear = (one: { readonly node: string; readonly ifname: string }) =>
    ends.some((end) => end.node === one.node && end.ifname === one.ifname);
  return (
    queueSymptoms(world).some((symptom) => queueSymptom.is(symptom) && isNear(symptom.detail)) ||
    (isOpen &&
      factsOf({ facts }, 'probe-loss').some(
        ({ value: { from, to, sent, lost } }) =>
          ((from === node && others.includes(to)) || (to === node && others.includes(from))) && isLoss(sent, lost),
      ))
  );
}
