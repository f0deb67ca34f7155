// cables_swapped: two cables are swapped. Each of two ports has an address of the one network and hears the device of the other: what the
// ports were set up for and what LLDP (IEEE 802.1AB) hears there contradict each other crosswise. Needs no memory. A switch between them that is heard
// in a neighbour's place, and a port that hears a stranger, contradict nothing crosswise.
import { interfaceResource, type LinkEnd, nodeKey } from '#model/names.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault, type Share } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linkOn, sourcesOf, type World } from '../../network/world.ts';
import { brokenLink } from '../../symptoms/consequences.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

/** `set`: whom the port has an address for; `heard`: who is there; `other`: the port whose cable it has. */
type Detail = {
  readonly node: string;
  readonly ifname: string;
  readonly set: string;
  readonly heard: string;
  readonly otherNode: string;
  readonly other: string;
};

export const cablesSwapped = defineFault<Detail>({
  id: 'cables_swapped',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'two cables are swapped: each of two ports has an address for the device that LLDP hears at the other; both are named',
  detect: ({ world, past }) => (past === undefined ? detected(world) : []),
  describe: ({ node, ifname, set, heard, otherNode, other }) =>
    `${nodeRef(node)} ${ifname} has an address for ${set} and hears ${heard}, for which ${nodeRef(otherNode)} ${other} has one: the two cables are swapped`,
  remedy: ({ node, ifname, otherNode, other }) => ({
    node,
    summary: `swap the cables of ${nodeRef(node)} ${ifname} and ${nodeRef(otherNode)} ${other}`,
    decide: 'whether the cables or the addresses are as they should be',
  }),
  score: 5,
  consequences: ({ detail }, file, losses) => consequencesOf(file, losses, detail),
});

/** A port, the end that its addresses are for, and the end that it hears. */
type Port = { readonly own: LinkEnd; readonly set: LinkEnd; readonly heard: LinkEnd };
type Swap = readonly [Port, Port];

function detected(world: World): readonly Detection<Detail>[] {
  return swapsIn(world).flatMap(({ pair, isSure }) =>
    [pair, pair.toReversed() as unknown as Swap].map(([mine, theirs]) => ({
      resource: interfaceResource(mine.own),
      ...(isSure ? {} : { confidence: 'likely' as const }),
      evidence: sourcesOf(world, ...new Set([mine.own.node, mine.set.node, mine.heard.node])),
      nodes: [...new Set([mine.own.node, theirs.own.node])],
      detail: {
        ...{ node: mine.own.node, ifname: mine.own.ifname, set: endText(mine.set), heard: endText(mine.heard) },
        ...{ otherNode: theirs.own.node, other: theirs.own.ifname },
      },
    })),
  );
}

/**
 * At one node where there is such a pair: the far ends of its two cables see the same. Of parallel cables, and of cables that share no node, either
 * pair of ends may be the one.
 */
function swapsIn(world: World): readonly { readonly pair: Swap; readonly isSure: boolean }[] {
  const pairs = crossed(strangePorts(world));
  const atOne = pairs.filter(([one, other]) => one.own.node === other.own.node);
  const explained = new Set(atOne.flatMap((pair) => pair.flatMap(({ set }) => interfaceResource(set))));
  const atTwo = pairs.filter(
    (pair) => !atOne.includes(pair) && !pair.some(({ own }) => explained.has(interfaceResource(own))),
  );
  const isAlone = (pair: Swap) => !pair.some(({ own }) => explained.has(interfaceResource(own)));
  return [...atOne.map((pair) => ({ pair, isSure: isAlone(pair) })), ...atTwo.map((pair) => ({ pair, isSure: false }))];
}

/** Seen from all four ends. */
function crossed(ports: readonly Port[]): readonly Swap[] {
  const strange = new Set(ports.map(({ own }) => interfaceResource(own)));
  const bySet = new Map(ports.map((port) => [interfaceResource(port.set), port]));
  return ports.flatMap((port): readonly Swap[] => {
    const other = bySet.get(interfaceResource(port.heard));
    if (other === undefined || interfaceResource(other.heard) !== interfaceResource(port.set)) return [];
    const isSeenBack = [port, other].every(({ set }) => strange.has(interfaceResource(set)));
    return isSeenBack && interfaceResource(port.own) < interfaceResource(other.own) ? [[port, other]] : [];
  });
}

/** Ports with addresses for one end alone that hear another end, and no other. */
function strangePorts(world: World): readonly Port[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    state.inventory.interfaces.flatMap(({ name, operUp }): readonly Port[] => {
      const own = { node, ifname: name };
      const rows = state.neighbours.filter(({ ifname }) => ifname === name);
      const [set, second] = addressed(world, own);
      if (!operUp || rows.length !== 1 || set === undefined || second !== undefined) return [];
      const heard = endHeard(world, rows[0]!);
      const isOther = heard !== undefined && interfaceResource(heard) !== interfaceResource(set);
      return isOther ? [{ own, set, heard }] : [];
    }),
  );
}

function addressed(world: World, own: LinkEnd): readonly LinkEnd[] {
  return linkOn(world, own)
    .filter(({ link }) => link.addresses !== undefined)
    .map(({ from, to }) => (from.node === own.node && from.ifname === own.ifname ? to : from));
}

/** A port of a node that answered, by the names that LLDP gives it. */
function endHeard(
  world: World,
  { systemName = '', portId }: { readonly systemName?: string; readonly portId: string },
): LinkEnd | undefined {
  const view = [...world.views.values()].find(({ node }) => nodeKey(node) === nodeKey(systemName));
  const port = view?.state.inventory.interfaces.find(({ name, mac }) => name === portId || mac === portId);
  return view === undefined || port === undefined ? undefined : { node: view.node, ifname: port.name };
}

function endText({ node, ifname }: LinkEnd): string {
  return `${nodeRef(node)} ${ifname}`;
}

/** What crosses either cable, and routes and echoes of the nodes at their ends. */
function consequencesOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  { node, ifname, otherNode, other }: Detail,
): readonly Share[] {
  const ends = [
    { node, ifname },
    { node: otherNode, ifname: other },
  ];
  const links = ends.flatMap((end) => linkOn(file.world, end));
  const nodes = new Set(links.flatMap(({ from, to }) => [from.node, to.node]));
  const routes = routeSymptom.of(file).filter(({ detail: { owner, at } }) => nodes.has(owner) || nodes.has(at));
  const reach = reachSymptom.of(file).filter(({ way }) => way?.nodes.some((each) => nodes.has(each)) === true);
  const own = file.symptoms.filter(
    (symptom) => symptom.link !== undefined && links.some(({ key }) => key === symptom.link?.key),
  );
  const shares = [
    ...links.flatMap((link) => brokenLink(file, losses, link)),
    ...[...routes, ...reach, ...own].map(shareOf),
  ];
  return [...new Map(shares.map((share) => [share.symptom, share])).values()];
}
