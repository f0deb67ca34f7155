// What an operator would ask in a case: about the symptom that he sees, or in general; never with the fault's name, and not always where the
// fault is. Pure.
import type { Network } from '../../simulations/generate/network.ts';
import type { Random } from '../../simulations/lab/faults/fault.ts';
import { routePath, routerNamed } from '../../simulations/lab/faults/places.ts';

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
const PATH_LOSS = new Set([
  'packet_loss',
  'packet_loss_both_ways',
  'packet_loss_some_flows',
  'payload_corruption',
  'acl_misconfig',
]);
const SLOW = new Set(['high_latency', 'link_capacity_bottleneck']);
const MTU = new Set(['mtu_mismatch', 'mtu_low_both_ends', 'icmp_frag_needed_filter_misconfiguration']);
const PREFIX = new Set([
  'blackhole_route',
  'static_route_misconfig',
  'acl_blocks_prefix',
  'bgp_missing_route_advertisement',
  'route_policy_misconfig',
  'bgp_hijacking',
]);
/** Routers that cannot be asked: they are cut off. */
const DEAF = new Set(['device_down']);

export function questionFor(init: QuestionInit): Question {
  const { network, random, asking, over } = init;
  const first = init.faults[0];
  const anybody = network.routers.filter((router) => !deaf(init, router.name));
  const node = random.pick(anybody).name;
  if (over) return { node, intent: 'What was wrong in the last two minutes?' };
  if (
    asking === 'loss' ||
    (asking === 'mixed' &&
      (first === undefined ? random.next() < 0.5 : init.faults.length === 1 && PATH_LOSS.has(first.fault)))
  )
    return aboutPath(init, lossOn);
  if (asking === 'general' || first === undefined || init.faults.length > 1 || random.next() < 0.5)
    return { node, intent: 'What is wrong?' };
  if (SLOW.has(first.fault))
    return aboutPath(init, (path) => `Why is the path from ${path[0]} to ${path.at(-1)} slow?`);
  if (MTU.has(first.fault)) return aboutPath(init, (path) => `Check the path MTU from ${path[0]} to ${path.at(-1)}`);
  if (PREFIX.has(first.fault)) return aboutReach(init);
  const place = String(first.parameters['node'] ?? '');
  return place !== '' && network.routers.some((router) => router.name === place) && random.next() < 0.5
    ? { node, intent: `What is wrong with ${place}?` }
    : { node, intent: 'What is wrong?' };
}

const lossOn = (path: readonly string[]): string =>
  `Verify packet loss on the SRv6 path from ${path[0]} to ${path.at(-1)}${path.length > 2 ? ` via ${path.slice(1, -1).join(' and ')}` : ''}`;

/** A path that leads over the place of the first fault, one router further at either side where there is one. */
function aboutPath(init: QuestionInit, phrase: (path: readonly string[]) => string): Question {
  const { network, random } = init;
  const [a, b] = linkUnder(init);
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
  const path = [before, a, b, after].filter((name) => name !== undefined);
  const directed = random.next() < 0.5 ? path : path.toReversed();
  return { node: directed[0]!, intent: phrase(directed) };
}

/** Towards a host that cannot be reached: asked behind the faulty router, or from afar when the far host is the one behind it. */
function aboutReach({ network, random, faults }: QuestionInit): Question {
  const { node, prefix } = faults[0]!.parameters as { node: string; prefix: string };
  const to = network.hosts.find((entry) => prefix.startsWith(entry.prefix4.replace(/0\/24$/, '')))!;
  const others = network.hosts.filter((entry) => entry.router !== to.router);
  const behind = others.filter((entry) => entry.router === node);
  const from = random.pick(behind.length > 0 ? behind : others);
  return { node: from.router, intent: `Why can ${from.router} not reach ${to.hostAddress4}?` };
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
