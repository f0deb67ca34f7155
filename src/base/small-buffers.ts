// The memory that small Buffers share. Node cuts those of less than half a pool from one pool after the other, and a pool stays until the last
// Buffer from it has gone; V8, which sees a Buffer of a few octets, is in no hurry to find that out. Since Node 24.21 a pool has 64 kB.
import { LIMITS } from './limits.ts';

/** From now on, in this thread; 0: each Buffer has memory of its own, which goes with it. For processes that run for weeks. */
export function boundBufferPools(bytes: number = LIMITS.bufferPoolBytes): void {
  Buffer.poolSize = bytes;
}
