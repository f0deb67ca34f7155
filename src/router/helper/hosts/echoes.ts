// Echoes from one of this node's own addresses, of either family: sent by identifier, and told by identifier when they are answered. One raw socket,
// never blocking; what opens one closes it.
import { decodeEchoNumbers, decodeEchoReply, ECHO6_REPLY, encodeEcho, encodeEcho6 } from '#codec/icmp.ts';
import { addressBytes, sameIpv6 } from '../../native/addresses.ts';
import { accept, assemble, DROP, ifEqual, label, loadByte } from '../../native/bpf.ts';
import { type Libc, usable } from '../../native/libc.ts';

const ICMPV6 = 58;
/** More than an echo of ours has. */
const MESSAGE_BYTES = 64;

/** ICMPv6 messages as a raw socket hears them, from their type on (RFC 4443 §4.2). */
const REPLIES6 = assemble([
  loadByte(0),
  ifEqual(ECHO6_REPLY, { no: 'drop' }),
  accept(MESSAGE_BYTES),
  label('drop'),
  DROP,
]);

export type Echoes = {
  /** False where the kernel has no way to it. */
  send(identifier: number, sequence: number, destination: string): boolean;
  /** The next message that waits; undefined where none does. */
  receive(): Uint8Array | undefined;
  close(): void;
};

/** Undefined where this process may not, or has not got the address. */
export function openEchoes(libc: Pick<Libc, 'openIcmp' | 'openTransport'>, source: string): Echoes | undefined {
  const own = addressBytes(source);
  if (own === undefined) return undefined;
  const isIpv6 = own.length !== 4;
  const socket = usable(isIpv6 ? libc.openTransport(own, ICMPV6, REPLIES6) : libc.openIcmp(own));
  if (socket === undefined) return undefined;
  return {
    send(identifier, sequence, destination) {
      const towards = addressBytes(destination);
      if (towards?.length !== own.length) return false;
      return socket.send((isIpv6 ? encodeEcho6 : encodeEcho)(identifier, sequence), towards);
    },
    receive: () => socket.receive(),
    close: () => socket.close(),
  };
}

/** Of IPv6 a socket hears the message without its sender: the identifier, and that so many echoes were sent, alone say whose answer it is. */
export function isReplyOf(message: Uint8Array, identifier: number, destination: string, sent: number): boolean {
  if (!destination.includes(':')) return decodeEchoReply(message, identifier) === destination;
  const numbers = message[0] === ECHO6_REPLY ? decodeEchoNumbers(message) : undefined;
  return numbers?.identifier === identifier && numbers.sequence < sent;
}

/** Both texts are the same address. */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || sameIpv6(one, other);
}
