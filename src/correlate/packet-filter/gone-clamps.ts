// Rules that limited the segments of TCP (MSS clamps) and are gone, on a node with an interface that takes smaller packets than its others: ends that
// do not hear of the smaller size, as they drop ICMP, lose large packets there, and no probe of a router does. Accuses no node: the operator may
// have done without it on purpose. Within the last hour it keeps the verdict from being healthy, later it is a remark.
import type { Remark } from '#model/finding.ts';
import { interfaceResource } from '#model/names.ts';
import { SEGMENT_SIZE } from '#model/router/filter-rewrites.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { nodeRef } from '../network/node-ref.ts';
import { remarkOf } from '../network/remark.ts';
import { changesOfStood, NEW_MS } from '../network/remembered.ts';
import type { World } from '../network/world.ts';
import { forwardingPorts, isUncovered, type LostClamp, lostClamp } from './clamp-cover.ts';

type GoneClamp = {
  readonly node: string;
  /** Interface that takes smaller packets, and its MTU. */
  readonly ifname: string;
  readonly agoMs: number;
  readonly text: string;
};

/** What keeps the verdict from being healthy. */
export function goneClampLines(world: World): readonly string[] {
  return goneClamps(world)
    .filter(({ agoMs }) => agoMs < NEW_MS)
    .map(({ text }) => text);
}

export function goneClampRemarks(world: World): readonly Remark[] {
  return goneClamps(world)
    .filter(({ agoMs }) => agoMs >= NEW_MS)
    .map(({ node, ifname, text }) =>
      remarkOf(world, [node], {
        ...({ kind: 'mtu_mismatch', why: 'no-harm', resource: interfaceResource({ node, ifname }), text } as const),
      }),
    );
}

/** One for each node and interface, of the latest rule. */
function goneClamps(world: World): readonly GoneClamp[] {
  // Of a remembered moment it is not known what changed before it.
  if (world.seen !== undefined) return [];
  return [...world.views.values()].flatMap(({ node, state }) => {
    const forwarding = forwardingPorts(state);
    const gone = changesOfStood(world, node, 'filter').flatMap(({ subject, was = '', is = '', agoMs }) => {
      const lost = lostClamp(subject, was);
      if (lost === undefined) return [];
      // Of the words of another rule only the handle is the same.
      const end = is.startsWith(`${SEGMENT_SIZE} = `) ? `became (${is})` : 'is gone';
      const { usual, ports } = smallerPorts(state, forwarding, lost);
      return ports
        .filter((port) => isUncovered(state, forwarding, lost, port))
        .map(({ name, mtu }) => ({
          ...{ node, ifname: name, agoMs },
          text: `${nodeRef(node)}: a rule of ${subject} that limited the segments of TCP (${was}) ${end}; ${name} takes packets of ${mtu} octets, others of the node ${usual}: large TCP packets over it may be lost`,
        }));
    });
    return [...Map.groupBy(gone, ({ ifname }) => ifname).values()].map((rows) => rows[0]!);
  });
}

/**
 * Those of the rule that take smaller packets than the largest of the node does; of a rule that says nothing of where packets leave, the smallest of
 * the node.
 */
function smallerPorts(
  { inventory: { interfaces } }: NodeState,
  forwarding: readonly InterfaceState[],
  { from, to }: LostClamp,
): { readonly usual: number; readonly ports: readonly InterfaceState[] } {
  const up = interfaces.filter(({ adminUp, operUp }) => adminUp && operUp);
  const physical = up.filter(({ kind }) => kind === 'physical');
  // Virtual ones may take packets that leave by no wire.
  const usual = Math.max(...(physical.length > 0 ? physical : forwarding).map(({ mtu }) => mtu));
  const smaller = forwarding.filter(({ mtu }) => mtu < usual);
  const own = smaller.filter(({ name }) => from.includes(name) || to.includes(name));
  const isThere = from.every((name) => up.some((each) => each.name === name));
  if (own.length > 0 || to.length > 0 || !isThere) return { usual, ports: own };
  const smallest = Math.min(...smaller.map(({ mtu }) => mtu));
  return { usual, ports: smaller.filter(({ mtu }) => mtu === smallest) };
}
