// The audit trail with its heads, its retention and its reserve: no record is lost that was said to be on disk, the chain holds, and the last head
// that was kept is still in it. Now and then the disk is full, so that the reserve becomes the file of the last words.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type AuditFile, openAuditFile } from '#audit/file.ts';
import { HEADS_FILE, loadHeads, missingSince, storeHeads } from '#audit/heads.ts';
import { firstSequenceOf } from '#audit/read-on.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { listAuditFiles, verifyAudit } from '#audit/verify.ts';
import { createSystemClock } from '#base/clock.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import { type After, acksOf, type Life, type Part } from '../part.ts';

/** Small, so that files are begun and removed again and again. */
const FILE_BYTES = 4_000;
const RESERVE_BYTES = 8_192;
const RETENTION = { keepBytes: 30_000, keepMs: 1e12 };

export const audit: Part = {
  name: 'audit trail',
  async work(life) {
    const dir = join(life.dir, 'audit');
    const disk = { isFull: false };
    const clock = createSystemClock();
    const openFile = (path: string) => fullAtTimes(path, disk);
    const init = { dir, clock, fileBytes: FILE_BYTES, retention: RETENTION, reserveBytes: RESERVE_BYTES };
    const trail = await openAuditTrail({ ...init, openFile });
    let count = 0;
    for (let done = 0; done < life.operations / 3; done++) {
      const burst = 1 + Math.floor(life.random() * 6);
      // Full for about one burst in thirty, which the reserve survives once.
      disk.isFull = life.random() < 0.03;
      const appended = Array.from({ length: burst }, async () => {
        const id = `${life.number}-${count++}`;
        const detail = { padding: 'x'.repeat(Math.floor(life.random() ** 3 * 1_500)) };
        await trail.append({ event: 'called', sessionId: id, method: 'tools/call', detail });
        life.ack({ what: 'appended', id });
      });
      // Whatever is refused on a full disk is not promised.
      await Promise.allSettled(appended);
      if (life.random() < 0.3) await keepHead(life, trail.head);
    }
    await trail.close();
  },
  async check(after) {
    const dir = join(after.dir, 'audit');
    const clock = createSystemClock();
    const before = await loadHeads(join(after.dir, HEADS_FILE));
    const faults = await headFaults(after, before?.own?.envelope.payload);
    // Removes nothing: retention by what is allowed here would hide what was lost at the beginning.
    const trail = await openAuditTrail({ dir, clock, reserveBytes: RESERVE_BYTES });
    await trail.append({ event: 'after-the-cut' });
    await trail.close();
    const verified = await verifyAudit(dir);
    if (!verified.ok) return [...faults, `the chain is broken: ${JSON.stringify(verified.firstBreak)}`];
    if (verified.tornBytes > 0) faults.push(`${verified.tornBytes} octets of a torn record were left`);
    return [...faults, ...(await recordFaults(after, dir))];
  },
};

async function keepHead({ dir, ack }: Life, head: { readonly sequence: number; readonly hash: string }) {
  // What a real head is signed with does not matter to the disk.
  const envelope: SignedEnvelope = {
    payloadType: PAYLOAD_TYPES.auditHead,
    payload: JSON.stringify(head),
    signature: '',
  };
  await storeHeads(join(dir, HEADS_FILE), { own: { node: 'r1', envelope, chain: [] }, peers: [] });
  ack({ what: 'head', ...head });
}

async function headFaults({ dir, notes }: After, payload: string | undefined): Promise<string[]> {
  const acked = Number(acksOf(notes, 'head').at(-1)?.['sequence'] ?? 0);
  const head = payload === undefined ? { sequence: 0, hash: '' } : JSON.parse(payload);
  const faults: string[] = [];
  if (head.sequence < acked) faults.push(`the head of record ${acked} is lost, that of ${head.sequence} is there`);
  const missing = await missingSince(join(dir, 'audit'), head);
  if (missing !== undefined) faults.push(`the trail is not that of its head ${head.sequence}: ${missing}`);
  return faults;
}

async function recordFaults({ notes, liveNames }: After, dir: string): Promise<string[]> {
  const files = await listAuditFiles(dir);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const ids = texts
    .join('')
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).sessionId ?? []);
  const kept = new Set(ids);
  const acked = acksOf(notes, 'appended').map(({ id }) => String(id));
  // Records are appended in their order: what is missing before the first that is there was removed by retention, or is lost.
  const first = acked.findIndex((id) => kept.has(id));
  const faults = acked
    .slice(Math.max(first, 0))
    .filter((id) => !kept.has(id))
    .map((id) => `record ${id} is lost`);
  const liveFirst = liveNames.filter((name) => /^audit\/audit-\d{15}\.jsonl$/.test(name)).sort()[0];
  const begins = firstSequenceOf(basename(files[0]!));
  if (liveFirst !== undefined && begins > firstSequenceOf(liveFirst))
    faults.push(`the trail begins with record ${begins}, and began with ${firstSequenceOf(liveFirst)}`);
  return faults;
}

async function fullAtTimes(path: string, disk: { readonly isFull: boolean }): Promise<AuditFile> {
  const file = await openAuditFile(path);
  const isReserve = basename(path) === 'reserve';
  return {
    ...file,
    async write(bytes, offset) {
      if (disk.isFull && !isReserve) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      await file.write(bytes, offset);
    },
  };
}
