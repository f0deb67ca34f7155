// A socket of the kernel's rtnetlink, over the functions of the C library that libc.ts binds. Reading the kernel's tables and hearing of
// their changes needs no privilege.
import { constants } from 'node:os';

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const NETLINK_ROUTE = 0;
const SOL_NETLINK = 270;
const NETLINK_GET_STRICT_CHK = 12;
const MSG_DONTWAIT = 0x40;

export type NetlinkSocket = {
  /** False when the kernel did not take the request. */
  send(request: Uint8Array): boolean;
  /** Bytes of the next datagram, now in `into`; `lost` when the kernel had to drop some. Never blocks. */
  receive(into: Uint8Array): number | 'none' | 'lost';
  close(): void;
};

/** Functions of the C library, by their names. */
type Calls = Readonly<
  Record<'socket' | 'bind' | 'setsockopt' | 'sendto' | 'recv' | 'close', (...args: unknown[]) => unknown>
>;

export function openNetlinkSocket(
  calls: Calls,
  errno: () => number,
  groups: number,
  prepare: (fd: number) => boolean = () => true,
): NetlinkSocket | { readonly refused: string } {
  const { socket, bind, setsockopt, sendto, recv, close } = calls;
  const fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE) as number;
  if (fd < 0) return { refused: errorName(errno()) };
  // Lets the kernel itself select the table of a dump; kernels before 4.20 do not know it.
  setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, Buffer.from([1, 0, 0, 0]), 4);
  // Before it hears anything.
  if (!prepare(fd) || (bind(fd, netlinkAddress(groups), 12) as number) !== 0) {
    const refused = errorName(errno());
    close(fd);
    return { refused };
  }
  return {
    send: (request) => (sendto(fd, request, request.length, MSG_DONTWAIT, null, 0) as number) === request.length,
    receive(into) {
      const byteCount = Number(recv(fd, into, into.length, MSG_DONTWAIT));
      if (byteCount >= 0) return byteCount;
      return errno() === constants.errno.ENOBUFS ? 'lost' : 'none';
    },
    close: () => void close(fd),
  };
}

/** `struct sockaddr_nl`; port 0: the kernel chooses. */
function netlinkAddress(groups: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16LE(AF_NETLINK, 0);
  bytes.writeUInt32LE(groups, 8);
  return bytes;
}

export function errorName(errno: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
}
