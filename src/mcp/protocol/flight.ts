// Bounds the requests of one session that run at once. Beyond the bound a request is refused as busy, so that no peer can pile up work.

import { WIRE_CODES } from '#model/definition.ts';
import { MCP_LIMITS } from '../limits.ts';
import { nameOfCode, RpcError } from './rpc.ts';

/** Counts running requests of one session; a cancelled request counts until its handler ends. */
export type Flight = { run<T>(work: () => Promise<T>): Promise<T> };

/** Rejects with RpcError `busy` beyond MCP_LIMITS.requestsInFlight. */
export function createFlight(limit: number = MCP_LIMITS.requestsInFlight): Flight {
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
