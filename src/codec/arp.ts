// ARP over Ethernet (RFC 826), and the probe of RFC 5227 that asks who has an address without claiming one. Total: a frame that
// is none is undefined.

export type ArpFrame = {
  readonly operation: 'request' | 'reply';
  /** Lower-case, with colons. */
  readonly senderMac: string;
  readonly senderAddress: string;
  readonly targetAddress: string;
};

export const ETHERTYPE_IPV4 = 0x0800;
export const ETHERTYPE_ARP = 0x0806;
const ETHERNET_BYTES = 14;
const ARP_BYTES = 28;
const REQUEST = 1;
const REPLY = 2;

/** RFC 5227 §2.1.1: the sender's address is zero, so no host's table changes. */
export function encodeArpProbe(senderMac: Uint8Array, targetAddress: string): Uint8Array {
  const frame = Buffer.alloc(ETHERNET_BYTES + ARP_BYTES);
  frame.fill(0xff, 0, 6);
  frame.set(senderMac, 6);
  frame.writeUInt16BE(ETHERTYPE_ARP, 12);
  frame.writeUInt16BE(1, 14);
  frame.writeUInt16BE(ETHERTYPE_IPV4, 16);
  frame.set([6, 4], 18);
  frame.writeUInt16BE(REQUEST, 20);
  frame.set(senderMac, 22);
  frame.set(addressBytes(targetAddress), 38);
  return frame;
}

export function decodeArp(frame: Uint8Array): ArpFrame | undefined {
  if (frame.length < ETHERNET_BYTES + ARP_BYTES) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const [type, hardware, protocol] = [view.getUint16(12), view.getUint16(14), view.getUint16(16)];
  if (type !== ETHERTYPE_ARP || hardware !== 1 || protocol !== ETHERTYPE_IPV4) return undefined;
  if (frame[18] !== 6 || frame[19] !== 4) return undefined;
  const operation = view.getUint16(20);
  if (operation !== REQUEST && operation !== REPLY) return undefined;
  return {
    operation: operation === REQUEST ? 'request' : 'reply',
    senderMac: macText(frame.subarray(22, 28)),
    senderAddress: frame.subarray(28, 32).join('.'),
    targetAddress: frame.subarray(38, 42).join('.'),
  };
}

export function macText(bytes: Uint8Array): string {
  return [...bytes].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}

/** Octets of a MAC address that was checked before. */
export function macBytes(mac: string): Uint8Array {
  return Uint8Array.from(Buffer.from(mac.replaceAll(':', ''), 'hex'));
}

/** Octets of a dotted IPv4 address that was checked before. */
export function addressBytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.').map(Number));
}
