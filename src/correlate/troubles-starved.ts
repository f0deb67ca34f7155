// Adjacencies that are up and will not stay so: a filter at one of their ends drops what keeps them alive. Told of protocols that nobody
// but neighbours on a link speaks, and of rules for every packet of theirs that dropped some in the window.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { demands } from '#model/packet-match.ts';
import type { NodeState } from '#model/router-port.ts';
import type { Fact, FactWith, FilterHits } from './facts.ts';
import { kindOf } from './filter-kinds.ts';
import { mark } from './spelling.ts';
import type { Trouble } from './trouble.ts';
import { linkOn, otherEnd, type World } from './world.ts';

const NAMES = { isis: 'IS-IS', ospf: 'OSPF' } as const;
type Protocol = keyof typeof NAMES;
/** Hooks that hellos between neighbours pass. */
const HOOKS: ReadonlySet<string> = new Set(['ingress', 'prerouting', 'input', 'output', 'postrouting', 'egress']);

export function starvedTroubles(world: World, facts: readonly Fact[]): readonly Trouble[] {
  return facts
    .filter((fact): fact is FactWith<'filter-hits'> => fact.predicate === 'filter-hits' && takesAll(fact.value))
    .flatMap(({ value, source }) => {
      const protocol = kindOf(value);
      if (protocol !== 'isis' && protocol !== 'ospf') return [];
      return endsUp(world, value, protocol).map((end) => starved(world, protocol, end, source));
    });
}

function takesAll(rule: FilterHits): boolean {
  const { packets = 0, matchesRest, lets, hook } = rule;
  return (
    packets > 0 &&
    matchesRest !== true &&
    lets !== true &&
    HOOKS.has(hook) &&
    !demands(rule, 'source', 'destination', 'sample')
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

function upOn({ adjacencies, ospf = [] }: NodeState, protocol: Protocol): readonly string[] {
  return protocol === 'isis'
    ? adjacencies.filter(({ state }) => state === 'up').map(({ ifname }) => ifname)
    : ospf
        .filter(({ neighbours }) => neighbours.some(({ state }) => /^(?:Full|2-Way)/.test(state)))
        .map(({ ifname }) => ifname);
}

function starved(world: World, protocol: Protocol, end: LinkEnd, source: readonly string[]): Trouble {
  const [link] = linkOn(world, end);
  const far = link === undefined ? undefined : otherEnd(link, end.node);
  return {
    id: `starved:${protocol}/${end.node}/${end.ifname}`,
    kind: protocol,
    subject: interfaceResource(end),
    text: `${mark(end.node)} ${end.ifname} drops ${NAMES[protocol]}; the adjacency${far === undefined ? '' : ` with ${mark(far.node)}`} is up, and will not stay so`,
    source,
    nodes: [end.node, ...(far === undefined ? [] : [far.node])],
    ...(link === undefined ? {} : { link }),
    detail: { starved: true },
  };
}
