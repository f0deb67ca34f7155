// What a question names, besides nodes: an interface, a link, a neighbour, a destination. Each must have been found and measured; a
// name that no node knows is listed, and never taken for something that is well.
import { covers, isDefaultRoute } from '#base/ip.ts';
import { hostNetwork } from '#model/hosts/host-places.ts';
import type { Intent } from '#model/intent.ts';
import { mayTake, wordsOf } from '#model/router/packet-match.ts';
import type { Fact, FilterHits, Proof } from '../engine/facts.ts';
import { SENT_NOTHING } from '../faults/services/expected-services.ts';
import { walk } from '../network/forwarding.ts';
import { type Attached, attachedTo } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { STOOD_MS } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import { askedNodes, interfaceOf, linkOn, type World } from '../network/world.ts';
import { sendersOf } from '../packet-filter/attempts.ts';
import { isDropping } from '../packet-filter/dropping-rules.ts';
import { policyAgainst } from '../symptoms/service.ts';
import { isLossy } from '../symptoms/unanswered-echoes.ts';
import { besideLines, isAnsweredBy, noWayBackWords, triesOf } from './host-tries.ts';
import { portProof } from './proof-port.ts';
import { downWords, senderProof } from './proof-sender.ts';
import { isRealAnswer } from './proof-services.ts';
import { neighboursAsked } from './proof-sessions.ts';

export function askedProof(intent: Intent, world: World, facts: readonly Fact[]): Proof {
  const parts = [
    ...(intent.ifname === undefined ? [] : [interfaceAsked(intent, intent.ifname, world)]),
    ...(intent.kind === 'interface-fault' && intent.path.length >= 2 ? [linkAsked(intent, world)] : []),
    ...(intent.kind === 'neighbour-down' ? [neighboursAsked(intent, world)] : []),
    ...(intent.kind === 'reachability' ? [reachAsked(intent, world, facts)] : []),
    ...(world.service === undefined ? [] : [serviceAsked(world.service, askedNodes(intent, world)[0], world, facts)]),
  ];
  return { proven: parts.flatMap(({ proven }) => proven), lacking: parts.flatMap(({ lacking }) => lacking) };
}

function interfaceAsked(intent: Intent, ifname: string, world: World): Proof {
  const nodes = askedNodes(intent, world).filter((node) => world.views.has(node));
  const there = nodes.filter((node) => interfaceOf(world, { node, ifname }) !== undefined);
  if (there.length === 0)
    return { proven: [], lacking: [`${nodes.map(nodeRef).join(', ')}: no interface ${ifname} is there`] };
  const lines = there.map((node) => ({ node, problem: interfaceProblem(world, node, ifname) }));
  return {
    proven: lines.flatMap(({ node, problem }) =>
      problem === undefined ? [`${nodeRef(node)} ${ifname}: up and measured`] : [],
    ),
    lacking: lines.flatMap(({ node, problem }) =>
      problem === undefined ? [] : [`${nodeRef(node)} ${ifname}: ${problem}`],
    ),
  };
}

function interfaceProblem(world: World, node: string, ifname: string): string | undefined {
  const entry = interfaceOf(world, { node, ifname })!;
  const down = downWords(entry);
  if (down !== undefined) return down;
  const host = world.hosts.some(
    (port) => port.node === node && port.ifname === ifname && port.answers.some(({ macs }) => macs.length > 0),
  );
  const seen = entry.kind === 'loopback' || host || linkOn(world, { node, ifname }).length > 0;
  return seen ? undefined : 'no known node behind it could be asked, and nothing was measured over it';
}

function linkAsked(intent: Intent, world: World): Proof {
  const [one, other] = askedNodes(intent, world);
  const found = world.links.some(
    ({ from, to }) => [from.node, to.node].sort().join(' ') === [one, other].sort().join(' '),
  );
  return {
    proven: [],
    lacking: found ? [] : [`no link between ${nodeRef(one ?? '')} and ${nodeRef(other ?? '')} is known`],
  };
}

/** There and back between two nodes, or from one to an address: routed by every node on the path, and probed. */
function reachAsked(intent: Intent, world: World, facts: readonly Fact[]): Proof {
  const nodes = askedNodes(intent, world);
  const asker = nodes[0];
  if (asker === undefined) return { proven: [], lacking: [] };
  if (intent.destination !== undefined) {
    const asked = destinationAsked(asker, intent.destination, world, facts);
    const back = hostAsked(intent, asker, world);
    return { proven: [...asked.proven, ...back.proven], lacking: [...asked.lacking, ...back.lacking] };
  }
  const tail = nodes.at(-1)!;
  const ways = [
    [asker, tail],
    [tail, asker],
  ] as const;
  const unproven = ways.filter(([from, to]) => from !== to && !probed(world, from, to));
  return {
    proven: [],
    lacking: unproven.map(([from, to]) => `${nodeRef(from)} → ${nodeRef(to)}: not probed from end to end`),
  };
}

function probed(world: World, from: string, to: string): boolean {
  return world.reach.some(
    (row) =>
      row.from === from && row.received > 0 && world.owners.get(row.destination)?.some(({ node }) => node === to),
  );
}

function destinationAsked(asker: string, destination: string, world: World, facts: readonly Fact[]): Proof {
  const goals = goalsOf(destination, world);
  const missed = goals.flatMap((address) => wayProblem(world, asker, address));
  const denied = world.serviceProbes.flatMap((each) => {
    const rule =
      each.from === asker && goals.includes(each.destination) ? policyAgainst(world, facts, each) : undefined;
    return rule === undefined ? [] : [{ each, rule }];
  });
  const answered = goals.filter((address) =>
    answers(
      world,
      asker,
      address,
      denied.map(({ each }) => each),
    ),
  );
  const owned = goals.filter((address) => world.owners.has(address));
  const isTried = [...world.reach, ...world.serviceProbes].some(
    (probe) => probe.from === asker && goals.includes(probe.destination),
  );
  const behind =
    missed.length > 0 || isTried || answered.length > 0
      ? []
      : goals.flatMap((goal) => behindRouter(world, asker, goal));
  const mute = answered.length + behind.length > 0 ? [] : goals.flatMap((goal) => muteHost(world, asker, goal));
  // A port may be silent where echoes come back.
  const isHeard = triesOf(world, asker, goals).some((each) => each.answered);
  const came = isHeard ? `not every try was answered by ${destination}` : `nothing came back from ${destination}`;
  const what = isTried ? came : `no probe was sent to ${destination}`;
  const why = noWayBackWords(world, triesOf(world, asker, goals));
  const silent =
    answered.length + behind.length + mute.length > 0
      ? []
      : [`${nodeRef(asker)}: ${what}${owned.length > 0 ? '' : ', which no agent has'}${why}`];
  return {
    proven: [
      ...answered.map((address) => `${nodeRef(asker)}: ${address} answers`),
      ...answered.flatMap((address) => besideLines(world, triesOf(world, asker, [address]))),
      ...lastLegs(destination, answered, world),
      ...behind,
      ...mute,
      ...new Set(denied.map(({ each, rule }) => deniedLine(asker, each, rule))),
    ],
    lacking: [...missed, ...silent],
  };
}

/** What the host that asks adds: its own part (proof-sender.ts), and the way back to it. */
function hostAsked({ fromHost, destination = '', service }: Intent, asker: string, world: World): Proof {
  if (fromHost === undefined) return { proven: [], lacking: [] };
  const goals = goalsOf(destination, world);
  const far = goals.flatMap((goal) => world.owners.get(goal)?.[0]?.node ?? attachedTo(world, goal)?.node ?? []);
  const own = senderProof({ fromHost, asker, goals, ...(service === undefined ? {} : { service }) }, world);
  const back = [...new Set(far)].flatMap((node) => (node === asker ? [] : wayProblem(world, node, fromHost.address)));
  return { ...own, lacking: [...own.lacking, ...back] };
}

/** What was not sent to hosts: full-size packets to one that answers, and anything to those of a network of which routers alone were probed. */
function lastLegs(destination: string, answered: readonly string[], world: World): readonly string[] {
  const hosts = answered.filter((address) => !world.owners.has(address));
  const isNetwork = hostNetwork(destination) !== undefined && answered.length > hosts.length;
  return [
    ...hosts.map((address) => {
      const router = attachedTo(world, address)?.node;
      const leg = router === undefined ? `to ${address}` : `between ${nodeRef(router)} and ${address}`;
      return `not tested: full-size packets ${leg}, as a host is sent small ones alone`;
    }),
    ...(isNetwork ? [`not tested: hosts of ${destination}, of which addresses of routers alone were probed`] : []),
  ];
}

/**
 * Nodes send no tries to what their default route alone leads to. A host there is reached all the same where its own router got answers from
 * it, and another node did or that router from an address off the host's network, no node on the way got none, every probe of the asker to that
 * router's address on its network came back, and no filter on the way may take more of what is forwarded. No line where any of this is not shown.
 */
function behindRouter(world: World, asker: string, destination: string): readonly string[] {
  const host = attachedTo(world, destination);
  const route = world.lookups.get(asker)?.get(destination);
  if (host?.present !== true || host.node === asker || !isDefaultRoute(route?.matched ?? '')) return [];
  const way = walk(world, asker, host.routerAddress);
  const echoes = triesAt(world, destination).filter(({ service }) => service === 'echo');
  const near = echoes.some((each) => each.from === host.node && each.answered);
  const heard = answeredAt(world, host, destination);
  const isLost = echoes.some(({ answered, from }) => !answered && (from === host.node || way.nodes.includes(from)));
  if (!reachesRouter(world, asker, host) || !near || heard === undefined || isLost) return [];
  if (
    way.nodes.some((node) =>
      mayTakeForwarded(world, node, sendersOf(world, asker, destination), { address: destination, port: host }),
    )
  )
    return [];
  return [
    `${nodeRef(asker)}: ${destination} was not probed by it, as its default route alone leads there; ${nodeRef(host.node)}, whose host it is, ${heard}, and all probes of ${nodeRef(asker)} to ${host.routerAddress} of ${nodeRef(host.node)} came back`,
  ];
}

/** From where, beside its own network, the host was seen to answer: it has a way back to others. */
function answeredAt(world: World, { node, ifname }: Attached, destination: string): string | undefined {
  const other = triesAt(world, destination).find(
    ({ from, service, answered }) => from !== node && service === 'echo' && answered,
  );
  if (other !== undefined) return `and ${nodeRef(other.from)} got answers from it`;
  const source = world.hosts.find(
    (port) => port.node === node && port.ifname === ifname && port.echoed?.includes(destination),
  )?.source;
  const beside = source === undefined ? undefined : attachedTo(world, source);
  if (source === undefined || (beside?.node === node && beside.ifname === ifname)) return undefined;
  return `got answers from it, also at its address ${source}`;
}

/**
 * A host that is there, as it answers address resolution, and answers nothing else to any node: not to its own router, now or as far as any node
 * remembers. Who is behind such a silence is the host itself, where the asker reaches the router and no filter on the way may take packets for
 * the host or from it.
 */
function muteHost(world: World, asker: string, destination: string): readonly string[] {
  const host = attachedTo(world, destination);
  if (host?.present !== true || (asker !== host.node && !reachesRouter(world, asker, host))) return [];
  const all = triesAt(world, destination);
  const tries = all.filter(({ byKernel }) => byKernel !== true);
  const isOpen = all.some(({ from, byKernel, answered }) => from === asker && byKernel === true && answered);
  const isAsked = [asker, host.node].every((node) => tries.some(({ from }) => from === node));
  const isKnown = [...world.views.values()].some(({ state: { history } }) =>
    [...(history?.services ?? []), ...(history?.watchedHosts?.answered ?? [])].some(
      ({ address }) => address === destination,
    ),
  );
  const isHeard = world.hosts.some(({ echoed = [] }) => echoed.includes(destination));
  if (!isAsked || isKnown || isHeard || tries.some(({ answered }) => answered)) return [];
  const { spanMs = 0, watchedHosts } = world.views.get(host.node)?.state.history ?? {};
  // A router that does not watch its hosts does not know that this one never answered.
  if (spanMs < STOOD_MS || watchedHosts === undefined) return [];
  const nodes = new Set([host.node, ...walk(world, asker, host.routerAddress).nodes]);
  const senders = [asker, host.node].flatMap((node) => sendersOf(world, node, destination));
  if ([...nodes].some((node) => mayTakeForwarded(world, node, senders, { address: destination, port: host }, true)))
    return [];
  if (isOpen)
    return [
      `${nodeRef(asker)}: ${destination} answers TCP connection requests; it answers no echo, not of ${nodeRef(host.node)} either, whose host it is`,
    ];
  return [
    `not tested: ${destination}, which is on ${nodeRef(host.node)} ${host.ifname} and answers neither that router nor ${nodeRef(asker)}, and never did as far as the nodes remember: it answers address resolution alone. The way to it is sound up to ${host.routerAddress} of ${nodeRef(host.node)}`,
  ];
}

function triesAt(world: World, destination: string): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter((each) => each.destination === destination && each.via === undefined);
}

/** Every probe of a node to the address that the host's router has on the host's network came back. */
function reachesRouter(world: World, node: string, { routerAddress }: Attached): boolean {
  const probes = world.reach.filter((row) => row.from === node && row.destination === routerAddress);
  return (
    probes.length > 0 &&
    probes.every(({ sent, received }) => sent > 0 && received === sent) &&
    walk(world, node, routerAddress).endings.every(({ kind }) => kind === 'delivered')
  );
}

/**
 * What comes in at the host's port is not for the host, and what goes out there is not from it, unless another node is there as well. `evenSent`: what
 * nodes on the way send themselves counts as well.
 */
function mayTakeForwarded(
  world: World,
  node: string,
  sources: readonly string[],
  { address, port }: { readonly address: string; readonly port: Attached },
  evenSent = false,
): boolean {
  const network = address.includes(':') ? 'ip6' : 'ip';
  const there = { network, sources, destinations: [address] } as const;
  const back = { network, sources: [address], destinations: sources } as const;
  const isOfPort = (bound: readonly string[]) =>
    node === port.node &&
    bound.length > 0 &&
    bound.every((ifname) => ifname === port.ifname) &&
    linkOn(world, port).length === 0;
  return (world.views.get(node)?.state.filters ?? []).some((rule) => {
    if (!isDropping(rule) || rule.hook === 'input' || (!evenSent && rule.hook === 'output')) return false;
    const packets = [...(isOfPort(rule.inInterfaces) ? [] : [there]), ...(isOfPort(rule.outInterfaces) ? [] : [back])];
    return [network === 'ip' ? 'icmp' : 'ipv6-icmp', 'tcp', 'udp'].some((protocol) =>
      packets.some((packet) => mayTake(rule, { ...packet, protocol })),
    );
  });
}

/** The address itself; of a whole network those that nodes have in it. */
function goalsOf(destination: string, world: World): readonly string[] {
  const [address = '', length] = destination.split('/');
  const whole = length !== undefined && length !== (address.includes(':') ? '128' : '32');
  return whole ? [...world.owners.keys()].filter((each) => covers(destination, each)) : [address];
}

function wayProblem(world: World, asker: string, address: string): readonly string[] {
  const said = {
    none: 'has no route to',
    blackhole: 'throws away what is for',
    unreachable: 'refuses what is for',
    loop: 'is part of a loop on the way to',
    elsewhere: 'takes for its own what is for',
  };
  return walk(world, asker, address).endings.flatMap(({ kind, at }) =>
    kind === 'delivered' || kind === 'unknown' ? [] : [`${nodeRef(at)} ${said[kind]} ${address}`],
  );
}

function deniedLine(asker: string, { service, port, destination }: ServiceProbeSeen, rule: FilterHits): string {
  const what = service === 'echo' ? 'echoes' : `${service} port ${port}`;
  return `${nodeRef(asker)}: ${what} to ${destination} are dropped by a filter of ${nodeRef(rule.node)} (${wordsOf(rule)}), as for as long as the agents remember`;
}

/** `denied`: tries that a policy takes. */
function answers(world: World, asker: string, address: string, denied: readonly ServiceProbeSeen[]): boolean {
  if (world.owners.get(address)?.some(({ node }) => node === asker)) return true;
  const probe = world.reach.some(
    (row) => row.from === asker && row.destination === address && row.received > 0 && !isLossy(row),
  );
  const tries = triesOf(world, asker, [address]).filter((each) => !denied.includes(each));
  return probe || isAnsweredBy(world, tries);
}

/** A service is well when a client was served: with an address for the name, where one is asked for. */
function serviceAsked(
  service: World['service'] & {},
  asker: string | undefined,
  world: World,
  facts: readonly Fact[],
): Proof {
  const { name, address, port, record } = service;
  if (name === 'tcp') return portProof(service, asker, world, facts);
  const tries = world.serviceProbes.filter((each) => each.destination === address && each.port === port);
  const served = tries.some(
    (each) =>
      (name === 'dns' ? each.open : isRealAnswer(name, each)) &&
      (record === undefined || (each.record === record && each.found === true)),
  );
  const what = `${name === 'dns' ? 'DNS' : 'HTTP'} at ${address} port ${port}`;
  const wanted = record === undefined ? 'serves' : `knows ${record}`;
  return served
    ? { proven: [`${what}: ${wanted}`], lacking: [] }
    : {
        proven: [],
        lacking: [
          tries.some(({ reply }) => reply === 'none')
            ? `${what}: ${SENT_NOTHING}`
            : `${what}: no node saw that it ${wanted}`,
        ],
      };
}
