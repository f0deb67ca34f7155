// What the filters of a path do to a probe that one end sends from its own address to one of the other: the chains of the two ends for what they send and
// get themselves are passed by no host's packet, and a rule may name addresses of routers alone. Pure.
import { FORWARDING_HOOKS } from '#model/router/packet-match.ts';
import type { World } from '../network/world.ts';
import { isKept, portsTowards } from './behind-ends.ts';
import { decisionsOf } from './chain-walk.ts';
import { stepsOf } from './followed-steps.ts';
import { PROBE_PORT } from './probe-packets.ts';

const SENDING: ReadonlySet<string> = new Set(['output', 'postrouting', 'egress']);
const RECEIVING: ReadonlySet<string> = new Set(['ingress', 'prerouting', 'input']);

export type Probed = { readonly from: string; readonly sender: string; readonly destination: string };

/** The first node that drops such a probe, or may; `isOfEnd`: by what is for its own packets. */
export function stopOfProbe(
  world: World,
  { from, sender, destination }: Probed,
): { readonly node: string; readonly isOfEnd: boolean; readonly isSure: boolean } | undefined {
  const way = world.nodes[0] === from ? world.nodes : world.nodes.toReversed();
  const network = sender.includes(':') ? 'ip6' : 'ip';
  const packet = {
    ...({ network, protocol: 'udp', destinationPort: PROBE_PORT } as const),
    ...{ sources: [sender], destinations: [destination] },
  };
  for (const [index, node] of way.entries()) {
    const [before, after] = [way[index - 1], way[index + 1]];
    const ports = {
      in: before === undefined ? [] : portsTowards(world, node, before),
      out: after === undefined ? [] : portsTowards(world, node, after),
    };
    const hooks = before === undefined ? SENDING : after === undefined ? RECEIVING : FORWARDING_HOOKS;
    const filters = world.views.get(node)?.state.filters ?? [];
    const decisions = decisionsOf(filters, packet, ports, stepsOf(world, node), hooks);
    if (decisions.some(({ kind }) => kind !== 'pass')) {
      // A rule of which a part is not understood, as a rate, takes a share; one whose set was not read may take all.
      const isSure = decisions.some(({ kind }) => kind === 'drop' || kind === 'unread');
      return { node, isOfEnd: hooks !== FORWARDING_HOOKS, isSure };
    }
    // What another node writes another address into is not what the next one sees.
    if (!isKept(world, node, packet, ports, true)) return undefined;
  }
  return undefined;
}
