// bgp_asn_misconfig: a node runs BGP under an AS number that none of its neighbours expects, and all of them expect the same other one.
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type View } from '../../network/world.ts';
import { isUp } from '../../symptoms/sessions.ts';
import { ANY_AS, brokenSessions, expectationsOf, hasExpected, presentedBy } from './remote-as.ts';

type Detail = {
  readonly node: string;
  readonly own: number;
  readonly expected: number;
  readonly by: readonly string[];
};

export const bgpAsnMisconfig = defineCause<Detail>({
  id: 'bgp_asn_misconfig',
  resource: 'node',
  accuses: true,
  labels: { nika: 'bgp_asn_misconfig', netOpsBench: null },
  summary: 'a node runs BGP under a wrong AS number of its own: all its neighbours expect another',
  explain: (file) => [...file.world.views.values()].flatMap((view) => explanationOf(file, view)),
  describe: runsUnder,
  remedy: (detail) => ({
    node: detail.node,
    summary: runsUnder(detail),
    command: `router bgp ${detail.expected}`,
    decide: 'a process under another number is a new one: all of it must be configured again',
  }),
});

function runsUnder({ node, own, expected }: Detail): string {
  return `${nodeRef(node)} runs AS ${own}, its neighbours expect ${expected}`;
}

function explanationOf(file: CaseFile, { node, state }: View): readonly Explanation<Detail>[] {
  const own = state.bgp?.asn;
  const towards = expectationsOf(file.world, node);
  const [expected, ...others] = [...new Set(towards.map(({ row }) => row.remoteAs))];
  if (own === undefined || expected === undefined || others.length > 0) return [];
  if (expected === ANY_AS || expected === own || presentedBy(file.world, node).includes(expected)) return [];
  // A neighbour that has a session with it, in scope or not, expects the number that it runs under.
  if (state.bgp?.sessions.some(isUp)) return [];
  const neighbours = new Set(towards.map((each) => each.node));
  // The only neighbour expected this number before: it has changed, not the node.
  if (neighbours.size === 1 && towards.every((each) => hasExpected(file.world, each, own))) return [];
  return [
    {
      resource: nodeResource(node),
      score: neighbours.size >= 2 ? 4 : 3,
      explains: brokenSessions(file, (near, far) => near === node || far === node).map(shareOf),
      evidence: sourcesOf(file.world, node, ...neighbours),
      detail: { node, own, expected, by: [...neighbours].map(nodeRef) },
    },
  ];
}
