// Where an audit trail begins once its oldest files were removed: the record before the first that is kept. Without the file a
// trail begins with its first record, so that it cannot be shortened at the front without a trace.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';

type Place = { readonly sequence: number; readonly hash: string };
/** `before`: where the trail begins as long as the file that was removed last is still there, as after a cut between the two. */
export type AuditStart = Place & { readonly before?: Place };

const START_FILE = 'start.json';
const SCHEMA_VERSION = 1;

/** Undefined when nothing was ever removed, or the file is not one of ours. */
export async function loadAuditStart(dir: string): Promise<AuditStart | undefined> {
  const bytes = await readFile(join(dir, START_FILE)).catch(() => undefined);
  const decoded = bytes === undefined ? undefined : decodeStrictJson(bytes);
  if (!decoded?.ok || !isJsonObject(decoded.value)) return undefined;
  const start = placeOf(decoded.value);
  const before = placeOf(decoded.value['before']);
  return start === undefined || before === undefined ? start : { ...start, before };
}

function placeOf(value: JsonValue | undefined): Place | undefined {
  if (!isJsonObject(value)) return undefined;
  const { sequence, hash } = value;
  return typeof sequence === 'number' && typeof hash === 'string' ? { sequence, hash } : undefined;
}

export async function storeAuditStart(dir: string, { sequence, hash, before }: AuditStart): Promise<void> {
  const text = JSON.stringify({ schemaVersion: SCHEMA_VERSION, sequence, hash, ...(before && { before }) });
  await writeFileDurably(join(dir, START_FILE), `${text}\n`);
}
