// The way that packets take from a node to an address, hop by hop, as each node's kernel forwards them. Nothing was sent for it.
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { linkOn, ownerOf, type World } from '../network/world.ts';
import type { Rows } from './rows.ts';

export const PATH_COLUMNS = ['hop', 'node', 'out', 'next hop', 'route'];
/** A way with more hops goes round. */
const MOST_HOPS = 64;

/** From the first named node, or the first that was asked; to the address, or to the loopback of the last named node. */
export function wayRows(world: World, path: Intent['path'], destination: string | undefined): Rows {
  const nodeOf = (key: string | undefined) => world.nodes.find((node) => nodeKey(node) === key);
  const from = nodeOf(path[0]?.key) ?? world.nodes[0];
  const tail = path.length < 2 ? undefined : nodeOf(path.at(-1)?.key);
  const loopback = tail === undefined ? undefined : world.views.get(tail)?.state.inventory.loopbacks[0]?.split('/')[0];
  const to = destination?.split('/')[0] ?? loopback;
  return from === undefined || to === undefined ? [] : pathRows(world, from, to);
}

function pathRows(world: World, from: string, destination: string): Rows {
  const rows: (readonly string[])[] = [];
  let node: string | undefined = from;
  const seen = new Set<string>();
  while (node !== undefined && rows.length < MOST_HOPS) {
    const hop = String(rows.length + 1);
    if (ownerOf(world, destination)?.node === node) return [...rows, [hop, node, '-', '-', `has ${destination}`]];
    if (seen.has(node)) return [...rows, [hop, node, '-', '-', 'was passed before: a loop']];
    seen.add(node);
    const answer = world.lookups.get(node)?.get(destination);
    if (answer === undefined) return [...rows, [hop, node, '-', '-', 'not known: the node gave no route']];
    const { kind, ifname = '-', nextHop = '-', matched = '-', protocol = '', ifnames = [] } = answer;
    const others = ifnames.length > 1 ? `, of ${ifnames.length} equal ways` : '';
    rows.push([hop, node, ifname, nextHop, kind === 'unicast' ? `${matched} ${protocol}${others}`.trim() : kind]);
    if (kind !== 'unicast') return rows;
    const next: string | undefined = nextNode(world, node, ifname, nextHop);
    if (next === undefined && kind === 'unicast') return rows;
    node = next;
  }
  return rows;
}

/** Who has the next hop's address, or is at the other end of the link. */
function nextNode(world: World, node: string, ifname: string, nextHop: string): string | undefined {
  const owner = ownerOf(world, nextHop)?.node;
  if (owner !== undefined && owner !== node) return owner;
  const [link] = linkOn(world, { node, ifname });
  if (link === undefined) return undefined;
  return [link.from.node, link.to.node].find((each) => nodeKey(each) !== nodeKey(node));
}
