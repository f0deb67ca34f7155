// DHCP over BOOTP (RFC 2131, RFC 2132), as much as asking for an offer needs: a DHCPDISCOVER as a relay passes it on, and what an
// offer says. Nothing here requests a lease. Total: bytes that are no offer are undefined.

const OP_REQUEST = 1;
const OP_REPLY = 2;
const ETHERNET = 1;
const BROADCAST_FLAG = 0x80;
const FIXED_BYTES = 236;
const COOKIE = [99, 130, 83, 99] as const;
const OPTIONS_AT = FIXED_BYTES + COOKIE.length;
const [PAD, END] = [0, 255];
const OPTION = { mask: 1, router: 3, names: 6, type: 53, server: 54, wanted: 55, relay: 82 } as const;
/** RFC 3527: a sub-option of the relay's. */
const LINK_SELECTION = 5;
const DISCOVER = 1;
/** By the number of option 53 (RFC 2132 §9.6). */
const KINDS = ['', 'discover', 'offer', 'request', 'decline', 'ack', 'nak', 'release', 'inform'] as const;
/** Some servers drop what is shorter than a BOOTP message with its vendor field (RFC 951). */
const LEAST_BYTES = 300;
/** Addresses of one option that are read. */
const MOST_ADDRESSES = 8;

export type OfferMessage = {
  readonly transaction: number;
  readonly address: string;
  readonly server?: string;
  readonly mask?: string;
  readonly routers: readonly string[];
  readonly names: readonly string[];
};

export type DhcpMessage = OfferMessage & {
  readonly kind: Exclude<(typeof KINDS)[number], ''>;
  /** The relay's address (giaddr), 0.0.0.0 without one. */
  readonly gateway: string;
  /** The address whose network it is about, where a relay says so (RFC 3527). */
  readonly link?: string;
};

/** The answer is to come to `relay` (4 octets), for the network that this address is in; it is broadcast there, so that no table changes. With `link` the offer is for the network of that address instead. */
export function encodeDiscover(
  transaction: number,
  clientMac: Uint8Array,
  relay: Uint8Array,
  link?: Uint8Array,
): Uint8Array {
  const message = Buffer.alloc(LEAST_BYTES);
  message.set([OP_REQUEST, ETHERNET, 6, 1]);
  message.writeUInt32BE(transaction >>> 0, 4);
  message[10] = BROADCAST_FLAG;
  message.set(relay, 24);
  message.set(clientMac, 28);
  message.set(COOKIE, FIXED_BYTES);
  const { mask, router, names, type, server, wanted } = OPTION;
  const selection = link === undefined ? [] : [OPTION.relay, 6, LINK_SELECTION, 4, ...link];
  message.set([type, 1, DISCOVER, wanted, 4, mask, router, names, server, ...selection, END], OPTIONS_AT);
  return message;
}

/** True for a message from a server. */
export function isReply(message: Uint8Array): boolean {
  return message[0] === OP_REPLY;
}

export function decodeOffer(message: Uint8Array): OfferMessage | undefined {
  const decoded = isReply(message) ? decodeMessage(message) : undefined;
  if (decoded?.kind !== 'offer') return undefined;
  const { kind: _kind, gateway: _gateway, link: _link, ...offer } = decoded;
  return offer;
}

export function decodeMessage(message: Uint8Array): DhcpMessage | undefined {
  if (message.length < OPTIONS_AT || COOKIE.some((octet, index) => message[FIXED_BYTES + index] !== octet))
    return undefined;
  const options = optionsIn(message, OPTIONS_AT);
  const kind = KINDS[options.get(OPTION.type)?.[0] ?? 0];
  if (kind === undefined || kind === '') return undefined;
  const [server] = addressesIn(options.get(OPTION.server));
  const [mask] = addressesIn(options.get(OPTION.mask));
  const [link] = addressesIn(optionsIn(options.get(OPTION.relay) ?? new Uint8Array(), 0).get(LINK_SELECTION));
  return {
    kind,
    gateway: message.subarray(24, 28).join('.'),
    transaction: new DataView(message.buffer, message.byteOffset).getUint32(4),
    address: message.subarray(16, 20).join('.'),
    routers: addressesIn(options.get(OPTION.router)),
    names: addressesIn(options.get(OPTION.names)),
    ...(link === undefined ? {} : { link }),
    ...(server === undefined ? {} : { server }),
    ...(mask === undefined ? {} : { mask }),
  };
}

/** Of an option that comes twice the first counts; one that is cut short ends the list. */
function optionsIn(message: Uint8Array, start: number): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  let at = start;
  while (at < message.length && message[at] !== END) {
    const code = message[at]!;
    if (code === PAD) {
      at += 1;
      continue;
    }
    const length = message[at + 1];
    if (length === undefined || at + 2 + length > message.length) break;
    if (!found.has(code)) found.set(code, message.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return found;
}

function addressesIn(bytes: Uint8Array | undefined): readonly string[] {
  if (bytes === undefined) return [];
  const count = Math.min(Math.floor(bytes.length / 4), MOST_ADDRESSES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 4, index * 4 + 4).join('.'));
}
