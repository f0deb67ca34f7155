// The Fletcher checksum of an LSP (ISO/IEC 10589 §7.3.11, ISO 8473 annex C): over everything from the LSP id on, the
// remaining lifetime left out, so that it survives ageing.

/** Octets from the start of an LSP's checksummed part (its LSP id) to the checksum. */
const CHECKSUM_AT = 12;

/** The checksum of `covered`, which begins at the LSP id; the two octets of the checksum itself count as zero. */
export function fletcherChecksum(covered: Uint8Array): number {
  let c0 = 0;
  let c1 = 0;
  covered.forEach((octet, index) => {
    c0 = (c0 + (index === CHECKSUM_AT || index === CHECKSUM_AT + 1 ? 0 : octet)) % 255;
    c1 = (c1 + c0) % 255;
  });
  const tail = covered.length - CHECKSUM_AT;
  const x = modulo255((tail - 1) * c0 - c1);
  const y = modulo255(c1 - tail * c0);
  return ((x || 255) << 8) | (y || 255);
}

function modulo255(value: number): number {
  return ((value % 255) + 255) % 255;
}
