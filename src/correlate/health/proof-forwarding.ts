// What was read of how nodes forward, beside their routes. A node that did not tell is lacking where others send it packets to forward; of one that
// forwards for no other it does not matter. What is wrong with it is a fault's to say (faults/forwarding/, faults/routing/policy-route.ts).
import { CUT_PARTS, cutWords, type NodeState } from '#model/router/router-port.ts';
import { TCP_IDLE } from '#model/settings/forwarding-settings.ts';
import type { Proof } from '../engine/facts.ts';
import { carriedBy } from '../network/carried.ts';
import { nodeRef } from '../network/node-ref.ts';
import { settingsBefore } from '../network/remembered.ts';
import type { View, World } from '../network/world.ts';

/** Part of a state that could not be read; observe/observe.ts leaves it to this proof. */
const FORWARDING_PART = 'forwarding';
/** Parts of a state that may be missing beside it, in words. */
const PARTS: Readonly<Record<string, string>> = {
  filters: 'packet filters and traffic control',
  xtables: 'filters of iptables-legacy',
  'traffic-control': 'all of its traffic control',
};
/** More are counted. */
const NAMED = 8;

export function forwardingProof(world: World): Proof {
  const views = [...world.views.values()];
  const read = views.filter(({ state }) => state.forwarding !== undefined).map(({ node }) => node);
  const unread = views.filter(({ state }) => state.missing.some(({ part }) => part === FORWARDING_PART));
  const others = views.length - read.length;
  const rest = others === 0 || read.length === 0 ? '' : `; not of ${others} other ${others === 1 ? 'node' : 'nodes'}`;
  const exceptions = views
    .filter(({ state }) => state.forwarding !== undefined)
    .flatMap(({ node, state }) => {
      const parts = unreadOf(state);
      return parts.length === 0 ? [] : [`of ${nodeRef(node)} without ${parts.join(', ')}`];
    })
    .slice(0, NAMED);
  const unruled = views.filter(
    ({ state }) => state.forwarding !== undefined && state.forwarding.policyRules === undefined,
  );
  const line = `how the kernel forwards was read of ${namesOf(read)}: its settings, policy rules, packet filters, traffic control and table of connections${rest}${exceptions.map((each) => `; ${each}`).join('')}`;
  return {
    proven: [...(read.length === 0 ? [] : [line]), ...uncheckedOrigins(world), ...cutLists(views)],
    lacking: [
      ...views.flatMap((view) => forgetsConnections(world, view)),
      ...unread
        .filter((view) => carries(world, view))
        .map(({ node, state }) => {
          const why = state.missing.find(({ part }) => part === FORWARDING_PART)?.reason;
          return `${nodeRef(node)}: whether it forwards could not be read (${why}), and others send packets through it`;
        }),
      ...unruled
        .filter((view) => carries(world, view))
        .map(
          ({ node }) =>
            `${nodeRef(node)}: its policy rules were not read (too many, or the kernel did not answer), and others send packets through it`,
        ),
    ],
  };
}

/** RFC 5382 REQ-5: a NAT keeps an idle TCP connection for two hours and four minutes at least. */
const LEAST_IDLE_S = 7_440;

/** A router that tracks connections, and forgets silent ones sooner than is required and than it did before. */
function forgetsConnections(world: World, { node, state }: View): readonly string[] {
  const { ipv4, ipv6, conntrack, tcpTracking } = state.forwarding ?? {};
  const { idleSeconds = LEAST_IDLE_S } = tcpTracking ?? {};
  if (idleSeconds >= LEAST_IDLE_S || conntrack === undefined || !(ipv4 || ipv6)) return [];
  const [before] = settingsBefore(world, node, 'forwarding', 'node', TCP_IDLE);
  if (before === undefined || Number.parseInt(before, 10) <= idleSeconds) return [];
  return [
    `${nodeRef(node)}: forgets a TCP connection after ${idleSeconds} s without a packet, and kept it for ${before} before; connections of hosts that pause may end there`,
  ];
}

/** Lists of which a state has no room for all. */
function cutLists(views: readonly View[]): readonly string[] {
  return views.flatMap(({ node, state }) =>
    (state.cut ?? []).flatMap((list) => {
      const words = CUT_PARTS.get(list.part);
      return words === undefined ? [] : [`not tested: all ${words} of ${nodeRef(node)}: ${cutWords(list)}`];
    }),
  );
}

/** Routes of BGP that a node could have checked against the RPKI, and did not. */
function uncheckedOrigins({ lookups }: World): readonly string[] {
  return [...lookups].flatMap(([node, answers]) => {
    const unread = [...answers.values()].filter(({ originUnread }) => originUnread === true);
    if (unread.length === 0) return [];
    const rest = unread.length === 1 ? '' : ` and ${unread.length - 1} more`;
    return [
      `not tested: whether the RPKI allows the routes that ${nodeRef(node)} has to ${unread[0]!.destination}${rest}: one call asks bgpd of a few alone, and an answer may be late or too long`,
    ];
  });
}

function carries(world: World, view: View): boolean {
  return (['ipv4', 'ipv6'] as const).some((family) => carriedBy(world, view, family).length > 0);
}

/** What was not read of a node that told how it forwards. */
function unreadOf({ forwarding, missing }: NodeState): readonly string[] {
  const isMissing = (part: string) => missing.some((each) => each.part === part);
  return [
    ...(forwarding?.policyRules === undefined ? ['policy rules'] : []),
    ...Object.entries(PARTS).flatMap(([part, words]) => (isMissing(part) ? [words] : [])),
  ];
}

function namesOf(nodes: readonly string[]): string {
  return nodes.length > NAMED ? `${nodes.length} nodes` : nodes.map(nodeRef).join(', ');
}
