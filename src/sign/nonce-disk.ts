// The file behind the nonce source: written whole, durable before anything that relies on it, never taken back to an older
// reservation by a slower write. Refuses a file that is not its own.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { syncFolder } from '#base/files.ts';
import { isJsonObject } from '#base/json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';

/** `reserved`: the highest nonce that may have been used. */
export type NonceState = { readonly counter: number; readonly reserved: number };

/** Every state is durable when its store returns or resolves. Errors are ParleyError `us/nonce-state`. */
export type NonceDisk = {
  /** `{counter: 0, reserved: 0}` when there is no file yet. */
  load(): NonceState;
  storeNow(state: NonceState): void;
  /** Writes aside, then takes the place of the file only if `isWanted()` still holds; tells whether it did. */
  storeLater(state: NonceState, isWanted: () => boolean): Promise<boolean>;
};

/** The steps of a durable write, so that a test can stop at each of them. */
export type NonceFiles = {
  read(path: string): Uint8Array | undefined;
  writeNow(path: string, text: string): void;
  writeLater(path: string, text: string): Promise<void>;
  rename(from: string, to: string): void;
  syncFolderNow(path: string): void;
  syncFolderLater(path: string): Promise<void>;
  remove(path: string): void;
};

const SCHEMA_VERSION = 1;

export function openNonceDisk(path: string, files: NonceFiles = systemFiles): NonceDisk {
  const fail = (cause: unknown) =>
    new ParleyError('us/nonce-state', `expected durable nonce state, got: ${messageOf(cause)}`, { cause });
  return {
    load() {
      let bytes: Uint8Array | undefined;
      try {
        bytes = files.read(path);
      } catch (cause) {
        throw fail(cause);
      }
      // Starting again from nothing would hand out old nonces: only a missing file means a new node.
      return bytes === undefined ? { counter: 0, reserved: 0 } : parseState(bytes);
    },
    storeNow(state) {
      const temporary = `${path}.now.tmp`;
      try {
        files.writeNow(temporary, formatState(state));
        files.rename(temporary, path);
        files.syncFolderNow(dirname(path));
      } catch (cause) {
        // On a full disk what was begun takes room that others need.
        if (isDiskFull(cause)) files.remove(temporary);
        throw fail(cause);
      }
    },
    async storeLater(state, isWanted) {
      const temporary = `${path}.later.tmp`;
      try {
        await files.writeLater(temporary, formatState(state));
        if (!isWanted()) {
          files.remove(temporary);
          return false;
        }
        // In one turn with the question, so that an older reservation never replaces a newer one.
        files.rename(temporary, path);
        await files.syncFolderLater(dirname(path));
        return true;
      } catch (cause) {
        if (isDiskFull(cause)) files.remove(temporary);
        throw fail(cause);
      }
    },
  };
}

function formatState(state: NonceState): string {
  return `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...state })}\n`;
}

function parseState(bytes: Uint8Array): NonceState {
  const decoded = decodeStrictJson(bytes);
  const value = decoded.ok && isJsonObject(decoded.value) ? decoded.value : {};
  const { schemaVersion, counter, reserved } = value;
  if (schemaVersion !== SCHEMA_VERSION || !isCount(counter) || !isCount(reserved)) {
    throw new ParleyError('us/nonce-state', 'expected nonce state of version 1, got another file');
  }
  return { counter, reserved };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const systemFiles: NonceFiles = {
  read(path) {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
  writeNow(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'w', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  async writeLater(path, text) {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename: renameSync,
  syncFolderNow(path) {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  },
  syncFolderLater: syncFolder,
  remove: (path) => rmSync(path, { force: true }),
};
