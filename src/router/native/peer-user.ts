// Which user of this machine opened a Unix socket: SO_PEERCRED, which Node does not offer. The kernel notes it when the socket is connected, so
// that no process can say something else.
import type { Socket } from 'node:net';
import { loadLibc } from './libc.ts';

/** The number of the user; undefined where it cannot be told. Must be asked while the socket is open. */
export async function peerUserOf(socket: Socket): Promise<number | undefined> {
  // Node has no public way to a socket's descriptor.
  const descriptorOf = () => (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
  const libc = await loadLibc();
  const fd = descriptorOf();
  return fd === undefined || fd < 0 ? undefined : libc.peerUser(fd);
}
