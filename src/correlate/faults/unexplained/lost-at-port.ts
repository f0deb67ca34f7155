// One port at which packets are lost: its own queue takes every packet of a size that its MTU allows, or it answers no address resolution
// of the neighbour that it resolves itself. Each needs two witnesses, the probes that were lost and what a node at the link counted or holds.
import { interfaceResource } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, sourcesOf, type View, type World } from '../../network/world.ts';
import { COVERED } from '../../packet-filter/probe-packets.ts';
import { overAddress } from '../../symptoms/consequences.ts';
import { type MtuDetail, mtuSymptom } from '../../symptoms/links/mtu.ts';
import { queueCounts } from '../../symptoms/links/queue-overflow.ts';
import { type EntryDetail, entrySymptom } from '../../symptoms/neighbour-entries.ts';
import { differingState } from './differing-state.ts';
import type { UnexplainedPlace } from './place.ts';

export function lostAtPorts(file: CaseFile): readonly UnexplainedPlace[] {
  return [
    ...mtuSymptom.of(file).flatMap((symptom) => largeInQueue(file, symptom)),
    ...entrySymptom.of(file).flatMap((symptom) => unansweredResolution(file, symptom)),
  ];
}

/** Of the two ends exactly one has a queue that dropped as many packets as large probes were lost, all of them. */
function largeInQueue(file: CaseFile, symptom: Symptom<MtuDetail>): readonly UnexplainedPlace[] {
  const { link, detail } = symptom;
  if (link === undefined || detail.large !== true) return [];
  const probes = factsOf(file, 'large-probes').filter(({ value }) => value.link === link.key);
  const lost = probes.reduce((sum, { value }) => sum + value.sent - value.received, 0);
  const dropping = [link.from, link.to].flatMap((end) =>
    queueCounts(file.world.views.get(end.node) ?? {})
      .filter(({ queue, drops }) => queue.ifname === end.ifname && drops >= lost * COVERED)
      .map(({ queue, drops }) => ({ kind: queue.kind, drops, end })),
  );
  const [only, ...others] = dropping;
  if (lost === 0 || only === undefined || others.length > 0) return [];
  const { end, kind, drops } = only;
  return [
    {
      resource: interfaceResource(end),
      explains: [shareOf(symptom)],
      evidence: [...symptom.source, ...sourcesOf(file.world, end.node)],
      detail: {
        node: end.node,
        where: `at ${nodeRef(end.node)} ${end.ifname}, in its own queue (${kind})`,
        packets: `close to the MTU of ${interfaceOf(file.world, end)?.mtu ?? detail.from}`,
        lost: [symptom.text],
        also: [],
        counters: [`its queue dropped ${drops} packets in the window, and ${lost} large probes were lost`],
        differs: differingState(file, [end]),
      },
    },
  ];
}

/**
 * A node cannot resolve a neighbour's address, and the neighbour has resolved the node's on the same link and keeps it confirmed: requests and
 * answers pass the wire and the node's port. What is left is the neighbour's port, which does not answer; or the neighbour's kernel says itself
 * that it answers none there.
 */
function unansweredResolution(file: CaseFile, symptom: Symptom<EntryDetail>): readonly UnexplainedPlace[] {
  const { world } = file;
  const { node, ifname, address, owner, ownerInterface, unresolved } = symptom.detail;
  const end = { node: owner, ifname: ownerInterface };
  const isOff = isArpOff(world, symptom.detail);
  const isWitnessed = isOff || isResolvedBack(world, symptom.detail);
  if (!unresolved || !staysUnresolved(world, symptom.detail) || !isWitnessed) return [];
  if (filtersAt(world, [node, owner]) || !isLostAgain(world, node, address)) return [];
  const clean = factsOf(file, 'probe-loss').filter(({ value }) => value.link === symptom.link?.key);
  if (!clean.some(({ value }) => value.sent > 0) || clean.some(({ value }) => isLoss(value.sent, value.lost)))
    return [];
  const lost = world.reach.filter((row) => row.from === node && row.destination === address);
  return [
    {
      resource: interfaceResource(end),
      explains: [shareOf(symptom), ...overAddress(file, symptom)],
      evidence: [...new Set([...symptom.source, ...lost.map(({ source }) => source)])],
      detail: {
        node: owner,
        where: `at ${nodeRef(owner)} ${ownerInterface}, which does not answer address resolution`,
        packets: `sent to ${address} over the link`,
        lost: lost.map(({ sent, received }) => `${nodeRef(node)} → ${address}: ${sent - received} of ${sent} echoes`),
        also: [symptom.text],
        counters: [
          isOff
            ? `net.ipv4.conf.${ownerInterface}.arp_ignore of ${nodeRef(owner)} is 8: it answers no ARP request there`
            : `${nodeRef(owner)} has resolved the address of ${nodeRef(node)} ${ifname} on the same link, and other packets pass it`,
        ],
        differs: differingState(file, [end]),
      },
    },
  ];
}

function isArpOff({ views }: World, { address, owner, ownerInterface }: EntryDetail): boolean {
  const rows = views.get(owner)?.state.forwarding?.interfaces ?? [];
  return !address.includes(':') && rows.some(({ ifname, arpOff }) => ifname === ownerInterface && arpOff === true);
}

function staysUnresolved({ views }: World, { node, ifname, address }: EntryDetail): boolean {
  const { before, after } = views.get(node) ?? {};
  return [before, after].every((state) =>
    state?.neighbourTable?.some(
      (row) =>
        row.ifname === ifname &&
        row.address === address &&
        row.mac === undefined &&
        /FAILED|INCOMPLETE/.test(row.state),
    ),
  );
}

/** A kernel takes an entry for confirmed for up to 45 s (base_reachable_time_ms and half of it): what it says is newer than this. */
const CONFIRMED_MS = 60_000;

/**
 * Confirmed while the node could not resolve: between the two readings, or in the last of them where the session over the address has been down
 * for longer than a confirmation lasts. An entry from before the fault says nothing of it.
 */
function isResolvedBack(world: World, { node, ifname, address, owner, ownerInterface }: EntryDetail): boolean {
  const near = interfaceOf(world, { node, ifname });
  const mine = (near?.addresses ?? []).map((each) => each.split('/')[0]!);
  const { before, after } = world.views.get(owner) ?? {};
  const [was, is] = [before, after].map((state) =>
    state?.neighbourTable?.find(
      (row) =>
        row.ifname === ownerInterface &&
        mine.includes(row.address) &&
        row.address.includes(':') === address.includes(':') &&
        row.mac?.toLowerCase() === near?.mac?.toLowerCase(),
    ),
  );
  if (is?.state !== 'REACHABLE') return false;
  const isRenewed = was !== undefined && was.state !== 'REACHABLE';
  const downMs = Math.max(
    0,
    ...[world.views.get(node), world.views.get(owner)].map((view) => sinceLost(view, [address, is.address])),
  );
  return isRenewed || downMs >= CONFIRMED_MS;
}

/** How long ago the last session with one of the addresses was lost; 0 where none was. */
function sinceLost(view: View | undefined, addresses: readonly string[]): number {
  const ages = (view?.state.history?.events ?? [])
    .filter((event) => event.kind === 'session' && !event.up && addresses.includes(event.subject))
    .map(({ agoMs }) => agoMs);
  return ages.length === 0 ? 0 : Math.min(...ages);
}

/** Dropping rules for address resolution, or for all that comes in: faults and policies with names of their own. */
function filtersAt({ views }: World, nodes: readonly string[]): boolean {
  return nodes.some((node) =>
    (views.get(node)?.state.filters ?? []).some(
      ({ family, verdict }) => ['arp', 'netdev', 'bridge'].includes(family) && ['drop', 'reject'].includes(verdict),
    ),
  );
}

/** None came back in the confirmation round. */
function isLostAgain({ reach }: World, node: string, address: string): boolean {
  return reach.some(
    ({ from, destination, again }) =>
      from === node && destination === address && again !== undefined && again.sent > 0 && again.received === 0,
  );
}
