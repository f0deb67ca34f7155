// RouterPort and LldpPort of one node of an embedded network. Probes walk the network at once; only captures wait.
import { type Clock, createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { captureRequest, probeRequest } from '#model/router/probe-schema.ts';
import type {
  Capture,
  CaptureRequest,
  LldpPort,
  ProbeRequest,
  ProbeResult,
  ReachRequest,
  ReachResult,
  RouterPort,
} from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { ipAddress } from '#model/wire/fields.ts';
import { createProbeLedger } from '../../protocol/probe-ledger.ts';
import type { EmbeddedNetwork } from './network.ts';
import { encodePcap, packetBytes } from './pcap.ts';
import { interfacesOf, neighboursOf, nodeStateOf, routeOf, sidsOf } from './state.ts';
import type { Packet } from './walk.ts';

/** Port that the reflector of a real node has. */
const REFLECT_PORT = 9_515;
const IPV6_UDP_BYTES = 48;
/** Payload of the smallest probe. */
const PROBE_BYTES = 64;
/** Probes between two hellos, and between two turns of the event loop. */
const PROBES_PER_TURN = 250;

export type EmbeddedDriverInit = { readonly network: EmbeddedNetwork; readonly node: string; readonly clock?: Clock };

export function createEmbeddedDriver(init: EmbeddedDriverInit): RouterPort {
  const { network } = init;
  const clock = init.clock ?? createSystemClock();
  const device = network.device(init.node);
  return {
    driver: 'embedded',
    async state(signal) {
      signal?.throwIfAborted();
      network.hello();
      return nodeStateOf(network, device, clock.monotonicMs());
    },
    async counters(signal) {
      signal?.throwIfAborted();
      network.hello();
      return { interfaces: interfacesOf(network, device), sids: sidsOf(device) };
    },
    async route(destination, signal) {
      signal?.throwIfAborted();
      return routeOf(network, device, checked(ipAddress, destination));
    },
    async reach({ destinations, ...asked }, signal) {
      signal?.throwIfAborted();
      network.hello();
      return destinations.map((destination) => reach(network, init.node, checked(ipAddress, destination), asked));
    },
    probe: async (request, signal) => probe(network, init.node, checked(probeRequest, request), signal),
    capture: async (request, signal) => capture(network, init.node, checked(captureRequest, request), clock, signal),
    close: async () => {},
  };
}

export function createEmbeddedLldp(init: EmbeddedDriverInit): LldpPort {
  const { network, node } = init;
  return {
    announce: async (oui, subtype, information) =>
      network.announce(node, { oui, subtype, hex: Buffer.from(information).toString('hex') }),
    withdraw: async (oui, subtype) => network.withdraw(node, oui, subtype),
    neighbours: async (signal) => {
      signal?.throwIfAborted();
      return neighboursOf(network, network.device(node));
    },
    watch: async (changed) => network.onNeighbours(changed),
  };
}

/** Over the node's own routing, there and back; a node answers every class of packets. */
function reach(
  network: EmbeddedNetwork,
  node: string,
  destination: string,
  { count, traffic, packetBytes: asked }: Omit<ReachRequest, 'destinations'>,
): ReachResult {
  const source = network.device(node).description.loopback;
  const bytes = asked ?? IPV6_UDP_BYTES + PROBE_BYTES;
  const trips = Array.from({ length: count }, () => {
    const there = network.send(node, { destination, segments: [], bytes });
    if (there.kind !== 'delivered') return undefined;
    const back = network.send(there.node, { destination: source, segments: [], bytes });
    return back.kind === 'delivered' ? there.delayMs + back.delayMs : undefined;
  }).filter((delayMs) => delayMs !== undefined);
  return {
    destination,
    sent: count,
    received: trips.length,
    rttMs: trips.length === 0 ? null : Math.min(...trips),
    ...(traffic === undefined ? {} : { traffic }),
  };
}

async function probe(
  network: EmbeddedNetwork,
  node: string,
  request: ProbeRequest,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  if (request.via !== undefined)
    throw new ParleyError('caller/bad-argument', 'expected probes along the routes, got one for a neighbour');
  const ledger = createProbeLedger(request.count);
  const lengths = request.eachPayloadBytes ?? [request.payloadBytes];
  const packetOf = (sequence: number): Packet => ({
    destination: request.destination,
    segments: request.segments,
    bytes: IPV6_UDP_BYTES + Math.max(PROBE_BYTES, lengths[sequence % lengths.length]!),
  });
  const source = network.device(node).description.loopback;
  let reflectorReceived = 0;
  for (let sequence = 0; sequence < request.count; sequence++) {
    if (sequence % PROBES_PER_TURN === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      network.hello();
    }
    const packet = packetOf(sequence);
    const there = network.send(node, packet);
    if (there.kind === 'refused') {
      ledger.recordRefused(there.reason);
      continue;
    }
    ledger.recordSent(0);
    if (there.kind === 'lost') continue;
    reflectorReceived += 1;
    const back = network.send(there.node, { destination: source, segments: [], bytes: packet.bytes });
    if (back.kind !== 'delivered') continue;
    ledger.recordReflection(
      {
        kind: 'reflection',
        session: '',
        sequence,
        reflectorSequence: reflectorReceived - 1,
        reflectorReceived,
        reflectorRefused: 0,
      },
      there.delayMs + back.delayMs,
    );
  }
  const lost = request.eachPayloadBytes === undefined ? {} : ledger.byLength(lengths);
  const heard = { ...ledger.result(), ...lost };
  return heard.reflected === undefined ? heard : { ...heard, reflected: reflectorReceived };
}

/** Ends with the last packet asked for or with the time; the tap is gone in every case. */
async function capture(
  network: EmbeddedNetwork,
  node: string,
  request: CaptureRequest,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Capture> {
  const captured: Uint8Array[] = [];
  const enough = new AbortController();
  const stop = network.tap((at, ifname, packet) => {
    if (at !== node || ifname !== request.ifname || !matches(request, packet) || captured.length >= request.packetCount)
      return;
    captured.push(packetBytes(packet, network.device(node).description.loopback, REFLECT_PORT));
    if (captured.length >= request.packetCount) enough.abort();
  });
  try {
    await clock.sleep(request.timeoutMs, AbortSignal.any([enough.signal, ...(signal === undefined ? [] : [signal])]));
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    stop();
  }
  return { pcap: encodePcap(captured.slice(0, LIMITS.capturePackets)), packets: captured.length, truncated: false };
}

function matches(request: CaptureRequest, packet: Packet): boolean {
  if (packet.destination === '') return false;
  const { filter } = request;
  if (filter.kind === 'probe') return true;
  return filter.kind === 'srv6'
    ? packet.segments.length > 0
    : filter.kind === 'udp-port' && filter.port === REFLECT_PORT;
}
