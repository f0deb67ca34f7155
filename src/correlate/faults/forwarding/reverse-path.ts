// reverse_path_drop: an interface takes only packets whose source the node itself would reach by that interface (RFC 3704 §2.2), and others send
// it packets of networks that it reaches by another. A contradiction between routes, with packets counted as dropped in the window. Strict
// filtering where both ways are one, as at an edge, does its work. Where no network of hosts shows it, a loopback of a sender may: then more packets
// must have been dropped than our own probes, and it is likely. IPv4 only: Linux has no such setting for IPv6.
import { interfaceResource } from '#model/names.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault, type Slice } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { entries, familyOf } from '../../network/carried.ts';
import { walk } from '../../network/forwarding.ts';
import { ownNetworks } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

type Detail = {
  readonly node: string;
  readonly ifname: string;
  /** Whose packets are dropped, one of that router's addresses, and what they are for. */
  readonly from: string;
  /** Of what that address is one. */
  readonly of: 'hosts' | 'loopback';
  readonly source: string;
  readonly destination: string;
  /** Interfaces by which the node itself reaches that source. */
  readonly back: readonly string[];
  /** In the window, by all interfaces of the node together. */
  readonly droppedPackets: number;
};

const COUNTER = 'TcpExtIPReversePathFilter';

export const reversePathDrop = defineFault<Detail>({
  id: 'reverse_path_drop',
  resource: 'interface',
  accuses: true,
  alongPath: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'an interface with a strict reverse path filter drops packets that others send by it and that the node reaches by another interface',
  detect: (slice) => [...slice.world.views.values()].flatMap((view) => detected(slice, view)),
  describe: ({ node, ifname, from, of, source, destination, back, droppedPackets }) =>
    `${nodeRef(node)} ${ifname} drops packets from ${of === 'hosts' ? 'networks of ' : ''}${nodeRef(from)} (as ${source}) for ${destination}: its reverse path filter is strict, and its own way back leaves by ${back.join(' and ')}; ${droppedPackets} packets were dropped so in the window`,
  remedy: ({ node, ifname }) => ({
    node,
    summary: `make the reverse path filter of ${nodeRef(node)} ${ifname} loose, or both ways the same`,
    command: `sysctl -w net/ipv4/conf/${ifname}/rp_filter=2`,
    decide: 'whether the two ways are meant to differ; the setting for all interfaces counts as well',
  }),
  score: 4,
  consequences: ({ detail: { node } }, file) =>
    reachSymptom
      .of(file)
      .filter(({ way, detail }) => way?.nodes.includes(node) === true && familyOf(detail.destination) === 'ipv4')
      .map(shareOf),
});

function detected(slice: Slice, view: View): readonly Detection<Detail>[] {
  const { world } = slice;
  const { node, state, before, after } = view;
  const strict = (state.forwarding?.interfaces ?? []).filter(({ reversePath }) => reversePath === 'strict');
  const droppedPackets = counterDelta(before?.nodeCounters[COUNTER], after?.nodeCounters[COUNTER]) ?? 0;
  if (strict.length === 0 || droppedPackets === 0) return [];
  return strict.flatMap(({ ifname }) => {
    const ofUsers = dropped(world, node, ifname, 'hosts');
    const found =
      ofUsers ?? (droppedPackets > ownPackets(slice) ? dropped(world, node, ifname, 'loopback') : undefined);
    if (found === undefined) return [];
    const detail = { node, ifname, ...found, droppedPackets };
    const evidence = sourcesOf(world, node, found.from);
    const likely = ofUsers === undefined ? { confidence: 'likely' as const } : {};
    return [{ resource: interfaceResource({ node, ifname }), ...likely, evidence, nodes: [node, found.from], detail }];
  });
}

/** Queries that follow a run of probes whose reflector does not answer: of probes from end to end, and of all others (router/helper/probe/). */
const REACH_QUERIES = 10;
const RUN_QUERIES = 20;

/** Most packets of this question's own probes that the filter may have dropped, or whose answers it may have: all that did not come back. */
function ownPackets({ world, facts }: Slice): number {
  const reaches = world.reach
    .filter(({ destination }) => familyOf(destination) === 'ipv4')
    .map(({ sent, received, again, unanswered }) => {
      const lost = sent - received + (unanswered?.sent ?? 0);
      return lost === 0 ? 0 : lost + REACH_QUERIES * [true, again, unanswered].filter(Boolean).length;
    });
  const runs = [...factsOf({ facts }, 'probe-loss'), ...factsOf({ facts }, 'full-size')].map(({ value: { lost } }) =>
    lost === 0 ? 0 : lost + RUN_QUERIES,
  );
  return [...reaches, ...runs].reduce((sum, each) => sum + each, 0);
}

type Dropped = Pick<Detail, 'from' | 'of' | 'source' | 'destination' | 'back'>;

/** Packets of a network of hosts, or of a loopback, that come in by the interface, and whose source the node reaches by others alone. */
function dropped(world: World, node: string, ifname: string, of: Detail['of']): Dropped | undefined {
  for (const [last, answers] of world.lookups) {
    if (last === node) continue;
    for (const answer of answers.values()) {
      const { destination } = answer;
      if (familyOf(destination) !== 'ipv4' || !entries(world, last, answer, node).includes(ifname)) continue;
      const found = senders(world, node, last, destination, of)
        .map((each) => ({ ...each, back: waysTo(world, node, each.source) }))
        .find(({ back }) => back.length > 0 && !back.includes(ifname));
      if (found !== undefined) return { ...found, of, destination };
    }
  }
  return undefined;
}

/** Nodes whose packets for the destination come by way of `last`, with an address of each of their networks of hosts, or their loopbacks. */
function senders(
  world: World,
  node: string,
  last: string,
  destination: string,
  of: Detail['of'],
): readonly { readonly from: string; readonly source: string }[] {
  return [...world.views.values()]
    .filter((view) => view.node !== node)
    .filter((view) => view.node === last || walk(world, view.node, destination).nodes.includes(last))
    .flatMap(({ node: from, state: { inventory } }) => {
      const networks = inventory.interfaces
        .filter((entry) => entry.kind !== 'loopback' && entry.operUp)
        .flatMap((entry) => ownNetworks(entry));
      const own = of === 'hosts' ? networks : inventory.loopbacks;
      return own.map((each) => ({ from, source: each.split('/')[0]! }));
    });
}

/** Nothing where it is not known, or not forwarded. */
function waysTo(world: World, node: string, source: string): readonly string[] {
  const answer: RouteAnswer | undefined = world.lookups.get(node)?.get(source);
  if (answer?.kind !== 'unicast') return [];
  return answer.ifnames ?? (answer.ifname === undefined ? [] : [answer.ifname]);
}
