// Routing policies whose statements changed, and prefixes that they keep from a neighbour since: one node lacks a route that its neighbours have,
// and at one end of every session over which it should come a policy is not what it was. That a policy changed is a fault with this harm alone.
import type { BgpSession } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import type { World } from '../../network/world.ts';
import { ownerOf, statesSeen } from '../../network/world.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';
import { carrierOf } from '../../symptoms/routing-parts.ts';
import { carries, isUp, sessionsOf } from '../../symptoms/sessions.ts';

export type KeptByChange = {
  /** The node whose policy changed. */
  readonly node: string;
  /** It refuses what comes in; else it keeps the prefix from `neighbours`. */
  readonly refuses: boolean;
  readonly prefix: string;
  readonly policies: readonly string[];
  readonly neighbours: readonly string[];
  readonly symptoms: readonly Symptom<RouteDetail>[];
};

export function keptByChange(file: CaseFile): readonly KeptByChange[] {
  const found = new Map<string, KeptByChange>();
  for (const symptom of routeSymptom.of(file)) {
    const { how, destination, at } = symptom.detail;
    if (how !== 'none' || carrierOf(file.world, destination) !== 'bgp') continue;
    for (const each of keepers(file.world, at, destination)) {
      const key = JSON.stringify([each.node, each.refuses, each.prefix]);
      const known = found.get(key);
      const join = <T>(one: readonly T[] = [], other: readonly T[]) => [...new Set([...one, ...other])];
      found.set(key, {
        ...each,
        policies: join(known?.policies, each.policies),
        neighbours: join(known?.neighbours, each.neighbours),
        symptoms: join(known?.symptoms, [symptom]),
      });
    }
  }
  return [...found.values()];
}

/** None where one of the sessions that should bring the route has no changed policy: then something else keeps it away as well. */
function keepers(world: World, lacking: string, destination: string): readonly Omit<KeptByChange, 'symptoms'>[] {
  const feeding = sessionsOf(world).flatMap(({ near, far }) => {
    const route = far === undefined ? undefined : world.lookups.get(far.node)?.get(destination);
    const isFed =
      near.node === lacking &&
      isUp(near.row) &&
      far?.row !== undefined &&
      isUp(far.row) &&
      carries(near.row, destination) &&
      // What came from one router of its own AS, a router hands on to no other (RFC 4271 §9.2).
      near.row.remoteAs !== near.row.localAs &&
      (route?.kind === 'unicast' || route?.kind === 'local') &&
      !leadsTo(world, route.nextHop, lacking);
    return isFed ? [{ near, far: { node: far.node, row: far.row! }, route }] : [];
  });
  const isAlone =
    [...world.lookups.values()].filter((answers) => answers.get(destination)?.kind === 'none').length === 1;
  const kept = feeding.map(({ near, far, route }) => {
    const prefix = route.matched ?? destination;
    const out = changedOf(world, far.node, far.row, 'out');
    // Where others lack it too, or a policy on its way out may keep it back as well, what the node refuses is not what is missing.
    const mayRefuse = isAlone && !far.row.policies.some((policy) => policy.endsWith(' out'));
    const own = mayRefuse ? changedOf(world, near.node, near.row, 'in') : [];
    return [
      ...(out.length === 0 ? [] : [{ node: far.node, refuses: false, prefix, policies: out, neighbours: [near.node] }]),
      ...(own.length === 0 ? [] : [{ node: near.node, refuses: true, prefix, policies: own, neighbours: [far.node] }]),
    ];
  });
  return kept.some(({ length }) => length === 0) ? [] : kept.flat();
}

/** A router does not announce a route to the router that it has it from. */
function leadsTo(world: World, nextHop: string | undefined, node: string): boolean {
  return nextHop !== undefined && ownerOf(world, nextHop)?.node === node;
}

/** Policies of one direction of a session that came to it, or whose statements, or those of the lists that they name, are others than before. */
function changedOf(world: World, node: string, row: BgpSession, direction: 'in' | 'out'): readonly string[] {
  const mine = row.policies.filter((policy) => policy.endsWith(` ${direction}`));
  return mine.filter((policy) => {
    const name = policy.slice(0, -direction.length - 1);
    return (
      hasCome(world, node, row.peer, policy) ||
      [name, ...listsOf(world, node, name)].some((each) => isOther(world, node, each))
    );
  });
}

const LISTS: Readonly<Record<string, string>> = { 'as-path': 'as-path access-list', community: 'community-list' };
const NAMED_LIST = /\b(prefix-list|as-path|community) (\S+?)(?=[,;)\s]|$)/g;

/** Names of the lists that a route map matches, as far as its words were kept. */
function listsOf(world: World, node: string, name: string): readonly string[] {
  const policies = world.views.get(node)?.state.bgp?.policies ?? [];
  const content = policies.find((policy) => policy.name === name)?.content ?? '';
  return [...content.matchAll(NAMED_LIST)].map(([, kind, list]) => `${LISTS[kind!] ?? kind!} ${list!}`);
}

/** Its statements are others than within memory: of a policy that is gone, too. */
function isOther(world: World, node: string, name: string): boolean {
  const contentOf = (policies: BgpPolicies) => policies?.find((policy) => policy.name === name)?.content;
  const now = contentOf(world.views.get(node)?.state.bgp?.policies);
  const remembered = settingsBefore(world, node, 'policy', name);
  const seen = seenOtherwise(world, node, ({ bgp }) => contentOf(bgp?.policies));
  return [...remembered, ...seen].some((was) => was !== now);
}

type BgpPolicies = readonly { readonly name: string; readonly content: string }[] | undefined;

/** The session was there without the policy within the minutes of which whole states are kept, or by what the node remembers of it. */
function hasCome(world: World, node: string, peer: string, policy: string): boolean {
  const before = settingsBefore(world, node, 'session', peer, 'policies').map((was) => was.split(', '));
  const seen = statesSeen(world, node).flatMap(({ bgp }) =>
    (bgp?.sessions ?? []).filter((row) => row.peer === peer).map(({ policies }) => [...policies]),
  );
  return [...before, ...seen].some((were) => !were.includes(policy));
}
