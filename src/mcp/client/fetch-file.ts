// Fetches a file that a node's answer named (TS-26), over HTTP/2 on connections that the caller opens. Resumes where a broken
// connection ended. Accepts the file only if its size and SHA-256 are those of the signed answer.
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Client } from 'undici';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { MCP_LIMITS } from '../limits.ts';

export type FileToFetch = { readonly path: string; readonly bytes: number; readonly sha256: string };

/**
 * Hands each piece to `write`. Rejects with ParleyError `peer/refused`, `peer/unreachable` or, when the file is not the promised
 * one, `peer/wrong-file`; discard whatever was written then.
 */
export async function fetchFile(
  file: FileToFetch,
  open: () => Promise<Duplex>,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  let received = 0;
  let failure: unknown;
  for (let attempt = 0; attempt < MCP_LIMITS.fetchAttempts && received < file.bytes; attempt++) {
    try {
      await withClient(open, async (client) => {
        for await (const piece of get(client, file, received)) {
          received += piece.length;
          if (received > file.bytes) throw wrongFile('more bytes');
          hash.update(piece);
          await write(piece);
        }
      });
    } catch (error) {
      if (error instanceof ParleyError && error.code !== 'peer/unreachable') throw error;
      failure = error;
    }
  }
  if (received < file.bytes)
    throw new ParleyError('peer/unreachable', `expected the whole file, got ${received} of ${file.bytes} bytes`, {
      cause: failure,
    });
  if (hash.digest('hex') !== file.sha256) throw wrongFile('other bytes');
  // The file has arrived whole. The node removes it now, or when its time is over if this request is lost.
  await withClient(open, async (client) => {
    const { body } = await client.request({ method: 'DELETE', path: file.path });
    await body.dump();
  }).catch(() => {});
}

/** An HTTP/2 client whose only connection is the one that `open` gives. */
async function withClient(open: () => Promise<Duplex>, work: (client: Client) => Promise<void>): Promise<void> {
  const duplex = await open();
  let given = false;
  const client = new Client('http://node', {
    connect: (_options, callback) => {
      const usable = !given && !duplex.destroyed;
      given = true;
      // undici asks no further than this for the protocol; over the Unix socket no ALPN was negotiated.
      const socket = Object.assign(duplex, { alpnProtocol: 'h2' });
      // A socket given within the call would leave the queued request unsent.
      if (usable) process.nextTick(callback, null, socket as never);
      else process.nextTick(callback, new Error('the connection ended'), null);
    },
    headersTimeout: LIMITS.callMs,
    bodyTimeout: LIMITS.callMs,
  });
  try {
    await work(client);
  } finally {
    await client.destroy();
    duplex.destroy();
  }
}

async function* get(client: Client, file: FileToFetch, from: number): AsyncIterable<Uint8Array> {
  const headers = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': `"${file.sha256}"` };
  const { statusCode, body } = await client.request({ method: 'GET', path: file.path, headers }).catch((error) => {
    throw new ParleyError('peer/unreachable', `expected an answer, got: ${messageOf(error)}`, { cause: error });
  });
  if (statusCode !== (from === 0 ? 200 : 206)) {
    const message = `expected the file, got HTTP status ${statusCode}`;
    throw new ParleyError('peer/refused', message, { data: { status: statusCode } });
  }
  try {
    for await (const piece of body) yield piece as Uint8Array;
  } catch (error) {
    throw new ParleyError('peer/unreachable', `expected the rest of the file, got: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function wrongFile(got: string): ParleyError {
  return new ParleyError('peer/wrong-file', `expected the file that the answer promised, got ${got}`);
}
