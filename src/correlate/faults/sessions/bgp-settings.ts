// Settings of the two ends of a BGP session that exclude each other: passwords (RFC 2385), hops (RFC 5082), addresses, address families
// (RFC 4760 §8), roles (RFC 9234 §4.2) and router ids (RFC 6286 §2.3). A difference with which a session can come up is none.

import { covers, isIpAddress } from '#base/ip.ts';
import type { BgpSession, BgpState } from '#model/router/control-plane.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { COUNTERPART } from '../../network/bgp-roles.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, ownerOf, type World } from '../../network/world.ts';
import { type Compared, type Difference, oddNodes } from './mismatch.ts';
import { wrongSignatures } from './refused.ts';

export type BgpEnd = Compared<BgpSession> & { readonly bgp: BgpState };

type Ends = readonly [BgpEnd, BgpEnd];

export function contradictions(world: World, ends: Ends): readonly Difference[] {
  return [
    password(world, ends),
    hops(ends),
    distance(world, ends),
    openers(world, ends),
    families(ends),
    roles(ends),
    ids(world, ends),
  ].flatMap((found) => found ?? []);
}

/** Both ends' settings and state, where they are known: `password: yes / no`. */
export function settingsOf(ends: Ends): readonly string[] {
  const rows: readonly (readonly [string, (end: BgpEnd) => string])[] = [
    ['state', ({ row }) => row.state],
    ['peer', ({ row }) => row.peer],
    ['password', ({ row }) => (row.password ? 'yes' : 'no')],
    ['ttl-security hops', ({ row }) => `${row.ttlSecurityHops ?? 'no'}`],
    ['ebgp-multihop', ({ row }) => `${row.multihop ?? 'no'}`],
    ['disable-connected-check', ({ row }) => (row.unconnected === true ? 'yes' : 'no')],
    ['update-source', ({ row }) => row.updateSource ?? 'no'],
    ['passive', ({ row }) => (row.passive === true ? 'yes' : 'no')],
    ['families', ({ row }) => (row.families === undefined ? 'not known' : row.families.join(' ') || 'none')],
    ['local-role', ({ row }) => row.role ?? 'no'],
    ['policies', ({ row }) => `${row.policies.length}`],
    ['router id', ({ bgp }) => bgp.routerId ?? 'not known'],
    ['established', ({ row }) => `${row.established} times`],
    ['last message', ({ row }) => (row.heardAgoMs === undefined ? 'never' : `${ageWords(row.heardAgoMs)} ago`)],
  ];
  return rows.map(([name, say]) => `${name}: ${ends.map(say).join(' / ')}`);
}

function password(world: World, ends: Ends): Difference | undefined {
  const [near, far] = ends;
  const [one, other] = near.row.password ? [near, far] : [far, near];
  if (one.row.password !== other.row.password)
    return {
      words: `${nodeRef(one.node)} has a password for ${one.row.peer}, ${nodeRef(other.node)} has none for ${other.row.peer}`,
      odd: oddNodes(ends, (row) => row.password),
    };
  const counted = one.row.password ? wrongSignatures(world, [near.node, far.node]) : [];
  if (counted.length === 0) return undefined;
  const words = `${nodeRef(near.node)} and ${nodeRef(far.node)} have passwords for each other that differ: ${counted.join(', ')}`;
  return { words, odd: [], confidence: 'likely' };
}

/** Largest TTL, which `ttl-security` sends; an eBGP session without multihop sends 1. */
const MOST_TTL = 255;

function isExternal({ remoteAs, localAs }: BgpSession): boolean {
  return remoteAs !== localAs;
}

function ttlOf(row: BgpSession): number {
  if (row.ttlSecurityHops !== undefined || !isExternal(row)) return MOST_TTL;
  return row.multihop ?? 1;
}

function hops(ends: Ends): Difference | undefined {
  const refusing = ends.filter(({ row }, index) => {
    const sender = ends[1 - index]!;
    return row.ttlSecurityHops !== undefined && ttlOf(sender.row) < MOST_TTL + 1 - row.ttlSecurityHops;
  });
  const [strict] = refusing;
  if (strict === undefined) return undefined;
  const other = ends.find((end) => end !== strict)!;
  return {
    words: `${nodeRef(strict.node)} has ttl-security (${strict.row.ttlSecurityHops} hops) for ${strict.row.peer}, ${nodeRef(other.node)} has none for ${other.row.peer} and sends TTL ${ttlOf(other.row)}`,
    odd: oddNodes(ends, ({ ttlSecurityHops }) => ttlSecurityHops !== undefined),
  };
}

/** eBGP over more than one hop, which one end does not allow for. */
function distance(world: World, ends: Ends): Difference | undefined {
  const short = ends.filter(
    ({ node, row }) =>
      isExternal(row) && ttlOf(row) === 1 && row.unconnected !== true && !isConnected(world, node, row.peer),
  );
  const [near] = short;
  if (near === undefined || short.length !== 1) return undefined;
  const far = ends.find((end) => end !== near)!;
  return {
    words: `${nodeRef(near.node)} has no ebgp-multihop for ${near.row.peer}, which is on no link of it; ${nodeRef(far.node)} has it for ${far.row.peer}`,
    odd: oddNodes(ends, ({ multihop }) => multihop !== undefined),
  };
}

/** A peer that is a port of the node is on a link of it. */
export function isConnected(world: World, node: string, peer: string): boolean {
  const interfaces = world.views.get(node)?.state.inventory.interfaces ?? [];
  return interfaces.some(({ name, addresses }) => name === peer || addresses.some((own) => covers(own, peer)));
}

/** Neither end opens a connection that the other takes for the session. */
function openers(world: World, ends: Ends): Difference | undefined {
  const reasons = ends.map((end, index) => refusal(world, end, ends[1 - index]!));
  const [one, other] = reasons;
  if (one === undefined || other === undefined) return undefined;
  return {
    words: `${one}, ${other}`,
    odd: oddNodes(ends, ({ passive, updateSource }) => `${passive} ${updateSource}`),
  };
}

/** Why the connection that an end opens, if it does, is not taken; undefined where it may be. */
function refusal(world: World, { node, row }: BgpEnd, far: BgpEnd): string | undefined {
  if (row.passive === true) return `${nodeRef(node)} waits for ${nodeRef(far.node)} to connect (\`passive\`)`;
  const sources = row.updateSource === undefined ? undefined : sourcesFor(world, node, row.updateSource, row.peer);
  if (!isIpAddress(far.row.peer)) return undefined;
  if (sources === undefined || sources.length === 0 || sources.includes(far.row.peer)) return undefined;
  return `${nodeRef(node)} connects from ${sources.join(' or ')} (\`update-source ${row.updateSource}\`), ${nodeRef(far.node)} expects ${far.row.peer}`;
}

/** Addresses of the peer's family that a source stands for. */
function sourcesFor(world: World, node: string, source: string, peer: string): readonly string[] {
  const own = ownerOf(world, source)?.node === node ? [source] : undefined;
  const all = interfaceOf(world, { node, ifname: source })?.addresses.map((address) => address.split('/')[0]!) ?? [];
  return (own ?? all).filter(
    (address) => address.includes(':') === peer.includes(':') && !/^(?:fe[89ab]|127\.|::1$)/i.test(address),
  );
}

function families(ends: Ends): Difference | undefined {
  const [near, far] = ends;
  const [one, other] = [near.row.families, far.row.families];
  if (one === undefined || other === undefined || one.some((family) => other.includes(family))) return undefined;
  const words = ends.map(({ node, row }) => {
    const all = row.families ?? [];
    return `${nodeRef(node)} has activated ${all.length === 0 ? 'no address family' : all.join(' and ')} for ${row.peer}`;
  });
  return { words: words.join(', '), odd: oddNodes(ends, (row) => row.families?.length === 0) };
}

/** Roles that do not fit each other, or one that demands another where there is none. */
function roles(ends: Ends): Difference | undefined {
  const [near, far] = ends;
  const [one, other] = [near.row.role, far.row.role];
  const isRefused =
    one !== undefined && other !== undefined
      ? COUNTERPART[one] !== other
      : (one !== undefined && near.row.roleDemanded === true) || (other !== undefined && far.row.roleDemanded === true);
  if (!isRefused) return undefined;
  const words = ends.map(({ node, row: { role, peer } }) =>
    role === undefined ? `${nodeRef(node)} says no role to ${peer}` : `${nodeRef(node)} is ${role} to ${peer}`,
  );
  return { words: words.join(', '), odd: oddNodes(ends, ({ role }) => role) };
}

/** The same router id at both ends of an internal session. */
function ids(world: World, ends: Ends): Difference | undefined {
  const [near, far] = ends;
  const id = near.bgp.routerId;
  if (id === undefined || id !== far.bgp.routerId || isExternal(near.row)) return undefined;
  const owner = ownerOf(world, id)?.node;
  return {
    words: `${nodeRef(near.node)} and ${nodeRef(far.node)} have the same router id ${id}`,
    // The one that does not have it as an address took it from the other.
    odd: ends.some(({ node }) => node === owner) ? ends.map(({ node }) => node).filter((node) => node !== owner) : [],
  };
}
