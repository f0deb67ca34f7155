// The probe reflector: answers well-formed probes with a datagram of the same length, from the address that was probed.
// Refuses everything else in silence; changes nothing on the node.
import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { ipv6Bytes, loopbackAddresses } from '../../native/addresses.ts';
import { loadLibc, RECEIVE_BUFFER_BYTES } from '../../native/libc.ts';
import { createReflectorTable } from './reflector-table.ts';

/** How often the loopback's addresses are compared with the sockets. */
const RESCAN_MS = 1_000;
/** One socket answers IPv4 probes, whichever address of the node they were sent to. */
const IPV4_ANY = '0.0.0.0';

export type Reflector = { readonly addresses: readonly string[]; close(): void };

/** Listens on each loopback address (a datagram socket answers from the address it is bound to) and on the wildcard for the rest. */
export async function startReflector(init: {
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Reflector> {
  const libc = await loadLibc();
  const table = createReflectorTable();
  const sockets = new Map<string, Socket>();

  const reported = new Set<string>();
  const fail = (address: string, reason: string) => {
    sockets.delete(address);
    if (reported.has(address)) return;
    reported.add(address);
    init.log.warn('reflector cannot listen', { address, port: init.port, reason });
  };
  const open = (address: string) => {
    const opened = address === IPV4_ANY ? undefined : libc.openUdpIpv6(ipv6Bytes(address)!, init.port);
    if (opened !== undefined && 'refused' in opened) return fail(address, opened.refused);
    const socket =
      opened === undefined
        ? createSocket({ type: 'udp4', reuseAddr: true, recvBufferSize: RECEIVE_BUFFER_BYTES })
        : createSocket({ type: 'udp6', reuseAddr: true });
    const arrivalUs = () => (opened === undefined ? undefined : libc.arrivalUs(opened.fd));
    // Asked once before anything arrives: from then on the kernel notes it.
    arrivalUs();
    sockets.set(address, socket);
    socket.on('error', (error) => {
      socket.close();
      fail(address, messageOf(error));
    });
    socket.on('message', (datagram, sender) => {
      const answer = table.reflect(sender.address, datagram, init.clock.monotonicMs(), arrivalUs, init.clock.nowMs);
      // A refused send (no route back, a filter) is the network's loss; the prober sees it as such.
      if (answer !== undefined) socket.send(answer, sender.port, sender.address, () => {});
    });
    socket.bind(opened === undefined ? { address, port: init.port } : { fd: opened.fd });
  };
  const reconcile = () => {
    const wanted = new Set(['::', IPV4_ANY, ...loopbackAddresses('IPv6')]);
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
