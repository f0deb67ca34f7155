// Adjacencies that are up and will not stay so: a filter at one of their ends drops what keeps them alive. Raised for protocols that only
// neighbours on a link speak, and for rules for every packet of theirs that dropped as many in the window as they send. Not where a
// hello got through all the same: such a rule is against others.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { OSPF_NAMES, OSPF_VERSIONS, type OspfVersion, ospfRows } from '#model/router/control-plane.ts';
import { demands, mayTake } from '#model/router/packet-match.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Fact, type FilterHits, factsOf } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, otherEnd, type View, type World } from '../network/world.ts';
import { kindOf } from '../packet-filter/filter-kinds.ts';
import { ospfPacket } from '../packet-filter/protocol-drops.ts';
import { versionMark } from './adjacency.ts';

/** IS-IS, or OSPF of a version. */
type Protocol = 'isis' | OspfVersion;
/** Hooks of what the node itself sends. */
const LEAVING: ReadonlySet<string> = new Set(['output', 'postrouting', 'egress']);
/** FRR's own, unless it is set otherwise. */
const ISIS_HELLO_SECONDS = 3;
const OSPF_HELLO_SECONDS = 10;
/** Hooks that hellos between neighbours pass. */
const HOOKS: ReadonlySet<string> = new Set(['ingress', 'prerouting', 'input', 'output', 'postrouting', 'egress']);

export function starvedSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  return factsOf({ facts }, 'filter-hits')
    .filter(({ value }) => takesAll(value))
    .flatMap(({ value, source }) => {
      const all = protocolsOf(value).flatMap((protocol) =>
        endsUp(world, value, protocol).map((end) => ({ protocol, end })),
      );
      if (all.length === 0 || (value.packets ?? 0) < leastPackets(world, all)) return [];
      return all
        .filter(({ protocol, end }) => protocol !== 'isis' || !isRefreshed(world, receiverOf(world, value, end)))
        .map(({ protocol, end }) => starved(world, protocol, end, source));
    });
}

/** What neighbours on a link speak, and the rule takes. */
function protocolsOf(rule: FilterHits): readonly Protocol[] {
  const kind = kindOf(rule);
  if (kind === 'isis') return [kind];
  return kind === 'ospf' ? OSPF_VERSIONS.filter((version) => mayTake(rule, ospfPacket(version))) : [];
}

function takesAll(rule: FilterHits): boolean {
  const { packets = 0, matchesRest, lets, hook } = rule;
  return (
    packets > 0 &&
    matchesRest !== true &&
    lets !== true &&
    HOOKS.has(hook) &&
    !demands(rule, 'source', 'destination', 'sample', 'in', 'out')
  );
}

/** Interfaces under the rule over which the protocol has a neighbour at both ends, as far as the other one is known. */
function endsUp(
  world: World,
  { node, inInterfaces, outInterfaces }: FilterHits,
  protocol: Protocol,
): readonly LinkEnd[] {
  const state = world.views.get(node)?.state;
  const bound = [...inInterfaces, ...outInterfaces];
  const up = state === undefined ? [] : upOn(state, protocol);
  return [...new Set(up)]
    .filter((ifname) => bound.length === 0 || bound.includes(ifname))
    .map((ifname) => ({ node, ifname }))
    .filter((end) =>
      linkOn(world, end).every((link) => {
        const far = otherEnd(link, node);
        const theirs = world.views.get(far.node)?.state;
        return theirs === undefined || upOn(theirs, protocol).includes(far.ifname);
      }),
    );
}

/** Half of what the neighbours on these interfaces send, or are sent, in the time between the two readings. */
function leastPackets(world: World, all: readonly { readonly protocol: Protocol; readonly end: LinkEnd }[]): number {
  const each = all.map(({ protocol, end: { node, ifname } }) => {
    const view = world.views.get(node);
    const seconds = helloSeconds(view?.state, protocol, ifname);
    return (view === undefined ? 0 : windowSeconds(view)) / seconds;
  });
  return each.reduce((sum, hellos) => sum + hellos, 0) / 2;
}

function helloSeconds(state: NodeState | undefined, protocol: Protocol, ifname: string): number {
  if (protocol === 'isis')
    return state?.isis?.circuits.find((circuit) => circuit.ifname === ifname)?.helloSeconds ?? ISIS_HELLO_SECONDS;
  const helloMs = ospfRows(state ?? {}, protocol).find((each) => each.ifname === ifname)?.helloMs;
  return helloMs === undefined ? OSPF_HELLO_SECONDS : helloMs / 1_000;
}

function windowSeconds({ before, after }: View): number {
  const [start, end] = [before?.countersReadMs, after?.countersReadMs];
  return start === undefined || end === undefined ? 0 : Math.max(0, end - start) / 1_000;
}

/** The end that hears nothing while the rule drops: this one, or the other where the rule drops what this end sends. */
function receiverOf(world: World, { hook }: FilterHits, end: LinkEnd): LinkEnd {
  const [link] = LEAVING.has(hook) ? linkOn(world, end) : [];
  return link === undefined ? end : otherEnd(link, end.node);
}

/** Its time to live grew between the two readings: a hello came. Both are whole seconds. */
function isRefreshed(world: World, { node, ifname }: LinkEnd): boolean {
  const view = world.views.get(node);
  if (view === undefined) return false;
  const left = (state: NodeState | undefined) =>
    state?.adjacencies.find((each) => each.ifname === ifname && each.state === 'up')?.holdSeconds;
  const [before, after] = [left(view.before), left(view.after)];
  return before !== undefined && after !== undefined && after - (before - windowSeconds(view)) >= 2;
}

function upOn(node: NodeState, protocol: Protocol): readonly string[] {
  return protocol === 'isis'
    ? node.adjacencies.filter(({ state }) => state === 'up').map(({ ifname }) => ifname)
    : ospfRows(node, protocol)
        .filter(({ neighbours }) => neighbours.some(({ state }) => /^(?:Full|2-Way)/.test(state)))
        .map(({ ifname }) => ifname);
}

function starved(world: World, protocol: Protocol, end: LinkEnd, source: readonly string[]): Symptom {
  const [link] = linkOn(world, end);
  const far = link === undefined ? undefined : otherEnd(link, end.node);
  const [kind, name] = protocol === 'isis' ? ['isis', 'IS-IS'] : ['ospf', OSPF_NAMES[protocol]];
  return {
    id: `starved:${protocol === 3 ? 'ospf6' : kind}/${end.node}/${end.ifname}`,
    kind: kind!,
    subject: interfaceResource(end),
    text: `${nodeRef(end.node)} ${end.ifname} drops ${name}; the adjacency${far === undefined ? '' : ` with ${nodeRef(far.node)}`} is up, and will not stay so`,
    source,
    nodes: [end.node, ...(far === undefined ? [] : [far.node])],
    ...(link === undefined ? {} : { link }),
    detail: { starved: true, ...(protocol === 3 ? versionMark(protocol) : {}) },
  };
}
