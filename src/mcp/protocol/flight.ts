// How many requests of one session run at once. Beyond the bound a request is refused as busy, so that no peer can pile up work.
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { nameOfCode, RpcError } from './rpc.ts';

/** Counts what runs on one session, cancelled requests included until their handlers end. */
export type Flight = { run<T>(work: () => Promise<T>): Promise<T> };

/** Rejects with RpcError `busy` beyond LIMITS.requestsInFlight. */
export function createFlight(limit: number = LIMITS.requestsInFlight): Flight {
  let running = 0;
  return {
    async run(work) {
      if (running >= limit) {
        throw new RpcError(WIRE_CODES.busy, nameOfCode(WIRE_CODES.busy), {
          detail: `at most ${limit} requests in flight`,
          retryPossible: true,
        });
      }
      running++;
      try {
        return await work();
      } finally {
        running--;
      }
    },
  };
}
