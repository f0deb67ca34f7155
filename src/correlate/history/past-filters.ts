// Filters that stood in the way of everybody's packets, and are gone: a rule that dropped a service which routers forward, or what a
// network of the scope is sent, is named from the states that its node remembers. Whether it met a packet is not remembered, so it
// is never more than likely. What most nodes filter alike, and what is against some senders, only did its job.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { demands, mayTake, type Packet, wordsOf } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { newProposal } from '../engine/proposal.ts';
import { isDropping, isPolicy } from '../faults/services/service-symptoms.ts';
import type { View, World } from '../network/world.ts';
import { type FilterKind, kindOf } from '../packet-filter/filter-kinds.ts';
import { letsSome, takesAllMessages } from '../packet-filter/missed-services.ts';
import type { PastFinding } from './past.ts';

const STEERED: Packet = {
  ...{ network: 'ip6', protocol: 'ipv6', nextHeader: 'ipv6-route' },
  extensions: ['rt', 'srh'],
};

const SERVICES: Partial<Record<FilterKind, string>> = {
  echo: 'icmp_acl_block',
  http: 'http_acl_block',
  dns: 'dns_port_blocked',
};

export function filtersOver(world: World): readonly PastFinding[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  return [...world.views.values()].flatMap((view) =>
    (view.state.past ?? [])
      .filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
      .flatMap(({ state, untilAgoMs }) =>
        state.filters
          .filter((rule) => isDropping(rule) && !stillThere(view, rule) && !isPolicy(world, rule))
          .flatMap((rule) => {
            const fault = letsSome(state.filters, rule) ? undefined : faultOf(world, rule);
            return fault === undefined ? [] : [{ proposal: accusing(view, rule, fault), agoMs: untilAgoMs }];
          }),
      ),
  );
}

function faultOf(world: World, rule: FilterRule): string | undefined {
  if (demands(rule, 'source')) return undefined;
  const usesSrv6 = [...world.views.values()].some(({ state }) => state.inventory.sids.length > 0);
  if (demands(rule, 'extension', 'next-header') && mayTake(rule, STEERED))
    return usesSrv6 ? 'acl_misconfig' : undefined;
  if (demands(rule, 'sample') || rule.matchesRest === true) return undefined;
  const kind = kindOf(rule);
  if (kind !== undefined) return demands(rule, 'destination') || !isWanted(world, rule) ? undefined : SERVICES[kind];
  return rule.hook === 'forward' && isAgainstUs(world, rule) ? 'acl_misconfig' : undefined;
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
function isAgainstUs(world: World, { matches = [] }: FilterRule): boolean {
  const wanted = matches.filter(({ field }) => field === 'destination').flatMap(({ values }) => values);
  const others = matches.filter(({ field }) => field !== 'destination' && field !== 'network');
  if (wanted.length === 0 || others.length > 0 || matches.some(({ negated }) => negated === true)) return false;
  return [...world.owners.keys()].some((address) => wanted.some((prefix) => covers(prefix, address)));
}

function stillThere({ state }: View, rule: FilterRule): boolean {
  const text = (each: FilterRule) => JSON.stringify([each.family, each.hook, each.verdict, each.matches]);
  return state.filters.some((each) => text(each) === text(rule));
}

function accusing({ node, sources }: View, rule: FilterRule, fault: string) {
  return newProposal({ id: fault }, nodeResource(node), [], sources, {
    confidence: 'likely',
    details: { acl: rule.acl ?? rule.chain, direction: rule.hook, selects: wordsOf(rule) },
  });
}
