// BGP between the nodes of pair-scene.ts over their links, row by row: who expects which AS number of whom, and what is established.
import type { World } from '#correlate/network/world.ts';
import { linkOf } from '../../pair-scene.ts';
import { ringWorld } from '../proposing.ts';

/** AS numbers of the nodes, unless a test says otherwise. */
export const AS: Readonly<Record<string, number>> = { a: 65_001, b: 65_002, c: 65_003, d: 65_004 };

/** The address of a node on its link with another: `198.18.ab.0` for the first of the two by name. */
export function addressOn(node: string, other: string, family: 4 | 6 = 4): string {
  const [one, two] = [node, other].sort();
  const number = `${one!.charCodeAt(0) - 96}${two!.charCodeAt(0) - 96}`;
  const last = node === one ? 0 : 1;
  return family === 4 ? `198.18.${number}.${last}` : `fd00:${number}::${last}`;
}

export type Row = {
  readonly from: string;
  readonly to: string;
  readonly family?: 4 | 6;
} & Readonly<Record<string, unknown>>;

/** Rows are sessions that are not established, unless they say so. */
export function bgpWorld(
  rows: readonly Row[],
  states: Readonly<Record<string, object>> = {},
  more: object = {},
): World {
  const nodes = ['a', 'b', 'c', 'd'];
  const owners = new Map(
    ['a-b', 'b-c', 'c-d', 'd-a'].flatMap((pair) => {
      const { from, to } = linkOf(pair);
      return ([4, 6] as const).flatMap((family) => [
        [addressOn(from.node, to.node, family), [from]] as const,
        [addressOn(to.node, from.node, family), [to]] as const,
      ]);
    }),
  );
  const stateOf = (node: string) => {
    const sessions = rows
      .filter(({ from }) => from === node)
      .map(({ from, to, family = 4, ...row }) => ({
        ...{ peer: addressOn(to, from, family), state: 'Active', remoteAs: AS[to], localAs: AS[node] },
        ...{ shutdown: false, policies: [], ...row },
      }));
    return { bgp: { asn: AS[node], sessions, networks: [], redistribute: [], ownPrefixes: [] }, ...states[node] };
  };
  return ringWorld({ owners, ...more }, Object.fromEntries(nodes.map((node) => [node, stateOf(node)])));
}
