// Nonces that never come again [TS-16]: each start takes a new boot id on disk before the first nonce, and nonces are reserved
// on disk in blocks before they are used. A crash loses a block at most; a restored snapshot or a copied disk differs in the
// boot's random part; with a clock, the counter also passes what a lost disk had handed out. No clock is ever needed. On a full disk a boot that
// is on disk goes on: the next one has a higher counter. One that cannot be put there differs from all others in its 64 random bits.
import type { Clock } from '#base/clock.ts';
import { isDiskFull } from '#base/disk-full.ts';
import { ParleyError } from '#base/error.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { NonceSource } from '#model/ports.ts';
import { SIGN_LIMITS } from './limits.ts';
import { type NonceDisk, type NonceState, openNonceDisk } from './nonce-disk.ts';

export type OpenNonceSource = NonceSource & {
  /** Resolves when no reservation is under way: call it before the folder goes away. */
  settled(): Promise<void>;
};

export type NonceSourceInit = {
  readonly path: string;
  readonly random: Random;
  /** Nonces reserved at once. */
  readonly block?: number;
  /** Lifts the boot counter to the seconds since the epoch, so that peers still accept a node restored from an old disk. */
  readonly clock?: Clock;
  readonly disk?: NonceDisk;
};

const BOOT_RANDOM_BYTES = 8;
/** A reservation that failed is tried again after this part of a block. */
const TRIES_IN_A_BLOCK = 8;

/** Rejects with ParleyError `us/nonce-state` when the state on disk cannot be read, or made durable for another reason than a full disk. */
export async function openNonceSource(init: NonceSourceInit): Promise<OpenNonceSource> {
  const block = init.block ?? SIGN_LIMITS.nonceBlock;
  const disk = init.disk ?? openNonceDisk(init.path);
  const last = disk.load();
  const seconds = Math.floor((init.clock?.nowMs() ?? 0) / 1000);
  const counter = Math.max(last.counter + 1, seconds);
  let used = last.reserved;
  let reserved = last.reserved + block;
  const storeNow = (state: NonceState) => {
    try {
      disk.storeNow(state);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  };
  storeNow({ counter, reserved });
  let underWay: Promise<void> | undefined;
  /** Up to here no reservation is tried again: on a full disk each nonce would cost a write that fails. */
  let failedUpTo = 0;

  /** Makes room on disk while nonces are left. A failure is not the end: the next step is the synchronous one. */
  const reserveAhead = () => {
    const target = reserved + block;
    underWay = disk
      .storeLater({ counter, reserved: target }, () => target > reserved)
      .then(
        (stored) => {
          if (stored) reserved = Math.max(reserved, target);
        },
        () => {
          failedUpTo = used + Math.ceil(block / TRIES_IN_A_BLOCK);
        },
      )
      .finally(() => {
        underWay = undefined;
      });
  };

  return {
    boot: `${counter}-${randomHex(init.random, BOOT_RANDOM_BYTES)}`,
    next() {
      if (used >= reserved) {
        // A burst within one turn of the event loop outran the reservation: pay the write here.
        const target = reserved + block;
        storeNow({ counter, reserved: target });
        reserved = target;
      } else if (reserved - used <= block / 2 && underWay === undefined && used >= failedUpTo) {
        reserveAhead();
      }
      used += 1;
      if (used >= 1e15)
        throw new ParleyError('us/nonce-state', 'expected a nonce of at most 15 digits, got to its end');
      return String(used);
    },
    async settled() {
      while (underWay !== undefined) await underWay;
    },
  };
}
