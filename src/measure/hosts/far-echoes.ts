// Echoes from afar to hosts without agents: a host whose mask is too short takes far addresses for neighbours, asks on its link for
// whoever sent the echo, and nobody answers. Its own router is no test, as it answers for all its addresses. Pure.
import { isJsonObject } from '#base/json.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { States } from '../states.ts';
import { hostsOf, loopback4, serviceProbeCall } from './hosts.ts';

/** Nodes that send echoes: each host is tried by one of them. */
const SENDERS = 4;
/** Hosts that are looked at twice: where nobody answers from afar, it is not their masks. */
const DOUBTED_HOSTS = 4;

/** Source of a try → hosts that it tries. */
function triesOf(states: States): ReadonlyMap<string, readonly string[]> {
  const senders = [...states.keys()].filter((node) => loopback4(states, node).length > 0).slice(0, SENDERS);
  const tries = new Map<string, string[]>();
  for (const [index, node] of [...states.keys()].entries()) {
    const others = senders.filter((sender) => sender !== node);
    const from = others[index % Math.max(1, others.length)];
    const hosts = hostsOf(states, node);
    if (from !== undefined && hosts.length > 0) tries.set(from, [...(tries.get(from) ?? []), ...hosts]);
  }
  return tries;
}

export function planFarEchoes(states: States): readonly PlannedCall[] {
  return [...triesOf(states)].map(([from, hosts]) => farCall('first', from, hosts));
}

/** Hosts that answered their router and nobody from afar. */
export function unansweredFromAfar(measured: readonly Evidence[]): readonly string[] {
  const rows = (kind: Evidence['kind'], member: string) =>
    measured
      .flatMap((entry) => (entry.kind === kind && isJsonObject(entry.body) ? [entry.body[member]] : []))
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .filter(isJsonObject);
  const near = new Set(rows('host-scan', 'ports').flatMap(({ echoed }) => (Array.isArray(echoed) ? echoed : [])));
  const tried = rows('service-probe', 'results').filter(({ service }) => service === 'echo');
  const silent = tried.filter(({ answered }) => answered !== true).map(({ destination }) => String(destination));
  return [...new Set(silent)].filter((address) => near.has(address)).slice(0, DOUBTED_HOSTS);
}

/** The same echoes again, while their routers listen whom the hosts ask for. */
export function planFarDoubts(states: States, unanswered: readonly string[]): readonly PlannedCall[] {
  return [...triesOf(states)].flatMap(([from, hosts]) => {
    const again = hosts.filter((host) => unanswered.includes(host));
    return again.length === 0 ? [] : [farCall('confirmation', from, again)];
  });
}

function farCall(round: 'first' | 'confirmation', from: string, hosts: readonly string[]): PlannedCall {
  const echoes = hosts.map((destination) => ({ destination, service: 'echo' as const }));
  return serviceProbeCall(from, 'far-echo', echoes, round);
}
