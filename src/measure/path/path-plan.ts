// Intent → the calls that answer it: state of every node before and after the probes, probes along the path and over each
// segment, some of full size along it, and the draft's statistics read at the tail. Pure: sends nothing. Implements TS-11, TS-12, TS-15.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import { type Link, linksBetween, type NamedState, neighbourKeys } from '#model/links/links.ts';
import { nodeKey } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { routedPair } from '../probe-sources.ts';
import { decapSid, endSid, loopback, ownAddresses } from '../sids.ts';
import { planFullSize, planPathLengths } from './full-size.ts';

/**
 * Probes of one measurement. The draft's 100 see nothing of a 1 % loss 37 % of the time (0.99^100); 1,000 miss it once in
 * 23,000 measurements (0.99^1000 = 4e-5), and take one second at one a millisecond.
 */
const DEFAULT_PROBE_COUNT = 1_000;
const PROBE_INTERVAL_MS = 1;
const PROBE_PAYLOAD_BYTES = 64;
const PROBE_LINGER_MS = 200;
/** What a probe call may take beyond sending and lingering. */
const PROBE_SLACK_MS = 5_000;
/** Plain probes of many flows over one link, beside those along the SID list: a fault may hit some flows and spare the rest. */
const FLOW_PROBES = 500;

export type ProbePlan =
  | { readonly ok: true; readonly calls: readonly PlannedCall[] }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Keys of nodes that both ends of a missing link name as neighbours: the way may lead over one of them. */
      readonly between?: { readonly from: string; readonly to: string; readonly over: readonly string[] };
    };

export type PlanOptions = {
  readonly probeCount?: number;
  /** Every node that the asker knows, for the answer when there is no way; the path's own without it. */
  readonly known?: readonly string[];
  /** Between which addresses the whole path is probed where SIDs do not lead along it. */
  readonly ends?: readonly [source: string, destination: string];
};

/** The probes and the statistics read. `states` holds the `before` state of each path node, in path order. */
export function planProbes(
  intent: Intent,
  states: ReadonlyMap<string, NodeState>,
  options: PlanOptions = {},
): ProbePlan {
  const path = [...states].map(([node, state], index) => ({ node, state, as: intent.path[index]?.as ?? node }));
  if (path.length < 2 || path.length !== intent.path.length) {
    return problem(
      `no path: expected the state of ${intent.path.map((node) => node.as).join(', ')}; known are ${listOf(path, options.known)}`,
    );
  }
  const segments: PlannedCall[] = [];
  const flows: PlannedCall[] = [];
  for (const [index, from] of path.slice(0, -1).entries()) {
    const to = path[index + 1]!;
    const segment = segmentProbe(from, to, path, index === 0, options);
    if (!segment.ok) return segment;
    if (path.length > 2) segments.push(...segment.calls);
    flows.push(...flowProbe(from, to, path));
  }
  const whole = wholeProbe(intent, path, options);
  if (!whole.ok) return whole;
  const tail = path.at(-1)!.node;
  return {
    ok: true,
    calls: [
      ...whole.calls,
      ...segments,
      ...flows,
      ...whole.calls.flatMap((call) => [...planFullSize(call, path), ...planPathLengths(call, path)]),
      callFor(tail, { kind: 'sid-statistics' }, {}, LIMITS.callMs),
    ],
  };
}

type PathNode = NamedState & { readonly as: string };

/** Head to tail, steered along the SID list: End SIDs of the mid-points, then the tail's decapsulation SID. */
function wholeProbe(
  intent: Intent,
  path: readonly PathNode[],
  { probeCount: count, known, ends }: PlanOptions,
): ProbePlan {
  const [head, tail, mids] = [path[0]!, path.at(-1)!, path.slice(1, -1)];
  const [source, destination] = endsOf(path, ends);
  if (destination === undefined || source === undefined) {
    return problem(
      `no path: ${head.as} and ${tail.as} have no addresses of one family to probe from and to; known are ${listOf(path, known)}`,
    );
  }
  const sids = [...mids.map((mid) => endSid(mid.state)), decapSid(tail.state)];
  const lacking = [...mids, tail].filter((_, index) => sids[index] === undefined);
  if (lacking.length > 0 && intent.encapsulation === 'srv6') {
    const wanted = lacking[0] === tail ? 'End.DT6' : 'End';
    return problem(`no SRv6 path: ${lacking[0]!.as} has no ${wanted} SID; known are ${listOf(path, known)}`);
  }
  const segments = lacking.length > 0 || !destination.includes(':') ? [] : (sids as string[]);
  return {
    ok: true,
    calls: [probeCall(head, tail, { role: 'Head', sidList: path.slice(1), segments, destination, source, count })],
  };
}

/**
 * Where the probes of the whole path go from and to: the loopbacks that its segment list ends at. Plain probes need routes there and back: addresses
 * that the states show to be routed, or of two neighbours those of their link.
 */
function endsOf(path: readonly PathNode[], given: PlanOptions['ends']): readonly [string?, string?] {
  const [head, tail] = [path[0]!, path.at(-1)!];
  const loopbacks = ownAddresses(head.state, tail.state);
  const isSteered = path.slice(1).every(({ state }) => (state === tail.state ? decapSid(state) : endSid(state)));
  if (isSteered && loopbacks[1]?.includes(':') === true) return loopbacks;
  const states = new Map(path.map(({ node, state }) => [node, state]));
  const routed = given ?? routedPair(states, head.node, tail.node);
  if (routed !== undefined) return routed;
  const known = path.map(({ node }) => node);
  const link = path.length > 2 ? undefined : linkAddresses(head, tail, linksBetween(head, tail, known));
  return link === undefined ? loopbacks : [link.from, link.to];
}

/** One segment, measured by its sending node: through the receiver's decapsulation SID, else plainly to its link address. */
function segmentProbe(
  from: PathNode,
  to: PathNode,
  path: readonly PathNode[],
  first: boolean,
  { probeCount: count, known }: PlanOptions,
): ProbePlan {
  const links = linksBetween(
    from,
    to,
    path.map((entry) => entry.node),
  );
  if (links.length === 0) return notAdjacent(from, to, path, known);
  const role = first ? 'Head' : 'Local';
  const sid = decapSid(to.state);
  const [destination, source] = [loopback(to.state), loopback(from.state)];
  if (sid !== undefined && destination !== undefined && source !== undefined) {
    return {
      ok: true,
      calls: [probeCall(from, to, { role, sidList: [to], segments: [sid], destination, source, count })],
    };
  }
  const addresses = linkAddresses(from, to, links) ?? loopbackPair(from.state, to.state);
  if (addresses === undefined) {
    return problem(
      `no way to probe ${from.as} → ${to.as}: no End.DT6 SID at ${to.as}, no addresses on their link, and no loopbacks of one family`,
    );
  }
  const target = {
    role,
    sidList: [to],
    segments: [],
    destination: addresses.to,
    source: addresses.from,
    count,
  } as const;
  return { ok: true, calls: [probeCall(from, to, target)] };
}

/** To the address of the link itself, without a segment list, from many source ports in turn. */
function flowProbe(from: PathNode, to: PathNode, path: readonly PathNode[]): readonly PlannedCall[] {
  const known = path.map((entry) => entry.node);
  const addresses = linkAddresses(from, to, linksBetween(from, to, known));
  if (addresses === undefined) return [];
  const target = {
    ...({ role: 'Local', sidList: [to], segments: [], count: FLOW_PROBES } as const),
    destination: addresses.to,
    source: addresses.from,
  };
  const planned = probeCall(from, to, target, 'path-flows');
  return [{ ...planned, arguments: { ...planned.arguments, flows: LIMITS.probeFlows } }];
}

/** Of a link that is up at both ends where there is one; IPv6 where it has such addresses, else IPv4. */
function linkAddresses(from: PathNode, to: PathNode, links: ReturnType<typeof linksBetween>): Link['addresses'] {
  const isUp = ({ state }: PathNode, ifname: string) =>
    state.inventory.interfaces.some((entry) => entry.name === ifname && entry.operUp);
  const up = links.filter((link) => isUp(from, link.from.ifname) && isUp(to, link.to.ifname));
  const pairs = (up.length > 0 ? up : links).flatMap(({ addresses }) => addresses ?? []);
  return pairs.find(({ to }) => to.includes(':')) ?? pairs[0];
}

/** Over links that borrow their addresses or have link-local ones alone, probes follow the routes. */
function loopbackPair(from: NodeState, to: NodeState): Link['addresses'] {
  const [source, destination] = ownAddresses(from, to);
  return source === undefined || destination === undefined ? undefined : { from: source, to: destination };
}

function notAdjacent(
  from: PathNode,
  to: PathNode,
  path: readonly PathNode[],
  known: readonly string[] | undefined,
): ProbePlan {
  const theirs = neighbourKeys(to.state);
  const own = new Set(path.map((entry) => nodeKey(entry.node)));
  const over = [...neighbourKeys(from.state)].filter((key) => theirs.has(key) && !own.has(key)).sort();
  const unread = [from, to].flatMap((end) => unreadAt(end));
  const why = unread.length === 0 ? '' : `, as far as is known: ${unread.join(', ')}`;
  const text = `no path: ${from.as} and ${to.as} are not adjacent${why}; known are ${listOf(path, known)}`;
  return { ok: false, problem: text, between: { from: from.node, to: to.node, over } };
}

/** Parts of a node's state that tell who its neighbours are. */
const NEIGHBOUR_PARTS: Readonly<Record<string, string>> = {
  neighbours: 'LLDP',
  adjacencies: 'IS-IS',
  ospf: 'OSPFv2',
  ospf6: 'OSPFv3',
  'kernel-tables': 'the table of neighbours',
};

function unreadAt({ as, state }: PathNode): readonly string[] {
  return state.missing.flatMap(({ part }) =>
    part in NEIGHBOUR_PARTS ? [`${NEIGHBOUR_PARTS[part]} of ${as} could not be read`] : [],
  );
}

type ProbeTarget = {
  readonly role: 'Head' | 'Local';
  readonly sidList: readonly PathNode[];
  readonly segments: readonly string[];
  readonly destination: string;
  readonly source: string;
  readonly count: number | undefined;
};

/** The draft's arguments in the draft's spelling, then ours: what exactly to send. */
function probeCall(
  from: PathNode,
  to: PathNode,
  target: ProbeTarget,
  kind: 'path-probe' | 'path-flows' = 'path-probe',
): PlannedCall {
  const count = Math.max(1, Math.min(target.count ?? DEFAULT_PROBE_COUNT, LIMITS.probeCount));
  const args: JsonObject = {
    [target.role]: from.as,
    Tail: to.as,
    'SID List': target.sidList.map((node) => node.as),
    Count: count,
    destination: target.destination,
    source: target.source,
    segments: target.segments,
    intervalMs: PROBE_INTERVAL_MS,
    payloadBytes: PROBE_PAYLOAD_BYTES,
    lingerMs: PROBE_LINGER_MS,
  };
  const purpose: PlannedPurpose = { kind, from: from.node, to: to.node };
  return callFor(from.node, purpose, args, count * PROBE_INTERVAL_MS + PROBE_LINGER_MS + PROBE_SLACK_MS);
}

function problem(text: string): ProbePlan {
  return { ok: false, problem: text };
}

/** The path's nodes as typed, then the others that are known. */
function listOf(path: readonly PathNode[], known: readonly string[] = []): string {
  const own = new Set(path.map((entry) => nodeKey(entry.node)));
  const others = known.filter((node) => !own.has(nodeKey(node)));
  const names = [...path.map((entry) => entry.as), ...[...others].sort()];
  return names.length === 0 ? 'no nodes' : names.join(', ');
}
