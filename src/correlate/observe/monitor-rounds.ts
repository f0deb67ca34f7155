// Standing probes as facts: which link each node probed, round by round, what was lost in which direction, and what of it counts. Rounds
// in which a link or a node was out, or a carrier had just changed, are no loss of packets and say nothing. Ages are by the clock
// of the node that tells them; no clock is subtracted from another's.

import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import type { LinkEnd } from '#model/names.ts';
import type { WatchRound } from '#model/router/link-monitor.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { interfaceOf, linkOn, otherEnd, ownerOf, type View, type World, type WorldLink } from '../network/world.ts';

export type Round = {
  readonly agoMs: number;
  readonly sent: number;
  /** Lost towards the other end, and on the way back; of IPv4 alone beside it. */
  readonly lostOut: number;
  readonly lostBack: number;
  readonly lost4: number;
  /** Least round trip; 0 when nothing came back. */
  readonly rttMs: number;
  /** False: the link, a node or its own watch was out. */
  readonly usable: boolean;
};

export type Watch = {
  readonly link: WorldLink;
  readonly prober: LinkEnd;
  readonly far: LinkEnd;
  readonly bothFamilies: boolean;
  /** Oldest first. */
  readonly rounds: readonly Round[];
};

/** Around a carrier change nothing that is lost is the wire's fault; nodes notice it within one sample. */
const CARRIER_MS = 6_000;

/** The state in which a node reported what it remembers: asked for once a question. */
function toldBy({ before, state }: View): NodeState {
  return before?.history?.watch === undefined ? state : before;
}

export function watchesOf(world: World): readonly Watch[] {
  return [...world.views.values()].flatMap((view) =>
    (toldBy(view).history?.watch ?? []).flatMap(({ ifname, far, rounds }): Watch[] => {
      const prober = { node: view.node, ifname };
      const link = probedLink(world, prober, far);
      if (link === undefined) return [];
      const end = otherEnd(link, view.node);
      const changes = [prober, end].flatMap((each) => carrierChanges(world, each));
      const isQuiet = (agoMs: number) => changes.every((at) => Math.abs(at - agoMs) > CARRIER_MS);
      const facts = rounds.map((round) => roundOf(round, isQuiet(round[0])));
      return [{ link, prober, far: end, bothFamilies: far.length > 1, rounds: facts }];
    }),
  );
}

/** The link between the prober and the one node that has all addresses that it probed, so that no other can have answered. */
export function probedLink(world: World, prober: LinkEnd, far: readonly string[]): WorldLink | undefined {
  if (far.length === 0) return undefined;
  return linkOn(world, prober).find((each) => {
    const end = otherEnd(each, prober.node);
    return far.every((address) => {
      const prefix = parsePrefix(address);
      // Of a link-local address the other ports that have it are on other links.
      if (prefix !== undefined && isLinkLocal(prefix)) return hasAddress(world, end, address);
      const owner = ownerOf(world, address);
      return owner?.node === end.node && owner.ifname === end.ifname;
    });
  });
}

function hasAddress(world: World, end: LinkEnd, address: string): boolean {
  return interfaceOf(world, end)?.addresses.some((own) => own.split('/')[0] === address) === true;
}

function carrierChanges(world: World, { node, ifname }: LinkEnd): readonly number[] {
  const events = world.views.get(node)?.state.history?.events ?? [];
  return events.filter(({ kind, subject }) => kind === 'carrier' && subject === ifname).map(({ agoMs }) => agoMs);
}

function roundOf(round: WatchRound, isQuiet: boolean): Round {
  const [agoMs, sent6, reflected6, received6, sent4, reflected4, received4, leastRttUs, dark] = round;
  return {
    agoMs,
    sent: sent6 + sent4,
    lostOut: sent6 + sent4 - reflected6 - reflected4,
    lostBack: reflected6 + reflected4 - received6 - received4,
    lost4: sent4 - received4,
    rttMs: leastRttUs / 1_000,
    usable: dark === 0 && isQuiet && received6 + received4 > 0,
  };
}

/** Packets with a wrong checksum that a node noticed between two ages; undefined where it did not count then. */
export function damageAt(world: World, node: string, fromAgoMs: number, toAgoMs: number): number | undefined {
  const view = world.views.get(node);
  const samples = view === undefined ? [] : (toldBy(view).history?.damage ?? []);
  const before = samples.findLast(([agoMs]) => agoMs >= fromAgoMs) ?? samples[0];
  const after = samples.find(([agoMs]) => agoMs <= toAgoMs) ?? samples.at(-1);
  if (before === undefined || after === undefined || before === after) return undefined;
  return Math.max(0, after[1] - before[1]);
}
