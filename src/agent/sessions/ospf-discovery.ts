// Finds agents of OSPF neighbours that no other discovery named: asks each once who it is, by mutual TLS, and keeps the certificate's name as a
// hint. A neighbour that does not answer as an agent of this domain is asked again ever more rarely, and the others one after the other.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { createOutage, type Log } from '#base/log.ts';
import { ospfCandidates } from '#discovery/ospf.ts';
import type { Discovery, PeerTable } from '#model/peer.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** The name of the node of this domain whose agent answers there. Rejects with ParleyError `peer/…`. */
export type MeetNode = (address: string, port: number, signal: AbortSignal) => Promise<string>;

type Tried = { readonly count: number; readonly againAtMs: number };

export function createOspfDiscovery(parts: {
  readonly router: Pick<RouterPort, 'state'>;
  readonly table: PeerTable;
  readonly meet: MeetNode;
  /** On which this node's own agent listens: agents of a domain share one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
}): Discovery {
  const { router, table, port, clock, log } = parts;
  const outage = createOutage({
    ...{ log, clock },
    broken: 'the OSPF neighbours of this node could not be read',
    back: 'the OSPF neighbours of this node can be read again',
  });
  let ended: AbortController | undefined;
  let loop: Promise<void> = Promise.resolve();
  const tried = new Map<string, Tried>();

  const candidates = async (signal: AbortSignal) => {
    try {
      const until = AbortSignal.any([signal, AbortSignal.timeout(AGENT_LIMITS.ospfReadMs)]);
      const state = await router.state(until, 'all');
      outage.worked();
      return ospfCandidates(state, table.list());
    } catch (error) {
      if (!signal.aborted) outage.failed(error);
      return undefined;
    }
  };
  const ask = async (address: string, ifname: string, signal: AbortSignal) => {
    try {
      const node = await parts.meet(address, port, signal);
      if (signal.aborted) return;
      table.add({
        source: 'ospf',
        node,
        addresses: [address],
        port,
        heardOn: ifname,
        hops: 0,
        heardAtMs: clock.nowMs(),
      });
      log.info('the agent of an OSPF neighbour was found', { node, address, interface: ifname });
    } catch (error) {
      if (signal.aborted) return;
      const count = (tried.get(address)?.count ?? 0) + 1;
      tried.set(address, { count, againAtMs: clock.monotonicMs() + waitMs(count) });
      log.debug('no agent answers at an OSPF neighbour', { address, interface: ifname, reason: messageOf(error) });
    }
  };
  const look = async (signal: AbortSignal) => {
    const found = await candidates(signal);
    if (found === undefined) return;
    const there = new Set(found.map(({ address }) => address));
    for (const address of tried.keys()) if (!there.has(address)) tried.delete(address);
    for (const { address, ifname } of found) {
      if (signal.aborted) return;
      if ((tried.get(address)?.againAtMs ?? 0) <= clock.monotonicMs()) await ask(address, ifname, signal);
    }
  };
  const run = async (signal: AbortSignal) => {
    const beganMs = clock.monotonicMs();
    while (!signal.aborted) {
      const isEarly = clock.monotonicMs() - beganMs < AGENT_LIMITS.ospfEarlyMs;
      await clock.sleep(isEarly ? AGENT_LIMITS.ospfEarlyLookMs : AGENT_LIMITS.ospfLookMs, signal).catch(() => {});
      if (!signal.aborted) await look(signal);
    }
  };
  return {
    async start(signal) {
      if (ended !== undefined || signal?.aborted) return;
      ended = new AbortController();
      loop = run(ended.signal);
    },
    async stop() {
      ended?.abort();
      await loop;
      ended = undefined;
    },
  };
}

/** Doubles with each try in vain: a router without an agent is not bothered. */
function waitMs(count: number): number {
  return Math.min(AGENT_LIMITS.ospfRetryMs * 2 ** (count - 1), AGENT_LIMITS.ospfLongestRetryMs);
}
