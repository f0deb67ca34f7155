// What the filters of the nodes of a path do to what hosts behind its two ends send each other: by the rules in their order, network by network. A
// host's first packets of several kinds stand for all that it sends; a rule that spares some of them is a service's, and judged elsewhere. Pure.
import { covers, isLinkLocal, parsePrefix } from '#base/ip.ts';
import { isOfHosts } from '#measure/probe-sources.ts';
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { filterSubject, passingRulesIn } from '#model/settings/filter-settings.ts';
import { hasCome } from '../network/remembered.ts';
import { linkOn, ownEnd, type World } from '../network/world.ts';
import { chainsOf, type Decision, decide, type Ports, takes } from './chain-walk.ts';

/** A network of hosts that a node has; without `network` whatever is behind the node. */
export type Behind = { readonly node: string; readonly ifname?: string; readonly network?: string };

export type Crossing = {
  readonly node: string;
  readonly from: Behind;
  readonly to: Behind;
  /** Own and hosts' addresses there of which this node drops everything. */
  readonly dropped: readonly string[];
  readonly rule: FilterRule;
  /** `new`: the rule was not there before; `passed`: another let them through; absent: for as long as is remembered. */
  readonly before?: 'new' | 'passed';
};

/** Elements of a set that could not be read decide whether the node lets it through. */
export type Unread = Pick<Crossing, 'node' | 'from' | 'to' | 'rule'>;

const NETWORKS = 4;
const HOSTS = 2;

type Kind = Pick<Packet, 'protocol' | 'sourcePort' | 'destinationPort' | 'icmpType'>;

const KINDS: readonly ((family: 4 | 6) => Kind)[] = [
  () => ({ protocol: 'tcp', destinationPort: 80, sourcePort: 40_001 }),
  () => ({ protocol: 'tcp', destinationPort: 443, sourcePort: 40_001 }),
  () => ({ protocol: 'tcp', destinationPort: 40_002, sourcePort: 40_001 }),
  () => ({ protocol: 'udp', destinationPort: 53, sourcePort: 40_001 }),
  () => ({ protocol: 'udp', destinationPort: 40_002, sourcePort: 40_001 }),
  (family) => ({ protocol: family === 4 ? 'icmp' : 'ipv6-icmp', icmpType: 'echo-request' }),
];

export function filteredBehindEnds(world: World): {
  readonly drops: readonly Crossing[];
  readonly unread: readonly Unread[];
} {
  const [head, tail] = [world.nodes[0], world.nodes.at(-1)];
  if (head === undefined || tail === undefined || head === tail) return { drops: [], unread: [] };
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
    unread: found.flatMap(({ unread, node, from, to }) =>
      unread === undefined ? [] : [{ node, from, to, rule: unread }],
    ),
  };
}

/** Networks of hosts of a node, beside its links to others of the path. */
export function networksBehind(world: World, node: string): readonly (Behind & { readonly network: string })[] {
  const interfaces = world.views.get(node)?.state.inventory.interfaces ?? [];
  return interfaces
    .filter(
      ({ name, kind, operUp }) => kind !== 'loopback' && operUp && linkOn(world, { node, ifname: name }).length === 0,
    )
    .flatMap(({ name: ifname, addresses }) =>
      addresses.flatMap((network) => {
        const own = parsePrefix(network);
        return own === undefined || isLinkLocal(own) || !isOfHosts(network) ? [] : [{ node, ifname, network }];
      }),
    )
    .slice(0, NETWORKS);
}

type Judged = {
  readonly drop?: Pick<Crossing, 'dropped' | 'rule' | 'before'>;
  readonly unread?: FilterRule;
};

function judged(world: World, way: readonly string[], index: number, from: Behind, to: Behind): Judged {
  const node = way[index]!;
  const filters = world.views.get(node)?.state.filters ?? [];
  if (chainsOf(filters).length === 0) return {};
  const ports: Ports = {
    in: index === 0 ? named(from) : portsTowards(world, node, way[index - 1]!),
    out: index === way.length - 1 ? named(to) : portsTowards(world, node, way[index + 1]!),
  };
  const goals = addressesIn(world, to);
  const each = addressesIn(world, from).map((source) => outcomeOf(filters, packetsOf(source, goals), ports));
  const unread = each.flatMap((one) => one.unread ?? [])[0];
  const cut = each.flatMap((one) => one.cut ?? []);
  const isRead = unread === undefined ? {} : { unread };
  if (cut[0] === undefined) return isRead;
  const { rule } = cut[0];
  const packets = cut.flatMap((one) => one.packets);
  const before = beforeOf(world, node, rule, packets, ports);
  const dropped = cut.map(({ packets: [packet] }) => packet!.sources![0]!);
  return { ...isRead, drop: { dropped, rule, ...(before && { before }) } };
}

/** Of all that one address sends: everything is dropped, or a set that was not read decides of some; nothing where it passes. */
function outcomeOf(filters: readonly FilterRule[], packets: readonly Packet[], ports: Ports) {
  const decisions: Decision[] = [];
  for (const packet of packets) {
    const decision = decide(filters, packet, ports);
    decisions.push(decision);
    // To the first address of every kind, as a rule may be about one; to the others until some pass.
    if (decisions.length >= KINDS.length && decisions.some(({ kind }) => kind === 'pass')) break;
  }
  const unread = decisions.flatMap((one) => (one.kind === 'unread' ? one.rule : []))[0];
  const [first] = decisions;
  const isCut = first?.kind === 'drop' && decisions.every(({ kind }) => kind === 'drop');
  return {
    ...(unread === undefined ? {} : { unread }),
    ...(isCut ? { cut: { rule: first.rule, packets } } : {}),
  };
}

/** What the node remembers of the table that drops them now. */
function beforeOf(
  world: World,
  node: string,
  rule: FilterRule,
  packets: readonly Packet[],
  ports: Ports,
): Crossing['before'] {
  if (rule.ends === undefined && hasCome(world, node, rule)) return 'new';
  const table = `${filterSubject({ ...rule, chain: '' })} `;
  const changes = (world.views.get(node)?.state.history?.settings ?? []).filter(
    ({ kind, subject }) => kind === 'filter' && subject.startsWith(table),
  );
  const isOfPolicy = ({ subject, setting, was }: (typeof changes)[number]) =>
    setting === 'policy' && was === undefined && subject === filterSubject(rule);
  if (rule.ends === 'drop' && changes.some(isOfPolicy)) return 'new';
  const lets = (words: string | undefined, packet: Packet) =>
    words !== undefined && passingRulesIn(words).some((each) => takes(each, packet, ports) !== 'no');
  const passed = changes
    .filter(({ setting = '' }) => setting.startsWith('accept '))
    .some(({ was, is }) => packets.some((packet) => lets(was, packet) && !lets(is, packet)));
  return passed ? 'passed' : undefined;
}

function packetsOf(source: string, goals: readonly string[]): readonly Packet[] {
  const family = isSix(source) ? 6 : 4;
  const network = family === 6 ? 'ip6' : 'ip';
  const each = goals.length === 0 ? [[]] : goals.map((goal) => [goal]);
  return each.flatMap((destinations) =>
    KINDS.map((kindOf): Packet => ({ ...kindOf(family), network, sources: [source], destinations })),
  );
}

/** The node's own there, and those of hosts that it knows. */
function addressesIn(world: World, { node, ifname, network }: Behind): readonly string[] {
  if (network === undefined) return [];
  const hosts = (world.views.get(node)?.state.history?.hosts ?? [])
    .filter((host) => host.ifname === ifname && covers(network, host.address))
    .map(({ address }) => address);
  return [...new Set([network.split('/')[0]!, ...hosts.slice(0, HOSTS)])];
}

function portsTowards(world: World, node: string, other: string): readonly string[] {
  return world.links
    .filter(({ from, to }) => [from.node, to.node].sort().join(' ') === [node, other].sort().join(' '))
    .map((link) => ownEnd(link, node).ifname);
}

function named({ ifname }: Behind): readonly string[] {
  return ifname === undefined ? [] : [ifname];
}

function isSix(network: string | undefined): boolean {
  return network?.includes(':') === true;
}
