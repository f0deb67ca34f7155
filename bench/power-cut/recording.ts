// Reads what recorder.c has written: every change below one folder, every synchronisation and every note of the workload, in their order.
// Throws where the recording has something that cannot be followed: a bench that misses a write proves nothing.
import { readFile } from 'node:fs/promises';
import type { JsonValue } from '#base/json.ts';

export type Note = {
  readonly part: string;
  /** `attempt`: about to be done. `ack`: promised to be kept. */
  readonly kind: 'attempt' | 'ack';
  readonly [field: string]: JsonValue;
};

/** Paths are absolute; `inode` is the kernel's number, which a later file may have again. */
export type Change =
  | { readonly kind: 'open'; readonly path: string; readonly inode: bigint; readonly empties: boolean }
  | { readonly kind: 'write'; readonly inode: bigint; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'size'; readonly inode: bigint; readonly bytes: number }
  | { readonly kind: 'sync'; readonly inode: bigint }
  | { readonly kind: 'folder'; readonly path: string; readonly inode: bigint }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'note'; readonly note: Note };

const HEAD_BYTES = 32;
/** "CUT1", little-endian, as in recorder.c. */
const MAGIC = 0x31545543;
const LINE_FEED = 0x0a;

export async function readRecording(path: string): Promise<readonly Change[]> {
  const bytes = await readFile(path);
  const changes: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < HEAD_BYTES || bytes.readUInt32LE(at) !== MAGIC)
      throw new Error(`expected a record at octet ${at} of the recording, got something else`);
    const kind = String.fromCharCode(bytes.readUInt8(at + 4));
    const pathEnd = at + HEAD_BYTES + bytes.readUInt16LE(at + 6);
    const toEnd = pathEnd + bytes.readUInt16LE(at + 8);
    const dataEnd = toEnd + bytes.readUInt32LE(at + 12);
    const inode = bytes.readBigUInt64LE(at + 16);
    const offset = Number(bytes.readBigUInt64LE(at + 24));
    const named = bytes.toString('utf8', at + HEAD_BYTES, pathEnd);
    const to = bytes.toString('utf8', pathEnd, toEnd);
    changes.push(...changesOf(kind, { path: named, to, inode, offset, data: bytes.subarray(toEnd, dataEnd) }));
    at = dataEnd;
  }
  return changes;
}

type Fields = { path: string; to: string; inode: bigint; offset: number; data: Buffer };

function changesOf(kind: string, { path, to, inode, offset, data }: Fields): readonly Change[] {
  switch (kind) {
    case 'O':
    case 'C':
      return [{ kind: 'open', path, inode, empties: kind === 'C' }];
    case 'W':
      return [{ kind: 'write', inode, offset, data }];
    case 'T':
      return [{ kind: 'size', inode, bytes: offset }];
    case 'S':
      return [{ kind: 'sync', inode }];
    case 'D':
      return [{ kind: 'folder', path, inode }];
    case 'U':
      return [{ kind: 'remove', path }];
    case 'M':
      return [{ kind: 'rename', path, to }];
    case 'L':
      return [{ kind: 'link', path, to }];
    case 'N':
      return notesIn(data);
    case 'R':
      // sync_file_range promises nothing that counts here.
      return [];
    default:
      throw new Error(`the workload did what the recorder cannot follow: ${kind} ${path} ${to}`);
  }
}

function notesIn(data: Buffer): readonly Change[] {
  if (data.at(-1) !== LINE_FEED) throw new Error('expected whole lines as notes of the workload');
  const lines = data.toString('utf8').trimEnd().split('\n');
  return lines.map((line) => ({ kind: 'note', note: JSON.parse(line) as Note }));
}
