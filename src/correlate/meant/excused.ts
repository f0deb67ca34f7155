// What the proof of health cannot show because of something that is meant: lines about the links of a silenced finding, probes whose way
// leads over its place, and what a node does not answer that is meant to be out. Everything else must still be proven.
import type { CaseFile } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { LossSymptom } from '../engine/loss-symptom.ts';
import { lossLine, lossyReaches } from '../health/proof-reach.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, ownerOf, type World } from '../network/world.ts';
import { silentNodeSymptom } from '../symptoms/silent-nodes.ts';

/** Kinds of symptoms that cost packets: a silenced finding that explains none of them, and no lost probes of a link, excuses no loss. */
const DROPPING: readonly string[] = [
  'route',
  'reach',
  'down',
  'silent',
  'silent-link',
  'recurring-loss',
  'flap',
  'queue',
  'corrupt',
];

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
  const symptomsOf = ({ explains }: Proposal) =>
    file.symptoms.filter(({ id }) => explains.some(({ symptom }) => symptom === id));
  const lossesOf = ({ explains }: Proposal) =>
    losses.filter(({ id }) => explains.some(({ symptom }) => symptom === id));
  const linksOf = (proposals: readonly Proposal[]) =>
    new Set(
      proposals.flatMap((each) => [
        ...placesOf(world, each.resource).links,
        ...symptomsOf(each).flatMap(({ link }) => link?.key ?? []),
      ]),
    );
  // A daemon that is meant to be off loses no packets, and a small MTU none of the small ones.
  const dropping = silenced.filter(
    (each) => lossesOf(each).length > 0 || symptomsOf(each).some(({ kind }) => DROPPING.includes(kind)),
  );
  const places = dropping.map(({ resource }) => placesOf(world, resource));
  const symptoms = silenced.flatMap(symptomsOf);
  const links = linksOf(silenced);
  // A finding about a link says nothing of its nodes' other links.
  const nodes = new Set([...places.flatMap((place) => (place.links.length === 0 ? place.nodes : [])), ...maintained]);
  // Other nodes of such a symptom are the neighbours that lost it.
  const silent = symptoms.filter((each) => silentNodeSymptom.is(each)).map(({ subject }) => subject.split('/')[1]!);
  // Its neighbours call it as they hear it.
  const out = [...maintained, ...silent].flatMap((node) => [nodeRef(node), ` neighbour ${node} `]);
  const ends = world.links
    .filter(({ key }) => links.has(key))
    .flatMap(({ from, to }) => [from, to].map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`));
  const arrived = silenced
    .flatMap(lossesOf)
    .map(({ fact: { value } }) => `${nodeRef(value.from)} → ${nodeRef(value.to)}: ${value.sent - value.lost} of `);
  const unsent = places.flatMap((place) => place.nodes.map((node) => `${nodeRef(node)} could not send `));
  const lost = new Set([...symptoms.map(({ text }) => text), ...lostOver(world, nodes, linksOf(dropping))]);
  return (lacking) =>
    lost.has(lacking) ||
    arrived.some((start) => lacking.startsWith(start)) ||
    ends.some((end) => names(lacking, end)) ||
    [...unsent, ...out].some((mark) => lacking.includes(mark));
}

/** The end itself: `{p1} eth1` is named neither by `{p1} eth10` nor by `{p1} eth1.20`. */
function names(text: string, end: string): boolean {
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    if (!/^(?:[\w@/-]|[.:]\w)/.test(text.slice(at + end.length))) return true;
  }
  return false;
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
