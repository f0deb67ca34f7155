// Asks an FRR daemon of a node over its Unix socket: `command\0`, the reply ends with three zero octets and a status.
// Read commands of the lab only; the agent has its own way to its router.
import { createConnection } from 'node:net';
import { ParleyError } from '#base/error.ts';

const REPLY_MS = 3_000;
const STATUS_OCTETS = 4;

/** `socket` as this process sees it, for example below /proc/<pid>/root. */
export function askDaemon(socket: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const connection = createConnection(socket);
    const fail = (message: string) => {
      connection.destroy();
      reject(new ParleyError('node/lab-vty', `expected a reply to "${command}", ${message}`));
    };
    connection.setTimeout(REPLY_MS, () => fail('none came in time'));
    connection.on('error', (error) => fail(error.message));
    connection.on('end', () => fail('the daemon closed'));
    connection.write(`${command}\0`);
    connection.on('data', (chunk) => {
      chunks.push(chunk);
      const reply = Buffer.concat(chunks);
      const end = reply.length - STATUS_OCTETS;
      if (end < 0 || reply[end] !== 0 || reply[end + 1] !== 0 || reply[end + 2] !== 0) return;
      connection.destroy();
      const status = reply[end + 3];
      if (status === 0) resolve(reply.subarray(0, end).toString('utf8'));
      else reject(new ParleyError('node/lab-vty', `expected status 0 of "${command}", got ${status}`));
    });
  });
}
