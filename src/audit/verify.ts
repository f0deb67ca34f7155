// Verifies an audit trail: a folder of files, or one file. Says where the chain first breaks. What it cannot see is a
// trail that was cut off at its end or made anew as a whole: for that its head has to be known elsewhere.
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bad, ok, type Result } from '#base/result.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { GENESIS, parseAuditLine } from './record.ts';
import { type AuditStart, loadAuditStart } from './start.ts';

export type AuditHead = { readonly sequence: number; readonly hash: string };

export type AuditBreak = {
  readonly file: string;
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
};

export type AuditVerification = {
  readonly ok: boolean;
  readonly records: number;
  /** Of the last record before the break, if any. */
  readonly head: AuditHead | undefined;
  readonly firstBreak?: AuditBreak;
  /** Octets after the last line feed of the last file: a write that a crash cut short. */
  readonly tornBytes: number;
};

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 65_536;
const FILE_NAME = /^audit-\d{15}\.jsonl$/;

/** The file whose first record has this sequence number; names sort as numbers do. */
export function auditFileName(sequence: number): string {
  return `audit-${String(sequence).padStart(15, '0')}.jsonl`;
}

/** The files of a trail, oldest first. */
export async function listAuditFiles(dir: string): Promise<readonly string[]> {
  return (await readdir(dir))
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => join(dir, name));
}

/** A folder begins where retention left off (start.ts), or with record 1; a file that is missing shows. */
export async function verifyAudit(path: string): Promise<AuditVerification> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? await listAuditFiles(path) : [path];
  let head = isFolder && files[0] !== undefined ? startOf(files[0], await loadAuditStart(path)) : undefined;
  let records = 0;
  let tornBytes = 0;
  for (const [index, file] of files.entries()) {
    const read = await readAuditFile(file, head);
    records += read.records;
    head = read.head;
    tornBytes = read.tornBytes;
    const torn = tornBytes > 0 && index + 1 < files.length;
    const firstBreak =
      read.firstBreak ??
      (torn ? { file, line: read.records + 1, offset: read.goodBytes, reason: 'a line without an end' } : undefined);
    if (firstBreak !== undefined) return { ok: false, records, head, firstBreak, tornBytes };
  }
  return { ok: true, records, head, tornBytes };
}

/** A file that was to be removed and is still there is as good as the rest: the chain then begins before `start`. */
function startOf(first: string, start: AuditStart | undefined): AuditHead {
  const sequence = Number(/(\d{15})\.jsonl$/.exec(first)?.[1]);
  if (start === undefined) return BEGINNING;
  if (sequence > start.sequence) return start;
  return start.before !== undefined && sequence > start.before.sequence ? start.before : BEGINNING;
}

const BEGINNING: AuditHead = { sequence: 0, hash: GENESIS };

export type AuditFileReading = {
  readonly records: number;
  readonly head: AuditHead | undefined;
  /** Octets up to the end of the last good line. */
  readonly goodBytes: number;
  readonly tornBytes: number;
  readonly firstBreak?: AuditBreak;
};

/** Reads one file that follows `before`; without it, the first record may follow anything but must say what. */
export async function readAuditFile(file: string, before: AuditHead | undefined): Promise<AuditFileReading> {
  let head = before;
  let goodBytes = 0;
  let records = 0;
  let rest: Uint8Array = new Uint8Array(0);
  const handle = await open(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    while (rest.length <= MAX_LINE_BYTES) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      let bytes: Buffer = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED)) {
        const next = follow(bytes.subarray(0, end), head);
        if (!next.ok) {
          const firstBreak = { file, line: records + 1, offset: goodBytes, reason: next.reason };
          return { records, head, goodBytes, tornBytes: 0, firstBreak };
        }
        head = next.value;
        records += 1;
        goodBytes += end + 1;
        bytes = bytes.subarray(end + 1);
      }
      rest = bytes;
    }
  } finally {
    await handle.close();
  }
  return { records, head, goodBytes, tornBytes: rest.length };
}

/** A detail and at most a dozen texts, each character at most six octets when escaped. */
export const MAX_LINE_BYTES = 6 * (AUDIT_LIMITS.auditDetailBytes + 12 * AUDIT_LIMITS.auditTextChars);

function follow(line: Uint8Array, before: AuditHead | undefined): Result<AuditHead> {
  const parsed = parseAuditLine(line);
  if (!parsed.ok) return parsed;
  const { sequence, previous, hash } = parsed.value;
  if (before !== undefined && sequence !== before.sequence + 1)
    return bad(`expected record ${before.sequence + 1}, got ${sequence}`);
  const expected = before?.hash ?? (sequence === 1 ? GENESIS : previous);
  return previous === expected ? ok({ sequence, hash }) : bad('does not follow the record before');
}
