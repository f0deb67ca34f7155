// Prefixes of its own that a node has connected and that other nodes lack a route to, although its BGP sessions are up: whether the
// node has the prefix in BGP tells a missing announcement from a policy. A prefix that never was announced is kept back on purpose as far
// as Parley can know: a fault needs a memory, or an expectation, of the announcement, or an operator who asks for the prefix.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { NO_PEER, type ProfileEntry } from '#model/snapshot.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';
import { carrierOf } from '../../symptoms/routing-parts.ts';
import { carries, isUp } from '../../symptoms/sessions.ts';

export type WithheldPrefix = {
  readonly owner: string;
  readonly prefix: string;
  readonly symptoms: readonly Symptom<RouteDetail>[];
  /** Names of the policies of the sessions that it is not announced over. */
  readonly policies: readonly string[];
  /** Memory has, or an expectation wants, the announcement that is lacking; or the question is about an address of the prefix. */
  readonly isMissed: boolean;
};

/** `originated`: the prefix is in BGP, and at least one session does not carry it. */
export function withheldPrefixes(file: CaseFile, originated: boolean): readonly WithheldPrefix[] {
  const found = new Map<string, WithheldPrefix>();
  for (const symptom of routeSymptom.of(file)) {
    const { how, destination, owner, lost } = symptom.detail;
    if (how !== 'none' || lost !== undefined || carrierOf(file.world, destination) !== 'bgp') continue;
    const bgp = file.world.views.get(owner)?.state.bgp;
    const own = bgp?.ownPrefixes.find((each) => covers(each.prefix, destination));
    if (bgp === undefined || own === undefined || own.originated !== originated) continue;
    const up = bgp.sessions.filter((row) => isUp(row) && carries(row, own.prefix));
    const without = up.filter((session) => !own.advertisedTo.includes(session.peer));
    if (up.length === 0 || (originated && without.length === 0)) continue;
    const key = `${owner} ${own.prefix}`;
    const known = found.get(key);
    const policies = known?.policies ?? [...new Set(without.flatMap((session) => session.policies))];
    found.set(key, {
      ...{ owner, prefix: own.prefix, policies, symptoms: [...(known?.symptoms ?? []), symptom] },
      isMissed: isMissed(file, owner, own.prefix, originated ? without.map(({ peer }) => peer) : []),
    });
  }
  return [...found.values()];
}

/** A node, a prefix of its own, and the policies of the sessions that it is not announced over. */
export type WithheldDetail = { readonly node: string; readonly prefix: string; readonly policies?: readonly string[] };

/** What a definition says of one of them; `remark` where nothing makes it a fault. */
export function explanationOf(
  world: World,
  { owner, prefix, symptoms, policies, isMissed }: WithheldPrefix,
  remark: string,
): Explanation<WithheldDetail> {
  return {
    resource: nodeResource(owner),
    explains: symptoms.map(shareOf),
    evidence: [...sourcesOf(world, owner), ...symptoms.flatMap((symptom) => symptom.source)],
    detail: { node: owner, prefix, ...(policies.length === 0 ? {} : { policies }) },
    ...(isMissed ? {} : { remark }),
  };
}

/** `without`: the peers that do not hear of it; none where no peer does. */
function isMissed(file: CaseFile, node: string, prefix: string, without: readonly string[]): boolean {
  const { world, expected } = file;
  const before = seenOtherwise(world, node, ({ bgp }) => bgp?.ownPrefixes.find((own) => own.prefix === prefix));
  const announced = before.some(({ originated, advertisedTo }) =>
    without.length === 0 ? originated : advertisedTo.some((peer) => without.includes(peer)),
  );
  const announcedBefore = settingsBefore(world, node, 'announced', prefix).some((was) => was !== 'none');
  const isAsked = world.destination !== undefined && covers(prefix, world.destination);
  return announced || announcedBefore || isAsked || expected.some(({ profile }) => profile.entries.some(isOf));

  function isOf({ part, subject, nodes, value }: ProfileEntry): boolean {
    const [, name = ''] = subject.split(' ');
    if (part === 'prefix') return nodes.includes(node) && name === prefix && value !== NO_PEER;
    return part === 'route' && value.startsWith('unicast') && covers(prefix, subject.split(' ').at(-1)!);
  }
}
