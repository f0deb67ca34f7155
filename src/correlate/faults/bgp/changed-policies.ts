// Routing policies whose statements changed, so that they keep a prefix from a neighbour that they let pass before: one node lacks a route, and over
// every session that should bring it a policy at one end permitted the prefix within memory and denies it now. A change that does not
// concern the prefix, or that cannot be worked out, accuses no node.
import type { BgpSession } from '#model/router/control-plane.ts';
import { type PolicyTexts, policyTextsOf, verdictOf } from '#model/settings/policy-verdict.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { settingsBefore } from '../../network/remembered.ts';
import type { World } from '../../network/world.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';
import { carrierOf } from '../../symptoms/routing-parts.ts';
import { feedingSessions } from './feeding-sessions.ts';

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
    const { how, destination, at, lost } = symptom.detail;
    if (how !== 'none' || lost !== undefined || carrierOf(file.world, destination) !== 'bgp') continue;
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

/** None where one of the sessions that should bring the route has no such policy: then something else keeps it away as well. */
function keepers(world: World, lacking: string, destination: string): readonly Omit<KeptByChange, 'symptoms'>[] {
  const kept = feedingSessions(world, lacking, destination).map(({ row, far, route }) => {
    // The prefix as it is handed on; IPv6 lookups do not tell it.
    const prefix = route.matched;
    if (prefix === undefined || far.row === undefined) return [];
    const about = { prefix, refuses: false };
    const out = denyingSince(world, far.node, far.row, 'out', prefix);
    const own = denyingSince(world, lacking, row, 'in', prefix);
    return [
      ...(out.length === 0 ? [] : [{ ...about, node: far.node, policies: out, neighbours: [lacking] }]),
      ...(own.length === 0 ? [] : [{ ...about, node: lacking, refuses: true, policies: own, neighbours: [far.node] }]),
    ];
  });
  return kept.some(({ length }) => length === 0) ? [] : kept.flat();
}

/** Policies of one direction of a session that let the prefix pass within memory, with the statements of then, and deny it now. */
function denyingSince(
  world: World,
  node: string,
  { peer, policies }: BgpSession,
  direction: 'in' | 'out',
  prefix: string,
): readonly string[] {
  const mine = policies.filter((policy) => policy.endsWith(` ${direction}`));
  const [now, before] = [textsNow(world, node), textsBefore(world, node)];
  return mine.filter((policy) => {
    const name = policy.slice(0, -direction.length - 1);
    if (verdictOf(now, name, prefix) !== 'deny') return false;
    return hasComeToSession(world, node, peer, policy, direction) || verdictOf(before, name, prefix) === 'permit';
  });
}

function textsNow(world: World, node: string): PolicyTexts {
  return policyTextsOf(world.views.get(node)?.state.bgp?.policies);
}

/** As they were before the last change of each. */
function textsBefore(world: World, node: string): PolicyTexts {
  const changed = new Set(
    (world.views.get(node)?.state.history?.settings ?? []).flatMap(({ kind, subject }) =>
      kind === 'policy' ? [subject] : [],
    ),
  );
  const was = [...changed].flatMap((name) => {
    const [latest] = settingsBefore(world, node, 'policy', name);
    return latest === undefined ? [] : [[name, latest] as const];
  });
  return new Map([...textsNow(world, node), ...was]);
}

/** The session had no policy of this direction for a while, and so let everything pass. */
function hasComeToSession(world: World, node: string, peer: string, policy: string, direction: 'in' | 'out'): boolean {
  return settingsBefore(world, node, 'session', peer, 'policies').some(
    (was) => was === 'none' || was.split(', ').every((each) => each !== policy && !each.endsWith(` ${direction}`)),
  );
}
