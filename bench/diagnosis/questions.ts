// What an operator would ask in a case: about the symptom that he sees, or in general; never with the fault's name, and not always where the
// fault is. Who asks why something cannot be reached is harmed: the fault is on every way from there. Pure.
import type { HostPort, Network } from '../../simulations/generate/network.ts';
import type { Random } from '../../simulations/lab/faults/fault.ts';
import { hopsBetween, isOnEveryWay, routePath, routerNamed } from '../../simulations/lab/faults/places.ts';

export type Question = { readonly node: string; readonly intent: string };

export type QuestionInit = {
  readonly network: Network;
  readonly random: Random;
  readonly faults: readonly { readonly fault: string; readonly parameters: Readonly<Record<string, unknown>> }[];
  /** `loss`: only questions about packet loss on a path. `general`: only "What is wrong?". */
  readonly asking: 'mixed' | 'general' | 'loss';
  readonly over: boolean;
};

/** What an SRv6 path loses; damaged IPv4 headers are not among it. */
export const PATH_LOSS: ReadonlySet<string> = new Set([
  'packet_loss',
  'packet_loss_both_ways',
  'packet_loss_some_flows',
  'payload_corruption',
  'acl_misconfig',
]);
/** Seen only by what leaves the node over its interface. */
const ONE_WAY = new Set(['acl_misconfig']);
/** Routers that cannot be asked: they are cut off. */
const DEAF = new Set(['device_down']);

type Asking = (init: QuestionInit) => Question | undefined;

/** What the operator sees of a fault, where it is not "something is wrong". */
const SEEN: Readonly<Record<string, Asking>> = Object.fromEntries([
  ...entriesOf(['high_latency', 'link_capacity_bottleneck'], (init) =>
    aboutPath(init, (path) => `Why is the path from ${path[0]} to ${path.at(-1)} slow?`),
  ),
  ...entriesOf(['mtu_mismatch', 'mtu_low_both_ends', 'icmp_frag_needed_filter_misconfiguration'], (init) =>
    aboutPath(init, (path) => `Check the path MTU from ${path[0]} to ${path.at(-1)}`),
  ),
  ...entriesOf(['blackhole_route', 'rib_fib_mismatch', 'static_route_misconfig'], (init) => aboutReach(init, sending)),
  ...entriesOf(['acl_blocks_prefix'], (init) => aboutReach(init, forwarding)),
  ...entriesOf(['bgp_missing_route_advertisement', 'route_policy_misconfig', 'bgp_hijacking'], (init) =>
    aboutReach(init, everybody),
  ),
  ...entriesOf(['host_incorrect_ip', 'host_missing_ip', 'host_incorrect_gateway', 'host_ip_conflict'], aboutHost),
  ...entriesOf(['dns_service_down'], (init) => aboutService(init, 'dns', everybody)),
  ...entriesOf(['dns_port_blocked'], (init) => aboutService(init, 'dns', forwarding)),
  ...entriesOf(['dns_record_error'], aboutName),
  ...entriesOf(['http_service_down'], (init) => aboutService(init, 'http', everybody)),
  ...entriesOf(['http_acl_block'], (init) => aboutService(init, 'http', forwarding)),
  ...entriesOf(['link_down', 'link_shutdown', 'link_flap', 'link_detach', 'mac_address_conflict'], aboutLink),
  ...entriesOf(
    ['bgp_neighbor_misconfig', 'bgp_max_prefix_exceeded', 'session_mismatch', 'arp_cache_poisoning'],
    (init) => (init.network.protocol === 'bgp' ? aboutBgp(init) : undefined),
  ),
  ...entriesOf(
    [
      ...['isis_authentication_mismatch', 'isis_neighbor_missing', 'isis_network_type_mismatch', 'isis_area_mismatch'],
      ...['isis_level_mismatch', 'isis_acl_block'],
    ],
    (init) => aboutAdjacency(init, 'IS-IS'),
  ),
  ...entriesOf(['ospf_area_misconfiguration', 'ospf_neighbor_missing', 'ospf_timer_mismatch'], (init) =>
    aboutAdjacency(init, 'OSPF'),
  ),
]);

export function questionFor(init: QuestionInit): Question {
  const { network, random, asking, over } = init;
  const first = init.faults[0];
  const node = random.pick(network.routers.filter((router) => !deaf(init, router.name))).name;
  const general = { node, intent: 'What is wrong?' };
  if (over) return { node, intent: 'What was wrong in the last two minutes?' };
  if (asking === 'general') return general;
  if (asking === 'loss') return aboutPath(init, lossOn);
  if (first === undefined) return random.next() < 0.5 ? aboutPath(init, lossOn) : general;
  if (init.faults.length > 1) return general;
  if (PATH_LOSS.has(first.fault)) return aboutPath(init, lossOn);
  if (random.next() < 0.5) return general;
  const seen = SEEN[first.fault]?.(init);
  if (seen !== undefined) return seen;
  const place = String(first.parameters['node'] ?? '');
  return network.routers.some((router) => router.name === place) && random.next() < 0.5
    ? { node, intent: `What is wrong with ${place}?` }
    : general;
}

/** About a time in which nothing was wrong, whatever was before. */
export function wellForAWhile(network: Network, random: Random): Question {
  return { node: random.pick(network.routers).name, intent: 'What was wrong in the last thirty seconds?' };
}

export const lossOn = (path: readonly string[]): string =>
  `Verify packet loss on the SRv6 path from ${path[0]} to ${path.at(-1)}${path.length > 2 ? ` via ${path.slice(1, -1).join(' and ')}` : ''}`;

/**
 * A path that leads over the place of the first fault, one router further at either side where there is one. A question that leaves
 * the way to routing names ends between which it is a best one.
 */
function aboutPath(init: QuestionInit, phrase: (path: readonly string[]) => string): Question {
  const { network, random } = init;
  const [a, b] = linkUnder(init);
  const fault = init.faults[0]?.fault ?? '';
  const before = random.pick([
    undefined,
    ...routerNamed(network, a)
      .core.map(({ peer }) => peer.node)
      .filter((name) => name !== b),
  ]);
  const after = random.pick([
    undefined,
    ...routerNamed(network, b)
      .core.map(({ peer }) => peer.node)
      .filter((name) => name !== a && name !== before),
  ]);
  const longest = [before, a, b, after].filter((name) => name !== undefined);
  const path = phrase === lossOn ? longest : bestWay(network, longest, [a, b]);
  const directed =
    againstTheFault(init, path) || (!ONE_WAY.has(fault) && random.next() < 0.5) ? path.toReversed() : path;
  return { node: directed[0]!, intent: phrase(directed) };
}

/** As much of a path around two neighbours as is a best way between its ends. */
function bestWay(network: Network, path: readonly string[], middle: readonly [string, string]): readonly string[] {
  const at = path.indexOf(middle[0]);
  const tries = [path, path.slice(0, at + 2), path.slice(at)];
  return tries.find((each) => hopsBetween(network, each[0]!, each.at(-1)!) === each.length - 1) ?? middle;
}

/** What shows in one direction only leads away from the faulty node. */
function againstTheFault(init: QuestionInit, path: readonly string[]): boolean {
  const first = init.faults[0];
  if (first === undefined || !ONE_WAY.has(first.fault)) return false;
  const [a, b] = linkUnder(init);
  const sender = String(first.parameters['node']);
  return path.indexOf(sender) > path.indexOf(sender === a ? b : a);
}

/** Whether somebody at a router is harmed who wants something of a host elsewhere, by the fault of the router `at`. */
type Harm = (network: Network, from: string, host: HostPort, at: string) => boolean;

/** A fault of the host itself, or of what everybody is told of it. */
const everybody: Harm = () => true;
/** What a router sends comes to harm, its own packets too. */
const sending: Harm = (network, from, host, at) => isOnEveryWay(network, from, host.router, at);
/** Only what a router forwards for others. */
const forwarding: Harm = (network, from, host, at) => from !== at && sending(network, from, host, at);

/** Somebody who is harmed, another router than the host's own; nobody where the fault harms only those whose ways differ from any router's. */
function harmed({ network, random, faults }: QuestionInit, host: HostPort, harm: Harm): string | undefined {
  const at = String(faults[0]!.parameters['node']);
  const names = network.routers.map(({ name }) => name);
  const found = names.filter((name) => name !== host.router && harm(network, name, host, at));
  return found.length === 0 ? undefined : random.pick(found);
}

/** Towards a host that cannot be reached: asked at the faulty router or behind it. */
function aboutReach(init: QuestionInit, harm: Harm): Question | undefined {
  const { prefix } = init.faults[0]!.parameters as { prefix: string };
  const to = init.network.hosts.find((entry) => prefix.startsWith(entry.prefix4.replace(/0\/24$/, '')))!;
  return whyNot(init, to, to.hostAddress4, harm);
}

/** The host that the fault is about, from another router. */
function aboutHost(init: QuestionInit): Question | undefined {
  const name = String(init.faults[0]!.parameters['host']);
  const host = init.network.hosts.find((entry) => entry.host === name)!;
  return whyNot(init, host, host.hostAddress4, everybody);
}

function aboutService(init: QuestionInit, service: HostPort['service'], harm: Harm): Question | undefined {
  const host = init.network.hosts.find((entry) => entry.service === service);
  if (host === undefined) return undefined;
  const what = service === 'dns' ? `the DNS server ${host.hostAddress4}` : `http://${host.hostAddress4}/`;
  return whyNot(init, host, what, harm);
}

/** Users see a name that does not resolve, whoever is to blame. */
function aboutName(init: QuestionInit): Question | undefined {
  const host = init.network.hosts.find((entry) => entry.service === 'dns');
  const from = host === undefined ? undefined : harmed(init, host, everybody);
  if (host === undefined || from === undefined) return undefined;
  return { node: from, intent: `Why can ${from} not resolve www.lab.example at ${host.hostAddress4}?` };
}

function whyNot(init: QuestionInit, host: HostPort, what: string, harm: Harm): Question | undefined {
  const from = harmed(init, host, harm);
  return from === undefined ? undefined : { node: from, intent: `Why can ${from} not reach ${what}?` };
}

function aboutLink(init: QuestionInit): Question {
  const [a, b] = linkUnder(init);
  const { network, random } = init;
  const node = random.pick([a, b, random.pick(network.routers).name]);
  return { node, intent: `What is wrong with the link between ${a} and ${b}?` };
}

function aboutAdjacency(init: QuestionInit, protocol: string): Question {
  const [a, b] = linkUnder(init);
  const [node, peer] = init.random.next() < 0.5 ? [a, b] : [b, a];
  return { node, intent: `Why is the ${protocol} adjacency between ${node} and ${peer} down?` };
}

/** As the node's own log would name it: by the neighbour's address. */
function aboutBgp({ network, faults }: QuestionInit): Question {
  const parameters = faults[0]!.parameters as { node: string; neighbor?: string; neighbors?: readonly string[] };
  const neighbour = parameters.neighbor ?? parameters.neighbors?.[0] ?? '';
  const node = routerNamed(network, parameters.node).name;
  return { node, intent: `Why is BGP neighbor ${neighbour} down on ${node}?` };
}

/** Two neighbouring routers: those of the first fault's cable or interface, or any. */
function linkUnder({ network, random, faults }: QuestionInit): readonly [string, string] {
  const parameters = faults[0]?.parameters ?? {};
  const cable = parameters['cable'];
  if (typeof cable === 'string') {
    const [a = '', b = ''] = cable.split('--').map((end) => end.split(':')[0]!);
    return [a, b];
  }
  const at =
    typeof parameters['at'] === 'string' ? parameters['at'] : `${parameters['node']}:${parameters['interface']}`;
  const link =
    network.links.find(({ a, b }) => [a, b].some((end) => `${end.node}:${end.ifname}` === at)) ??
    random.pick(network.links);
  return [link.a.node, link.b.node];
}

function deaf({ network, faults, over }: QuestionInit, name: string): boolean {
  const cut = faults.filter((fault) => !over && DEAF.has(fault.fault)).map((fault) => String(fault.parameters['node']));
  if (cut.includes(name)) return true;
  const from = network.routers.find((router) => !cut.includes(router.name));
  return from === undefined || routePath(network, from.name, name).length === 0;
}

function entriesOf(faults: readonly string[], asking: Asking): [string, Asking][] {
  return faults.map((fault) => [fault, asking]);
}
