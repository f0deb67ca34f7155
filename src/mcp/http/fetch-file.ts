// Fetches a file that a node's answer named (TS-26), over HTTP/2 on a connection that somebody else opened: goes on where a broken
// connection ended, and believes nothing but the size and the SHA-256 of the signed answer.
import { createHash } from 'node:crypto';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Duplex } from 'node:stream';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';

export type FileToFetch = { readonly path: string; readonly bytes: number; readonly sha256: string };

/**
 * Hands each piece to `write`. Rejects with ParleyError `peer/refused`, `peer/unreachable` or, when what came is not what was
 * promised, `peer/wrong-file`; everything that was written is worthless then.
 */
export async function fetchFile(
  file: FileToFetch,
  open: () => Promise<Duplex>,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  let received = 0;
  let failure: unknown;
  for (let attempt = 0; attempt < LIMITS.fetchAttempts && received < file.bytes; attempt++) {
    try {
      await withSession(open, async (session) => {
        for await (const piece of get(session, file, received)) {
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
  // The file has arrived whole; whether its maker removes it now or later is its own matter.
  await withSession(
    open,
    async (session) => void (await answerOf(session.request({ ':method': 'DELETE', ':path': file.path }))),
  ).catch(() => {});
}

async function withSession(
  open: () => Promise<Duplex>,
  work: (session: ClientHttp2Session) => Promise<void>,
): Promise<void> {
  const duplex = await open();
  const session = connect('http://node', { createConnection: () => duplex });
  // Streams of the session reject with what broke it.
  session.on('error', () => {});
  try {
    await work(session);
  } finally {
    session.destroy();
    duplex.destroy();
  }
}

async function* get(session: ClientHttp2Session, file: FileToFetch, from: number): AsyncIterable<Uint8Array> {
  const range = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': `"${file.sha256}"` };
  const stream = session.request({ ':method': 'GET', ':path': file.path, ...range });
  stream.setTimeout(LIMITS.callMs, () => stream.destroy(new Error('no bytes in time')));
  const status = await answerOf(stream);
  if (status !== (from === 0 ? 200 : 206))
    throw new ParleyError('peer/refused', `expected the file, got HTTP status ${status}`, { data: { status } });
  try {
    for await (const piece of stream) yield piece as Uint8Array;
  } catch (error) {
    throw new ParleyError('peer/unreachable', `expected the rest of the file, got: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function answerOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve, reject) => {
    const lost = (error?: Error) =>
      reject(new ParleyError('peer/unreachable', 'expected an answer, got the end', { cause: error }));
    stream.once('response', (headers) => resolve(Number(headers[':status'])));
    stream.once('error', lost);
    stream.once('close', () => lost());
    stream.end();
  });
}

function wrongFile(got: string): ParleyError {
  return new ParleyError('peer/wrong-file', `expected the file that the answer promised, got ${got}`);
}
