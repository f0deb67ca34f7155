// IP addresses between text and octets, and which of them a hint may carry. Refuses zones, and every address at which
// no peer can be: unspecified, loopback, multicast, broadcast, link-local. Total: bad text or octets are `undefined`.

/** 4 or 16 octets. */
export function encodeAddress(text: string): Uint8Array | undefined {
  return text.includes(':') ? encodeIpv6(text) : encodeIpv4(text);
}

/** RFC 5952 text of 4 or 16 octets. */
export function decodeAddress(octets: Uint8Array): string | undefined {
  if (octets.length === 4) return octets.join('.');
  return octets.length === 16 ? formatIpv6(octets) : undefined;
}

/** True when a session could be dialled there. */
export function isDialable(text: string): boolean {
  const octets = encodeAddress(text);
  if (octets === undefined) return false;
  const [first = 0, second = 0] = octets;
  if (octets.length === 4) return first !== 0 && first !== 127 && first < 224 && !(first === 169 && second === 254);
  // ::/96 holds the unspecified address, loopback and the IPv4-compatible ones; ::ffff:0:0/96 would be IPv4 in disguise.
  if (octets.subarray(0, 10).every((octet) => octet === 0)) return false;
  return first !== 0xff && !(first === 0xfe && (second & 0xc0) === 0x80);
}

function encodeIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  return Uint8Array.from(parts, Number);
}

function encodeIpv6(text: string): Uint8Array | undefined {
  if (text.length > 39) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...(head ?? []), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const missing = 8 - groups.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...(head ?? []), ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...(tail ?? [])];
  return Uint8Array.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

/** The longest run of at least two zero groups, the first of equals, becomes `::` (RFC 5952 §4.2). */
function formatIpv6(octets: Uint8Array): string {
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((octets[2 * index] ?? 0) << 8) | (octets[2 * index + 1] ?? 0),
  );
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start === -1) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}
