// reverse_path_drop: an interface takes only packets whose source the node itself would reach by that interface (RFC 3704 §2.2), and others send
// it packets of networks that it reaches by another. A contradiction between routes, with packets counted as dropped in the window. Strict
// filtering where both ways are one, as at an edge, does its work. Where no network of hosts shows it, a loopback of a sender may: then more packets
// must have been dropped than our own, and it is likely; where the filter is not known to have become strict, it stays open. IPv4 only: Linux has
// no such setting for IPv6.
import { interfaceResource } from '#model/names.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { type Detection, defineFault, type Slice } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { entries, familyOf } from '../../network/carried.ts';
import { walk } from '../../network/forwarding.ts';
import { ownNetworks } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { sourcesOf, statesSeen, type View, type World } from '../../network/world.ts';
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
    summary: `make the reverse path filter of ${nodeRef(node)} ${ifname} loose, or route both directions the same way`,
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

function detected({ world }: Slice, view: View): readonly Detection<Detail>[] {
  const { node, state, before, after } = view;
  const strict = (state.forwarding?.interfaces ?? []).filter(({ reversePath }) => reversePath === 'strict');
  const droppedPackets = counterDelta(before?.nodeCounters[COUNTER], after?.nodeCounters[COUNTER]) ?? 0;
  if (strict.length === 0 || droppedPackets === 0) return [];
  return strict.flatMap(({ ifname }) => {
    const ofUsers = dropped(world, node, ifname, 'hosts');
    const found =
      ofUsers ?? (droppedPackets > (world.ownLost ?? 0) ? dropped(world, node, ifname, 'loopback') : undefined);
    if (found === undefined) return [];
    const detail = { node, ifname, ...found, droppedPackets };
    const evidence = sourcesOf(world, node, found.from);
    const common = { resource: interfaceResource({ node, ifname }), evidence, nodes: [node, found.from], detail };
    if (ofUsers !== undefined) return [common];
    const withheld = whyNotSure(world, node, ifname);
    return [{ ...common, confidence: 'likely', ...(withheld === undefined ? {} : { withheld }) }];
  });
}

/**
 * The counter is the node's, and says neither which interface dropped nor whose packets: strangers' forged ones count as well, as at every edge. Where
 * a loopback alone shows it, a filter that became strict, and a counter that stood still until then, say that these are the packets.
 */
function whyNotSure(world: World, node: string, ifname: string): string | undefined {
  const modeOf = ({ forwarding }: NodeState) =>
    forwarding?.interfaces.find((row) => row.ifname === ifname)?.reversePath;
  const isNew =
    seenOtherwise(world, node, modeOf).length > 0 ||
    settingsBefore(world, node, 'forwarding', ifname, 'reverse-path').length > 0;
  if (!isNew)
    return `the count is of all interfaces of ${nodeRef(node)}, and nothing that it remembers says that the filter of ${ifname} was ever less strict: strangers may have sent what was dropped`;
  const earlier = statesSeen(world, node).filter((then) => modeOf(then) !== 'strict');
  const counts = earlier.map(({ nodeCounters }) => nodeCounters[COUNTER]);
  return counts.slice(1).some((older, index) => (counterDelta(older, counts[index]) ?? 0) > 0)
    ? `${nodeRef(node)} dropped packets so before the filter of ${ifname} became strict as well`
    : undefined;
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
