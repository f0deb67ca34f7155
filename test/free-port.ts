// TCP ports on loopback for servers that a test starts later, perhaps as processes of their own. Test files run side by side: a port that was only
// looked up and let go again could be taken in between by another file's server, or by any outgoing connection.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range that Linux takes for outgoing connections (32768 and up). */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/**
 * A TCP port that is free on `host`. It stays reserved for this process until it ends: its number is held as a UDP port, which no server of a test
 * wants and every caller asks for first. @throws Error after 100 ports that are in use
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    const reservation = await reserved(port);
    if (reservation === undefined) continue;
    if (await isFree(host, port)) return port;
    reservation.close();
  }
  throw new Error(`expected a free port of ${LOWEST} to ${HIGHEST} on ${host}, got ${ATTEMPTS} that are in use`);
}

/** Undefined when another process has reserved the number. */
async function reserved(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  socket.bind({ address: '127.0.0.1', port, exclusive: true });
  return once(socket, 'listening').then(() => socket, inUse);
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  if ((await once(server, 'listening').catch(inUse)) === undefined) return false;
  server.close();
  await once(server, 'close');
  return true;
}

function inUse(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EADDRINUSE') throw error;
}
