// Octets that arrive in pieces and are wanted as one: kept in one buffer that doubles. A list of pieces would cost a hundred octets
// for each one, and a sender decides how small they are.

const FIRST_BUFFER_BYTES = 16_384;

export type GatheredBytes = {
  readonly length: number;
  add(piece: Uint8Array): void;
  /** What is there, without a copy: valid until the next `add` or `drop`. */
  view(): Buffer;
  /** Forgets the first `count` octets. */
  drop(count: number): void;
};

/** Takes time and room linear in the octets added, however they are cut. */
export function createGatheredBytes(): GatheredBytes {
  let buffer = Buffer.alloc(0);
  let from = 0;
  let end = 0;
  const makeRoom = (neededBytes: number) => {
    const kept = buffer.subarray(from, end);
    const isEnough = kept.length + neededBytes <= buffer.length / 2;
    const larger = isEnough
      ? buffer
      : Buffer.allocUnsafeSlow(Math.max(2 * (kept.length + neededBytes), FIRST_BUFFER_BYTES));
    kept.copy(larger);
    [buffer, from, end] = [larger, 0, kept.length];
  };
  return {
    get length() {
      return end - from;
    },
    add(piece) {
      if (end + piece.length > buffer.length) makeRoom(piece.length);
      buffer.set(piece, end);
      end += piece.length;
    },
    view: () => buffer.subarray(from, end),
    drop(count) {
      from += Math.min(count, end - from);
      if (from < end) return;
      // A large message leaves no large buffer behind.
      if (buffer.length > FIRST_BUFFER_BYTES) buffer = Buffer.alloc(0);
      from = end = 0;
    },
  };
}
