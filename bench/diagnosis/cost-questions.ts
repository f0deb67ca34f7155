// Questions without a fault, for figures of cost: paths of every length that the network has, single nodes, and everything. Pure.
import type { Network } from '../../simulations/generate/network.ts';
import { seededRandom } from '../../simulations/generate/random.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import type { Random } from '../../simulations/lab/faults/fault.ts';
import { routePath } from '../../simulations/lab/faults/places.ts';
import type { Case } from './cases.ts';
import { lossOn } from './questions.ts';

export type CostInit = { readonly seed: number; readonly count: number; readonly sizes: readonly string[] };

/** What is asked in turn. */
const ABOUT = ['path', 'path', 'node', 'everything'] as const;
const PICKS = 30;

export function costCases(init: CostInit): Case[] {
  return init.sizes.flatMap((size, place) => {
    const network = networkOf(size);
    const random = seededRandom(init.seed * 1_009 + place);
    return Array.from({ length: init.count }, (_, index) => costCase(init.seed, size, network, random, index));
  });
}

function costCase(seed: number, size: string, network: Network, random: Random, index: number): Case {
  const about = ABOUT[index % ABOUT.length]!;
  const path = pathOfLength(network, random, 2 + (Math.floor(index / ABOUT.length) % 4));
  const [from, to] = [path[0]!, path.at(-1)!];
  const intent = { path: lossOn(path), node: `What is wrong with ${to}?`, everything: 'What is wrong?' }[about];
  return {
    id: `${size}-ask${seed}-${String(index + 1).padStart(3, '0')}`,
    size,
    timers: 'fast',
    kind: 'healthy',
    what: [`ask ${about}`],
    inject: [],
    settleMs: 0,
    ask: { node: from, intent },
    truth: { pairs: [], locations: [] },
    ...(about === 'path' ? { hops: path.length } : {}),
  };
}

/** A shortest path with this many routers, or the nearest to it that was found. */
function pathOfLength(network: Network, random: Random, routers: number): readonly string[] {
  const found = Array.from({ length: PICKS }, () =>
    routePath(network, random.pick(network.routers).name, random.pick(network.routers).name),
  ).filter((path) => path.length > 1);
  const off = (path: readonly string[]) => Math.abs(path.length - routers);
  return (
    found.sort((one, other) => off(one) - off(other))[0] ??
    routePath(network, network.links[0]!.a.node, network.links[0]!.b.node)
  );
}
