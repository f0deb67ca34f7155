// Announces this node through the local LLDP daemon and turns what neighbours announce into hints (CARD-2, TS-13).
// A silent, malformed or lying neighbour becomes a remark and stops nothing. Opens no session, and never touches a TLV
// other than ours. An LLDP daemon that is missing, slow or restarted only degrades discovery: we try again.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { createOutage, type Log, type Outage } from '#base/log.ts';
import { bad, type Result } from '#base/result.ts';
import { isNodeName } from '#model/names.ts';
import { type Discovery, PARLEY_OUI, type PeerHint, type PeerTable } from '#model/peer.ts';
import type { LldpPort, Neighbour } from '#model/router/router-port.ts';
import { DISCOVERY_LIMITS } from '../limits.ts';
import { type Descriptor, decodeDescriptor, encodeDescriptor, PARLEY_SUBTYPE } from './descriptor.ts';

export type LldpDiscovery = Discovery & {
  /** Writes the TLV anew, after a certificate or the capabilities changed. */
  announceAgain(): Promise<void>;
};

export type LldpDiscoveryInit = {
  readonly port: LldpPort;
  readonly table: PeerTable;
  /** Read at every announcement: thumbprints change at rotation. */
  readonly own: () => Descriptor;
  readonly clock: Clock;
  readonly log: Log;
};

/** The three things that are asked of the daemon: each is told when it breaks and when it works again. */
type Outages = { readonly announce: Outage; readonly watch: Outage; readonly look: Outage };

type Parts = LldpDiscoveryInit & { readonly outages: Outages };

export function createLldpDiscovery(given: LldpDiscoveryInit): LldpDiscovery {
  const init: Parts = { ...given, outages: outagesOf(given) };
  let running: Running | undefined;
  return {
    async start(signal) {
      if (running !== undefined || signal?.aborted) return;
      const mine = new AbortController();
      const run: Running = {
        mine,
        signal: signal ? AbortSignal.any([mine.signal, signal]) : mine.signal,
        dirty: true,
        healthy: true,
      };
      running = run;
      await refresh(init, run);
      run.loop = keepLooking(init, run);
    },
    async stop() {
      const run = running;
      if (run === undefined) return;
      running = undefined;
      run.mine.abort();
      await run.loop;
      await init.port
        .withdraw(PARLEY_OUI, PARLEY_SUBTYPE)
        .catch((error) => init.log.warn('our LLDP TLV could not be withdrawn', { reason: messageOf(error) }));
    },
    async announceAgain() {
      if (running !== undefined) await announce(init);
    },
  };
}

type Running = {
  readonly mine: AbortController;
  readonly signal: AbortSignal;
  /** Neighbours may have changed since the last look. */
  dirty: boolean;
  /** The daemon did what was asked of it last. */
  healthy: boolean;
  wake?: () => void;
  unwatch?: () => void;
  loop?: Promise<void>;
};

function outagesOf(init: LldpDiscoveryInit): Outages {
  return {
    announce: createOutage({
      ...init,
      broken: 'our LLDP TLV could not be set',
      back: 'our LLDP TLV is set again',
    }),
    watch: createOutage({
      ...init,
      broken: 'LLDP changes cannot be watched',
      back: 'LLDP changes are watched again',
    }),
    look: createOutage({
      ...init,
      broken: 'LLDP neighbours cannot be read',
      back: 'LLDP neighbours can be read again',
    }),
  };
}

async function announce(init: Parts): Promise<boolean> {
  const encoded = encodeDescriptor(init.own());
  if (!encoded.ok) {
    init.log.error('our LLDP descriptor is invalid', { reason: encoded.reason });
    return true;
  }
  try {
    await init.port.announce(PARLEY_OUI, PARLEY_SUBTYPE, encoded.value);
    init.outages.announce.worked();
    return true;
  } catch (error) {
    init.outages.announce.failed(error);
    return false;
  }
}

async function watch(init: Parts, run: Running): Promise<boolean> {
  try {
    const unwatch = await init.port.watch(() => {
      run.dirty = true;
      run.wake?.();
    });
    if (run.signal.aborted) unwatch();
    else run.unwatch = unwatch;
    init.outages.watch.worked();
    return true;
  } catch (error) {
    init.outages.watch.failed(error);
    return false;
  }
}

/** Announces, watches and looks: everything that a daemon which was away has to be told again. */
async function refresh(init: Parts, run: Running): Promise<void> {
  const announced = await announce(init);
  const watched = run.unwatch !== undefined || (await watch(init, run));
  const looked = await look(init, run);
  run.healthy = announced && watched && looked;
}

/** One look after each change, no faster than `lldpScanMs` however many frames a neighbour sends; else a slow refresh. */
async function keepLooking(init: Parts, run: Running): Promise<void> {
  while (!run.signal.aborted) {
    const changed = await changeOrRefresh(init, run);
    if (run.signal.aborted) break;
    // A change whose look failed was not seen: it is not left to the slow refresh.
    if (changed) run.healthy = (await look(init, run)) && run.healthy;
    else await refresh(init, run);
    await init.clock.sleep(DISCOVERY_LIMITS.lldpScanMs, run.signal).catch(() => {});
  }
  run.unwatch?.();
}

/** True when a change came, false when it is time to refresh or to stop. */
async function changeOrRefresh(init: Parts, run: Running): Promise<boolean> {
  if (run.dirty) return true;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, run.signal]);
  const changed = new Promise<boolean>((resolve) => {
    run.wake = () => resolve(true);
  });
  const due = init.clock.sleep(run.healthy ? LIMITS.lldpRefreshMs : DISCOVERY_LIMITS.lldpRetryMs, signal).then(
    () => false,
    () => false,
  );
  const which = await Promise.race([changed, due]);
  over.abort();
  delete run.wake;
  return which;
}

async function look(init: Parts, run: Running): Promise<boolean> {
  run.dirty = false;
  try {
    const neighbours = await init.port.neighbours(run.signal);
    if (run.signal.aborted) return true;
    for (const neighbour of bounded(neighbours)) hear(init, neighbour);
    init.outages.look.worked();
    return true;
  } catch (error) {
    if (!run.signal.aborted) init.outages.look.failed(error);
    return false;
  }
}

/** A port behind which a device invents neighbours must not crowd out the others. */
function bounded(neighbours: readonly Neighbour[]): readonly Neighbour[] {
  const seen = new Map<string, number>();
  return neighbours.slice(0, LIMITS.peers).filter((neighbour) => {
    const count = (seen.get(neighbour.ifname) ?? 0) + 1;
    seen.set(neighbour.ifname, count);
    return count <= DISCOVERY_LIMITS.lldpNeighboursPerPort;
  });
}

function hear(init: Parts, neighbour: Neighbour): void {
  const atMs = init.clock.nowMs();
  const announced = announcedBy(neighbour);
  if (announced === undefined)
    init.table.remark(labelOf(neighbour), {
      ...{ kind: 'silent', detail: `${neighbour.ifname}: announces no agent`, atMs },
    });
  else if (!announced.ok)
    init.table.remark(labelOf(neighbour), {
      ...{ kind: 'malformed', detail: `${neighbour.ifname}: ${announced.reason}`, atMs },
    });
  else init.table.add({ source: 'lldp', ...announced.value, heardOn: neighbour.ifname, hops: 0, heardAtMs: atMs });
}

/** What a neighbour's LLDP frames say of its agent; undefined where they announce none. */
function announcedBy({ unknownTlvs }: Pick<Neighbour, 'unknownTlvs'>): Result<Descriptor> | undefined {
  const [first, ...more] = unknownTlvs.filter((tlv) => isOurs(tlv));
  if (first === undefined) return undefined;
  return more.length > 0 ? bad('more than one announcement') : decodeHex(first.hex);
}

/** Hints of the agents that a node's neighbours announce, as that node tells of them in its state: believed like an answer to a peer exchange. */
export function hintsFromNeighbours(
  neighbours: readonly Pick<Neighbour, 'unknownTlvs'>[],
  { toldBy, atMs }: { readonly toldBy: string; readonly atMs: number },
): readonly PeerHint[] {
  const hints = neighbours.flatMap((neighbour): readonly PeerHint[] => {
    const announced = announcedBy(neighbour);
    if (announced?.ok !== true || announced.value.addresses.length === 0) return [];
    const { node, addresses, port, thumbprint } = announced.value;
    if (node === toldBy) return [];
    return [{ source: 'peer-exchange', node, addresses, port, thumbprint, toldBy, hops: 1, heardAtMs: atMs }];
  });
  return hints.slice(0, DISCOVERY_LIMITS.peerExchangeEntries);
}

function decodeHex(hex: string): Result<Descriptor> {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return { ok: false, reason: 'not octets' };
  return decodeDescriptor(Uint8Array.from(Buffer.from(hex, 'hex')));
}

function isOurs(tlv: { readonly oui: string; readonly subtype: number }): boolean {
  return tlv.subtype === PARLEY_SUBTYPE && tlv.oui.replace(/[^0-9a-fA-F]/g, '').toLowerCase() === PARLEY_OUI;
}

/** Under which name a remark about a neighbour without a readable name is kept; `@` keeps it apart from node names. */
function labelOf(neighbour: Neighbour): string {
  const name = neighbour.systemName?.toLowerCase() ?? '';
  return isNodeName(name) ? name : `unknown@${neighbour.ifname}`;
}
