// A long text that is written piece by piece and needed as one: the pieces are kept as bytes outside the heap, so that what they
// were made of is young when it is thrown away.
const FIRST_BYTES = 65_536;

export type TextPieces = { add(text: string): void; readonly text: string };

export function createTextPieces(): TextPieces {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
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
    get text() {
      return buffer.toString('utf8', 0, end);
    },
  };
}
