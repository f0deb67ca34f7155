// bgp_missing_route_advertisement: a node has a prefix connected and does not bring it into BGP, while its like are announced
// everywhere; route_policy_misconfig: it is in BGP, and a policy keeps it from neighbours whose sessions are up.
import { covers } from '#base/ip.ts';
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import { frrChange, inFamily } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { carrierOf } from '../routing/route-symptoms.ts';
import { carries, isUp } from './session-symptoms.ts';

export const bgpMissingRoute: FaultDefinition = {
  id: 'bgp_missing_route_advertisement',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_missing_route_advertisement', netOpsBench: 'route_policy_misconfig' },
  summary: 'a node does not bring a prefix of its own into BGP, so that nobody else has a route to it',
  exact: '`network …`, where the node announces its other prefixes so',
  propose: (file) => proposalsFor(file, bgpMissingRoute, false),
};

export const routePolicy: FaultDefinition = {
  id: 'route_policy_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: 'route_policy_misconfig' },
  summary: 'a node has a prefix of its own in BGP and a policy keeps it from its neighbours',
  propose: (file) => proposalsFor(file, routePolicy, true),
};

/** The statement where its node announces its other prefixes so; where they are redistributed, what was left out cannot be told. */
function announcement(world: World, owner: string, prefix: string): Pick<Remedy, 'change' | 'decide'> {
  const bgp = world.views.get(owner)?.state.bgp;
  if (bgp === undefined || bgp.networks.length === 0 || bgp.redistribute.length > 0)
    return { decide: 'whether it is to be announced by a network statement or by redistribution' };
  return frrChange(world, owner, inFamily(bgp.asn, prefix, `network ${prefix}`));
}

function proposalsFor(file: CaseFile, rule: FaultDefinition, originated: boolean): readonly Proposal[] {
  const unrouted = symptomsOfKind(file, 'route').filter(
    ({ detail }) => detail['how'] === 'none' && carrierOf(file.world, String(detail['destination'])) === 'bgp',
  );
  const found = new Map<
    string,
    {
      readonly owner: string;
      readonly prefix: string;
      readonly symptoms: Symptom[];
      readonly policies: readonly string[];
    }
  >();
  for (const symptom of unrouted) {
    const owner = String(symptom.detail['owner']);
    const bgp = file.world.views.get(owner)?.state.bgp;
    const own = bgp?.ownPrefixes.find((each) => covers(each.prefix, String(symptom.detail['destination'])));
    const up = bgp?.sessions.filter((row) => isUp(row) && own !== undefined && carries(row, own.prefix)) ?? [];
    if (bgp === undefined || own === undefined || up.length === 0 || own.originated !== originated) continue;
    const kept = up.filter((session) => !own.advertisedTo.includes(session.peer));
    if (originated && kept.length === 0) continue;
    const key = `${owner} ${own.prefix}`;
    const entry = found.get(key) ?? {
      owner,
      prefix: own.prefix,
      symptoms: [],
      policies: [...new Set(kept.flatMap((session) => session.policies))],
    };
    entry.symptoms.push(symptom);
    found.set(key, entry);
  }
  return [...found.values()].map(({ owner, prefix, symptoms, policies }) =>
    newProposal(
      rule,
      nodeResource(owner),
      symptoms.map(shareOf),
      [...sourcesOf(file.world, owner), ...symptoms.flatMap((symptom) => symptom.source)],
      {
        details: { prefix, ...(policies.length === 0 ? {} : { policies }) },
        remedy: originated
          ? {
              node: owner,
              summary: `let ${mark(owner)} announce ${prefix}${policies.length === 0 ? '' : `: see ${policies.join(', ')}`}`,
              decide: 'what the policy is there for: it may be wrong in one line, or as a whole',
            }
          : {
              node: owner,
              summary: `announce ${prefix} from ${mark(owner)}`,
              command: `network ${prefix}`,
              ...announcement(file.world, owner, prefix),
            },
      },
    ),
  );
}
