// Rules that limited the segments of TCP (MSS clamps) and are gone, on a node with an interface that takes smaller packets than its others: ends that
// do not hear of the smaller size, as they drop ICMP, lose large packets there, and no probe of a router does. Accuses no node: the operator may
// have done without it on purpose. Within the last hour it keeps the verdict from being healthy, later it is a remark.
import type { Remark } from '#model/finding.ts';
import { interfaceResource } from '#model/names.ts';
import { SEGMENT_SIZE, writesSegmentSize } from '#model/router/filter-rewrites.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { nodeRef } from '../network/node-ref.ts';
import { remarkOf } from '../network/remark.ts';
import { changesOfStood, NEW_MS } from '../network/remembered.ts';
import type { World } from '../network/world.ts';

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
    const gone = changesOfStood(world, node, 'filter').flatMap(({ subject, was, agoMs }) => {
      const sides = was?.startsWith(`${SEGMENT_SIZE} = `) ? sidesOf(was) : undefined;
      if (was === undefined || sides === undefined || !isUncovered(state, subject, sides)) return [];
      return smallerPorts(state, sides).map(({ name, mtu, usual }) => ({
        ...{ node, ifname: name, agoMs },
        text: `${nodeRef(node)}: a rule of ${subject} that limited the segments of TCP (${was}) is gone; ${name} takes packets of ${mtu} octets, others of the node ${usual}: large TCP packets over it may be lost`,
      }));
    });
    return [...Map.groupBy(gone, ({ ifname }) => ifname).values()].map((rows) => rows[0]!);
  });
}

/** Interfaces by which packets had to enter and leave. */
type Sides = { readonly from: readonly string[]; readonly to: readonly string[] };

/** From the words of a setting (`filterWords` of model/settings/filter-settings.ts). */
function sidesOf(words: string): Sides {
  const named = (side: string) => [...words.matchAll(new RegExp(`, ${side} ([^\\s,]+)`, 'g'))].map(([, name]) => name!);
  return { from: named('from'), to: named('to') };
}

/** Some of the packets that it took are taken by no rule of the kind that is there now. A rule that was loaded again has another handle. */
function isUncovered({ filters, missing }: NodeState, subject: string, { from, to }: Sides): boolean {
  if (missing.some(({ part }) => part === 'filters')) return false;
  const family = subject.split(' ')[0]!;
  const now = filters.filter((rule) => writesSegmentSize(rule) && (rule.family === family || rule.family === 'inet'));
  const any = (names: readonly string[]) => (names.length === 0 ? [undefined] : names);
  return any(from).some((into) => any(to).some((out) => !now.some((rule) => takes(rule, into, out))));
}

function takes(
  { inInterfaces, outInterfaces }: FilterRule,
  into: string | undefined,
  out: string | undefined,
): boolean {
  const isIn = (names: readonly string[], name: string | undefined) =>
    names.length === 0 || (name !== undefined && names.includes(name));
  return isIn(inInterfaces, into) && isIn(outInterfaces, out);
}

type SmallPort = { readonly name: string; readonly mtu: number; readonly usual: number };

/**
 * Those of the rule that take smaller packets than the largest of the node does; of a rule that says nothing of where packets leave, the smallest of
 * the node.
 */
function smallerPorts({ inventory }: NodeState, { from, to }: Sides): readonly SmallPort[] {
  const up = inventory.interfaces.filter(({ kind, adminUp, operUp }) => kind !== 'loopback' && adminUp && operUp);
  const usual = Math.max(...up.map(({ mtu }) => mtu));
  const smaller = up.filter(({ mtu }) => mtu < usual).map(({ name, mtu }) => ({ name, mtu, usual }));
  const own = smaller.filter(({ name }) => from.includes(name) || to.includes(name));
  const isThere = from.every((name) => up.some((each) => each.name === name));
  if (own.length > 0 || to.length > 0 || !isThere) return own;
  const smallest = Math.min(...smaller.map(({ mtu }) => mtu));
  return smaller.filter(({ mtu }) => mtu === smallest);
}
