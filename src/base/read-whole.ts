// A file that is read as a whole or not at all: never more of it is held than the bound, whatever size it says it has (files of
// /proc say none).
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 65_536;

/** Latin-1 text; undefined when there is no such file, or when it has more than `maxBytes`. */
export async function readWhole(path: string, maxBytes: number): Promise<string | undefined> {
  const handle = await open(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const chunks: string[] = [];
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let heldBytes = 0; heldBytes <= maxBytes; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return chunks.join('');
      heldBytes += bytesRead;
      chunks.push(chunk.toString('latin1', 0, bytesRead));
    }
    return undefined;
  } finally {
    await handle.close();
  }
}
