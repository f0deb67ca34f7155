// Filters of what is addressed to the node itself (hook `input`): the packets that it forwards do not come to them, so what they take of
// probes says nothing of what users send. A policer of a control plane, or a policy that admits a few services, is no fault.
import { isAboveRate } from '#model/router/packet-match.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { type CaseFile, type Fact, type FilterHits, factsOf } from '../engine/facts.ts';
import { type LossSymptom, underWay } from '../engine/loss-symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { hasCome, remembersBefore } from '../network/remembered.ts';
import type { World } from '../network/world.ts';
import { type Attempt, meets, takes } from './attempts.ts';
import { COVERED, canMatch, dropsAllOrNone, SHARP } from './probe-packets.ts';

/** What carries other packets, in the words of /etc/protocols or as IANA protocol numbers: IP in IP, GRE, ESP, AH, EtherIP, L2TP, MPLS in IP. */
const TUNNELS = new Set(
  'ipencap ipip 4 ipv6 41 gre 47 esp ipsec-esp 50 ah ipsec-ah 51 etherip 97 l2tp 115 mpls-in-ip 137'.split(' '),
);
/** UDP ports of GTP-U, L2TP, IPsec, VXLAN (Linux’s old one and IANA’s), Geneve and WireGuard. */
const TUNNEL_PORTS = new Set(['2152', '1701', '500', '4500', '8472', '4789', '6081', '51820']);

export type LostAttempt = { readonly attempt: Attempt; readonly lost: number };

/**
 * The rule takes nothing that its node forwards. Packets of a tunnel that ends here are for this node and carry those of users. With
 * nf_hooks_lwtunnel SRv6 packets under way come to this hook as well: a rule that asks for their header or for a destination may be about
 * those, and so may one that takes everything on a node that has SIDs.
 */
export function isForItself(world: Pick<World, 'views'>, rule: Pick<FilterHits, 'node' | 'hook' | 'matches'>): boolean {
  const { node, hook, matches = [] } = rule;
  if (hook !== 'input' || matches.some(({ field }) => field === 'extension' || field === 'destination')) return false;
  if (matches.some(isOfTunnel)) return false;
  const hasSids = (world.views.get(node)?.state.inventory.sids ?? []).length > 0;
  return !hasSids || matches.some(({ field, negated }) => field === 'protocol' && negated !== true);
}

function isOfTunnel({ field, values, negated }: FilterMatch): boolean {
  const named = field === 'protocol' ? TUNNELS : field === 'destination-port' ? TUNNEL_PORTS : undefined;
  return negated !== true && values.some((value) => named?.has(value));
}

/**
 * A rule of the node at which these probes ended, for what is for that node itself, that counted as many in the window: what they lost says nothing of
 * a wire that lost none for certain.
 */
export function takerAtTheirEnd(
  { path, world, facts }: Pick<CaseFile, 'path' | 'world' | 'facts'>,
  { fact: { value } }: LossSymptom,
): FilterHits | undefined {
  const { from, to, probe, directionKnown } = value;
  const { lost } = underWay(value);
  // What follows a segment list may be under way there.
  if (!directionKnown || lost === 0 || (path.length > 0 && probe?.segments.length !== 0)) return undefined;
  return factsOf({ facts }, 'filter-hits')
    .map((hits) => hits.value)
    .find(
      (rule) =>
        rule.node === to &&
        (rule.packets ?? 0) >= lost * COVERED &&
        isForItself(world, rule) &&
        !dropsAllOrNone(rule) &&
        (rule.inInterfaces.length === 0 || rule.inInterfaces.some((ifname) => isPort(ifname, to, value.link))) &&
        canMatch(rule, value, { from, to, ifname: rule.inInterfaces[0] ?? '', leaving: false }),
    );
}

/** Where the link is not known, it may be. */
function isPort(ifname: string, node: string, link: string | undefined): boolean {
  return link === undefined || link.slice('link/'.length).split('--').includes(`${node}:${ifname}`);
}

/** What such a filter did, with node references. */
export function ownTrafficRemark({ node, acl, packets }: Pick<FilterHits, 'node' | 'acl' | 'packets'>): string {
  return `${acl} (input) of ${nodeRef(node)} dropped ${packets} packets that were for this node itself, probes among them; what it forwards does not come to it`;
}

/**
 * Those attempts whose loss the counters of such rules at their ends account for, each with its rules. A rule that says all that it demands takes
 * all of like packets or none: it accounts for no share of them, and for nothing where it counted far more than was lost.
 */
export function takenAtTheirEnds<T extends LostAttempt>(
  world: Pick<World, 'views'>,
  facts: readonly Fact[],
  attempts: readonly T[],
): ReadonlyMap<T, readonly FilterHits[]> {
  const rules = factsOf({ facts }, 'filter-hits')
    .map(({ value }) => value)
    .filter((rule) => (rule.packets ?? 0) > 0 && isForItself(world, rule));
  const canTake = (rule: FilterHits, { attempt, lost }: T) =>
    meets(attempt, rule) && takes(rule, attempt) && !(dropsAllOrNone(rule) && lost < attempt.detail.sent);
  const mine = rules.filter((rule) => {
    const lost = attempts.filter((each) => canTake(rule, each)).reduce((sum, each) => sum + each.lost, 0);
    return !dropsAllOrNone(rule) || (rule.packets ?? 0) <= lost * SHARP;
  });
  const left = new Map(mine.map((rule) => [rule, rule.packets ?? 0]));
  const found = new Map<T, readonly FilterHits[]>();
  const able = new Map(attempts.map((each) => [each, mine.filter((rule) => canTake(rule, each))]));
  // What two rules may have taken comes last: it must not use up the count of the only rule of another.
  const order = attempts.toSorted(
    (one, other) => able.get(one)!.length - able.get(other)!.length || other.lost - one.lost,
  );
  for (const each of order) {
    const rules = able.get(each)!;
    const room = rules.reduce((sum, rule) => sum + left.get(rule)!, 0);
    if (rules.length === 0 || each.lost * COVERED > room) continue;
    let open = each.lost;
    for (const rule of rules) {
      const before = left.get(rule)!;
      left.set(rule, Math.max(0, before - open));
      open = Math.max(0, open - before);
    }
    found.set(each, rules);
  }
  return found;
}

/**
 * Rules at the ends of an attempt that lost a share, which may have taken it: each has no counter, or one that rose; takes only what is for its own node;
 * asks for more than its words say, as a rate; and was there for as long as its node remembers. Nothing shows that they took all of it: a caller
 * needs another witness that nothing on the way lost it.
 */
export function limitersAtItsEnds(world: World, facts: readonly Fact[], attempt: Attempt): readonly FilterHits[] {
  return factsOf({ facts }, 'filter-hits')
    .map(({ value }) => value)
    .filter(
      (rule) =>
        rule.packets !== 0 &&
        isForItself(world, rule) &&
        !dropsAllOrNone(rule) &&
        meets(attempt, rule) &&
        takes(rule, attempt) &&
        hasStood(world, rule),
    );
}

/** The node that the packets of an attempt are for limits them, by what its rules say and before any counter is read again, and did so as far as it remembers. */
export function isLimitedAtOwner(world: World, attempt: Attempt): boolean {
  const { owner: node } = attempt.detail;
  return (world.views.get(node)?.state.filters ?? []).some(
    (rule) =>
      (rule.verdict === 'drop' || rule.verdict === 'reject') &&
      isAboveRate(rule) &&
      isForItself(world, { ...rule, node }) &&
      meets(attempt, { ...rule, node }) &&
      takes(rule, attempt) &&
      !hasCome(world, node, rule),
  );
}

/**
 * It takes only what is for its own node, as its operator means it: a limiter, or a rule that has stood for as long as its node remembers. What it takes of the
 * node’s own tries, and of tries at it, no user misses.
 */
export function isMeantForItself(world: World, rule: FilterHits): boolean {
  const isKnown = isAboveRate(rule) || remembersBefore(world, rule.node);
  return isKnown && isForItself(world, rule) && hasStood(world, rule);
}

/** No rule of that name at that hook, with a counter or without as this one, has come within what the node remembers. */
export function hasStood(world: World, { node, acl, hook, packets }: FilterHits): boolean {
  const rules = (world.views.get(node)?.state.filters ?? []).filter(
    (rule) =>
      (rule.acl ?? rule.chain) === acl &&
      rule.hook === hook &&
      (rule.packets === undefined) === (packets === undefined),
  );
  return rules.length > 0 && rules.every((rule) => !hasCome(world, node, rule));
}
