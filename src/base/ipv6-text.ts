// IPv6 addresses as RFC 5952 writes them, from their octets.

/** The 16 octets of `buffer` that begin at `at`. */
export function formatIpv6(buffer: Uint8Array, at: number): string {
  const [start, count] = longestZeros(buffer, at);
  const mapped = start === 0 && count === 5 && buffer[at + 10] === 0xff && buffer[at + 11] === 0xff;
  // RFC 5952 §5: an IPv4-mapped address ends as IPv4 is written.
  if (mapped) return `::ffff:${buffer.subarray(at + 12, at + 16).join('.')}`;
  let text = '';
  for (let group = 0; group < 8; group++) {
    if (group === start) {
      text += '::';
      group += count - 1;
      continue;
    }
    if (text !== '' && !text.endsWith(':')) text += ':';
    text += groupAt(buffer, at, group).toString(16);
  }
  return text;
}

/** First group and number of the longest run of at least two zero groups; [-1, 0] without one (RFC 5952 §4.2). */
function longestZeros(buffer: Uint8Array, at: number): readonly [number, number] {
  let best: readonly [number, number] = [-1, 0];
  let start = 0;
  for (let group = 0; group <= 8; group++) {
    if (group < 8 && groupAt(buffer, at, group) === 0) continue;
    if (group - start >= 2 && group - start > best[1]) best = [start, group - start];
    start = group + 1;
  }
  return best;
}

function groupAt(buffer: Uint8Array, at: number, group: number): number {
  return (buffer[at + group * 2]! << 8) | buffer[at + group * 2 + 1]!;
}

/** As the kernel writes it: 198.18.0.1, fd00::1. */
export function formatAddress(family: 4 | 6, value: bigint): string {
  const octetCount = family === 4 ? 4 : 16;
  const octets = Uint8Array.from({ length: octetCount }, (_, index) =>
    Number((value >> BigInt(8 * (octetCount - 1 - index))) & 0xffn),
  );
  return family === 4 ? octets.join('.') : formatIpv6(octets, 0);
}
