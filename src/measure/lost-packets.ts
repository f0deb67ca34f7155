// How many IPv4 packets of a question's own may not have come back, whatever measurement sent them: so many a counter of drops may have from us
// alone. Rather too many than too few. Pure.
import { isJsonObject } from '#base/json.ts';
import type { EvidenceKind } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { asTold } from '#model/links/relayed.ts';
import { decodeProbeResult } from './decode/decode.ts';
import { decodeDhcp, decodeHostScan, decodeReach, decodeServiceProbes } from './decode/decode-measurements.ts';

/** Most queries that follow a run of probes whose reflector does not answer (router/helper/probe/), and most repetitions of one other try. */
const QUERIES = 20;
/** DHCP questions go out with as many echoes. */
const PER_DHCP_TRY = 2;

export function lostPackets(evidence: readonly Evidence[]): number {
  // A report of another program may have kinds that this one does not know.
  return sum(evidence.map(asTold), (entry) => (Object.hasOwn(LOST, entry.kind) ? LOST[entry.kind](entry) : 0));
}

const none = () => 0;

const LOST: Readonly<Record<EvidenceKind, (entry: Evidence) => number>> = {
  probe: probesLost,
  reach: ({ body }) =>
    sum(decodeReach(body), ({ destination, sent, received }) => lostOf(destination, sent - received)),
  'service-probe': ({ body }) =>
    sum(decodeServiceProbes(body), ({ destination, sent, answered }) => lostOf(destination, sent - (answered ? 1 : 0))),
  dhcp: ({ body }) => sum(decodeDhcp(body), ({ server, sent }) => lostOf(server, sent * PER_DHCP_TRY)),
  'host-scan': ({ body, request }) => {
    const answered = new Set(decodeHostScan(body).flatMap(({ echoed = [] }) => echoed));
    return sum(askedHosts(request), (address) => (answered.has(address) ? 0 : lostOf(address, 1)));
  },
  state: none,
  relayed: none,
  remembered: none,
  lookups: none,
  capture: none,
  'sid-statistics': none,
};

/** Of a result that contradicts itself all count as lost. */
function probesLost({ body, request }: Evidence): number {
  const args = request.params['arguments'];
  const { destination = '', Count: asked = 0 } = isJsonObject(args) ? args : {};
  const result = decodeProbeResult(body);
  return lostOf(String(destination), result === undefined ? Number(asked) || 0 : result.sent - result.received);
}

function lostOf(destination: string, lost: number): number {
  return lost <= 0 || destination.includes(':') ? 0 : lost + QUERIES;
}

function askedHosts(request: Evidence['request']): readonly string[] {
  const args = request.params['arguments'];
  const ports = isJsonObject(args) && Array.isArray(args['ports']) ? args['ports'] : [];
  return ports.flatMap((port) => {
    const addresses = isJsonObject(port) ? port['addresses'] : undefined;
    return Array.isArray(addresses) ? addresses.map(String) : [];
  });
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
