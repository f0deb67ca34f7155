// A TCP segment that asks for a connection, and the answers to it (RFC 9293 §3.5), as much as a probe needs. Total: what is no answer is
// undefined.

const SYN = 0x02;
const RST = 0x04;
const ACK = 0x10;
const HEADER_BYTES = 20;
const OPTION_BYTES = 4;
const PROTOCOL_TCP = 6;
const WINDOW = 1_024;
/** The smallest that every path takes (RFC 9293 §3.7.1): a connection is never used. */
const MAXIMUM_SEGMENT = 536;
const SEQUENCES = 0x1_0000_0000;

export type TcpPorts = { readonly from: number; readonly to: number };
/** 4 or 16 octets each. */
type IpEnds = { readonly source: Uint8Array; readonly destination: Uint8Array };

/** A SYN with this sequence number, with its checksum over the pseudo-header of either IP family. */
export function encodeSyn({ source, destination }: IpEnds, { from, to }: TcpPorts, sequence: number): Uint8Array {
  const segment = Buffer.alloc(HEADER_BYTES + OPTION_BYTES);
  segment.writeUInt16BE(from, 0);
  segment.writeUInt16BE(to, 2);
  segment.writeUInt32BE(sequence >>> 0, 4);
  segment[12] = ((HEADER_BYTES + OPTION_BYTES) / 4) << 4;
  segment[13] = SYN;
  segment.writeUInt16BE(WINDOW, 14);
  segment.set([2, OPTION_BYTES, MAXIMUM_SEGMENT >> 8, MAXIMUM_SEGMENT & 0xff], HEADER_BYTES);
  const words = [source, destination, segment].reduce((sum, bytes) => sum + sumOf(bytes), 0);
  segment.writeUInt16BE(folded(words + segment.length + PROTOCOL_TCP), 16);
  return segment;
}

/** `opens`: there is a listener (SYN and ACK); else the port is closed (RST and ACK). `sequence`: that of the SYN that is answered. */
export type SynAnswer = TcpPorts & { readonly sequence: number; readonly opens: boolean };

/** `segment` begins with its TCP header. */
export function decodeSynAnswer(segment: Uint8Array): SynAnswer | undefined {
  if (segment.length < HEADER_BYTES) return undefined;
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const flags = view.getUint8(13);
  if ((flags & ACK) === 0 || (flags & (SYN | RST)) === 0) return undefined;
  return {
    from: view.getUint16(0),
    to: view.getUint16(2),
    sequence: (view.getUint32(8) + SEQUENCES - 1) % SEQUENCES,
    opens: (flags & RST) === 0,
  };
}

/** Sum of the 16-bit words; an odd last octet counts as a high one. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += bytes[index]! * 256 + (bytes[index + 1] ?? 0);
  return sum;
}

/** RFC 1071. */
function folded(sum: number): number {
  let rest = sum;
  while (rest > 0xffff) rest = (rest & 0xffff) + (rest >>> 16);
  return ~rest & 0xffff;
}
