// Prefixes that one node alone has no route to, although its neighbours have one and nothing keeps them from announcing it: a policy for what
// comes in refuses them. Such a policy may be meant: a fault needs a memory of the sessions without it, or an operator who asks for the prefix.
import { covers } from '#base/ip.ts';
import { MODEL_LIMITS } from '#model/limits.ts';
import type { BgpSession } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { statesSeen, type World } from '../../network/world.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';
import { carrierOf } from '../../symptoms/routing-parts.ts';
import { feedingSessions } from './feeding-sessions.ts';

export type RefusedPrefix = {
  readonly node: string;
  /** The route of the neighbours, or the address where they name none. */
  readonly prefix: string;
  readonly policies: readonly string[];
  readonly symptoms: readonly Symptom<RouteDetail>[];
};

export function refusedPrefixes(file: CaseFile): readonly RefusedPrefix[] {
  const found = new Map<string, RefusedPrefix>();
  for (const symptom of routeSymptom.of(file)) {
    const { how, destination, lost } = symptom.detail;
    if (how !== 'none' || lost !== undefined || carrierOf(file.world, destination) !== 'bgp') continue;
    const refused = refusedAt(file.world, destination);
    if (refused === undefined) continue;
    const key = `${refused.node} ${refused.prefix}`;
    const symptoms = [...(found.get(key)?.symptoms ?? []), symptom];
    found.set(key, { ...refused, symptoms });
  }
  return [...found.values()];
}

/** One node alone lacks the route, and every session over which it should come has such a policy. */
function refusedAt(world: World, destination: string): Omit<RefusedPrefix, 'symptoms'> | undefined {
  const lacking = [...world.lookups].filter(([, answers]) => answers.get(destination)?.kind === 'none');
  const [only, ...others] = lacking.map(([node]) => node);
  if (only === undefined || others.length > 0) return undefined;
  const feeding = feedingSessions(world, only, destination).map(({ row, far, route: { matched } }) => ({
    ...{ row, far: far.row, matched },
  }));
  const { destination: asked } = world;
  const isAsked = asked !== undefined && feeding.some(({ matched = destination }) => covers(matched, asked));
  const policies = feeding.map(({ row, far }) =>
    far === undefined || far.policies.some(isOut) ? [] : refusing(world, only, row, isAsked),
  );
  if (feeding.length === 0 || policies.some(({ length }) => length === 0)) return undefined;
  const prefix = feeding.flatMap(({ matched }) => matched ?? [])[0] ?? destination;
  return { node: only, prefix, policies: [...new Set(policies.flat())] };
}

/**
 * Policies for what comes in over a session (of words that were cut, what is missing is not known): those that its node remembers it without,
 * or all where the address is asked for.
 */
function refusing(world: World, node: string, { peer, policies }: BgpSession, isAsked: boolean): readonly string[] {
  const mine = policies.filter((policy) => policy.endsWith(' in'));
  const settings = (world.views.get(node)?.state.history?.settings ?? []).flatMap(({ kind, subject, setting, was }) =>
    kind === 'session' &&
    subject === peer &&
    setting === 'policies' &&
    was !== undefined &&
    was.length < MODEL_LIMITS.settingChars
      ? [was.split(', ')]
      : [],
  );
  const states = statesSeen(world, node).flatMap(({ bgp }) =>
    (bgp?.sessions ?? []).filter((row) => row.peer === peer).map((row) => [...row.policies]),
  );
  const before = [...settings, ...states];
  return isAsked ? mine : mine.filter((policy) => before.some((were) => !were.includes(policy)));
}

function isOut(policy: string): boolean {
  return policy.endsWith(' out');
}
