// The few operations that the audit trail does to a file, all of them off the event loop.
import { open } from 'node:fs/promises';

export type AuditFile = {
  /** Writes all of `bytes` at `offset`, or rejects. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  datasync(): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  close(): Promise<void>;
};

/** Opens for reading and writing, readable by the owner only; makes the file when there is none. */
export async function openAuditFile(path: string): Promise<AuditFile> {
  const handle = await open(path, 'a+', 0o600).then(async (made) => {
    await made.close();
    return open(path, 'r+');
  });
  return {
    async write(bytes, offset) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    },
    datasync: () => handle.datasync(),
    truncate: (sizeBytes) => handle.truncate(sizeBytes),
    close: () => handle.close(),
  };
}
