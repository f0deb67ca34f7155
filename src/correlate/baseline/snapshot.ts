// A case file as a profile: what the network looks like, without loads and counters. Rules do not read it; comparisons do.

import { interfaceResource, isNodeName, nodeResource } from '#model/names.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { NO_PEER, PROFILE_PARTS, type Profile, type ProfileEntry, type ProfilePart } from '#model/snapshot.ts';
import { type CaseFile, factsOf } from '../engine/facts.ts';
import { interfaceOf, ownerOf, type View, type World } from '../network/world.ts';

export function profileOf(file: CaseFile): Profile {
  const { world } = file;
  const views = [...world.views.values()];
  const entries = [...linkEntries(world), ...views.flatMap(nodeEntries), ...routeEntries(world)];
  return {
    nodes: views.map(({ node }) => node).sort(),
    told: views.flatMap((view) => toldOf(world, view)).sort(),
    entries: entries.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    roundTrips: factsOf(file, 'round-trip').map(({ value: { from, to, min, avg } }) => ({
      from,
      to,
      minMs: round(min),
      avgMs: round(avg),
    })),
  };
}

export function keyOf({ part, subject }: Pick<ProfileEntry, 'part' | 'subject'>): string {
  return `${part} ${subject}`;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A state that was read for one path only says nothing of protocols; a protocol whose daemon is known not to run does. */
function toldOf(world: World, { node, state }: View): readonly string[] {
  const withProtocols = state.daemons !== undefined || state.bgp !== undefined || state.bfd !== undefined;
  const silent: readonly ProfilePart[] = [
    ...(withProtocols ? [] : (['session', 'prefix'] as const)),
    ...(world.lookups.has(node) ? [] : (['route'] as const)),
  ];
  return PROFILE_PARTS.filter((part) => !silent.includes(part)).map((part) => `${node} ${part}`);
}

function linkEntries(world: World): readonly ProfileEntry[] {
  return world.links.map(({ key, from, to }) => {
    const up = [from, to].every((end) => {
      const state = interfaceOf(world, end);
      return state?.adminUp === true && state.operUp;
    });
    const value = up ? 'up' : 'down';
    return { part: 'link', subject: key, nodes: [from.node, to.node], value, resource: key, ends: [from, to] };
  });
}

function nodeEntries({ node, state }: View): readonly ProfileEntry[] {
  const entry = (part: ProfilePart, subject: string, value: string, ifname?: string): ProfileEntry => ({
    part,
    subject,
    nodes: [node],
    value,
    ...(ifname === undefined
      ? { resource: nodeResource(node) }
      : { resource: interfaceResource({ node, ifname }), ends: [{ node, ifname }] }),
  });
  const wires = state.inventory.interfaces.filter(({ kind }) => kind !== 'loopback');
  return [
    ...state.adjacencies.map(({ level, ifname, systemId, hostname, state: value }) => {
      const far = hostname !== undefined && isNodeName(hostname) ? hostname : systemId;
      return entry('adjacency', `isis level ${level} ${node} ${ifname} to ${far}`, value, ifname);
    }),
    ...ospfRows(state).flatMap(({ version, ifname, neighbours }) =>
      neighbours.map(({ routerId, state: value }) =>
        entry('adjacency', `${version === 3 ? 'ospf6' : 'ospf'} ${node} ${ifname} to ${routerId}`, value, ifname),
      ),
    ),
    ...(state.bgp?.sessions ?? []).map(({ peer, state: value }) => entry('session', `bgp ${node} to ${peer}`, value)),
    ...(state.bfd ?? []).map(({ peer, ifname, status }) =>
      entry('session', `bfd ${node}${ifname === undefined ? '' : ` ${ifname}`} to ${peer}`, status, ifname),
    ),
    ...wires.map(({ name, mtu }) => entry('mtu', `${node} ${name}`, String(mtu), name)),
    ...state.inventory.interfaces.flatMap(({ name, addresses }) =>
      addresses.filter(isGlobal).map((address) => entry('address', `${node} ${name} ${address}`, 'set', name)),
    ),
    ...(state.bgp?.ownPrefixes ?? []).map(({ prefix, advertisedTo }) =>
      entry(
        'prefix',
        `${node} ${prefix}`,
        advertisedTo.length === 0 ? NO_PEER : `to ${[...advertisedTo].sort().join(', ')}`,
      ),
    ),
    ...state.inventory.sids.map(({ sid, behavior }) => entry('sid', `${node} ${sid}`, behavior)),
  ];
}

function isGlobal(address: string): boolean {
  return !/^(?:fe[89ab]|::1\/|127\.)/i.test(address);
}

function routeEntries(world: World): readonly ProfileEntry[] {
  return [...world.lookups].flatMap(([node, answers]) =>
    [...answers.values()].map((answer): ProfileEntry => {
      const owner = ownerOf(world, answer.destination)?.node;
      return {
        part: 'route',
        subject: `${node} to ${answer.destination}`,
        nodes: [node, ...(owner === undefined || owner === node ? [] : [owner])],
        value: wayOf(answer),
        resource: nodeResource(node),
      };
    }),
  );
}

function wayOf({ kind, matched, ifname, ifnames }: RouteAnswer): string {
  const out = ifnames === undefined || ifnames.length === 0 ? ifname : [...ifnames].sort().join(', ');
  return `${kind}${matched === undefined ? '' : ` by ${matched}`}${out === undefined ? '' : ` over ${out}`}`;
}
