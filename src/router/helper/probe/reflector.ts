// The probe reflector: answers well-formed probes with a datagram of the same length, from the address that was probed.
// Refuses everything else in silence; changes nothing on the node.
import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { addressBytes, ownAddresses } from '../../native/addresses.ts';
import { createDestinations } from '../../native/destinations.ts';
import { loadLibc } from '../../native/libc.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { createReflectorTable, type Trust } from './reflector-table.ts';

/** How often the node's addresses are compared with the sockets. */
const RESCAN_MS = 1_000;
/** What answers probes to link-local addresses, and to those beyond the bound: from the address that the kernel then chooses. */
const WILDCARDS = ['::', '0.0.0.0'];
/** An address that is still being tested for duplicates (RFC 4862 §5.4) cannot be bound yet. */
const REPORTED_AFTER = 3;

export type Reflector = { readonly addresses: readonly string[]; close(): void };

/**
 * Listens on each address of the node, as a datagram socket answers from the address it is bound to, and on the wildcards for the rest.
 * An answer from another address would be dropped by every stateful filter on the way.
 */
export async function startReflector(init: {
  readonly port: number;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Reflector> {
  const libc = await loadLibc();
  const table = createReflectorTable(init.trust);
  const destinationOf = createDestinations();
  const sockets = new Map<string, Socket>();

  const failures = new Map<string, number>();
  const fail = (address: string, reason: string) => {
    sockets.delete(address);
    const count = (failures.get(address) ?? 0) + 1;
    failures.set(address, count);
    if (count !== REPORTED_AFTER) return;
    init.log.warn('reflector cannot listen', { address, port: init.port, reason });
  };
  const open = (address: string) => {
    const opened = libc.openUdp(addressBytes(address)!, init.port);
    if ('refused' in opened) return fail(address, opened.refused);
    const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', reuseAddr: true });
    const arrivalUs = () => libc.arrivalUs(opened.fd);
    // Asked once before anything arrives: from then on the kernel notes it.
    arrivalUs();
    sockets.set(address, socket);
    socket.on('error', (error) => {
      socket.close();
      fail(address, messageOf(error));
    });
    socket.on('message', (datagram, sender) => {
      const answer = table.reflect(sender.address, datagram, init.clock.monotonicMs(), arrivalUs, init.clock.nowMs);
      if (answer === undefined) return;
      const to = destinationOf(sender.address, sender.port);
      // A refused send (no route back, a filter) is the network's loss; the prober sees it as such. For a full queue Node waits.
      if (to === undefined || libc.sendUdp(opened.fd, answer, to).kind === 'busy')
        socket.send(answer, sender.port, sender.address, () => {});
    });
    socket.bind({ fd: opened.fd });
  };
  const reconcile = () => {
    const own = ownAddresses('both').slice(0, HELPER_LIMITS.reflectorAddresses);
    const wanted = new Set([...WILDCARDS, ...own]);
    for (const address of failures.keys()) if (!wanted.has(address)) failures.delete(address);
    for (const address of wanted) if (!sockets.has(address)) open(address);
    for (const [address, socket] of sockets) {
      if (wanted.has(address)) continue;
      sockets.delete(address);
      socket.close();
    }
  };

  reconcile();
  const timer = setInterval(reconcile, RESCAN_MS);
  return {
    get addresses() {
      return [...sockets.keys()];
    },
    close() {
      clearInterval(timer);
      for (const socket of sockets.values()) socket.close();
      sockets.clear();
    },
  };
}
