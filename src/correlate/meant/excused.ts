// What the proof of health cannot show because of something that is meant: lines about the links of a silenced finding, probes whose way
// leads over its place, and what a node does not answer that is meant to be out. Everything else must still be proven.
import type { CaseFile } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { LossSymptom } from '../engine/loss-symptom.ts';
import { lossLine, lossyReaches } from '../health/proof-reach.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, ownerOf, type World } from '../network/world.ts';
import { daemonSymptom } from '../symptoms/dead-daemons.ts';
import { silentNodeSymptom } from '../symptoms/silent-nodes.ts';

export type Places = { readonly nodes: readonly string[]; readonly links: readonly string[] };

/** Nodes and links that a resource is, lies on, or leads to. */
export function placesOf(world: World, resource: string): Places {
  const [form, name = '', ifname] = resource.split('/');
  if (form === 'link') {
    const ends = resource.slice('link/'.length).split('--');
    return { nodes: ends.map((end) => end.split(':')[0]!), links: [resource] };
  }
  if (form !== 'interface' || ifname === undefined) return { nodes: [name], links: [] };
  const links = linkOn(world, { node: name, ifname: resource.slice(`interface/${name}/`.length) });
  const nodes = [name, ...links.flatMap(({ from, to }) => [from.node, to.node])];
  return { nodes: [...new Set(nodes)], links: links.map(({ key }) => key) };
}

/** `maintained`: nodes that nothing is expected of now. True of a line that is lacking for these reasons. */
export function excusedBy(
  file: CaseFile,
  losses: readonly LossSymptom[],
  silenced: readonly Proposal[],
  maintained: readonly string[],
): (lacking: string) => boolean {
  const { world } = file;
  const explained = silenced.flatMap(({ explains }) => explains.map(({ symptom }) => symptom));
  const symptoms = file.symptoms.filter(({ id }) => explained.includes(id));
  const places = silenced.map(({ resource }) => placesOf(world, resource));
  const links = new Set([
    ...places.flatMap((place) => place.links),
    ...symptoms.flatMap(({ link }) => link?.key ?? []),
  ]);
  // A finding about a link says nothing of its nodes' other links.
  const nodes = new Set([...places.flatMap((place) => (place.links.length === 0 ? place.nodes : [])), ...maintained]);
  const silent = [
    ...maintained,
    ...symptoms.filter((each) => silentNodeSymptom.is(each) || daemonSymptom.is(each)).flatMap((each) => each.nodes),
  ];
  // Its neighbours call it as they hear it.
  const out = silent.flatMap((node) => [nodeRef(node), ` neighbour ${node} `]);
  const ends = world.links
    .filter(({ key }) => links.has(key))
    .flatMap(({ from, to }) => [from, to].map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`));
  const arrived = losses
    .filter(({ id }) => explained.includes(id))
    .map(({ fact: { value } }) => `${nodeRef(value.from)} → ${nodeRef(value.to)}: ${value.sent - value.lost} of `);
  const unsent = places.flatMap((place) => place.nodes.map((node) => `${nodeRef(node)} could not send `));
  const lost = new Set([...symptoms.map(({ text }) => text), ...lostOver(world, nodes, links)]);
  return (lacking) =>
    lost.has(lacking) ||
    arrived.some((start) => lacking.startsWith(start)) ||
    [...ends, ...unsent].some((mark) => lacking.includes(mark)) ||
    out.some((mark) => lacking.includes(mark));
}

/** Probes from end to end that did not come back, and whose way there is known to lead over these places. */
function lostOver(world: World, nodes: ReadonlySet<string>, links: ReadonlySet<string>): readonly string[] {
  return lossyReaches(world)
    .filter((row) => {
      const way = walk(world, row.from, row.destination);
      const owner = ownerOf(world, row.destination)?.node;
      const passed = [row.from, ...way.nodes, ...(owner === undefined ? [] : [owner])];
      const ports = (world.owners.get(row.destination) ?? [])
        .flatMap((end) => linkOn(world, end))
        .map(({ key }) => key);
      const back = owner === undefined ? [] : backOf(world, owner, row.from);
      return passed.some((node) => nodes.has(node)) || [...way.links, ...back, ...ports].some((key) => links.has(key));
    })
    .map((row) => lossLine(world, row));
}

/** The way of the answers, which may be another. */
function backOf(world: World, owner: string, from: string): readonly string[] {
  const own = [...(world.lookups.get(owner)?.keys() ?? [])].find((address) => ownerOf(world, address)?.node === from);
  return own === undefined ? [] : walk(world, owner, own).links;
}
