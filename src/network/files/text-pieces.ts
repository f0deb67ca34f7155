// A long text that is written piece by piece and needed as one: the pieces are kept as bytes outside the heap, so that what they
// were made of is young when it is thrown away.
const FIRST_BYTES = 65_536;

/** Kept for the next text up to this size. */
const KEPT_BYTES = 1_048_576;

export type TextPieces = {
  add(text: string): void;
  /** The whole text; nothing can be added behind it. */
  end(): string;
};

/** Of the text that ended last. */
let spare: Buffer | undefined;

export function createTextPieces(): TextPieces {
  let buffer = spare ?? Buffer.allocUnsafe(FIRST_BYTES);
  spare = undefined;
  let end = 0;
  return {
    add(text) {
      // A UTF-16 unit has at most three octets of UTF-8.
      if (end + text.length * 3 > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + text.length * 3));
        buffer.copy(larger, 0, 0, end);
        buffer = larger;
      }
      end += buffer.write(text, end);
    },
    end() {
      const text = buffer.toString('utf8', 0, end);
      if (buffer.length <= KEPT_BYTES) spare = buffer;
      buffer = Buffer.alloc(0);
      return text;
    },
  };
}
