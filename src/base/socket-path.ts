// Room for a Unix socket: what a dead process left there is taken away. Refuses to take the place of a process that is alive,
// or of a file that is no socket.
import { lstat, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { ParleyError } from './error.ts';

/** Rejects with `caller/socket-path-taken`, or with what `alive` gives when a process answers there. */
export async function makeRoom(path: string, alive: () => ParleyError): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new ParleyError(
      'caller/socket-path-taken',
      `expected a free path or a socket, ${path} is another kind of file`,
    );
  const life = await lifeOf(path);
  if (life === 'alive') throw alive();
  if (life !== 'ECONNREFUSED' && life !== 'ENOENT') {
    throw new ParleyError(
      'caller/socket-path-taken',
      `cannot tell whether a process lives on ${path}: ${life ?? 'no reason given'}`,
    );
  }
  // Refused: the socket's owner is gone.
  await rm(path, { force: true });
}

/** `alive`, or the code of the error that a connection ended in. */
function lifeOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
  });
}
