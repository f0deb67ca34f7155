// Services of hosts as part of the proof: which of those that were seen to be served gave a real answer, and to which routers; and what was not
// tried. One that does not answer its own router keeps the verdict from being healthy, unless that router has tried it for a while and never
// got an answer: then it is there for others. Accuses no node.
import { SERVICE_PORTS, type Served } from '#model/router/hosts.ts';
import { FORWARDING_HOOKS, mayTake, networkOf, wordsOf } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Proof } from '../engine/facts.ts';
import {
  answeredBefore,
  type ExpectedService,
  expectedServices,
  SENT_NOTHING,
  triesNearby,
} from '../faults/services/expected-services.ts';
import { walk } from '../network/forwarding.ts';
import { attachedTo, called } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { cameAgoMs, NEW_MS } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import type { View, World } from '../network/world.ts';
import { meets, sendersOf } from '../packet-filter/attempts.ts';
import { isDropping, isNewInTheWay, isPolicy } from '../packet-filter/dropping-rules.ts';
import { isTakenByPolicy } from '../symptoms/used-service.ts';

/** A node that has tried services for so long has asked each of them more than once, for a page too. */
const WATCHED_MS = 75_000;
/** More are counted. */
const NAMED = 6;

export function serviceProof(world: World): Proof {
  // Of agents that did not ask for real answers yet there is nothing to tell.
  if (!world.serviceProbes.some(({ whole }) => whole === true)) return { proven: [], lacking: [] };
  const seen = expectedServices(world).filter(({ agoMs }) => agoMs !== undefined);
  const each = [...new Map(seen.map((service) => [`${service.address} ${service.port}`, service])).values()];
  const parts = each.map((service) => proofOf(world, service));
  const untried = each.filter((service) => (triesNearby(world, service)?.tries.length ?? 0) === 0).length;
  return {
    proven: [...parts.flatMap(({ proven }) => proven), ...(each.length === 0 ? [] : [notTested(each, untried)])],
    lacking: parts.flatMap(({ lacking }) => lacking),
  };
}

function proofOf(world: World, service: ExpectedService): Proof {
  const { host, tries = [] } = triesNearby(world, service) ?? {};
  if (host === undefined || tries.length === 0) return { proven: [], lacking: [] };
  const { name, address, port } = service;
  const view = world.views.get(host.node)!;
  const { label } = called(world, view, host.ifname, address);
  const what = `${name.toUpperCase()} at ${address} port ${port} behind ${nodeRef(host.node)}${label === address ? '' : ` (${label})`}`;
  const served = world.serviceProbes.filter(
    (each) => each.destination === address && each.port === port && isRealAnswer(name, each),
  );
  const askers = [...new Set(served.map(({ from }) => from))];
  if (askers.length > 0) {
    const names = askers.slice(0, NAMED).map(nodeRef).join(', ');
    const more = askers.length > NAMED ? ` and ${askers.length - NAMED} more` : '';
    return { proven: [`${what}: answers ${names}${more}`], lacking: [] };
  }
  // A host that refuses has a fault of its own, and one that memory knows otherwise as well.
  const before = answeredBefore(world, host.node, service);
  const isThere = host.present || (host.inDoubt === true && before !== undefined);
  if (!isThere || tries.some(({ answered, open }) => answered && !open)) return { proven: [], lacking: [] };
  if (tries.some(({ open, reply }) => open && reply !== 'none')) return { proven: [], lacking: [] };
  const why = tries.some(({ reply }) => reply === 'none') ? SENT_NOTHING : 'does not answer its router';
  const watchedMs = view.state.history?.watchedHosts?.servicesMs ?? 0;
  if (before === undefined && watchedMs >= WATCHED_MS)
    return {
      proven: [`${what}: ${why}, as for as long as it has tried; what it gives to hosts was not tested`],
      lacking: [],
    };
  const known = before === undefined ? '; whether it ever did is not known' : '';
  const doubt = host.inDoubt === true ? '; whether its host is still there is not known' : '';
  return { proven: [], lacking: [`${what}: was seen to serve, and now ${why}${known}${doubt}`] };
}

/**
 * New rules in the way of a service that a host serves, where no answered try passes the rule. A node forwards nothing that it sends itself, and a
 * router asks for others over its default route only what agents are on the way to.
 */
export function untriedProof(world: World): Proof {
  const served = [...world.views.values()].flatMap(({ node, state }) =>
    (state.history?.services ?? []).map((service) => ({ ...service, node })),
  );
  const lacking = [...world.views.values()].flatMap(({ node, state }) =>
    state.filters
      // What cannot be read of a rule may spare the service, or take it: it proves nothing.
      .filter((rule) => isNewInTheWay(world, node, rule) && !isPolicy(world, rule))
      .flatMap((rule) =>
        served
          .filter(({ address, service: protocol, port }) => {
            const network = networkOf(address);
            const packet = { network, protocol, destinationPort: port, destinations: [address] } as const;
            return mayTake(rule, packet);
          })
          .flatMap((service) => {
            const tries = triesFromAfar(world, service);
            if (tries.some((each) => isAnsweredPast(world, node, rule, each))) return [];
            const why =
              tries.length === 0
                ? 'which no other router tried'
                : 'and no try of another router that passes the rule was answered';
            return [
              `${nodeRef(node)}: a rule that was not there before (${wordsOf(rule)}) may take what hosts send to ${service.address} port ${service.port}, ${why}`,
            ];
          }),
      ),
  );
  return { proven: [], lacking: [...new Set(lacking)] };
}

/** Rules of a chain that a line names. */
const NAMED_RULES = 2;

/**
 * Rules that have come and dropped what their nodes forward, in the last hour or while the question was measured: what users send dies there, and of which hosts is
 * not known. One line a chain.
 */
export function newDropsProof(world: World): Proof {
  // Of a remembered moment it is not known which rules came before it.
  if (world.seen !== undefined) return { proven: [], lacking: [] };
  const lacking = [...world.views.values()].flatMap((view) => {
    const fresh = view.state.filters.filter((rule) => hasDroppedLately(world, view, rule) && !isPolicy(world, rule));
    const chains = Map.groupBy(fresh, ({ family, table, chain }) => `${family} ${table} ${chain}`);
    return [...chains].map(([chain, rules]) => {
      const packets = rules.reduce((sum, rule) => sum + BigInt(rule.packets ?? 0), 0n);
      const words = [...new Set(rules.map(wordsOf))];
      const more = words.length > NAMED_RULES ? ` and ${words.length - NAMED_RULES} more` : '';
      return `${nodeRef(view.node)}: what was not in ${chain} before (${words.slice(0, NAMED_RULES).join('; ')}${more}) has dropped ${packets} of the packets that the node forwards; which hosts miss them is not known`;
    });
  });
  return { proven: [], lacking };
}

function hasDroppedLately(world: World, { node, before }: View, rule: FilterRule): boolean {
  if (!FORWARDING_HOOKS.has(rule.hook) || !isDropping(rule) || Number(rule.packets ?? 0) === 0) return false;
  const cameMs = cameAgoMs(world, node, rule);
  if (cameMs === undefined) return false;
  const was = before?.filters.find(
    ({ family, table, chain, handle }) =>
      family === rule.family && table === rule.table && chain === rule.chain && handle === rule.handle,
  );
  return cameMs < NEW_MS || (was?.packets !== undefined && was.packets !== rule.packets);
}

/**
 * Along a path: pages that a router asked for from the address of its hosts' port and got nothing of, though echoes between the same addresses
 * came back and the host's own router is served. Where an old rule on the way may take them, an operator may mean it. Names are a symptom
 * (symptoms/used-service.ts).
 */
export function lostAlongProof(world: World): Proof {
  const used = world.serviceProbes.filter(
    ({ sender, service, via }) => sender !== undefined && service === 'tcp' && !via,
  );
  const groups = Map.groupBy(used, ({ from, sender, destination, port }) => `${from} ${sender} ${destination} ${port}`);
  const lacking = [...groups.values()].flatMap((tries) => {
    const { from, sender, destination, port } = tries[0]!;
    const near = attachedTo(world, destination);
    const others = world.serviceProbes.filter((each) => each.destination === destination && !each.via);
    const isServed = others.some(
      (each) => each.from === near?.node && each.port === port && isRealAnswer('http', each),
    );
    const isEchoed = others.some((each) => each.sender === sender && each.service === 'echo' && each.answered);
    if (near === undefined || near.node === from || tries.some(({ answered }) => answered) || !isServed || !isEchoed)
      return [];
    if (isTakenByPolicy(world, tries[0]!, near.routerAddress)) return [];
    return [
      `${nodeRef(from)}: nothing came back of ${destination} port ${port} from ${sender}, as its hosts would ask, though echoes do and ${nodeRef(near.node)} is served there`,
    ];
  });
  return { proven: [], lacking };
}

/** Tries by nodes other than the router that has the host. */
function triesFromAfar(world: World, { address, service, port, node }: Served & { readonly node: string }) {
  return world.serviceProbes.filter(
    (each) =>
      each.destination === address &&
      each.service === service &&
      each.port === port &&
      each.from !== node &&
      each.via === undefined,
  );
}

/** A real answer to a try that the rule might have taken: the node of the rule forwards it, on the only way there. */
function isAnsweredPast(world: World, node: string, rule: FilterRule, tried: ServiceProbeSeen): boolean {
  const { from, destination, service, port, sender, sent } = tried;
  const host = attachedTo(world, destination);
  if (host === undefined || from === node || service === 'echo') return false;
  if (!isRealAnswer(service === 'udp' ? 'dns' : 'http', tried)) return false;
  const loopbacks = (world.views.get(from)?.state.inventory.loopbacks ?? []).map((own) => own.split('/')[0]!);
  const network = networkOf(destination);
  const source = sender ?? loopbacks.find((own) => networkOf(own) === network);
  const sources = source === undefined ? sendersOf(world, from, destination) : [source];
  const packet = { network, protocol: service, sources, destinations: [destination] } as const;
  if (!mayTake(rule, port === undefined ? packet : { ...packet, destinationPort: port })) return false;
  const way = walk(world, from, host.routerAddress);
  const isOnlyWay = way.links.length === way.nodes.length - 1;
  const isKnown = way.endings.length > 0 && way.endings.every(({ kind }) => kind === 'delivered');
  const detail = { from, destination, owner: host.node, ifname: host.ifname, sent, behind: true };
  return isKnown && (isOnlyWay || host.node === node) && meets({ way, detail }, { ...rule, node });
}

export function isRealAnswer(name: ExpectedService['name'], { open, reply, record, found }: ServiceProbeSeen): boolean {
  if (!open) return false;
  return name === 'http'
    ? reply === undefined || reply === 'page' || reply === 'other'
    : record === undefined || found === true;
}

function notTested(services: readonly ExpectedService[], untried: number): string {
  const tls = services.some(({ port }) => port === 443) ? ', what TLS servers send after the connection' : '';
  const rest = untried === 0 ? '' : `, ${untried} of the services that were seen`;
  return `services of hosts: names and pages were asked for, of the ports ${SERVICE_PORTS.join(', ')}; not tested: other ports, packets in the name of a host${tls}${rest}`;
}
