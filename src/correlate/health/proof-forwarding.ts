// What was read of how nodes forward, beside their routes. A node that did not tell is lacking where others send it packets to forward; of one that
// forwards for no other it does not matter. What is wrong with it is a fault's to say (faults/forwarding/, faults/routing/policy-route.ts).
import type { Proof } from '../engine/facts.ts';
import { carriedBy } from '../network/carried.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';

/** Part of a state that could not be read; observe/observe.ts leaves it to this proof. */
const FORWARDING_PART = 'forwarding';
/** More are counted. */
const NAMED = 8;

export function forwardingProof(world: World): Proof {
  const views = [...world.views.values()];
  const read = views.filter(({ state }) => state.forwarding !== undefined).map(({ node }) => node);
  const unread = views.filter(({ state }) => state.missing.some(({ part }) => part === FORWARDING_PART));
  const others = views.length - read.length;
  const rest = others === 0 || read.length === 0 ? '' : `; not of ${others} other ${others === 1 ? 'node' : 'nodes'}`;
  const line = `how the kernel forwards was read of ${namesOf(read)}: its settings, policy rules, packet filters (xtables where the kernel tells of them), traffic control and table of connections${rest}`;
  return {
    proven: read.length === 0 ? [] : [line],
    lacking: unread
      .filter((view) => (['ipv4', 'ipv6'] as const).some((family) => carriedBy(world, view, family).length > 0))
      .map(({ node, state }) => {
        const why = state.missing.find(({ part }) => part === FORWARDING_PART)?.reason;
        return `${nodeRef(node)}: whether it forwards could not be read (${why}), and others send packets through it`;
      }),
  };
}

function namesOf(nodes: readonly string[]): string {
  return nodes.length > NAMED ? `${nodes.length} nodes` : nodes.map(nodeRef).join(', ');
}
