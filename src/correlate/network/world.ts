// The nodes of a question as correlation sees them: the latest state of each that answered, the links between them, who owns
// which address, and where every node forwards to. Built from evidence once; rules only read it.
import { isIpAddress } from '#base/ip.ts';
import { isJsonObject } from '#base/json.ts';
import { decodeToldState } from '#measure/decode/decode.ts';
import {
  decodeDhcp,
  decodeHostScan,
  decodeLogSigns,
  decodeLookups,
  decodeReach,
} from '#measure/decode/decode-measurements.ts';
import { texts } from '#measure/decode/readers.ts';
import { lostPackets } from '#measure/lost-packets.ts';
import { readingsOf } from '#measure/measurement.ts';
import { pathStates } from '#measure/path/path-states.ts';
import type { Evidence } from '#model/evidence.ts';
import type { AskedService, Intent } from '#model/intent.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import { asTold } from '#model/links/relayed.ts';
import { interfaceResource, type LinkEnd, linkResource, nodeKey, type ResourceId } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { HostPort } from '#model/router/hosts.ts';
import type { LogSign } from '#model/router/log-events.ts';
import type { InterfaceState, NodeState, ReachResult, RouteAnswer } from '#model/router/router-port.ts';
import { withDefault } from './configured-routes.ts';
import { type Days, daysIn, withDays } from './days.ts';
import { reachSender, type ServiceProbeSeen, serviceTriesOf } from './service-tries.ts';

export type View = {
  readonly node: string;
  /** The latest state. */
  readonly state: NodeState;
  readonly before?: NodeState;
  readonly after?: NodeState;
  /** Ids of the evidence it stands on. */
  readonly sources: readonly string[];
};

export type WorldLink = { readonly key: ResourceId; readonly from: LinkEnd; readonly to: LinkEnd; readonly link: Link };

/** All probes from one node to one address. */
export type Reach = ReachResult & {
  readonly from: string;
  readonly source: string;
  /** Those of the second look, when there was one. */
  readonly again?: { readonly sent: number; readonly received: number };
  /** The node's own address that the call named for probes that leave its links, where it named one; else its loopback's. */
  readonly sender?: string;
  /** None came back from another own address, which was tried before; these are not among the others. */
  readonly unanswered?: { readonly sent: number; readonly sender?: string };
};

export type HostScanSeen = HostPort & {
  readonly node: string;
  readonly evidence: string;
  /** Addresses that we asked for. */
  readonly asked: readonly string[];
};

export type DhcpSeen = DhcpAnswer & { readonly from: string; readonly source: string };

export type LogsSeen = { readonly signs: readonly LogSign[]; readonly source: string };

export type World = {
  /** Every node that was asked, whether or not it answered. */
  readonly nodes: readonly string[];
  /** Nodes whose state came over the link to a neighbour alone: who asks has no route to them, or they have none back. */
  readonly relayed?: ReadonlySet<string>;
  /** Nodes whose answers came over sessions that others passed on, with those others: no route between them and the asked node carried one. */
  readonly passedOn?: ReadonlyMap<string, readonly string[]>;
  /** Routers and switches that the asker knows from their neighbours alone and that gave no state: no agent of theirs is known. */
  readonly agentless?: ReadonlySet<string>;
  /** True when the question was about all known nodes: then an address that none of them has is nowhere. */
  readonly whole: boolean;
  /** What is over counts too, when it was this long ago or less. */
  readonly sinceMs?: number;
  /** What ended less than this long ago is not asked about; absent: everything until now is. */
  readonly untilMs?: number;
  /** No time was named: all that is remembered is asked about. */
  readonly asFarAsKnown?: true;
  /** Nodes count ages from when they answer: of two nodes that is apart by no more than this. */
  readonly answersApartMs?: number;
  /** The address that the question is about. */
  readonly destination?: string;
  /** The two nodes of a question why one cannot reach the other: traffic is wanted between them. */
  readonly between?: readonly [string, string];
  /** A service that is to be there, as the operator says, and where. */
  readonly service?: AskedService & { readonly address: string };
  /** Node → what it remembers of days, where that was asked for. */
  readonly days?: ReadonlyMap<string, Days>;
  readonly views: ReadonlyMap<string, View>;
  readonly links: readonly WorldLink[];
  /** What the logs of nodes say, where they were asked. */
  readonly logs: ReadonlyMap<string, LogsSeen>;
  /** Node → destination → answer. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<string, RouteAnswer>>;
  readonly reach: readonly Reach[];
  /** IPv4 packets of this question's own that may not have come back: of probes, echoes and all other tries. */
  readonly ownLost?: number;
  /** What ports that lead to hosts answered. */
  readonly hosts: readonly HostScanSeen[];
  /** Services that were tried. */
  readonly serviceProbes: readonly ServiceProbeSeen[];
  /** What DHCP servers offered for each network, in the order that they were asked. */
  readonly dhcp: readonly DhcpSeen[];
  /** Of a remembered moment: the other states that nodes were seen in, the present one first. Absent: what each view remembers itself. */
  readonly seen?: ReadonlyMap<string, readonly NodeState[]>;
  /** Address → nodes and interfaces that have it; more than one is a conflict. */
  readonly owners: ReadonlyMap<string, readonly LinkEnd[]>;
};

export type StateEntry = { readonly id: string; readonly state: NodeState };
export type StateEntries = ReadonlyMap<string, StateEntry>;

export function worldOf(
  asked: Pick<
    World,
    | ('nodes' | 'agentless' | 'passedOn' | 'whole' | 'destination' | 'between' | 'service')
    | ('sinceMs' | 'untilMs' | 'asFarAsKnown' | 'answersApartMs')
  >,
  before: StateEntries,
  after: StateEntries,
  evidence: readonly Evidence[],
): World {
  const whole = new Map(
    readingsOf(pathStates, evidence).map(({ node, value, source }) => [node, { id: source, state: value }]),
  );
  const days = daysIn(evidence);
  const views = new Map<string, View>();
  for (const node of asked.nodes) {
    const [first, last] = [before.get(node), after.get(node)];
    const latest = last ?? first;
    if (latest === undefined) continue;
    const all = whole.get(node);
    views.set(node, {
      node,
      state: withDays(all === undefined ? latest.state : withRest(latest.state, all.state), days.get(node)),
      ...(first === undefined ? {} : { before: first.state }),
      ...(last === undefined ? {} : { after: last.state }),
      sources: [first?.id, last?.id, all?.id, days.get(node)?.source].filter((id) => id !== undefined),
    });
  }
  return {
    ...asked,
    ...(days.size === 0 ? {} : { days }),
    relayed: relayedIn(evidence),
    views,
    links: linksOf(views),
    logs: new Map(evidence.flatMap(logsOf)),
    lookups: lookupsOf(evidence, views),
    reach: reachOf(evidence),
    ownLost: lostPackets(evidence),
    hosts: evidence
      .map(asTold)
      .filter((entry) => entry.kind === 'host-scan')
      .flatMap((entry) =>
        decodeHostScan(entry.body).map((port) => ({
          ...port,
          node: entry.node,
          evidence: entry.id,
          asked: askedOn(entry, port.ifname),
        })),
      ),
    serviceProbes: evidence.flatMap(serviceTriesOf),
    dhcp: evidence
      .filter((entry) => entry.kind === 'dhcp')
      .sort((one, other) => PHASES.indexOf(one.phase) - PHASES.indexOf(other.phase))
      .flatMap((entry) => decodeDhcp(entry.body).map((answer) => ({ ...answer, from: entry.node, source: entry.id }))),
    owners: ownersOf(views),
  };
}

function relayedIn(evidence: readonly Evidence[]): ReadonlySet<string> {
  const direct = new Set(evidence.filter(({ kind }) => kind === 'state').map(({ node }) => node));
  const told = evidence.flatMap((entry) => (entry.kind === 'relayed' ? (decodeToldState(entry)?.node ?? []) : []));
  return new Set(told.filter((node) => !direct.has(node)));
}

/** The last reading is of what is quick to read, and has the rest as it was a little earlier. */
function withRest(latest: NodeState, whole: NodeState): NodeState {
  const missing = [...latest.missing, ...whole.missing];
  return { ...whole, ...latest, missing: [...new Map(missing.map((each) => [each.part, each])).values()] };
}

/** States that a node was seen in at other times, latest first. */
export function statesSeen({ seen, views }: World, node: string): readonly NodeState[] {
  return seen?.get(node) ?? (views.get(node)?.state.past ?? []).map(({ state }) => state);
}

function logsOf({ id, node, purpose, body }: Evidence): readonly (readonly [string, LogsSeen])[] {
  const signs = purpose.kind === 'logs' ? decodeLogSigns(body) : [];
  return signs.length === 0 ? [] : [[node, { signs, source: id }]];
}

const PHASES = ['before', 'probe', 'deepen', 'after'];

/** The last look at an address, if there were several, is the one that counts. */
function lookupsOf(evidence: readonly Evidence[], views: World['views']): World['lookups'] {
  const found = new Map<string, Map<string, RouteAnswer>>();
  const looks = evidence.filter((entry) => entry.kind === 'lookups');
  for (const entry of looks.sort((one, other) => PHASES.indexOf(one.phase) - PHASES.indexOf(other.phase))) {
    const mine = found.get(entry.node) ?? new Map<string, RouteAnswer>();
    const state = views.get(entry.node)?.state;
    for (const answer of decodeLookups(entry.body))
      mine.set(answer.destination, state ? withDefault(answer, state) : answer);
    found.set(entry.node, mine);
  }
  return found;
}

/** Addresses that our own request named for a port. */
function askedOn(entry: Evidence, ifname: string): readonly string[] {
  const args = entry.request.params['arguments'];
  const ports = isJsonObject(args) && Array.isArray(args['ports']) ? args['ports'] : [];
  return ports.flatMap((port) => (isJsonObject(port) && port['ifname'] === ifname ? texts(port['addresses']) : []));
}

/** Links as they are now, and those that were there at the first reading and have vanished since. */
function linksOf(views: ReadonlyMap<string, View>): readonly WorldLink[] {
  const found = new Map<ResourceId, WorldLink>();
  for (const pick of [(view: View) => view.state, (view: View) => view.before]) {
    const named = [...views.values()].flatMap((view) => {
      const state = pick(view);
      return state === undefined ? [] : [{ node: view.node, state }];
    });
    for (const link of allLinks(named)) {
      const key = linkResource(link.from, link.to);
      if (!found.has(key)) found.set(key, { key, from: link.from, to: link.to, link });
    }
  }
  return [...found.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function ownersOf(views: ReadonlyMap<string, View>): ReadonlyMap<string, readonly LinkEnd[]> {
  const owners = new Map<string, LinkEnd[]>();
  for (const { node, state } of views.values()) {
    for (const entry of state.inventory.interfaces) {
      for (const text of entry.addresses) {
        const address = text.split('/')[0]!;
        if (/^fe[89ab]/i.test(address) || address === '::1' || address.startsWith('127.')) continue;
        owners.set(address, [...(owners.get(address) ?? []), { node, ifname: entry.name }]);
      }
    }
  }
  return owners;
}

export function interfaceOf(world: World, end: LinkEnd): InterfaceState | undefined {
  return world.views.get(end.node)?.state.inventory.interfaces.find((entry) => entry.name === end.ifname);
}

export function circuitOf(world: World, end: LinkEnd): IsisCircuit | undefined {
  return world.views.get(end.node)?.state.isis?.circuits.find((entry) => entry.ifname === end.ifname);
}

export function linksAt(world: World, node: string): readonly WorldLink[] {
  return world.links.filter(({ from, to }) => from.node === node || to.node === node);
}

export function otherEnd(link: WorldLink, node: string): LinkEnd {
  return link.from.node === node ? link.to : link.from;
}

export function ownEnd(link: WorldLink, node: string): LinkEnd {
  return link.from.node === node ? link.from : link.to;
}

/** Both directions of a link, each named by its sending end first. */
export function directionsOf({ from, to }: Pick<WorldLink, 'from' | 'to'>) {
  return [
    { from, to },
    { from: to, to: from },
  ];
}

export function linkOn(world: World, end: LinkEnd): readonly WorldLink[] {
  return linksByEnd(world.links).get(interfaceResource(end)) ?? [];
}

/** Links do not change: which of them end at an interface is gathered once, also for worlds that share them. */
const BY_END = new WeakMap<readonly WorldLink[], ReadonlyMap<ResourceId, readonly WorldLink[]>>();

function linksByEnd(links: readonly WorldLink[]): ReadonlyMap<ResourceId, readonly WorldLink[]> {
  const known = BY_END.get(links);
  if (known !== undefined) return known;
  const found = new Map<ResourceId, WorldLink[]>();
  for (const link of links) {
    // The two ends of a port that hears itself are one.
    for (const end of new Set([interfaceResource(link.from), interfaceResource(link.to)]))
      found.set(end, [...(found.get(end) ?? []), link]);
  }
  BY_END.set(links, found);
  return found;
}

export function sourcesOf(world: World, ...nodes: readonly string[]): readonly string[] {
  return nodes.flatMap((node) => world.views.get(node)?.sources ?? []);
}

/** Port that has this address, the first of a node whose unnumbered ports borrow it; undefined when no node or several have it. */
export function ownerOf(world: World, address: string): LinkEnd | undefined {
  const [first, ...others] = world.owners.get(address) ?? [];
  return others.every(({ node }) => node === first?.node) ? first : undefined;
}

/**
 * The far end of a BGP session: the port that has the peer's address; of an unnumbered session, whose peer is a port of the node, the other end of the
 * link there. Undefined where no node or several have that address, and where no link or several are known on that port.
 */
export function peerEnd(world: World, node: string, peer: string): LinkEnd | undefined {
  if (isIpAddress(peer)) return ownerOf(world, peer);
  const [link, ...others] = linkOn(world, { node, ifname: peer });
  return link === undefined || others.length > 0 ? undefined : otherEnd(link, node);
}

/** Looks at one address are added up; what the second saw alone is kept beside them. */
function reachOf(evidence: readonly Evidence[]): readonly Reach[] {
  const found = new Map<string, Reach>();
  // Of one class of traffic over a link, or from a network of hosts, is judged by itself; echoes to hosts are among the services.
  const others = ['link-classes', 'network-reach', 'host-echo', 'host-try'];
  for (const entry of evidence.filter(({ kind, purpose }) => kind === 'reach' && !others.includes(purpose.kind))) {
    for (const result of decodeReach(entry.body)) {
      const key = `${entry.node} ${result.destination}`;
      const sender = reachSender(entry, result.destination);
      const before = found.get(key);
      // Of two own addresses only one may have a route back: where none came back to the first, the other's probes are those that count.
      const isOther = before !== undefined && before.sender !== sender && before.received === 0 && result.received > 0;
      const known = isOther ? undefined : before;
      const add = (one: { readonly sent: number; readonly received: number } | undefined) => ({
        sent: (one?.sent ?? 0) + result.sent,
        received: (one?.received ?? 0) + result.received,
      });
      const again = entry.phase === 'deepen' ? add(known?.again) : known?.again;
      const times = [known?.rttMs, result.rttMs].filter((ms) => typeof ms === 'number');
      found.set(key, {
        ...(known ?? {
          ...{ destination: result.destination, from: entry.node, source: entry.id },
          ...(sender === undefined ? {} : { sender }),
        }),
        ...(isOther ? { unanswered: unansweredOf(before) } : {}),
        ...add(known),
        rttMs: times.length === 0 ? null : Math.min(...times),
        ...(again === undefined ? {} : { again }),
      });
    }
  }
  return [...found.values()];
}

function unansweredOf({ sent, sender }: Reach): NonNullable<Reach['unanswered']> {
  return { sent, ...(sender === undefined ? {} : { sender }) };
}

/** Nodes that a question names, in its order; without any, the one that was asked. */
export function askedNodes({ path }: Pick<Intent, 'path'>, { nodes }: Pick<World, 'nodes'>): readonly string[] {
  if (path.length === 0) return nodes.slice(0, 1);
  return path.flatMap(({ key }) => nodes.find((node) => nodeKey(node) === key) ?? []);
}
