// A real audit trail of several files, with the head that its node has signed: each single bit of it flipped, and each file cut at each octet. What
// `parley audit verify` works with must find every one of them, and place it at the record that it is in.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HEADS_FILE, storeHeads } from '#audit/heads.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { listAuditFiles, verifyAudit } from '#audit/verify.ts';
import { createSystemClock } from '#base/clock.ts';
import { compareHeads } from '#cli/offline/audit.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { sealHead } from '#sign/audit-head.ts';
import { createSigner, importSigningKey } from '#sign/signer.ts';

export type TrailDamage = {
  readonly records: number;
  readonly files: number;
  readonly octets: number;
  readonly flips: number;
  readonly flipsFound: number;
  readonly flipsPlaced: number;
  readonly cuts: number;
  readonly cutsFound: number;
  readonly cutsPlaced: number;
  /** The first that were not. */
  readonly missed: readonly string[];
};

const FILE_BYTES = 900;
const MOST_MISSED = 10;

/** `dir`: an empty folder. */
export async function damageTrail(dir: string, records: number): Promise<TrailDamage> {
  const trail = await makeTrail(dir, records);
  const files = await Promise.all(
    (await listAuditFiles(trail)).map(async (path) => ({ path, whole: await readFile(path) })),
  );
  const counts = { flips: 0, flipsFound: 0, flipsPlaced: 0, cuts: 0, cutsFound: 0, cutsPlaced: 0 };
  const missed: string[] = [];
  for (const { path, whole } of files) {
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const at = bit >> 3;
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1 << (bit & 7);
      await writeFile(path, flipped);
      const place = await placeOf(trail);
      counts.flips += 1;
      if (place !== undefined) counts.flipsFound += 1;
      if (place !== undefined && isIn(place, recordAt(whole, at), files, path)) counts.flipsPlaced += 1;
      else if (missed.length < MOST_MISSED) missed.push(`bit ${bit} of ${path}: ${JSON.stringify(place)}`);
    }
    for (let size = 0; size < whole.length; size++) {
      await writeFile(path, whole.subarray(0, size));
      const place = await placeOf(trail);
      counts.cuts += 1;
      if (place !== undefined) counts.cutsFound += 1;
      if (place !== undefined && isIn(place, recordAt(whole, size), files, path)) counts.cutsPlaced += 1;
      else if (missed.length < MOST_MISSED) missed.push(`${path} cut to ${size}: ${JSON.stringify(place)}`);
    }
    await writeFile(path, whole);
  }
  const octets = files.reduce((sum, { whole }) => sum + whole.length, 0);
  return { records, files: files.length, octets, ...counts, missed };
}

async function makeTrail(dir: string, records: number): Promise<string> {
  const clock = createSystemClock();
  const [ca, own, state] = [join(dir, 'ca'), join(dir, 'pe1'), join(dir, 'state')];
  await initAuthority({ dir: ca, domain: 'lab.example', clock });
  await issueCertificate({ dir: ca, kind: 'node', name: 'pe1', out: own, clock });
  const identity = await loadIdentity(own);
  const key = importSigningKey(await readFile(join(own, 'signing-key.pem'), 'utf8'));
  await mkdir(state);
  const trail = await openAuditTrail({ dir: join(state, 'audit'), clock, fileBytes: FILE_BYTES, reserveBytes: 1 });
  for (let record = 1; record <= records; record++)
    await trail.append({ event: 'called', party: 'node/p2', method: 'tools/call', detail: { record } });
  const envelope = sealHead(createSigner({ node: 'pe1', privateKey: key.privateKey }), clock, trail.head);
  await trail.close();
  await storeHeads(join(state, HEADS_FILE), { own: { node: 'pe1', envelope, chain: identity.chain }, peers: [] });
  return join(state, 'audit');
}

/** Where the damage is said to be: a file and an octet of it, or the record from which on the trail is missing. */
type Place = { readonly file: string; readonly offset: number } | { readonly record: number };

/** Undefined where nothing is found. */
async function placeOf(trail: string): Promise<Place | undefined> {
  const verified = await verifyAudit(trail);
  if (verified.firstBreak !== undefined) return verified.firstBreak;
  const { missing } = await compareHeads(trail, {});
  return missing.length === 0 ? undefined : { record: (verified.head?.sequence ?? 0) + 1 };
}

type File = { readonly path: string; readonly whole: Buffer };

/** Which line of a file the octet is in, from 0; its line feed counts to it. */
function recordAt(whole: Buffer, at: number): number {
  return whole.subarray(0, at).filter((octet) => octet === 0x0a).length;
}

/** Whether the place is that record. A file that ends early, with a whole line, shows as the next one's beginning. */
function isIn(place: Place, line: number, files: readonly File[], path: string): boolean {
  const index = files.findIndex((file) => file.path === path);
  const before = files.slice(0, index).reduce((sum, { whole }) => sum + linesOf(whole), 0);
  if ('record' in place) return place.record === before + line + 1;
  const next = files[index + 1]?.path;
  return (
    (place.file === path && recordAt(files[index]!.whole, place.offset) === line) ||
    (place.file === next && place.offset === 0)
  );
}

function linesOf(whole: Buffer): number {
  return recordAt(whole, whole.length);
}
