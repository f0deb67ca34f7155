// Probes in SRv6 over the links of a node that has a filter against packets with a routing header: plain probes over a link never
// meet such a filter. Nothing is sent in a network that has none. Pure.
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import { demands, mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { scopeLinks } from '../scope-links.ts';
import { decapSid, loopback } from '../sids.ts';
import type { States } from '../states.ts';

const COUNT = 300;
/** Links of a network that are tried so: a filter that all nodes have is met by a few. */
const MOST_LINKS = 16;

const LEAVING: readonly string[] = ['egress', 'postrouting', 'output'];
const ENTERING: readonly string[] = ['ingress', 'prerouting', 'input'];
const STEERED: Packet = {
  ...{ network: 'ip6', protocol: 'ipv6', nextHeader: 'ipv6-route' },
  extensions: ['rt', 'srh'],
};

export const srv6Probes = defineMeasurement({
  kinds: ['srv6-probe'],
  rounds: { first: ({ states }) => planSrv6Tries(states) },
  read: decodeProbeResult,
});

export function planSrv6Tries(states: States): readonly PlannedCall[] {
  const calls = scopeLinks(states).flatMap((link) => wayOver(states, link) ?? []);
  return calls.slice(0, MOST_LINKS);
}

/** The direction in which a filter at either end is met. */
function wayOver(states: States, link: Link): PlannedCall | undefined {
  const ends = [
    { from: link.from, to: link.to },
    { from: link.to, to: link.from },
  ];
  const way = ends.find(
    ({ from, to }) => meets(states, from, LEAVING, 'outInterfaces') || meets(states, to, ENTERING, 'inInterfaces'),
  );
  return way === undefined ? undefined : probe(states, way.from, way.to);
}

function meets(
  states: States,
  { node, ifname }: LinkEnd,
  hooks: readonly string[],
  bound: 'inInterfaces' | 'outInterfaces',
): boolean {
  return (states.get(node)?.filters ?? []).some(
    (rule) =>
      isAgainstHeaders(rule) && hooks.includes(rule.hook) && (rule[bound].length === 0 || rule[bound].includes(ifname)),
  );
}

function isAgainstHeaders(rule: FilterRule): boolean {
  const drops = rule.verdict === 'drop' || rule.verdict === 'reject';
  return drops && demands(rule, 'extension', 'next-header') && mayTake(rule, STEERED);
}

function probe(states: States, from: LinkEnd, to: LinkEnd): PlannedCall | undefined {
  const [head, tail] = [states.get(from.node), states.get(to.node)];
  if (head === undefined || tail === undefined) return undefined;
  const [source, destination, sid] = [loopback(head), loopback(tail), decapSid(tail)];
  if (source === undefined || destination === undefined || sid === undefined) return undefined;
  return probeCall(
    { kind: 'srv6-probe', from, to },
    [from.node, to.node],
    { count: COUNT },
    { 'SID List': [to.node], destination, source, segments: [sid] },
  );
}
