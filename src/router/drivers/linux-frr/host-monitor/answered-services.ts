// Real answers that services on a node's ports gave this node itself: when it was last given a page, an answer to an empty question, or the
// addresses of a name. So that silence, and another address for a name, can be told from what was always so: a server may be there for
// others alone. Bounded; of names those alone leave the node that this node was given an address for.

import { LIMITS } from '#base/limits.ts';
import type { AnsweredService } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { makeRoom } from '../../../bounded-maps.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type AnsweredServices = {
  /**
   * One try by this node of a service; what was no real answer changes nothing. `ifname` is the port over which it was reached this time: a
   * server stays the same one when it is moved to another port.
   */
  tried(ifname: string, result: ServiceProbeResult, atMs: number): void;
  told(nowMs: number): readonly AnsweredService[];
  forget(nowMs: number): void;
};

type Given = { readonly addresses: readonly string[]; readonly firstMs: number; lastMs: number; times: number };
type Kept = Pick<AnsweredService, 'ifname' | 'address' | 'service' | 'port' | 'record'> & {
  okMs: number;
  times: number;
  /** Oldest first. */
  given: Given[];
};

export function createAnsweredServices(): AnsweredServices {
  const kept = new Map<string, Kept>();
  return {
    tried(ifname, result, atMs) {
      const { destination: address, service, port, record, addresses } = result;
      if (service === 'echo' || port === undefined || !isRealAnswer(result)) return;
      const key = JSON.stringify([address, service, port, record]);
      const before = kept.get(key);
      // The latest stands last: the one that was not answered for the longest time makes room.
      kept.delete(key);
      makeRoom(kept, LIMITS.answeredServices);
      kept.set(key, {
        ...{ ifname, address, service, port },
        ...(record === undefined ? {} : { record }),
        okMs: atMs,
        times: (before?.times ?? 0) + 1,
        given: givenWith(before?.given ?? [], addresses, atMs),
      });
    },
    told: (nowMs) =>
      [...kept.values()].map(({ okMs, given, ...each }) => ({
        ...each,
        okAgoMs: ago(nowMs, okMs),
        ...(given.length === 0
          ? {}
          : {
              given: given.map(({ addresses, firstMs, lastMs, times }) => ({
                ...{ addresses, times },
                firstAgoMs: ago(nowMs, firstMs),
                lastAgoMs: ago(nowMs, lastMs),
              })),
            }),
      })),
    forget(nowMs) {
      for (const [key, { okMs }] of kept) if (nowMs - okMs > DRIVER_LIMITS.historyMs) kept.delete(key);
    },
  };
}

function isRealAnswer({ service, open, record, found, reply }: ServiceProbeResult): boolean {
  if (service === 'tcp') return reply === 'page' || reply === 'other';
  return open && (record === undefined || found === true);
}

function givenWith(given: readonly Given[], addresses: readonly string[] | undefined, atMs: number): Given[] {
  if (addresses === undefined) return [...given];
  const said = JSON.stringify(addresses);
  const known = given.find((each) => JSON.stringify(each.addresses) === said);
  if (known === undefined)
    return [...given, { addresses, firstMs: atMs, lastMs: atMs, times: 1 }].slice(-LIMITS.givenAnswers);
  return given.map((each) => (each === known ? { ...each, lastMs: atMs, times: each.times + 1 } : each));
}

function ago(nowMs: number, atMs: number): number {
  return Math.max(0, Math.round(nowMs - atMs));
}
