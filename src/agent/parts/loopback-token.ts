// The token of the loopback endpoint: made at the first start, readable by the agent's user alone, never logged.
import { readFile } from 'node:fs/promises';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { randomHex, systemRandom } from '#base/random.ts';

const TOKEN_BYTES = 32;

/** Rejects with `us/loopback-token` when the file can neither be read nor made. */
export async function loadToken(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    if (text.trim().length >= TOKEN_BYTES) return text.trim();
    const token = randomHex(systemRandom, TOKEN_BYTES);
    await writeFileDurably(path, `${token}\n`);
    return token;
  } catch (error) {
    throw new ParleyError('us/loopback-token', `expected the token file ${path}, got ${messageOf(error)}`, {
      cause: error,
    });
  }
}
