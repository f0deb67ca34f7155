// Announces this node in TLV 251 of an LSP of its own and turns what the area's other systems announce into hints (CARD-2).
// The descriptor is LLDP's. A malformed or lying system becomes a remark and stops nothing; the hint of a system that purged
// its LSP or cannot be reached is dropped (RFC 6823 §2). Opens no session; a speaker that ends is begun again.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { isNodeName } from '#model/names.ts';
import type { Discovery, PeerTable } from '#model/peer.ts';
import type { IsisEvent, IsisPort } from '#model/router/router-port.ts';
import { DISCOVERY_LIMITS } from '../limits.ts';
import { type Descriptor, decodeDescriptor, encodeDescriptor } from '../lldp/descriptor.ts';
import { formatSystemId } from './system-id.ts';

export type IsisDiscovery = Discovery & {
  /** Writes the TLV anew, after a certificate or the capabilities changed. */
  announceAgain(): Promise<void>;
};

export type IsisDiscoveryInit = {
  readonly port: IsisPort;
  readonly table: PeerTable;
  readonly node: string;
  /** The router's end of the veth pair. */
  readonly ifname: string;
  readonly systemId: string;
  readonly area?: string;
  /** Read at every announcement: thumbprints change at rotation. */
  readonly own: () => Descriptor;
  readonly clock: Clock;
  readonly log: Log;
};

export function createIsisDiscovery(init: IsisDiscoveryInit): IsisDiscovery {
  let running: { readonly mine: AbortController; readonly loop: Promise<void> } | undefined;
  return {
    async start(signal) {
      if (running !== undefined || signal?.aborted) return;
      const mine = new AbortController();
      const both = signal ? AbortSignal.any([mine.signal, signal]) : mine.signal;
      running = { mine, loop: keepSpeaking(init, both) };
    },
    async stop() {
      const run = running;
      running = undefined;
      run?.mine.abort();
      await run?.loop;
    },
    async announceAgain() {
      const information = informationOf(init);
      if (running === undefined || information === undefined) return;
      await init.port
        .announce(init.ifname, information)
        .catch((error) => init.log.warn('our IS-IS announcement could not be renewed', { reason: messageOf(error) }));
    },
  };
}

/** Ends of a speaker that waiting does not mend: an operator has to change a configuration. */
const LASTING = new Set(['node/isis-password', 'node/isis-system-id', 'node/isis-level']);

/** A speaker that ends (no veth pair yet, the helper restarted) is begun again, after longer and longer waits. */
async function keepSpeaking(init: IsisDiscoveryInit, signal: AbortSignal): Promise<void> {
  let waitMs: number = DISCOVERY_LIMITS.isisRetryMs;
  while (!signal.aborted) {
    const startedMs = init.clock.monotonicMs();
    const information = informationOf(init);
    if (information === undefined) return;
    const reason = await speakOnce(init, information, signal);
    if (signal.aborted) return;
    const lasted = init.clock.monotonicMs() - startedMs;
    if (lasted >= DISCOVERY_LIMITS.isisLongestRetryMs) waitMs = DISCOVERY_LIMITS.isisRetryMs;
    // Each try makes and ends an adjacency, which every router of the area hears of.
    const pauseMs = reason instanceof ParleyError && LASTING.has(reason.code) ? DISCOVERY_LIMITS.isisRefusedMs : waitMs;
    init.log.warn('the IS-IS speaker ended', { reason: messageOf(reason), againInMs: pauseMs });
    await init.clock.sleep(pauseMs, signal).catch(() => {});
    waitMs = Math.min(waitMs * 2, DISCOVERY_LIMITS.isisLongestRetryMs);
  }
}

/** Why it ended; the hints of this run end with it. */
async function speakOnce(init: IsisDiscoveryInit, information: Uint8Array, signal: AbortSignal): Promise<unknown> {
  const { ifname, node, systemId, area } = init;
  const heard = createHearing(init);
  const request = { ifname, node, systemId, information, ...(area === undefined ? {} : { area }) };
  const onEvent = (event: IsisEvent) => {
    if (!signal.aborted) heard.take(event);
  };
  try {
    await init.port.speak(request, onEvent, signal);
    return 'the end of its operation';
  } catch (error) {
    return error;
  } finally {
    if (!signal.aborted) heard.dropAll();
  }
}

function informationOf(init: IsisDiscoveryInit): Uint8Array | undefined {
  const encoded = encodeDescriptor(init.own());
  if (encoded.ok) return encoded.value;
  init.log.error('our IS-IS descriptor is invalid', { reason: encoded.reason });
  return undefined;
}

/** What one run of the speaker has heard: which system stands behind which hint. */
function createHearing(init: IsisDiscoveryInit) {
  const { table, ifname } = init;
  const known = new Map<string, Descriptor>();
  const drop = (systemId: string) => {
    const descriptor = known.get(systemId);
    if (descriptor === undefined) return;
    known.delete(systemId);
    table.retract(descriptor.node, { source: 'isis', heardOn: originOf(ifname, systemId) });
  };
  const hear = (event: IsisEvent & { readonly kind: 'system' }) => {
    const atMs = init.clock.nowMs();
    const { systemId, announcements, faults } = event;
    const remark = (detail: string) =>
      table.remark(labelOf(event, ifname), {
        kind: 'malformed',
        detail: `${originOf(ifname, systemId)}: ${detail}`,
        atMs,
      });
    const [information, ...more] = announcements;
    const decoded = information === undefined ? undefined : decodeHex(information);
    const said = known.get(systemId);
    const descriptor = decoded?.ok && more.length === 0 ? decoded.value : undefined;
    if (said !== undefined && (said.node !== descriptor?.node || said.thumbprint !== descriptor.thumbprint))
      drop(systemId);
    for (const fault of faults) remark(fault);
    // Attributes of several TLVs add up; two descriptors contradict each other, and neither is believed.
    if (more.length > 0) return remark('more than one announcement');
    if (decoded !== undefined && !decoded.ok) return remark(decoded.reason);
    if (descriptor === undefined) return;
    known.set(systemId, descriptor);
    table.add({ source: 'isis', ...descriptor, heardOn: originOf(ifname, systemId), hops: 0, heardAtMs: atMs });
  };

  return {
    take(event: IsisEvent): void {
      const about = { interface: ifname };
      if (event.kind === 'system') hear(event);
      else if (event.kind === 'gone') drop(event.systemId);
      else if (event.kind === 'adjacency')
        init.log.info('IS-IS adjacency of the speaker', { ...about, state: event.state });
      else init.log.debug('an IS-IS PDU could not be read', { ...about, reason: event.detail });
    },
    dropAll(): void {
      for (const systemId of [...known.keys()]) drop(systemId);
    },
  };
}

function decodeHex(hex: string) {
  return decodeDescriptor(Uint8Array.from(Buffer.from(hex, 'hex')));
}

/** Tells claimants of one name apart: `isis0/02ab.cdef.0123`. */
function originOf(ifname: string, systemId: string): string {
  return `${ifname}/${formatSystemId(systemId)}`;
}

/** Under which name a remark is kept; `@` keeps it apart from node names. Our own host names begin with `parley-`. */
function labelOf(event: { readonly systemId: string; readonly hostname?: string }, ifname: string): string {
  const name = (event.hostname ?? '').toLowerCase().replace(/^parley-/, '');
  return isNodeName(name) ? name : `unknown@${originOf(ifname, event.systemId)}`;
}
