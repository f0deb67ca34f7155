// What hosts did and is over: the looks that their routers kept, judged by the rules of the present as if they were of now, asks for
// somebody far away, and names that a server had lost. A look says nothing where the port itself had fallen, was set otherwise, or had a
// filter before it: then the router was the matter, not the host.

import type { HostLook, LostName } from '#model/router/host-history.ts';
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../engine/facts.ts';
import { rank } from '../engine/rank.ts';
import type { Symptom } from '../engine/symptom.ts';
import { hostSymptoms, maskSymptom } from '../faults/hosts/host-symptoms.ts';
import { FAULT_DEFINITIONS } from '../faults/registry.ts';
import { deadServices } from '../faults/services/asked-service-symptoms.ts';
import { lostName } from '../faults/services/dns-record-symptoms.ts';
import { lateServers } from '../faults/services/name-symptoms.ts';
import { isDropping } from '../faults/services/service-symptoms.ts';
import { remembered } from '../network/hosts.ts';
import type { View, World } from '../network/world.ts';
import { farAsksOf } from '../observe/off-link-arp.ts';
import { lastOfEach, type PastFinding } from './past.ts';

/** Looks are some seconds apart, and whole states too: what was within this of a look was at the same time. */
const NEAR_MS = 8_000;

export function hostsOver(now: World): readonly PastFinding[] {
  const { sinceMs } = now;
  if (sinceMs === undefined) return [];
  const found = [...now.views.values()].flatMap((view) => [
    ...looksOf(view, sinceMs).flatMap((look) => judged(now, symptomsIn(now, view, look), look.untilAgoMs)),
    ...farAsks(now, view, sinceMs),
    ...lostNames(now, view, sinceMs),
  ]);
  const latest = lastOfEach(found);
  const elsewhere = new Set(
    latest.flatMap(({ proposal: { fault, resource } }) => (fault === 'host_incorrect_ip' ? [resource] : [])),
  );
  // A host that was found under another address was seen without its own before that.
  return latest.filter(({ proposal: { fault, resource } }) => fault !== 'host_missing_ip' || !elsewhere.has(resource));
}

export function looksOf({ before, state }: View, sinceMs: number): readonly HostLook[] {
  const looks = before?.history?.watchedHosts?.looks ?? state.history?.watchedHosts?.looks ?? [];
  return looks.filter(({ untilAgoMs }) => untilAgoMs <= sinceMs);
}

/** The same questions as of the present, put to what was seen then; no other node's look is among it. */
function symptomsIn(now: World, view: View, look: HostLook): readonly Symptom[] {
  const { node } = view;
  const source = view.sources[0] ?? '';
  const alone: View = { node, state: view.state, sources: view.sources };
  const then: World = {
    ...without(now, 'service'),
    views: new Map([...now.views, [node, alone]]),
    hosts: look.ports.map((port) => ({ ...port, node, evidence: source })),
    serviceProbes: look.tries.map((result) => ({ ...result, from: node, source })),
  };
  const states = statesNear(view, look);
  const hosts = hostSymptoms(then).filter(({ detail }) => isFree(view, look, states, String(detail['ifname'])));
  const services = deadServices(then).filter(
    ({ nodes, detail }) =>
      nodes.includes(node) &&
      isFree(view, look, states, String(detail['ifname'])) &&
      !states.some((state) => state.filters.some((rule) => isDropping(rule) && mayTake(rule, packetTo(detail)))),
  );
  const late = lateServers(then).filter(
    ({ nodes, detail }) => nodes.includes(node) && isFree(view, look, states, String(detail['ifname'])),
  );
  return [...hosts, ...services, ...late];
}

function without<T, K extends keyof T>(whole: T, name: K): Omit<T, K> {
  const { [name]: _left, ...rest } = whole;
  return rest;
}

type Time = Pick<HostLook, 'fromAgoMs' | 'untilAgoMs'>;

/** The node's states at about that time: those that it remembers, and the present one. */
export function statesNear({ before, state }: View, look: Time): readonly NodeState[] {
  const past = (before?.past ?? state.past ?? []).filter(
    ({ fromAgoMs, untilAgoMs }) => untilAgoMs <= look.fromAgoMs + NEAR_MS && fromAgoMs >= look.untilAgoMs - NEAR_MS,
  );
  return [...past.map((each) => each.state), state];
}

/** The port was up, and set as it is now, all the time; no filter took ARP. */
export function isFree(view: View, look: Time, states: readonly NodeState[], ifname: string): boolean {
  const events = (view.state.history?.events ?? []).filter(
    ({ kind, subject, agoMs }) =>
      kind === 'carrier' &&
      subject === ifname &&
      agoMs >= look.untilAgoMs - NEAR_MS &&
      agoMs <= look.fromAgoMs + NEAR_MS,
  );
  const settings = states.map(({ inventory }) => {
    const entry = inventory.interfaces.find(({ name }) => name === ifname);
    return JSON.stringify([entry?.adminUp, entry?.operUp, entry?.mac, [...(entry?.addresses ?? [])].sort()]);
  });
  const filtered = states.some(({ filters }) =>
    filters.some((rule) => isDropping(rule) && mayTake(rule, { network: 'arp' })),
  );
  return events.length === 0 && new Set(settings).size === 1 && !filtered;
}

function packetTo(detail: Symptom['detail']): Packet {
  const protocol = detail['name'] === 'dns' ? 'udp' : 'tcp';
  return {
    ...{ network: 'ip', protocol, destinationPort: Number(detail['port']) },
    destinations: [String(detail['address'])],
  };
}

/** What the rules of the present say of these symptoms. */
export function judged(world: World, symptoms: readonly Symptom[], agoMs: number): readonly PastFinding[] {
  if (symptoms.length === 0) return [];
  const planned = { proven: [], lacking: [], unanswered: [] };
  const file: CaseFile = { path: [], facts: [], world, planned, expected: [], symptoms };
  const proposals = FAULT_DEFINITIONS.filter(({ accuses }) => accuses).flatMap((rule) => rule.propose(file, []));
  return rank(proposals, [], symptoms).chosen.map((proposal) => ({ proposal, agoMs }));
}

function farAsks(world: World, view: View, sinceMs: number): readonly PastFinding[] {
  const { before, state } = view;
  const asks = (before?.history ?? state.history)?.watchedHosts?.asks.filter(({ agoMs }) => agoMs <= sinceMs) ?? [];
  const hosts = [...new Set(asks.map(({ ifname }) => ifname))].flatMap((ifname) => remembered(world, view, ifname));
  return hosts.flatMap((host) => {
    const mine = farAsksOf(world, view, host, asks);
    const latest = [...mine].sort((one, other) => one.agoMs - other.agoMs)[0];
    return latest === undefined ? [] : judged(world, [maskSymptom(world, view, host, latest.target)], latest.agoMs);
  });
}

function lostNames(world: World, view: View, sinceMs: number): readonly PastFinding[] {
  const { before, state } = view;
  const rows = (before?.history ?? state.history)?.watchedHosts?.names ?? [];
  return rows
    .filter((row) => row.othersOnly !== true && row.lostAgoMs <= sinceMs && isKnownAgain(world, view, row))
    .flatMap((row) => judged(world, [lostName(view, row, [])], row.lostAgoMs));
}

function isKnownAgain(world: World, { node }: View, { address, name, okAgoMs, lostAgoMs }: LostName): boolean {
  const asked = world.serviceProbes.filter(
    (serviceProbe) =>
      serviceProbe.from === node && serviceProbe.destination === address && serviceProbe.record === name,
  );
  return (
    asked.some(({ found }) => found === true) || (okAgoMs < lostAgoMs && asked.every(({ found }) => found !== false))
  );
}
