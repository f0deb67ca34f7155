// Sessions that are not as they should be: BGP that is not established, BFD that is down. The two ends of one session are one symptom.

import { isIpAddress } from '#base/ip.ts';
import type { Remark } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { BgpSession } from '#model/router/control-plane.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { remarkOf } from '../network/remark.ts';
import { linkOn, ownerOf, peerEnd, sourcesOf, type World, type WorldLink } from '../network/world.ts';

/** One end of the session, and the address of the other. */
export type BgpSessionDetail = { readonly node: string; readonly peer: string };
export type BfdSessionDetail = BgpSessionDetail & { readonly diagnostic: string; readonly remoteDiagnostic: string };

export const bgpSymptom = defineSymptom<BgpSessionDetail>('bgp');
export const bfdSymptom = defineSymptom<BfdSessionDetail>('bfd');

export function sessionSymptoms(world: World): readonly Symptom[] {
  return [...bgpSymptoms(world), ...bfdSymptoms(world)];
}

/** Both ends' rows of one session, as far as they are known. */
export type SessionEnds = {
  readonly near: { readonly node: string; readonly row: BgpSession };
  readonly far?: { readonly node: string; readonly row?: BgpSession };
  readonly link?: WorldLink;
};

/** Every BGP session that a node in scope has, each from both its ends. */
export function sessionsOf(world: World): readonly SessionEnds[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.bgp?.sessions ?? []).map((row): SessionEnds => {
      const owner = peerEnd(world, node, row.peer);
      if (owner === undefined) return { near: { node, row } };
      const theirs = world.views
        .get(owner.node)
        ?.state.bgp?.sessions.find((each) =>
          isIpAddress(row.peer)
            ? ownerOf(world, each.peer)?.node === node && sameLink(world, each.peer, row.peer)
            : each.peer === owner.ifname,
        );
      const link = linkOn(world, owner).find(({ from, to }) => from.node === node || to.node === node);
      return {
        near: { node, row },
        far: { node: owner.node, ...(theirs === undefined ? {} : { row: theirs }) },
        ...(link === undefined ? {} : { link }),
      };
    }),
  );
}

/** The two addresses are of one family and lie on one link, or each on a loopback. */
function sameLink(world: World, one: string, other: string): boolean {
  if (one.includes(':') !== other.includes(':')) return false;
  const [first, second] = [ownerOf(world, one), ownerOf(world, other)];
  if (first === undefined || second === undefined) return false;
  const shared = linkOn(world, first).some(({ from, to }) =>
    [from, to].some((end) => end.node === second.node && end.ifname === second.ifname),
  );
  return shared || (linkOn(world, first).length === 0 && linkOn(world, second).length === 0);
}

export function isUp(row: BgpSession): boolean {
  return row.state === 'Established';
}

/** Whether prefixes of an address's family travel over a session: that of its own addresses unless the node says otherwise. */
export function carries(row: BgpSession, address: string): boolean {
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');
  return (row.families ?? [family(row.peer)]).includes(family(address));
}

/** The session was up while the node's memory reaches: it has noted the loss, or heard the peer since it remembers. */
export function wasUp(world: World, node: string, { peer, established, heardAgoMs }: BgpSession): boolean {
  const history = world.views.get(node)?.state.history;
  const isLost =
    history?.events.some(({ kind, subject, up }) => kind === 'session' && subject === peer && !up) === true;
  return isLost || (established > 0 && heardAgoMs !== undefined && heardAgoMs < (history?.spanMs ?? 0));
}

/** A node that started as a whole starts its agent and bgpd within this time. */
const STARTED_TOGETHER_MS = 60_000;

/** bgpd has started since the node remembers, and its count of how often a session came up with it: the session may have been up before. */
function mayHaveBeenUp(world: World, node: string): boolean {
  const { daemons = [], history } = world.views.get(node)?.state ?? {};
  const upMs = daemons.find(({ name }) => name === 'bgpd')?.upMs;
  const isYoung = upMs !== undefined && upMs + STARTED_TOGETHER_MS < (history?.settingsSpanMs ?? 0);
  const isStart = ({ kind, subject, setting }: SettingChange) =>
    kind === 'reboot' || (kind === 'daemon' && subject === 'bgpd' && setting === undefined);
  return isYoung || (history?.settings ?? []).some(isStart);
}

/**
 * An operator's word, or a choice: shut at both ends, or at one end since before the nodes remember; and a session with a peer without an
 * agent that has not been up for as long as bgpd runs and its node remembers.
 */
export function isMeant(world: World, { near, far }: SessionEnds): boolean {
  const shut = [near.row, far?.row].filter((row) => row?.shutdown === true);
  if (far === undefined)
    return (
      near.row.shutdown ||
      (near.row.established === 0 && !wasUp(world, near.node, near.row) && !mayHaveBeenUp(world, near.node))
    );
  if (shut.length === 0) return false;
  const hasChanged = wasUp(world, near.node, near.row) || (far.row !== undefined && wasUp(world, far.node, far.row));
  return shut.length === 2 || !hasChanged;
}

/** Sessions that are down and meant to be, told with every verdict. */
export function sessionsOutOfUse(world: World): readonly Remark[] {
  const rows = sessionsOf(world).filter((session) => !isUp(session.near.row) && isMeant(world, session));
  return rows.flatMap(({ near, far }) => {
    const ends = `BGP ${nodeRef(near.node)} – ${far === undefined ? near.row.peer : nodeRef(far.node)}`;
    const remark = (why: Remark['why'], text: string) =>
      remarkOf(world, [near.node], { kind: 'bgp_session_missing', why, resource: nodeResource(near.node), text });
    if (near.row.shutdown)
      return [remark('policy', `${ends}: shut at ${nodeRef(near.node)} (neighbor ${near.row.peer} shutdown)`)];
    return far === undefined ? [remark('no-change', `${ends}: not up since bgpd started`)] : [];
  });
}

function bgpSymptoms(world: World): readonly Symptom[] {
  return sessionsOf(world).flatMap((session) => {
    const { near, far, link } = session;
    if (isUp(near.row) || isMeant(world, session)) return [];
    const key = [
      `${near.node}/${near.row.peer}`,
      ...(far?.row === undefined ? [] : [`${far.node}/${far.row.peer}`]),
    ].sort();
    const nodes = [near.node, ...(far === undefined ? [] : [far.node])];
    const shutAt = [near.node, far?.node].filter((_, index) => (index === 0 ? near.row : far?.row)?.shutdown === true);
    const reason =
      shutAt.length > 0
        ? `shut by configuration at ${shutAt.map((node) => nodeRef(node!)).join(' and ')}`
        : (near.row.notification ?? near.row.lastReset);
    const text = `BGP ${nodeRef(near.node)} – ${far === undefined ? near.row.peer : nodeRef(far.node)}: ${near.row.state}${reason === undefined ? '' : ` (${reason})`}`;
    return [
      bgpSymptom.raise({
        id: `bgp:${key.join('+')}`,
        subject: nodeResource(near.node),
        text,
        source: sourcesOf(world, ...nodes),
        nodes,
        ...(link === undefined ? {} : { link }),
        detail: { node: near.node, peer: near.row.peer },
      }),
    ];
  });
}

function bfdSymptoms(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.bfd ?? [])
      .filter((row) => row.status === 'down' || row.status === 'init')
      .map((row) => {
        const owner = row.ifname !== undefined && /^fe[89ab]/i.test(row.peer) ? undefined : ownerOf(world, row.peer);
        const link = (
          row.ifname === undefined
            ? owner === undefined
              ? []
              : linkOn(world, owner)
            : linkOn(world, { node, ifname: row.ifname })
        ).find(({ from, to }) => from.node === node || to.node === node);
        const peer = link === undefined ? owner?.node : link.from.node === node ? link.to.node : link.from.node;
        const family = row.peer.includes(':') ? 6 : 4;
        const pair =
          peer === undefined ? `${node}/${row.peer}` : `${[node, peer].sort().join('+')}/${link?.key ?? ''}/${family}`;
        const nodes = [node, ...(peer === undefined ? [] : [peer])];
        return bfdSymptom.raise({
          id: `bfd:${pair}`,
          subject: nodeResource(node),
          text: `BFD ${nodeRef(node)} – ${peer === undefined ? row.peer : nodeRef(peer)}: ${row.status} (${row.diagnostic})`,
          source: sourcesOf(world, ...nodes),
          nodes,
          ...(link === undefined ? {} : { link }),
          detail: { node, peer: row.peer, diagnostic: row.diagnostic, remoteDiagnostic: row.remoteDiagnostic },
        });
      }),
  );
}
