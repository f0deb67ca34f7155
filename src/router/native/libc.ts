// The few functions of the C library that Node does not offer: a raw IPv6 socket for probes, a receive buffer beyond the
// system's default, the offload flags of an interface, rtnetlink. Loaded when first needed; reads and sends, changes nothing.
import { messageOf, ParleyError } from '#base/error.ts';
import type { BpfProgram } from './bpf.ts';
import {
  AF_INET,
  AF_INET6,
  AF_PACKET,
  bpfBytes,
  familyOf,
  linkAddress,
  membership,
  socketAddress,
} from './kernel-structs.ts';
import { errorName, type NetlinkSocket, openNetlinkSocket } from './netlink-socket.ts';

const IPPROTO_ICMP = 1;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_RAW = 255;
const MSG_DONTWAIT = 0x40;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_RCVBUF = 8;
/** The same number on every architecture (Linux 5.14). */
const SYS_QUOTACTL_FD = 443;
const Q_GETQUOTA = 0x80_0007;
/** `struct if_dqblk` of linux/quota.h. */
export const QUOTA_BYTES = 72;
const SO_PEERCRED = 17;
/** `struct ucred` of unix(7): process, user, group. */
const UCRED_BYTES = 12;
/** What the kernel says of a socket that no process connected. */
const NO_USER = 0xffff_ffff;
const SO_ATTACH_FILTER = 26;
const SO_RCVBUFFORCE = 33;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPV6_V6ONLY = 26;
const IPPROTO_IP = 0;
const IP_TTL = 2;
/** What the datagrams of one busy moment need, where the system allows it. */
export const RECEIVE_BUFFER_BYTES = 4_194_304;
const SIOCETHTOOL = 0x8946;
/** The kernel's time of arrival of the datagram that was read last. */
const SIOCGSTAMPNS = 0x8907;
/** ethtool commands that read one flag each; `lro` is a bit of ETHTOOL_GFLAGS. */
const ETHTOOL_READS = [
  { name: 'tso', command: 0x1e, mask: 0xffff_ffff },
  { name: 'gso', command: 0x23, mask: 0xffff_ffff },
  { name: 'gro', command: 0x2b, mask: 0xffff_ffff },
  { name: 'lro', command: 0x25, mask: 0x8000 },
] as const;
/** Level-2 IS-IS and what both levels share: 802.3 frames with an LLC header. */
const ETH_P_802_2 = 4;
const SOL_PACKET = 263;
const PACKET_ADD_MEMBERSHIP = 1;
const IFREQ_BYTES = 40;
const IFNAME_BYTES = 16;
/** Longest frame that is read; IS-IS PDUs end at 1,500 octets by default. */
const FRAME_BYTES = 9_216;

export type SendResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly reason: string };

export type RawSocket = {
  /** Hands one whole IPv6 packet to the kernel, which routes it to `towards` (16 octets). Never blocks. */
  send(packet: Uint8Array, towards: Uint8Array): SendResult;
  close(): void;
};

export type PacketSocket = {
  /** Hands one whole Ethernet frame to the kernel, which refuses it where the interface is down or gone. Never blocks. */
  send(frame: Uint8Array): SendResult;
  /** The next frame that waits, if any. Never blocks. */
  receive(): Uint8Array | undefined;
  close(): void;
};

export type MessageSocket = {
  /** Hands one message to the kernel, which routes it to `towards` (of the source's family). Never blocks; false when refused. */
  send(message: Uint8Array, towards: Uint8Array): boolean;
  /** The next packet that carries one to this node, from its IPv4 header on or, over IPv6, from the message on. Never blocks. */
  receive(): Uint8Array | undefined;
  close(): void;
};

export type Libc = {
  /**
   * rtnetlink, with the multicast groups of a bit mask and of their messages those that a classic BPF program lets through; reading the
   * kernel's tables needs no privilege.
   */
  openNetlink(groups: number, program?: BpfProgram): NetlinkSocket | { readonly refused: string };
  /** Frames of one interface, 802.3 or of the EtherType `protocol`, with those to the `groups` (MAC addresses, 6 octets each). Needs CAP_NET_RAW. */
  openPacket(
    ifindex: number,
    groups: readonly Uint8Array[],
    protocol?: number,
  ): PacketSocket | { readonly refused: string };
  /** As `openPacket`, for frames of one EtherType that a classic BPF program lets through. */
  openFiltered(ifindex: number, protocol: number, program: BpfProgram): PacketSocket | { readonly refused: string };
  /** Whole ICMP packets over IPv4, sent from `source`. Needs CAP_NET_RAW. */
  openIcmp(source: Uint8Array): MessageSocket | { readonly refused: string };
  /**
   * Messages of one IP protocol, sent from `source` (4 or 16 octets) and heard as a classic BPF program lets them through. What is
   * received begins with its IPv4 header; over IPv6 with the message itself. The kernel fills in checksums of ICMPv6 alone. Needs CAP_NET_RAW.
   */
  openTransport(
    source: Uint8Array,
    protocol: number,
    program: BpfProgram,
  ): MessageSocket | { readonly refused: string };
  /** Needs CAP_NET_RAW; `refused` with the reason where it is missing. */
  openRawIpv6(): RawSocket | { readonly refused: string };
  /** The same for whole IPv4 packets; `towards` has 4 octets, and the kernel fills in the header's checksum. */
  openRawIpv4(): RawSocket | { readonly refused: string };
  /**
   * A bound datagram socket, IPv4 for an address of 4 octets and IPv6 for one of 16, for `dgram`'s `bind({ fd })`, with a receive buffer beyond
   * the system's limit where CAP_NET_ADMIN allows it (Node cannot ask for that). `port` 0 lets the kernel choose. `hopLimit`: of what is sent
   * from it; `dgram` would set IPv4's on a socket that it was handed, whatever its family.
   */
  openUdp(address: Uint8Array, port: number, hopLimit?: number): { readonly fd: number } | { readonly refused: string };
  /**
   * One datagram from a socket of `openUdp`, at once: half the work of `dgram`'s `send`, which counts where thousands are answered. `to` is
   * a `socketAddress`. Never blocks; `busy` where the queue is full.
   */
  sendUdp(fd: number, datagram: Uint8Array, to: Uint8Array): SendResult;
  /**
   * When the kernel took in the datagram that was read last from the socket, in microseconds of the system's clock; undefined when it
   * cannot tell. The first call makes the kernel note it: of what had arrived before, it tells when it was read.
   */
  arrivalUs(fd: number): number | undefined;
  /** Who is at the other end of the Unix socket `fd` (SO_PEERCRED), process 0 being one that this one cannot see; undefined for other descriptors. */
  peer(fd: number): { readonly process: number; readonly user: number } | undefined;
  /** `struct if_dqblk` of the disk of an open file (quotactl_fd(2)); undefined where it has no quotas, or they are not this process's to read. */
  quota(fd: number, kind: number, id: number): Buffer | undefined;
  /** Offloads of `ifname` that are switched on; empty when the interface does not tell. */
  offloads(ifname: string): readonly string[];
};

let loaded: Promise<Libc> | undefined;

/** Rejects with ParleyError `node/koffi-unavailable` where koffi's binary for this platform is not installed. */
export function loadLibc(): Promise<Libc> {
  loaded ??= import('koffi').then(({ default: koffi }) => bindLibc(koffi), unavailable);
  return loaded;
}

/** The binary is a package of its own, an optional one: an installation without optional packages leaves it out and succeeds. */
function unavailable(cause: unknown): never {
  const platform = `${process.platform}-${process.arch}`;
  throw new ParleyError(
    'node/koffi-unavailable',
    `expected koffi's binary for ${platform}, got: ${messageOf(cause)}; install with optional packages: npm ci --include=optional`,
    { cause },
  );
}

/** Undefined for what was refused; the reason is not told. */
export function usable<T extends object>(opened: T | { readonly refused: string }): T | undefined {
  return 'refused' in opened ? undefined : opened;
}

/** A full queue takes the packet later; whatever else the kernel says, it does not take it at all. */
export function refusedSend(reason: string): SendResult {
  return reason === 'EAGAIN' || reason === 'ENOBUFS' ? { kind: 'busy' } : { kind: 'refused', reason };
}

function bindLibc(koffi: typeof import('koffi').default): Libc {
  const library = koffi.load(null);
  const socket = library.func('int socket(int domain, int type, int protocol)');
  const sendto = library.func(
    'long sendto(int fd, const void *data, size_t size, int flags, const void *address, uint32_t addressSize)',
  );
  const close = library.func('int close(int fd)');
  const ioctl = library.func('int ioctl(int fd, unsigned long request, void *argument)');
  const bind = library.func('int bind(int fd, const void *address, uint32_t addressSize)');
  const setsockopt = library.func('int setsockopt(int fd, int level, int name, const void *value, uint32_t valueSize)');

  const recv = library.func('long recv(int fd, _Out_ void *data, size_t size, int flags)');
  const calls: Calls = {
    setsockopt: (fd, level, name, value) => setsockopt(fd, level, name, value, value.length) as number,
    socket: (domain, type, protocol) => socket(domain, type, protocol) as number,
    bind: (fd, address) => bind(fd, address, address.length) as number,
    sendto: (fd, data, to) => sendto(fd, data, data.length, MSG_DONTWAIT, to, to?.length ?? 0) as number,
    recv: (fd, buffer) => Number(recv(fd, buffer, buffer.length, MSG_DONTWAIT)),
    close: (fd) => void close(fd),
    reason: () => errorName(koffi.errno()),
  };
  const attach = attachingWith(koffi, setsockopt);
  const open = (): number => socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW) as number;
  return {
    openNetlink: (groups, program) =>
      openNetlinkSocket({ socket, bind, setsockopt, sendto, recv, close }, koffi.errno, groups, (fd) =>
        program === undefined ? true : attach(fd, program),
      ),
    openPacket: (ifindex, groups, protocol = ETH_P_802_2) => openPacket(ifindex, groups, protocol, calls),
    openFiltered: (ifindex, protocol, program) => openPacket(ifindex, [], protocol, calls, (fd) => attach(fd, program)),
    openIcmp: (source) => openTransport(source, IPPROTO_ICMP, calls),
    openTransport: (source, protocol, program) => openTransport(source, protocol, calls, (fd) => attach(fd, program)),
    openRawIpv6() {
      const fd = open();
      if (fd < 0) return { refused: errorName(koffi.errno()) };
      const address = socketAddress(new Uint8Array(16));
      return {
        send(packet, towards) {
          address.set(towards, 8);
          return calls.sendto(fd, packet, address) >= 0 ? { kind: 'sent' } : refusedSend(calls.reason());
        },
        close: () => void close(fd),
      };
    },
    openRawIpv4() {
      const fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_RAW) as number;
      if (fd < 0) return { refused: errorName(koffi.errno()) };
      return {
        send: (packet, towards) =>
          calls.sendto(fd, packet, socketAddress(towards)) >= 0 ? { kind: 'sent' } : refusedSend(calls.reason()),
        close: () => void close(fd),
      };
    },
    openUdp: (address, port, hopLimit) => openDatagrams(address, port, hopLimit, calls),
    sendUdp: (fd, datagram, to) =>
      calls.sendto(fd, datagram, to) >= 0 ? { kind: 'sent' } : refusedSend(calls.reason()),
    arrivalUs: (fd) => readArrival(ioctl, fd),
    ...bindQueries(library),
    offloads(ifname) {
      const fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0) as number;
      if (fd < 0) return [];
      try {
        return ETHTOOL_READS.filter(({ command, mask }) => readFlag(koffi, ioctl, fd, ifname, command) & mask).map(
          ({ name }) => name,
        );
      } finally {
        close(fd);
      }
    },
  };
}

/** What the kernel tells of a descriptor. */
function bindQueries(library: ReturnType<typeof import('koffi').default.load>): Pick<Libc, 'peer' | 'quota'> {
  const getsockopt = library.func(
    'int getsockopt(int fd, int level, int name, _Out_ void *value, _Inout_ uint32_t *valueSize)',
  );
  const syscall = library.func(
    'long syscall(long number, uint32_t fd, uint32_t command, uint32_t id, _Out_ void *data)',
  );
  return {
    peer(fd) {
      const credentials = Buffer.alloc(UCRED_BYTES);
      if ((getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, [UCRED_BYTES]) as number) !== 0) return undefined;
      const [process, user] = [credentials.readInt32LE(0), credentials.readUInt32LE(4)];
      return user === NO_USER ? undefined : { process, user };
    },
    quota(fd, kind, id) {
      const block = Buffer.alloc(QUOTA_BYTES);
      return Number(syscall(SYS_QUOTACTL_FD, fd, ((Q_GETQUOTA << 8) | kind) >>> 0, id, block)) === 0
        ? block
        : undefined;
    },
  };
}

type Calls = {
  setsockopt(fd: number, level: number, name: number, value: Uint8Array): number;
  socket(domain: number, type: number, protocol: number): number;
  bind(fd: number, address: Uint8Array): number;
  sendto(fd: number, data: Uint8Array, to: Uint8Array | null): number;
  recv(fd: number, buffer: Uint8Array): number;
  close(fd: number): void;
  reason(): string;
};

/** Lets of what a socket hears through only what a classic BPF program does. */
function attachingWith(koffi: typeof import('koffi').default, setsockopt: (...args: unknown[]) => unknown) {
  return (fd: number, program: BpfProgram): boolean => {
    const bytes = Buffer.concat(program.map(bpfBytes));
    const memory = koffi.alloc('uint8_t', bytes.length);
    try {
      koffi.encode(memory, 'uint8_t', [...bytes], bytes.length);
      const value = Buffer.alloc(16);
      value.writeUInt16LE(program.length);
      value.writeBigUInt64LE(koffi.address(memory) as bigint, 8);
      return (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, value, value.length) as number) === 0;
    } finally {
      koffi.free(memory);
    }
  };
}

function openPacket(
  ifindex: number,
  groups: readonly Uint8Array[],
  protocol: number,
  calls: Calls,
  filter?: (fd: number) => boolean,
): PacketSocket | { readonly refused: string } {
  // With a filter nothing is heard before it is attached: protocol 0 is none, binding names the one that is wanted.
  const inNetworkOrder = filter === undefined ? ((protocol & 0xff) << 8) | (protocol >> 8) : 0;
  const fd = calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, inNetworkOrder);
  if (fd < 0) return { refused: calls.reason() };
  const joined = () =>
    groups.every((group) => calls.setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership(ifindex, group)) === 0);
  if (filter?.(fd) === false || calls.bind(fd, linkAddress(ifindex, protocol)) !== 0 || !joined()) {
    const refused = calls.reason();
    calls.close(fd);
    return { refused };
  }
  const buffer = Buffer.alloc(FRAME_BYTES);
  return {
    send: (frame) => (calls.sendto(fd, frame, null) >= 0 ? { kind: 'sent' } : refusedSend(calls.reason())),
    receive() {
      const byteCount = calls.recv(fd, buffer);
      return byteCount < 0 ? undefined : new Uint8Array(buffer.subarray(0, byteCount));
    },
    close: () => calls.close(fd),
  };
}

function openTransport(
  source: Uint8Array,
  protocol: number,
  calls: Calls,
  filter?: (fd: number) => boolean,
): MessageSocket | { readonly refused: string } {
  const fd = calls.socket(familyOf(source), SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd < 0) return { refused: calls.reason() };
  if (filter?.(fd) === false || calls.bind(fd, socketAddress(source)) !== 0) {
    const refused = calls.reason();
    calls.close(fd);
    return { refused };
  }
  const buffer = Buffer.alloc(FRAME_BYTES);
  return {
    send: (message, towards) => calls.sendto(fd, message, socketAddress(towards)) === message.length,
    receive() {
      const byteCount = calls.recv(fd, buffer);
      return byteCount < 0 ? undefined : new Uint8Array(buffer.subarray(0, byteCount));
    },
    close: () => calls.close(fd),
  };
}

function openDatagrams(
  address: Uint8Array,
  port: number,
  hopLimit: number | undefined,
  calls: Calls,
): { readonly fd: number } | { readonly refused: string } {
  const family = familyOf(address);
  const fd = calls.socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return { refused: calls.reason() };
  const set = (level: number, name: number, value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return calls.setsockopt(fd, level, name, bytes) === 0;
  };
  // With a port that the kernel chooses, it would choose one that another socket has.
  if (port !== 0) set(SOL_SOCKET, SO_REUSEADDR, 1);
  if (family === AF_INET6) set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (!set(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES)) set(SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES);
  const [level, name] = family === AF_INET6 ? [IPPROTO_IPV6, IPV6_UNICAST_HOPS] : [IPPROTO_IP, IP_TTL];
  const isLimited = hopLimit === undefined || set(level, name, hopLimit);
  if (isLimited && calls.bind(fd, socketAddress(address, port)) === 0) return { fd };
  const refused = calls.reason();
  calls.close(fd);
  return { refused };
}

/** `struct timespec`; read before anything else is. */
const timespec = Buffer.alloc(16);

function readArrival(ioctl: (...args: unknown[]) => unknown, fd: number): number | undefined {
  if (ioctl(fd, SIOCGSTAMPNS, timespec) !== 0) return undefined;
  return Number(timespec.readBigInt64LE(0)) * 1_000_000 + Math.round(Number(timespec.readBigInt64LE(8)) / 1_000);
}

function readFlag(
  koffi: typeof import('koffi').default,
  ioctl: (...args: unknown[]) => unknown,
  fd: number,
  ifname: string,
  command: number,
): number {
  const value = Buffer.alloc(8);
  value.writeUInt32LE(command, 0);
  const request = Buffer.alloc(IFREQ_BYTES);
  request.write(ifname.slice(0, IFNAME_BYTES - 1), 0, 'latin1');
  request.writeBigUInt64LE(BigInt(koffi.address(value)), IFNAME_BYTES);
  return ioctl(fd, SIOCETHTOOL, request) === 0 ? value.readUInt32LE(4) : 0;
}
