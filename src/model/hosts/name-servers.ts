// Which hosts are name servers: those that were seen to answer questions for names lately; and which of them is slow. A slow way, or a host
// that has no time for anything, is not a slow name server: its echoes are slow as well.
import type { Served, ServiceProbeResult } from '../router/hosts.ts';

type Remembering = { readonly history?: { readonly services?: readonly Served[] } };

/** A first answer that took longer, or did not come in time, is looked at again. */
const AGAIN_MS = 150;
/** A person waits: a lookup of this length on the server's own link is felt in every page. */
const LATE_MS = 300;
/** So many times longer than the slowest echo. */
const LONGER = 5;
const LEAST_TIMES = 3;

export function nameServersIn(states: Iterable<Remembering>): readonly string[] {
  const rows = [...states].flatMap(({ history }) => history?.services ?? []);
  return [
    ...new Set(rows.filter(({ service, port }) => service === 'udp' && port === 53).map(({ address }) => address)),
  ];
}

export function isNameServer(states: Iterable<Remembering>, address: string): boolean {
  return nameServersIn(states).includes(address);
}

/** A try of a name server that was not answered at once, and not refused. */
export function isSlowAnswer({ service, port, answered, open, tookMs }: ServiceProbeResult): boolean {
  return service === 'udp' && port === 53 && (open ? (tookMs?.[0] ?? 0) >= AGAIN_MS : !answered);
}

/** Of a name server that was timed with echoes beside it: every answer was late, and no echo. */
export function isLate({ tookMs = [], echoMs = [] }: Pick<ServiceProbeResult, 'tookMs' | 'echoMs'>): boolean {
  if (tookMs.length < LEAST_TIMES || echoMs.length < LEAST_TIMES) return false;
  const quickest = Math.min(...tookMs);
  return quickest >= LATE_MS && quickest >= Math.max(...echoMs) * LONGER;
}
