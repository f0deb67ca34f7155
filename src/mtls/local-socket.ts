// The operators' Unix socket: who may open it is decided by the file's mode and group, so there is no TLS on it.
// Refuses to take the place of an agent that is alive, or of a file that is no socket.
import { once } from 'node:events';
import { chmod, chown, lstat, rename, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { messageOf, ParleyError } from '#base/error.ts';
import { closedSocketWords, groupIdOf } from '#base/owners.ts';
import { makeRoom } from '#base/socket-path.ts';

export type LocalListenInit = {
  readonly path: string;
  /** Default 0o660. */
  readonly mode?: number;
  /** Name of the group that may open the socket; the process must belong to it or be root. */
  readonly group?: string;
  readonly onSession: (socket: Socket) => void;
};

export type LocalListener = { readonly path: string; close(): Promise<void> };

export async function listenLocal(init: LocalListenInit): Promise<LocalListener> {
  await makeRoom(init.path, () => {
    const message = `another agent lives on ${init.path}`;
    return new ParleyError('caller/agent-already-running', message);
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A session that breaks must not take the process along before its owner listens.
    socket.on('error', () => socket.destroy());
    init.onSession(socket);
  });
  // Under another name until mode and group are right: no process can connect before that.
  const temporary = `${init.path}.${process.pid}.new`;
  try {
    await once(server.listen({ path: temporary }), 'listening');
    if (init.group !== undefined) await chown(temporary, -1, await groupIdOf(init.group));
    await chmod(temporary, init.mode ?? 0o660);
    await rename(temporary, init.path);
  } catch (error) {
    server.close();
    await rm(temporary, { force: true });
    throw error;
  }
  const { ino } = await lstat(init.path);
  return {
    path: init.path,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      const left = await lstat(init.path).catch(() => undefined);
      if (left?.ino === ino) await rm(init.path, { force: true });
    },
  };
}

/** Opens the operators' socket of the agent on this machine. */
export async function dialLocal(path: string): Promise<Socket> {
  const socket = createConnection({ path });
  try {
    await once(socket, 'connect');
  } catch (error) {
    throw await localError(path, error as NodeJS.ErrnoException);
  }
  socket.on('error', () => socket.destroy());
  return socket;
}

async function localError(path: string, error: NodeJS.ErrnoException): Promise<ParleyError> {
  if (error.code === 'EACCES') {
    const message = `not allowed to open ${path}: ${await closedSocketWords(path)}, or use an operator certificate`;
    return new ParleyError('caller/local-socket-denied', message, { cause: error });
  }
  const message = `no agent answers on ${path} (${error.code ?? messageOf(error)}): start it with "systemctl start parley-agent", or "parley agent"`;
  return new ParleyError('caller/no-local-agent', message, { cause: error });
}
