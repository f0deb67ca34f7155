// Small operations on bytes that several codecs share.

/** The same memory as a plain Uint8Array: a Buffer's `slice` and equality differ from what callers expect. */
export function bytesOf(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** Not for secrets: stops at the first difference. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
