// Reads whole lines of an audit trail from a place on, across its files, a chunk at a time and never beyond a record that is durable. Only finds
// and reads: whether the chain holds is for verify.ts.
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { listAuditFiles, MAX_LINE_BYTES } from './verify.ts';

/** Where to go on reading: `offset` octets into `file`. */
export type Place = { readonly file: string; readonly offset: number };

/** `sequence` and `hash` of lines that are no records are undefined. `place`: where the line begins; `end`: where the next one does. */
export type TrailLine = {
  readonly line: Buffer;
  readonly place: Place;
  readonly end: Place;
  readonly sequence: number | undefined;
  readonly hash: string | undefined;
};

/** A record of the trail; undefined for a line that is none. Its hash is not checked: that is for those who verify the trail. */
export type TrailRecord = {
  readonly sequence: number;
  readonly hash: string;
  readonly time: string;
  readonly fields: JsonObject;
};

export function readRecord(line: Uint8Array): TrailRecord | undefined {
  const fields = parsed(Buffer.from(line).toString('utf8'));
  if (!isJsonObject(fields)) return undefined;
  const { sequence, hash, time } = fields;
  const isRecord =
    typeof sequence === 'number' && Number.isSafeInteger(sequence) && typeof hash === 'string' && isTime(time);
  return isRecord ? { sequence, hash, time: time as string, fields } : undefined;
}

const LINE_FEED = 0x0a;

/** The first line of a trail; undefined where it has no file. */
export async function firstPlace(dir: string): Promise<Place | undefined> {
  const [first] = await listAuditFiles(dir);
  return first === undefined ? undefined : { file: basename(first), offset: 0 };
}

/** The number that the first record of a file of the trail has, by the file's name. */
export function firstSequenceOf(file: string): number {
  return Number(/(\d{15})\.jsonl$/.exec(file)?.[1]);
}

/** Where to go on behind record `sequence` with this hash, looked for at `hint` first; undefined where the trail does not have it. */
export async function placeBehind(
  dir: string,
  record: { readonly sequence: number; readonly hash: string },
  hint: Place | undefined,
): Promise<Place | undefined> {
  const isRecord = (line: TrailLine) => line.sequence === record.sequence && line.hash === record.hash;
  const files = await listAuditFiles(dir);
  if (hint !== undefined && files.some((file) => basename(file) === hint.file)) {
    for await (const lines of linesFrom(dir, hint, record.sequence)) {
      const [first] = lines;
      if (first !== undefined && isRecord(first)) return first.end;
      break;
    }
  }
  const holder = files.findLast((file) => firstSequenceOf(file) <= record.sequence);
  if (holder === undefined) return undefined;
  for await (const lines of linesFrom(dir, { file: basename(holder), offset: 0 }, record.sequence)) {
    const found = lines.find(isRecord);
    if (found !== undefined) return found.end;
  }
  return undefined;
}

/**
 * Lines from `from` on up to record `lastSequence`, in portions of about a chunk. Ends where nothing more is there. A file that retention
 * removes meanwhile, or removed since `from` was found, rejects with the code ENOENT: nothing is passed over in silence.
 */
export async function* linesFrom(
  dir: string,
  from: Place,
  lastSequence: number,
): AsyncGenerator<readonly TrailLine[], void, undefined> {
  const files = (await listAuditFiles(dir)).map((path) => basename(path)).filter((name) => name >= from.file);
  if (files[0] !== from.file) throw Object.assign(new Error(`${from.file} is no longer there`), { code: 'ENOENT' });
  for (const file of files) {
    // A file that begins behind the last durable record is of the writer's next batch.
    if (firstSequenceOf(file) > lastSequence) return;
    const handle = await open(join(dir, file), 'r');
    try {
      for await (const lines of linesOfFile(handle, file, file === from.file ? from.offset : 0)) {
        const beyond = lines.findIndex(({ sequence }) => sequence !== undefined && sequence > lastSequence);
        const within = beyond === -1 ? lines : lines.slice(0, beyond);
        if (within.length > 0) yield within;
        if (beyond !== -1) return;
      }
    } finally {
      await handle.close();
    }
  }
}

/** The last `count` lines, oldest first, read from the newest file backwards. */
export async function lastLines(dir: string, count: number): Promise<readonly TrailLine[]> {
  let found: TrailLine[] = [];
  for (const path of (await listAuditFiles(dir)).toReversed()) {
    const wanted = count - found.length;
    if (wanted <= 0) break;
    let ofFile: TrailLine[] = [];
    const handle = await open(path, 'r');
    try {
      for await (const lines of linesOfFile(handle, basename(path), 0)) ofFile = [...ofFile, ...lines].slice(-wanted);
    } finally {
      await handle.close();
    }
    found = [...ofFile, ...found];
  }
  return found;
}

/** A line that is longer than any record is cut and is no record: what is behind it is read all the same. */
async function* linesOfFile(handle: FileHandle, file: string, offset: number): AsyncGenerator<readonly TrailLine[]> {
  const chunk = Buffer.alloc(AUDIT_LIMITS.auditForwardChunkBytes);
  let rest: Buffer = Buffer.alloc(0);
  let restAt = offset;
  let readTo = offset;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, readTo);
    const isOverlong = rest.length > MAX_LINE_BYTES;
    if (bytesRead === 0) {
      if (isOverlong) yield [lineOf(rest, file, restAt, readTo)];
      return;
    }
    const read = chunk.subarray(0, bytesRead);
    const firstEnd = read.indexOf(LINE_FEED);
    readTo += bytesRead;
    if (firstEnd === -1) {
      if (!isOverlong) rest = Buffer.concat([rest, read]);
      continue;
    }
    const lines: TrailLine[] = [];
    let from = 0;
    for (let end = firstEnd; end !== -1; end = read.indexOf(LINE_FEED, from)) {
      const line = from > 0 || isOverlong ? read.subarray(from, end) : Buffer.concat([rest, read.subarray(0, end)]);
      const next = readTo - bytesRead + end + 1;
      lines.push(lineOf(from === 0 && isOverlong ? rest : Buffer.from(line), file, restAt, next));
      restAt = next;
      from = end + 1;
    }
    rest = Buffer.from(read.subarray(from));
    yield lines;
  }
}

function lineOf(line: Buffer, file: string, offset: number, next: number): TrailLine {
  const { sequence, hash } = (line.length > MAX_LINE_BYTES ? undefined : readRecord(line)) ?? {};
  return { line, place: { file, offset }, end: { file, offset: next }, sequence, hash };
}

/** As the trail writes it (RFC 3339 with milliseconds), which RFC 5424 §6.2.3 allows. */
function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/.test(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
