// The information string of our organizationally specific LLDP TLV (IEEE 802.1AB, type 127): TS-13's `mcp-d2d-port`,
// `cert-thumbprint` and `supported-capabilities` (always as a hash, as a list where it fits), and the addresses to dial.
//   octet 0: version 1; octets 1–2: port; then elements of type, length, value.
// Total: whatever a neighbour sends is a value. Unknown elements are skipped, so that later versions can add some.

import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { isNodeName } from '#model/names.ts';
import { decodeAddress, encodeAddress, isDialable } from '../address.ts';

export const PARLEY_SUBTYPE = 1;

export type Descriptor = {
  readonly node: string;
  readonly port: number;
  /** SHA-256 of the device certificate, lower-case hex. */
  readonly thumbprint: string;
  /** SHA-256 of the certificate that follows at rotation. */
  readonly nextThumbprint?: string;
  /** First 16 octets of the capability list's SHA-256, lower-case hex. */
  readonly capabilitiesHash: string;
  /** Present only when it fitted. */
  readonly capabilities?: readonly string[];
  /** Where to dial: loopback addresses of the node. */
  readonly addresses: readonly string[];
};

const VERSION = 1;
const ELEMENT = { node: 1, thumbprint: 2, next: 3, hash: 4, address: 5, capabilities: 6 } as const;
const HEAD_BYTES = 3;
const CAPABILITY_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * At most LIMITS.lldpInfoBytes octets. Addresses that no longer fit are left out from the end, then the capability list
 * as a whole; name, thumbprints and hash always fit. Refuses a descriptor that a decoder would refuse.
 */
export function encodeDescriptor(descriptor: Descriptor): Result<Uint8Array> {
  const { node, port, thumbprint, nextThumbprint, capabilitiesHash, capabilities, addresses } = descriptor;
  if (!isNodeName(node)) return bad('expected a node name');
  if (!isPort(port)) return bad('expected a port of 1 to 65535');
  if (!isHex(thumbprint, 32) || !isHex(capabilitiesHash, 16)) return bad('expected SHA-256 values in lower-case hex');
  if (nextThumbprint !== undefined && !isHex(nextThumbprint, 32))
    return bad('expected SHA-256 values in lower-case hex');

  const parts = [Uint8Array.of(VERSION, port >> 8, port & 0xff), element(ELEMENT.node, Buffer.from(node, 'latin1'))];
  parts.push(element(ELEMENT.thumbprint, Buffer.from(thumbprint, 'hex')));
  if (nextThumbprint !== undefined) parts.push(element(ELEMENT.next, Buffer.from(nextThumbprint, 'hex')));
  parts.push(element(ELEMENT.hash, Buffer.from(capabilitiesHash, 'hex')));
  for (const address of addresses.slice(0, LIMITS.hintAddresses)) {
    const octets = isDialable(address) ? encodeAddress(address) : undefined;
    if (octets === undefined) return bad('expected addresses that can be dialled');
    pushIfItFits(parts, element(ELEMENT.address, octets));
  }
  if (capabilities !== undefined && capabilities.length > 0) {
    if (!capabilities.every((name) => CAPABILITY_NAME.test(name))) return bad('expected capability names');
    const list = Buffer.from(capabilities.join(','), 'latin1');
    if (list.length <= LIMITS.lldpInfoBytes) pushIfItFits(parts, element(ELEMENT.capabilities, list));
  }
  return ok(Uint8Array.from(Buffer.concat(parts)));
}

export function decodeDescriptor(octets: Uint8Array): Result<Descriptor> {
  if (octets.length > LIMITS.lldpInfoBytes) return bad('longer than a descriptor may be', LIMITS.lldpInfoBytes);
  if (octets.length < HEAD_BYTES) return bad('shorter than its fixed part', octets.length);
  if (octets[0] !== VERSION) return bad(`version ${octets[0]} instead of ${VERSION}`, 0);
  const port = ((octets[1] ?? 0) << 8) | (octets[2] ?? 0);
  if (!isPort(port)) return bad('port 0', 1);

  const found: Found = { addresses: [] };
  for (let at = HEAD_BYTES; at < octets.length; ) {
    if (at + 2 > octets.length) return bad('an element without a length', at);
    const end = at + 2 + (octets[at + 1] ?? 0);
    if (end > octets.length) return bad('an element that runs over the end', at);
    const fault = readElement(octets[at] ?? 0, octets.subarray(at + 2, end), found);
    if (fault !== undefined) return bad(fault, at);
    at = end;
  }
  const { node, thumbprint, capabilitiesHash, addresses, ...rest } = found;
  if (node === undefined) return bad('no node name', octets.length);
  if (thumbprint === undefined) return bad('no thumbprint', octets.length);
  if (capabilitiesHash === undefined) return bad('no hash of the capability list', octets.length);
  return ok({ node, port, thumbprint, capabilitiesHash, addresses, ...rest });
}

type Found = { -readonly [Name in keyof Omit<Descriptor, 'port' | 'addresses'>]?: Descriptor[Name] } & {
  addresses: string[];
};

/** The fault, if any. A known element comes once at most, addresses excepted. */
function readElement(type: number, value: Uint8Array, found: Found): string | undefined {
  const text = Buffer.from(value).toString('latin1');
  switch (type) {
    case ELEMENT.node:
      if (found.node !== undefined || !isNodeName(text)) return 'an invalid or repeated node name';
      found.node = text;
      return undefined;
    case ELEMENT.thumbprint:
      if (found.thumbprint !== undefined || value.length !== 32) return 'an invalid or repeated thumbprint';
      found.thumbprint = hex(value);
      return undefined;
    case ELEMENT.next:
      if (found.nextThumbprint !== undefined || value.length !== 32) return 'an invalid or repeated next thumbprint';
      found.nextThumbprint = hex(value);
      return undefined;
    case ELEMENT.hash:
      if (found.capabilitiesHash !== undefined || value.length !== 16) return 'an invalid or repeated capability hash';
      found.capabilitiesHash = hex(value);
      return undefined;
    case ELEMENT.address:
      return readAddress(value, found);
    case ELEMENT.capabilities: {
      const names = text.split(',');
      if (found.capabilities !== undefined || !names.every((name) => CAPABILITY_NAME.test(name))) {
        return 'an invalid or repeated capability list';
      }
      found.capabilities = names;
      return undefined;
    }
    default:
      return undefined;
  }
}

function readAddress(value: Uint8Array, found: Found): string | undefined {
  const address = decodeAddress(value);
  if (address === undefined || !isDialable(address)) return 'an address that cannot be dialled';
  if (found.addresses.length >= LIMITS.hintAddresses) return 'too many addresses';
  found.addresses.push(address);
  return undefined;
}

function pushIfItFits(parts: Uint8Array[], part: Uint8Array): void {
  const used = parts.reduce((sum, each) => sum + each.length, 0);
  if (used + part.length <= LIMITS.lldpInfoBytes) parts.push(part);
}

function element(type: number, value: Uint8Array): Uint8Array {
  return Uint8Array.from([type, value.length, ...value]);
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString('hex');
}

function isHex(text: string, byteCount: number): boolean {
  return text.length === 2 * byteCount && /^[0-9a-f]*$/.test(text);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}
