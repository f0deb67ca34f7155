// Echoes from afar to hosts without agents: a host whose mask is too short takes far addresses for neighbours, asks on its link for
// the sender of the echo, and no host answers. Its own router is no test, as it answers for all its addresses. Pure.
import type { PlannedCall } from '#model/call.ts';
import { isBetween } from '#model/links/links.ts';
import { isAboveRate, mayTake, type Packet } from '#model/router/packet-match.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { HostScanned, ServiceTried } from '../doubts.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';
import { hostsOf, loopback4 } from './known-hosts.ts';
import { defineServiceProbes, serviceProbeCalls } from './service-probe.ts';

/** Nodes that send echoes: each host is tried by one of them. */
const SENDERS = 4;
/** Hosts that are looked at twice: where no host answers from afar, it is not their masks. */
const DOUBTED_HOSTS = 4;

export const farEchoes = defineServiceProbes({
  first: ({ states }) => planFarEchoes(states),
  confirmation: ({ states }, { scans, tries }) => planFarDoubts(states, unansweredFromAfar(scans, tries)),
});

/** Source of a try → hosts that it tries: from beyond the neighbours of their router, where there are such, as what is sent far may not last. */
function triesOf(states: States): ReadonlyMap<string, readonly string[]> {
  const senders = [...states.keys()].filter((node) => loopback4(states, node).length > 0).slice(0, SENDERS);
  const tries = new Map<string, string[]>();
  const links = scopeLinks(states);
  for (const [index, node] of [...states.keys()].entries()) {
    const all = senders.filter((sender) => sender !== node);
    const distant = all.filter((sender) => !links.some((link) => isBetween(link, sender, node)));
    const able = distant.length > 0 ? distant : all;
    // A node that limits the ICMP packets for itself may lose answers beside what else it is sent.
    const free = able.filter((sender) => !limitsEchoes(states.get(sender)!));
    const others = free.length > 0 ? free : able;
    const from = others[index % Math.max(1, others.length)];
    const hosts = hostsOf(states, node);
    if (from !== undefined && hosts.length > 0) tries.set(from, [...(tries.get(from) ?? []), ...hosts]);
  }
  return tries;
}

const ANSWER: Packet = { network: 'ip', protocol: 'icmp', icmpType: 'echo-reply' };

function limitsEchoes({ filters }: NodeState): boolean {
  return filters.some((rule) => rule.hook === 'input' && isAboveRate(rule) && mayTake(rule, ANSWER));
}

export function planFarEchoes(states: States): readonly PlannedCall[] {
  return [...triesOf(states)].flatMap(([from, hosts]) => farCalls('first', from, hosts));
}

/** Hosts that answered their router, and no router from afar. */
export function unansweredFromAfar(scans: readonly HostScanned[], tries: readonly ServiceTried[]): readonly string[] {
  const near = new Set(scans.flatMap(({ echoed = [] }) => echoed));
  const silent = tries.filter(({ service, answered }) => service === 'echo' && !answered);
  const addresses = silent.map(({ destination }) => destination).filter((address) => near.has(address));
  return [...new Set(addresses)].slice(0, DOUBTED_HOSTS);
}

/** The same echoes again, while their routers listen whom the hosts ask for. */
export function planFarDoubts(states: States, unanswered: readonly string[]): readonly PlannedCall[] {
  return [...triesOf(states)].flatMap(([from, hosts]) => {
    const again = hosts.filter((host) => unanswered.includes(host));
    return farCalls('confirmation', from, again);
  });
}

function farCalls(round: 'first' | 'confirmation', from: string, hosts: readonly string[]): readonly PlannedCall[] {
  const echoes = hosts.map((destination) => ({ destination, service: 'echo' as const }));
  return serviceProbeCalls(from, 'far-echo', echoes, round);
}
