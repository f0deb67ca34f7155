// A question in which a host asks: its router was asked in its place. Each thing by which the host may be cut off all the same is lacking: it is not seen
// to be there, its port is down, its network was not tried from, or a filter that its router's tries did not meet may take its packets.
import { covers } from '#base/ip.ts';
import type { FromHost, Intent } from '#model/intent.ts';
import { demands, FORWARDING_HOOKS, mayTake, type Packet, taking, wordsOf } from '#model/router/packet-match.ts';
import type { FilterRule, InterfaceState } from '#model/router/router-port.ts';
import type { Proof } from '../engine/facts.ts';
import { walk } from '../network/forwarding.ts';
import { attachedTo, isOnLink } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, type World } from '../network/world.ts';
import { isDropping } from '../packet-filter/dropping-rules.ts';

/** One of those that systems give to clients (RFC 6335 §6). */
const CLIENT_PORT = 49_152;

type Asked = Pick<Intent, 'service'> & {
  readonly fromHost: FromHost;
  /** The host's router. */
  readonly asker: string;
  /** Addresses that the host is to reach. */
  readonly goals: readonly string[];
};

export function senderProof(asked: Asked, world: World): Proof {
  const { fromHost, asker } = asked;
  const { address, ifname } = fromHost;
  const port = [nodeRef(asker), ...(ifname === undefined ? [] : [ifname])].join(' ');
  const down = ifname === undefined ? undefined : downWords(interfaceOf(world, { node: asker, ifname }));
  return {
    proven: [`not tested: ${address} behind ${port}, which has no agent: what it sends itself`],
    lacking: [
      ...(down === undefined ? [] : [`${port}, behind which ${address} is: ${down}`]),
      ...(isOnLink(world, address) ? [] : [absence(world, address, port)]),
      ...sourceLines(asked, world),
      ...filterLines(asked, world),
    ],
  };
}

export function downWords(entry: Pick<InterfaceState, 'adminUp' | 'operUp'> | undefined): string | undefined {
  if (entry?.adminUp === false) return 'is shut down';
  return entry?.operUp === false ? 'is down' : undefined;
}

function absence(world: World, address: string, port: string): string {
  return world.hosts.some(({ asked }) => asked.includes(address))
    ? `${port}: no host answered for ${address}, which is to ask`
    : `${port}: no node saw whether ${address}, which is to ask, is there`;
}

type Answered = { readonly destination: string; readonly sender?: string };

/** What its router got answers from, with the address that it sent from. */
function answersTo({ asker, goals }: Asked, world: World): readonly Answered[] {
  const probes = world.reach.filter(({ received }) => received > 0);
  const tries = world.serviceProbes.filter(({ answered, via }) => answered && via === undefined);
  return [...probes, ...tries].filter(({ from, destination }) => from === asker && goals.includes(destination));
}

/** An address that other nodes have too, as an anycast gateway's, cannot be sent from. */
function sourceLines(asked: Asked, world: World): readonly string[] {
  const { fromHost, asker } = asked;
  const answers = answersTo(asked, world);
  const own = (world.views.get(asker)?.state.inventory.interfaces ?? [])
    .filter(({ kind }) => kind !== 'loopback')
    .flatMap(({ addresses }) => addresses)
    .filter((each) => covers(each, fromHost.address));
  const isBeside = ({ sender = '' }: Answered) => own.some((each) => each.split('/')[0] === sender);
  if (answers.length === 0 || answers.some(isBeside)) return [];
  const senders = [...new Set(answers.flatMap(({ sender }) => sender ?? []))];
  const where = senders.length === 0 ? '' : `, but from ${senders.join(', ')}`;
  return [`${nodeRef(asker)}: tried not from the network of ${fromHost.address}${where}`];
}

/**
 * Filters on the way that may take what the host sends or is answered. What the router itself sends passes none of its own forwarding filters; those of
 * others it met, except where they tell the two senders apart.
 */
function filterLines(asked: Asked, world: World): readonly string[] {
  const { fromHost, asker, goals } = asked;
  const answers = answersTo(asked, world);
  const lines = goals.flatMap((goal) => {
    const senders = answers.flatMap(({ destination, sender }) =>
      destination === goal && sender !== undefined ? [sender] : [],
    );
    return nodesOnTheWay(world, asker, goal, fromHost.address).flatMap((node) => {
      const isGoal = world.owners.get(goal)?.some((owner) => owner.node === node) === true;
      const filters = world.views.get(node)?.state.filters ?? [];
      const port = node === asker ? fromHost : undefined;
      const rules = filters.filter(
        (rule) =>
          isDropping(rule) &&
          (isGoal ? rule.hook !== 'forward' : FORWARDING_HOOKS.has(rule.hook)) &&
          packetsOf(asked, goal, fromHost.address).some(
            (packet, index) =>
              isFor(rule, packet, asked) &&
              (port === undefined || crossesPort(rule, packet, port)) &&
              !isLetPast(filters, rule, packet, port) &&
              (node === asker ||
                !senders.some((sender) => isAlike(rule, packet, packetsOf(asked, goal, sender)[index]!))),
          ),
      );
      return rules.map(
        (rule) =>
          `what ${fromHost.address} sends to ${goal}, or is answered, may be dropped by a filter of ${nodeRef(node)} (${wordsOf(rule)})`,
      );
    });
  });
  return [...new Set(lines)];
}

function nodesOnTheWay(world: World, asker: string, goal: string, address: string): readonly string[] {
  const host = world.owners.has(goal) ? undefined : attachedTo(world, goal);
  const far = host?.node ?? world.owners.get(goal)?.[0]?.node;
  const ways = [
    walk(world, asker, goal),
    ...(host === undefined ? [] : [walk(world, asker, host.routerAddress)]),
    ...(far === undefined ? [] : [walk(world, far, address)]),
  ];
  return [...new Set([asker, ...ways.flatMap(({ nodes }) => nodes), ...(far === undefined ? [] : [far])])];
}

/** Of the service that is asked about, else of any kind; each way by turns, there first. */
function packetsOf({ service }: Asked, goal: string, sender: string): readonly Packet[] {
  const network = goal.includes(':') ? 'ip6' : 'ip';
  const there = { network, sources: [sender], destinations: [goal] } as const;
  const back = { network, sources: [goal], destinations: [sender] } as const;
  if (service !== undefined) {
    const protocol = service.name === 'dns' ? 'udp' : 'tcp';
    return [
      { ...there, protocol, sourcePort: CLIENT_PORT, destinationPort: service.port },
      { ...back, protocol, sourcePort: service.port, destinationPort: CLIENT_PORT },
    ];
  }
  const icmp = network === 'ip' ? 'icmp' : 'ipv6-icmp';
  return [
    { ...there, protocol: icmp, icmpType: 'echo-request' },
    { ...back, protocol: icmp, icmpType: 'echo-reply' },
    ...['tcp', 'udp'].flatMap((protocol) => [
      { ...there, protocol },
      { ...back, protocol },
    ]),
  ];
}

/** A rule for some ports takes one service from a host, and cuts it off from none that it is not asked about. */
function isFor(rule: FilterRule, packet: Packet, { service }: Asked): boolean {
  if (service === undefined && demands(rule, 'source-port', 'destination-port')) return false;
  // A packet of no connection that the node knows is none that the host is to send.
  if (rule.unread?.includes('ct state invalid') === true) return false;
  return mayTake(rule, packet);
}

/** Of the host's own router: what the host sends comes in by its port, and what it is sent leaves by it. */
function crossesPort(
  { inInterfaces, outInterfaces }: FilterRule,
  { sources }: Packet,
  { address, ifname }: FromHost,
): boolean {
  const bound = sources?.includes(address) === true ? inInterfaces : outInterfaces;
  return ifname === undefined || bound.length === 0 || bound.includes(ifname);
}

/** An earlier rule of the same chain surely takes the packet, and lets it through: none behind it meets it. */
function isLetPast(
  filters: readonly FilterRule[],
  rule: FilterRule,
  packet: Packet,
  port: FromHost | undefined,
): boolean {
  const isBeside = (each: FilterRule) =>
    each.hook === rule.hook && each.family === rule.family && each.table === rule.table;
  const ahead = filters.slice(0, filters.indexOf(rule)).filter(isBeside);
  const at = ahead.findIndex(
    (each) =>
      each.verdict === 'accept' && each.path.join('>') === rule.path.join('>') && surelyTakes(each, packet, port),
  );
  if (at < 0) return false;
  // What leaves the chain ahead of the accept, by a return or a goto, meets the chain's policy all the same.
  const isLeaving = (each: FilterRule) =>
    (each.verdict === 'other' || each.path.length > rule.path.length) && mayTake(each, packet);
  return rule.handle !== POLICY_HANDLE || !ahead.slice(0, at).some(isLeaving);
}

/** The policy of a chain stands as its last rule. */
const POLICY_HANDLE = 0;
/** Of these an answer is one that comes back through the host's own router, which has passed on what it answers. */
const ESTABLISHED =
  /^(?:ct state \{? ?(?:[a-z]+(?:, ?| or ))*established(?:(?:, ?| or )[a-z]+)* ?\}?|xtables --(?:ct)?state (?:[A-Z]+,)*ESTABLISHED(?:,[A-Z]+)*)$/;
/** The name of the match whose words follow; alone, as iptables-nft gives it, it tells no state. */
const STATE_MATCH = /^xtables (?:conntrack|state)$/;

/** Every word of the rule is read and holds; of the interfaces that the packet crosses only the port of the host is known. */
function surelyTakes(
  { unread = [], inInterfaces, outInterfaces, ...rule }: FilterRule,
  packet: Packet,
  port: FromHost | undefined,
): boolean {
  const isSent = port !== undefined && packet.sources?.includes(port.address) === true;
  const isAnswer = port !== undefined && !isSent;
  const holds = (ifnames: readonly string[], isKnown: boolean) =>
    ifnames.length === 0 || (isKnown && port?.ifname !== undefined && ifnames.includes(port.ifname));
  if (!holds(inInterfaces, isSent) || !holds(outInterfaces, isAnswer)) return false;
  if (!isAnswer || unread.length === 0) return taking(rule, packet) === 'yes';
  const states = unread.filter((words) => !STATE_MATCH.test(words));
  const isEstablished = states.length > 0 && states.every((words) => ESTABLISHED.test(words));
  return isEstablished && taking({ ...rule, matchesRest: false }, packet) === 'yes';
}

function isAlike(rule: FilterRule, one: Packet, other: Packet): boolean {
  return taking(rule, one) === taking(rule, other);
}
