// What the filters of the nodes of a path do to what hosts behind its two ends send each other: by the rules in their order, network by network. A
// host's first packets of several kinds stand for all that it sends; a rule that spares some of them is a service's, and judged elsewhere. Pure.
import { covers, isLinkLocal, parsePrefix } from '#base/ip.ts';
import { busiestFirst, isOfHosts } from '#measure/probe-sources.ts';
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { interfaceOf, linkOn, ownEnd, type World } from '../network/world.ts';
import { chainsOf, type Decision, decisionsOf, isInOrder, type Ports, type Steps } from './chain-walk.ts';
import { type Before, beforeOf, type DroppedPacket } from './dropped-before.ts';
import { stepsOf } from './followed-steps.ts';
import { standInOf } from './stand-ins.ts';
import { translates } from './translated-packets.ts';

/** A network of hosts that a node has; without `network` whatever is behind the node. */
export type Behind = { readonly node: string; readonly ifname?: string; readonly network?: string };

export type Crossing = {
  readonly node: string;
  readonly from: Behind;
  readonly to: Behind;
  /** Addresses there of which this node drops everything: of hosts that are known, and of one that stands for the others. */
  readonly dropped: readonly string[];
  readonly rule: FilterRule;
  /** Absent: it dropped them for as long as is remembered. */
  readonly before?: Before;
};

/** Elements of a set that could not be read decide whether the node lets it through. */
export type Unread = Pick<Crossing, 'node' | 'from' | 'to' | 'rule'>;

/** Of one end and family. */
const NETWORKS = 4;
const HOSTS = 2;

type Kind = Pick<Packet, 'protocol' | 'sourcePort' | 'destinationPort' | 'icmpType'>;

type Kinds = readonly ((family: 4 | 6) => Kind)[];

const KINDS: Kinds = [
  () => ({ protocol: 'tcp', destinationPort: 80, sourcePort: 40_001 }),
  () => ({ protocol: 'tcp', destinationPort: 443, sourcePort: 40_001 }),
  () => ({ protocol: 'tcp', destinationPort: 40_002, sourcePort: 40_001 }),
  () => ({ protocol: 'udp', destinationPort: 53, sourcePort: 40_001 }),
  () => ({ protocol: 'udp', destinationPort: 40_002, sourcePort: 40_001 }),
  (family) => ({ protocol: family === 4 ? 'icmp' : 'ipv6-icmp', icmpType: 'echo-request' }),
];

export type Filtered = {
  readonly drops: readonly Crossing[];
  readonly unread: readonly Unread[];
  /** None of the packets surely passes, and a rule that is not understood whole may let them through or drop them. */
  readonly unsure: readonly Unread[];
};

/** Several parts of one answer ask for it. */
const FILTERED = new WeakMap<World, Filtered>();

export function filteredBehindEnds(world: World): Filtered {
  const known = FILTERED.get(world) ?? filtered(world);
  FILTERED.set(world, known);
  return known;
}

function filtered(world: World): Filtered {
  const [head, tail] = [world.nodes[0], world.nodes.at(-1)];
  if (head === undefined || tail === undefined || head === tail) return { drops: [], unread: [], unsure: [] };
  const ways = [world.nodes, world.nodes.toReversed()].flatMap((way) => {
    const [near, far] = [way[0]!, way.at(-1)!];
    const goals = networksBehind(world, far);
    return networksBehind(world, near).flatMap((from) => {
      const ofFamily = goals.filter((each) => isSix(each.network) === isSix(from.network));
      return (ofFamily.length > 0 ? ofFamily : [{ node: far }]).map((to) => ({ way, from, to }));
    });
  });
  const found = ways.flatMap(({ way, from, to }) =>
    way.map((node, index) => ({ node, from, to, ...judged(world, way, index, from, to) })),
  );
  return {
    drops: found.flatMap(({ drop, node, from, to }) => (drop === undefined ? [] : [{ ...drop, node, from, to }])),
    unread: found.flatMap(({ unread, ...each }) => (unread === undefined ? [] : [{ ...each, rule: unread }])),
    unsure: found.flatMap(({ unsure, ...each }) => (unsure === undefined ? [] : [{ ...each, rule: unsure }])),
  };
}

type Network = Behind & { readonly network: string };

/** Networks of hosts of a node, beside its links to others of the path: as many of a family as are probed from. */
export function networksBehind(world: World, node: string): readonly Network[] {
  const all = allNetworks(world, node);
  return [false, true].flatMap((six) => all.filter(({ network }) => isSix(network) === six).slice(0, NETWORKS));
}

/** How many more there are. */
export function networksLeft(world: World, node: string): number {
  return allNetworks(world, node).length - networksBehind(world, node).length;
}

function allNetworks(world: World, node: string): readonly Network[] {
  const view = world.views.get(node);
  // As the planner of the probes saw it.
  const { interfaces = [] } = (view?.before ?? view?.state)?.inventory ?? {};
  return busiestFirst(interfaces)
    .filter(
      ({ name, kind, operUp }) => kind !== 'loopback' && operUp && linkOn(world, { node, ifname: name }).length === 0,
    )
    .flatMap(({ name: ifname, addresses }) =>
      addresses.flatMap((network) => {
        const own = parsePrefix(network);
        return own === undefined || isLinkLocal(own) || !isOfHosts(network) ? [] : [{ node, ifname, network }];
      }),
    );
}

/** A node of the path writes another source into whatever goes from the one address to the other, as it leaves towards the next. */
export function isTranslatedAlong(
  world: World,
  { from, sender, destination }: { readonly from: string; readonly sender: string; readonly destination: string },
): boolean {
  const way = world.nodes[0] === from ? world.nodes : world.nodes.toReversed();
  const network = isSix(sender) ? 'ip6' : 'ip';
  const packet = { network, sources: [sender], destinations: [destination] } as const;
  return way.slice(0, -1).some((node, at) => {
    const ports = { in: [], out: portsTowards(world, node, way[at + 1]!) };
    return (
      translates(world.views.get(node)?.state.filters ?? [], 'source', packet, ports, stepsOf(world, node)) === 'yes'
    );
  });
}

/** What one host sends to a port of another. */
export type Asking = { readonly client: Behind; readonly server: Behind; readonly port: number };

/** A node of the way that drops it, and is not known to have dropped it before. */
export function newlyDropped(
  world: World,
  way: readonly string[],
  { client, server, port }: Asking,
): Pick<Crossing, 'node' | 'rule' | 'before'> | undefined {
  // Of several ways beside each other it is not known which one a packet takes.
  const isLine = way.every((node, at) => at === 0 || portsTowards(world, way[at - 1]!, node).length > 0);
  if (!isLine) return undefined;
  const kinds = [(): Kind => ({ protocol: 'tcp', destinationPort: port, sourcePort: 40_001 })];
  const drops = way.flatMap((node, index) => {
    const { drop } = judged(world, way, index, client, server, kinds);
    return drop === undefined ? [] : [{ ...drop, node }];
  });
  // Where one node dropped it all the time, it is another's no matter.
  return drops.every(({ before }) => before !== undefined && before !== 'unremembered') ? drops[0] : undefined;
}

type Judged = {
  readonly drop?: Pick<Crossing, 'dropped' | 'rule' | 'before'>;
  readonly unread?: FilterRule;
  readonly unsure?: FilterRule;
};

function judged(
  world: World,
  way: readonly string[],
  index: number,
  from: Behind,
  to: Behind,
  kinds: Kinds = KINDS,
): Judged {
  const node = way[index]!;
  const state = world.views.get(node)?.state;
  if (state === undefined || !isInOrder(state)) return {};
  const { filters } = state;
  if (chainsOf(filters).length === 0) return {};
  const all = way.map((each, at): Ports => portsAt(world, way, at, { from, to, node: each }));
  const isAsSent = (packet: Packet) =>
    way.slice(0, index + 1).every((each, at) => isKept(world, each, packet, all[at]!, at < index));
  const ports = all[index]!;
  const goals = addressesIn(world, to);
  const each = addressesIn(world, from).map((source) =>
    outcomeOf(filters, packetsOf(source, goals, kinds).filter(isAsSent), ports, stepsOf(world, node)),
  );
  const [unread, unsure] = (['unread', 'unsure'] as const).map((kind) => each.flatMap((one) => one[kind] ?? [])[0]);
  const isRead = { ...(unread === undefined ? {} : { unread }), ...(unsure === undefined ? {} : { unsure }) };
  const cut = each.filter(({ drops }) => drops.length > 0);
  if (cut.length === 0) return isRead;
  const { rule, before } = beforeOf(
    world,
    node,
    cut.flatMap(({ drops }) => drops),
    ports,
  );
  const dropped = cut.map(({ drops: [first] }) => first!.packet.sources![0]!);
  return { ...isRead, drop: { dropped, rule, ...(before && { before }) } };
}

function portsAt(
  world: World,
  way: readonly string[],
  at: number,
  ends: { from: Behind; to: Behind; node: string },
): Ports {
  const { from, to, node } = ends;
  return {
    in: at === 0 ? named(world, from) : portsTowards(world, node, way[at - 1]!),
    out: at === way.length - 1 ? named(world, to) : portsTowards(world, node, way[at + 1]!),
  };
}

/** The node writes no other destination into it, and, where it has sent it on, no other source: of what became of it nothing is known. */
export function isKept(world: World, node: string, packet: Packet, ports: Ports, isSentOn: boolean): boolean {
  const filters = world.views.get(node)?.state.filters ?? [];
  const steps = stepsOf(world, node);
  return (
    translates(filters, 'destination', packet, ports, steps) === 'no' &&
    (!isSentOn || translates(filters, 'source', packet, ports, steps) === 'no')
  );
}

type Outcome = {
  /** All of the packets, where all are dropped. */
  readonly drops: readonly DroppedPacket[];
  /** A rule whose set was not read decides of some. */
  readonly unread?: FilterRule | undefined;
  /** Nothing surely passes, and this rule decides of some. */
  readonly unsure?: FilterRule | undefined;
};

/** Of all that one address sends. */
function outcomeOf(filters: readonly FilterRule[], packets: readonly Packet[], ports: Ports, steps: Steps): Outcome {
  const drops: DroppedPacket[] = [];
  const doubts: Decision[] = [];
  // Firewalls let echoes through that let nothing else through: they spare no network.
  const needed = packets.filter(({ protocol }) => !isEcho(protocol)).length;
  let [isPassed, count] = [false, 0];
  for (const packet of packets) {
    const decisions = decisionsOf(filters, packet, ports, steps);
    const rules = rulesOf(decisions, 'drop');
    const isSpared = isEcho(packet.protocol) && needed > 0;
    if (rules.length > 0 && !isSpared) drops.push({ packet, rules });
    else if (rules.length === 0) doubts.push(...decisions);
    isPassed ||= !isSpared && decisions.every(({ kind }) => kind === 'pass');
    count += 1;
    // To the first address of every kind, as a rule may be about one; to the others until some pass.
    if (count >= KINDS.length && isPassed) break;
  }
  return {
    drops: drops.length > 0 && drops.length === (needed || packets.length) ? drops : [],
    unread: rulesOf(doubts, 'unread')[0],
    unsure: isPassed ? undefined : rulesOf(doubts, 'unsure')[0],
  };
}

function isEcho(protocol: string | undefined): boolean {
  return protocol === 'icmp' || protocol === 'ipv6-icmp';
}

function rulesOf(decisions: readonly Decision[], kind: 'drop' | 'unread' | 'unsure'): readonly FilterRule[] {
  return decisions.flatMap((each) => (each.kind === kind ? [each.rule] : []));
}

function packetsOf(source: string, goals: readonly string[], kinds: Kinds): readonly Packet[] {
  const family = isSix(source) ? 6 : 4;
  const network = family === 6 ? 'ip6' : 'ip';
  const each = goals.length === 0 ? [[]] : goals.map((goal) => [goal]);
  return each.flatMap((destinations) =>
    kinds.map((kindOf): Packet => ({ ...kindOf(family), network, sources: [source], destinations })),
  );
}

/** A router looks at its hosts every few seconds, and all of them in a minute: who answered it and is silent for longer has gone. */
const SILENT_MS = 120_000;

/** One that stands for all hosts there, and those of hosts that the node knows. */
function addressesIn(world: World, { node, ifname, network }: Behind): readonly string[] {
  if (network === undefined) return [];
  const hosts = (world.views.get(node)?.state.history?.hosts ?? [])
    .filter(
      ({ ifname: port, address, answeredAgoMs = 0 }) =>
        port === ifname && answeredAgoMs <= SILENT_MS && covers(network, address),
    )
    .map(({ address }) => address);
  return [...new Set([standInOf(world, network), ...hosts.slice(0, HOSTS)])];
}

export function portsTowards(world: World, node: string, other: string): readonly string[] {
  return world.links
    .filter(({ from, to }) => [from.node, to.node].sort().join(' ') === [node, other].sort().join(' '))
    .flatMap((link) => asFiltered(world, node, ownEnd(link, node).ifname));
}

function named(world: World, { node, ifname }: Behind): readonly string[] {
  return ifname === undefined ? [] : asFiltered(world, node, ifname);
}

/** The kernel has packets of a VRF pass its rules by the name of the port, of the VRF, or both. */
function asFiltered(world: World, node: string, ifname: string): readonly string[] {
  const { master } = interfaceOf(world, { node, ifname }) ?? {};
  return master?.kind === 'vrf' ? [ifname, master.name] : [ifname];
}

function isSix(network: string | undefined): boolean {
  return network?.includes(':') === true;
}
