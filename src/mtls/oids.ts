// Object identifiers that Parley gives a meaning of its own. They live under 2.25, the arc of UUIDs, which needs no
// registration (ITU-T X.667): 2.25.<the UUID as one decimal integer>.

/**
 * Certificate extension that binds a party's Ed25519 signing key to its certificate (TS-24).
 * Value: a DER OCTET STRING of the 32 raw key bytes (RFC 8032 §5.1.5). Not critical, exactly once.
 * UUID c9bc0724-9d08-4d61-b2b6-0e0dc8113619.
 */
export const SIGNING_KEY_OID = '2.25.268151123839852897495977017997146535449';

/** ecdsa-with-SHA256, RFC 5758 §3.2; its AlgorithmIdentifier has no parameters. */
export const ECDSA_WITH_SHA256_OID = '1.2.840.10045.4.3.2';

/** Extended key usages of RFC 5280 §4.2.1.12; a party is both, whoever dials. */
export const SERVER_AUTH_OID = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH_OID = '1.3.6.1.5.5.7.3.2';

/**
 * DER content octets of an object identifier (X.690 §8.19). Arcs may be as wide as a UUID, which is where node-forge's
 * own encoder gives up.
 */
export function oidContent(oid: string): Uint8Array {
  const arcs = oid.split('.').map((arc) => BigInt(arc));
  const [first = 0n, second = 0n, ...rest] = arcs;
  return Uint8Array.from([first * 40n + second, ...rest].flatMap(base128));
}

function base128(value: bigint): number[] {
  const septets = [Number(value & 0x7fn)];
  for (let left = value >> 7n; left > 0n; left >>= 7n) septets.unshift(Number(left & 0x7fn) | 0x80);
  return septets;
}
