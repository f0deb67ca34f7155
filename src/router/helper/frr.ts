// Asks FRR daemons through their Unix sockets (`<daemon>.vty`): `command\0`, the reply ends `\0\0\0<status>`. That socket
// can also configure, so only the literal commands below are ever sent; none of them shows a whole table, because a large
// one blocks the daemon for seconds.
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';

/** Everything that may be asked. Answers grow with the number of interfaces or routers, never with the number of routes. */
export const FRR_QUERIES = {
  'isis-interfaces': { daemon: 'isisd', command: 'show yang operational-data /frr-interface:lib' },
  'isis-hostnames': { daemon: 'isisd', command: 'show isis hostname' },
  version: { daemon: 'zebra', command: 'show version' },
} as const;

export type FrrQuery = keyof typeof FRR_QUERIES;

export const FRR_QUERY_NAMES = Object.keys(FRR_QUERIES) as readonly FrrQuery[];

const TRAILER_BYTES = 4;

/** The text that the daemon answers. Rejects with `node/frr-unavailable` when there is no daemon, or it refuses or stalls. */
export async function askFrr(folder: string, query: FrrQuery, signal: AbortSignal): Promise<string> {
  const { daemon, command } = FRR_QUERIES[query];
  try {
    return await converse(
      join(folder, `${daemon}.vty`),
      command,
      AbortSignal.any([signal, AbortSignal.timeout(LIMITS.helperReadMs)]),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ParleyError('node/frr-unavailable', `expected an answer of ${daemon}, came ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** `enable` first: operational data is not shown in view mode. */
export function converse(path: string, command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, signal });
    const pending = ['enable', command];
    let received: Buffer = Buffer.alloc(0);
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const next = () => socket.write(`${pending.shift()}\0`);
    socket.on('connect', next);
    socket.on('error', fail);
    socket.on('close', () => reject(new Error('the end of the connection')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > LIMITS.helperReadBytes) return fail(new Error(`more than ${LIMITS.helperReadBytes} bytes`));
      const reply = takeReply(received);
      if (reply === undefined) return;
      if (reply.status !== 0) return fail(new Error(`status ${reply.status}`));
      received = Buffer.alloc(0);
      if (pending.length > 0) return next();
      socket.destroy();
      resolve(reply.text);
    });
  });
}

/** A whole reply: text, three zero octets, status. FRR's texts hold no zero octets. */
export function takeReply(received: Uint8Array): { readonly text: string; readonly status: number } | undefined {
  const end = received.length - TRAILER_BYTES;
  if (end < 0 || received[end] !== 0 || received[end + 1] !== 0 || received[end + 2] !== 0) return undefined;
  return { text: Buffer.from(received.subarray(0, end)).toString('utf8'), status: received[end + 3]! };
}
