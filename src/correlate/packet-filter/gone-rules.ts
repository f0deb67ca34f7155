// Dropping rules that a node had and has no more, as it remembers its own states. Whether they met a packet is not remembered; what most
// nodes filter alike, what is against some senders, and what an earlier rule lets through in part, only did its job.
import { covers } from '#base/ip.ts';
import { demands, mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Slice } from '../engine/fault-definition.ts';
import type { View, World } from '../network/world.ts';
import { isDropping, isPolicy } from './dropping-rules.ts';
import { kindOf } from './filter-kinds.ts';
import { letsSome, takesAllMessages } from './missed-services.ts';

/** An SRv6 packet with a segment routing header (RFC 8754 §2). */
const STEERED: Packet = {
  ...{ network: 'ip6', protocol: 'ipv6', nextHeader: 'ipv6-route' },
  extensions: ['rt', 'srh'],
};

/** The node as it is now, the rule as it was, and the network of now. */
export type GoneRule = { readonly view: View; readonly rule: FilterRule; readonly now: World };

/** Of the node whose memory the slice is. */
export function goneRules({ world, past }: Slice): readonly GoneRule[] {
  const node = past?.kept?.node ?? '';
  const [then, view] = [world.views.get(node)?.state, past?.now.views.get(node)];
  if (past === undefined || then === undefined || view === undefined) return [];
  return then.filters
    .filter((rule) => isDropping(rule) && !isStillThere(view, rule) && !isPolicy(past.now, rule))
    .filter((rule) => !letsSome(then.filters, rule) && !demands(rule, 'source'))
    .map((rule) => ({ view, rule, now: past.now }));
}

function isStillThere({ state }: View, rule: FilterRule): boolean {
  const text = (each: FilterRule) => JSON.stringify([each.family, each.hook, each.verdict, each.matches]);
  return state.filters.some((each) => text(each) === text(rule));
}

/** What the rule was against: SRv6, a service that was wanted, or all that is sent to a network of the scope. */
export function aimOf({ rule, now }: GoneRule): 'srv6' | 'service' | 'network' | undefined {
  if (isAgainstSteering(rule)) return usesSrv6(now) ? 'srv6' : undefined;
  if (demands(rule, 'sample') || rule.matchesRest === true) return undefined;
  if (kindOf(rule) !== undefined) return !demands(rule, 'destination') && isWanted(now, rule) ? 'service' : undefined;
  return rule.hook === 'forward' && isAgainstNetwork(now, rule) ? 'network' : undefined;
}

function isAgainstSteering(rule: FilterRule): boolean {
  return demands(rule, 'extension', 'next-header') && mayTake(rule, STEERED);
}

function usesSrv6({ views }: World): boolean {
  return [...views.values()].some(({ state }) => state.inventory.sids.length > 0);
}

/** Messages that no filter may drop, or a service that some host was seen to serve lately or asked for. */
function isWanted({ views }: World, rule: FilterRule): boolean {
  if (kindOf(rule) === 'echo') return takesAllMessages(rule);
  const histories = [...views.values()].map(({ state }) => state.history);
  const ports = histories.flatMap((history) => [
    ...(history?.services ?? []).map((row) => ({ protocol: row.service, port: row.port })),
    ...(history?.heard ?? []).flatMap(({ what }) => (what === 'dns-query' ? [{ protocol: 'udp', port: 53 }] : [])),
  ]);
  return ports.some(({ protocol, port }) =>
    [
      { protocol, destinationPort: port },
      { protocol, sourcePort: port },
    ].some((packet) => mayTake(rule, { network: 'ip', ...packet })),
  );
}

/** Everything to a network that a node of the scope is attached to. */
function isAgainstNetwork(world: World, { matches = [] }: FilterRule): boolean {
  const wanted = matches.filter(({ field }) => field === 'destination').flatMap(({ values }) => values);
  const others = matches.filter(({ field }) => field !== 'destination' && field !== 'network');
  if (wanted.length === 0 || others.length > 0 || matches.some(({ negated }) => negated === true)) return false;
  return [...world.owners.keys()].some((address) => wanted.some((prefix) => covers(prefix, address)));
}
