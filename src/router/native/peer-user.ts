// Who is at the other end of a Unix socket: SO_PEERCRED, which Node does not offer. The kernel notes it when the socket is connected, or when a server
// begins to listen, so that no process can say something else.
import type { Socket } from 'node:net';
import { loadLibc } from './libc.ts';

/** The number of the user that connected it; undefined where it cannot be told. Must be asked while the socket is open. */
export async function peerUserOf(socket: Socket): Promise<number | undefined> {
  return (await peerOf(socket))?.user;
}

/** The process that listens, by its number among those that this process sees; 0 for one that it does not see. Must be asked while the socket is open. */
export async function peerProcessOf(socket: Socket): Promise<number | undefined> {
  return (await peerOf(socket))?.process;
}

async function peerOf(socket: Socket) {
  // Node has no public way to a socket's descriptor.
  const descriptorOf = () => (socket as unknown as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
  const libc = await loadLibc();
  const fd = descriptorOf();
  return fd === undefined || fd < 0 ? undefined : libc.peer(fd);
}
