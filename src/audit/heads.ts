// Heads of audit trails as a node keeps them, beside its trail: the last that it signed itself, and for each peer the last that the peer showed.
// A head that a trail no longer has tells that the trail was cut off or made anew (TS-31). Bounded in peers.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject } from '#base/json.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain } from '#model/identity.ts';
import { AUDIT_LIMITS } from './limits.ts';
import { type AuditHead, listAuditFiles, readAuditFile } from './verify.ts';

/** An envelope of `sign/audit-head.ts`, with the certificates under which its signature is verified. */
export type KeptHead = {
  readonly node: string;
  readonly envelope: SignedEnvelope;
  readonly chain: CertificateChain;
  /** A later head of the node that is lower: with `envelope` the proof that its trail was cut off or made anew. */
  readonly disproves?: SignedEnvelope;
};
export type KeptHeads = { readonly own?: KeptHead; readonly peers: readonly KeptHead[] };

const envelope = z.strictObject({ payloadType: z.string(), payload: z.string(), signature: z.string() });
const keptHead = z.strictObject({
  node: z.string(),
  envelope,
  chain: z.array(z.string()),
  disproves: envelope.optional(),
});
const keptHeads = z.strictObject({
  schemaVersion: z.literal(1),
  own: keptHead.optional(),
  peers: z.array(keptHead).max(AUDIT_LIMITS.auditWitnessed),
});

/** Name of the file beside the trail's folder. */
export const HEADS_FILE = 'audit-heads.json';

/** Undefined where there is no such file; rejects where it is none of ours. */
export async function loadHeads(path: string): Promise<KeptHeads | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { own, peers } = keptHeads.parse(JSON.parse(text));
  return { ...(own === undefined ? {} : { own: own as KeptHead }), peers: peers as readonly KeptHead[] };
}

export async function storeHeads(path: string, { own, peers }: KeptHeads): Promise<void> {
  const kept = peers.slice(-AUDIT_LIMITS.auditWitnessed);
  await writeFileDurably(path, `${JSON.stringify({ schemaVersion: 1, ...(own && { own }), peers: kept })}\n`);
}

/** Why the trail in `dir` is not the one of `head`, as a clause; undefined where it has that record, or retention has removed it since. */
export async function missingSince(dir: string, head: AuditHead): Promise<string | undefined> {
  if (head.sequence === 0) return undefined;
  const files = await listAuditFiles(dir).catch(() => []);
  const file = files.findLast((path) => firstOf(path) <= head.sequence);
  if (file === undefined) return files.length === 0 ? 'there is no trail' : undefined;
  const found = await hashIn(file, head.sequence);
  if (found === head.hash) return undefined;
  if (found !== undefined) return `its record ${head.sequence} is another`;
  const end = (await readAuditFile(files.at(-1)!, undefined)).head?.sequence ?? firstOf(files.at(-1)!) - 1;
  return end < head.sequence ? `it ends with record ${end}` : `it has no record ${head.sequence}`;
}

function firstOf(path: string): number {
  return Number(/(\d{15})\.jsonl$/.exec(path)?.[1]);
}

/** Only lines that may be the record's are parsed: a file has tens of thousands. */
async function hashIn(file: string, sequence: number): Promise<string | undefined> {
  const text = await readFile(file, 'utf8');
  const mark = `"sequence":${sequence},`;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    const end = text.indexOf('\n', at);
    // A line without its end is no record: the next start cuts it off.
    if (end === -1) return undefined;
    const line = text.slice(text.lastIndexOf('\n', at) + 1, end);
    const value = readOr(line);
    if (isJsonObject(value) && value['sequence'] === sequence && typeof value['hash'] === 'string')
      return value['hash'];
  }
  return undefined;
}

/** A line that was damaged is no record. */
function readOr(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
