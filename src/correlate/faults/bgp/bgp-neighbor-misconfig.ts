// bgp_neighbor_misconfig: a node expects a wrong AS number of one neighbour. The neighbour's other sessions say which number is right.
import { interfaceResource, nodeResource } from '#model/names.ts';
import { frrChange, inBgp } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { ownEnd, sourcesOf } from '../../network/world.ts';
import { isUp, type SessionEnds, sessionsOf } from '../../symptoms/sessions.ts';
import { ANY_AS, brokenSessions, expectationsOf } from './remote-as.ts';

/** `is` is the number that the neighbour presents to this node, which `local-as` may make another than its own. */
type Detail = {
  readonly node: string;
  readonly expects: number;
  readonly is: number;
  readonly neighbour: string;
  readonly peer: string;
};

export const bgpNeighborMisconfig = defineCause<Detail>({
  id: 'bgp_neighbor_misconfig',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: 'bgp_neighbor_misconfig' },
  summary: 'a node expects a wrong AS number of one BGP neighbour; the resource is its interface towards it',
  exact: '`neighbor … remote-as` with the number that the neighbour runs under',
  explain: (file) => sessionsOf(file.world).flatMap((session) => explanationOf(file, session)),
  describe: expects,
  remedy: (detail, { world }) => {
    const { node, peer, is } = detail;
    const statement = `neighbor ${peer} remote-as ${is}`;
    const asn = world.views.get(node)?.state.bgp?.asn ?? 0;
    const change = frrChange(world, node, inBgp(asn, statement));
    return { node, summary: expects(detail), command: statement, ...change };
  },
});

function expects({ node, expects: expected, neighbour, is }: Detail): string {
  return `${nodeRef(node)} expects AS ${expected} of ${neighbour}, which runs ${is}`;
}

function explanationOf(file: CaseFile, { near, far, link }: SessionEnds): readonly Explanation<Detail>[] {
  const { world } = file;
  if (far === undefined) return [];
  const is = far.row?.localAs ?? world.views.get(far.node)?.state.bgp?.asn;
  const { remoteAs, peer } = near.row;
  if (is === undefined || remoteAs === is || remoteAs === ANY_AS || isUp(near.row)) return [];
  if (near.row.shutdown || far.row?.shutdown === true) return [];
  const others = expectationsOf(world, far.node).filter((each) => each.node !== near.node);
  if (others.length > 0 && others.every((each) => each.row.remoteAs !== is)) return [];
  const mine = brokenSessions(
    file,
    (one, other) => (one === near.node && other === far.node) || (one === far.node && other === near.node),
  );
  return [
    {
      resource: link === undefined ? nodeResource(near.node) : interfaceResource(ownEnd(link, near.node)),
      explains: mine.map(shareOf),
      evidence: sourcesOf(world, near.node, far.node),
      detail: { node: near.node, expects: remoteAs, is, neighbour: nodeRef(far.node), peer },
    },
  ];
}
