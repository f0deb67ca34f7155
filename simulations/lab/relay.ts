// A wire in user space, for what the kernel of labs cannot do: frames from the first interface leave the second one late, frames the other
// way at once. Both interfaces lie in the cable's namespace. Run: node relay.ts SLOW FAST DELAY_MS
import { readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import koffi from 'koffi';

const AF_PACKET = 17;
const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0o4000;
const SOL_SOCKET = 1;
const SO_RCVBUFFORCE = 33;
const SOL_PACKET = 263;
const PACKET_ADD_MEMBERSHIP = 1;
const PACKET_IGNORE_OUTGOING = 23;
const PACKET_MR_PROMISC = 1;
const MSG_DONTWAIT = 0x40;
/** ETH_P_ALL in network order. */
const ALL_PROTOCOLS = 0x0300;
const FRAME_BYTES = 65_536;
const RECEIVE_BYTES = 8_388_608;
/** Frames read in one go before others have their turn. */
const BURST = 256;

// A wire waits for nothing: on a busy machine it would be slow the other way as well, which is no part of the injection.
setPriority(constants.priority.PRIORITY_HIGHEST);

const library = koffi.load(null);
const socket = library.func('int socket(int domain, int type, int protocol)');
const bind = library.func('int bind(int fd, const void *address, uint32_t size)');
const setsockopt = library.func('int setsockopt(int fd, int level, int name, const void *value, uint32_t size)');
const send = library.func('long send(int fd, const void *data, size_t size, int flags)');
const indexOf = library.func('uint32_t if_nametoindex(const char *name)');

const [slowName = '', fastName = '', delayText = ''] = process.argv.slice(2);
const delayMs = Number(delayText);
const slow = openPort(slowName);
const fast = openPort(fastName);
const buffer = Buffer.alloc(FRAME_BYTES);
const held: { readonly due: number; readonly frame: Buffer }[] = [];

turn();

/** Takes what came in, sends what is due, and comes again: half a millisecond late at most. */
function turn(): void {
  forEachFrame(slow, (frame) => held.push({ due: performance.now() + delayMs, frame: Buffer.from(frame) }));
  forEachFrame(fast, (frame) => send(slow, frame, frame.length, MSG_DONTWAIT));
  const now = performance.now();
  let due = 0;
  while (due < held.length && held[due]!.due <= now) due++;
  for (const { frame } of held.splice(0, due)) send(fast, frame, frame.length, MSG_DONTWAIT);
  setTimeout(turn, 1);
}

function forEachFrame(fd: number, take: (frame: Buffer) => void): void {
  for (let count = 0; count < BURST; count++) {
    let size: number;
    try {
      size = readSync(fd, buffer);
    } catch {
      return;
    }
    if (size > 0) take(buffer.subarray(0, size));
  }
}

function openPort(name: string): number {
  const index = indexOf(name) as number;
  const fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, ALL_PROTOCOLS) as number;
  const address = Buffer.alloc(20);
  address.writeUInt16LE(AF_PACKET, 0);
  address.writeUInt16LE(ALL_PROTOCOLS, 2);
  address.writeInt32LE(index, 4);
  const membership = Buffer.alloc(16);
  membership.writeInt32LE(index, 0);
  membership.writeUInt16LE(PACKET_MR_PROMISC, 4);
  const option = (level: number, option: number, value: Buffer) => setsockopt(fd, level, option, value, value.length);
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes;
  };
  const done =
    index > 0 &&
    fd >= 0 &&
    bind(fd, address, address.length) === 0 &&
    option(SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership) === 0 &&
    option(SOL_PACKET, PACKET_IGNORE_OUTGOING, number(1)) === 0;
  option(SOL_SOCKET, SO_RCVBUFFORCE, number(RECEIVE_BYTES));
  if (done) return fd;
  process.stderr.write(`expected to open ${name}, errno ${koffi.errno()}\n`);
  process.exit(1);
}
