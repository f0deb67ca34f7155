// Random bytes as a component, so that tests can replay a seed.
import { randomBytes } from 'node:crypto';

export type Random = { bytes(byteCount: number): Uint8Array };

/** The operating system's generator. */
export const systemRandom: Random = { bytes: (byteCount) => new Uint8Array(randomBytes(byteCount)) };

/** `byteCount` random bytes as lower-case hex. */
export function randomHex(random: Random, byteCount: number): string {
  return Buffer.from(random.bytes(byteCount)).toString('hex');
}
