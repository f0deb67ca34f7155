// Faults of routing protocols that are over: each node keeps how its protocols were configured before, and the same rules that judge
// the present judge the network as it was then. Ages are by each node's own clock, counted back from its own answer, so
// states of two nodes may lie a sample apart: only what the configuration itself shows is named, and nothing is left open.
import { interfaceResource } from '#model/names.ts';
import type { NodeState } from '#model/router-port.ts';
import type { CaseFile } from './facts.ts';
import { merged, rank } from './rank.ts';
import { shareOf } from './rules/explain.ts';
import { CONFIGURED_RULES } from './rules/registry.ts';
import type { Proposal } from './rules/rule.ts';
import type { Trouble, TroubleKind } from './trouble.ts';
import { linkTroubles } from './troubles-link.ts';
import { sessionTroubles } from './troubles-session.ts';
import { sourcesOf, type View, type World } from './world.ts';

const PROTOCOLS = new Set(['isis', 'bgp', 'bfd', 'ospf']);
const KINDS: readonly TroubleKind[] = ['isis', 'ospf', 'bgp', 'bfd', 'metric'];

export type PastFaults = { readonly troubles: readonly Trouble[]; readonly proposals: readonly Proposal[] };

export function pastFaults(file: CaseFile, now: readonly Proposal[]): PastFaults {
  const known = new Set(now.map(pairOf));
  const found = new Map<string, { readonly trouble: Trouble; readonly proposal: Proposal }>();
  for (const agoMs of momentsOf(file.world)) {
    for (const proposal of faultsAt(file, agoMs)) {
      const pair = pairOf(proposal);
      if (known.has(pair) || found.has(pair)) continue;
      const trouble = troubleOf(file.world, proposal, agoMs);
      const details = { ...proposal.details, over: true, agoMs };
      found.set(pair, { trouble, proposal: { ...proposal, details, explains: [shareOf(trouble)] } });
    }
  }
  const entries = [...found.values()];
  return { troubles: entries.map(({ trouble }) => trouble), proposals: entries.map(({ proposal }) => proposal) };
}

function pairOf({ fault, resource }: Proposal): string {
  return `${fault} ${resource}`;
}

/** The middle of every former state that reaches into the time asked about. */
function momentsOf({ views, sinceMs }: World): readonly number[] {
  if (sinceMs === undefined) return [];
  const spans = [...views.values()].flatMap(({ state }) => state.history?.past ?? []);
  const middles = spans
    .filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
    .map(({ fromAgoMs, untilAgoMs }) => Math.round((Math.min(fromAgoMs, sinceMs) + untilAgoMs) / 2));
  return [...new Set(middles)].sort((one, other) => one - other);
}

function faultsAt(file: CaseFile, agoMs: number): readonly Proposal[] {
  const views = new Map([...file.world.views].map(([node, view]) => [node, viewAt(view, agoMs)]));
  const world = { ...file.world, views };
  const troubles = [...linkTroubles(world, []), ...sessionTroubles(world)].filter(({ kind }) => KINDS.includes(kind));
  const then: CaseFile = { path: [], facts: [], world, expected: [], troubles };
  const proposals = CONFIGURED_RULES.flatMap((rule) => rule.propose(then, []));
  return rank(merged(proposals), [], CONFIGURED_RULES, troubles).chosen;
}

function viewAt(view: View, agoMs: number): View {
  const past = view.state.history?.past?.find(({ fromAgoMs, untilAgoMs }) => fromAgoMs >= agoMs && agoMs >= untilAgoMs);
  if (past === undefined) return view;
  const state: NodeState = {
    ...withoutProtocols(view.state),
    ...(past.isis === undefined ? {} : { isis: past.isis }),
    ...(past.bgp === undefined ? {} : { bgp: past.bgp }),
    ...(past.bfd === undefined ? {} : { bfd: past.bfd }),
    ...(past.ospf === undefined ? {} : { ospf: past.ospf }),
    adjacencies: past.adjacencies.map(({ ifname, systemId, up }) => ({
      protocol: 'isis',
      ifname,
      systemId,
      level: 2,
      state: up ? 'up' : 'down',
    })),
  };
  return { ...view, state };
}

function withoutProtocols(state: NodeState): NodeState {
  const kept = Object.entries(state).filter(([name]) => !PROTOCOLS.has(name));
  return Object.fromEntries(kept) as unknown as NodeState;
}

function troubleOf(world: World, { fault, resource }: Proposal, agoMs: number): Trouble {
  const nodes = [...world.views.keys()].filter(
    (node) => resource === `node/${node}` || resource.startsWith(interfaceResource({ node, ifname: '' })),
  );
  return {
    id: `past:${fault}/${resource}`,
    kind: 'past',
    subject: resource,
    text: `${fault} at ${resource} ${Math.round(agoMs / 1_000)} s ago`,
    source: sourcesOf(world, ...nodes),
    nodes,
    detail: { agoMs },
  };
}
