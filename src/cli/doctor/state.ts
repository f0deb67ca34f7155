// What `parley doctor` looks at on the disk of a node, while its agent runs or not: room, the report database, the audit trail, the nonces, and
// the consents that the helpers remember. Each fault comes with what to do. What this user may not read is said, and is no fault.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnedRoom, quotasOf } from '#agent/parts/disk-quotas.ts';
import { LASTING_FOLDER } from '#audit/lasting.ts';
import { type Behind, behindOf } from '#audit/outward/behind.ts';
import { POSITION_FILE } from '#audit/outward/position.ts';
import { listAuditFiles, verifyAudit } from '#audit/verify.ts';
import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { isDenied } from '#base/owners.ts';
import { type DiskRoom, diskRoom } from '#base/reserve.ts';
import type { Config } from '#config/schema.ts';
import { type CollectorAddress, dialCollector } from '#mtls/collector/dial-collector.ts';
import { REPORT_DATABASE } from '#report/store.ts';
import { checkReportDatabase } from '#report/store-sqlite.ts';
import { openNonceDisk } from '#sign/nonce-disk.ts';
import { readUsedConsents } from '#sign/used-consents.ts';
import { CLI_LIMITS } from '../limits.ts';
import { compareHeads } from '../offline/audit.ts';

/** Why nothing is known of it, which is no fault. */
export type NotLooked = { readonly notLooked: string };
export type StateCheck = { readonly name: string; readonly look: () => Promise<string | NotLooked> };

/** Where the package has the helpers remember which consents were used. */
const CONSENT_FOLDERS = { config: '/var/lib/parley-config', helper: '/var/lib/parley-helper' } as const;
/** Where a confirmed change is written. */
const STARTUP_FOLDER = '/etc/frr';

export function stateChecks(
  { state, driver, audit }: Pick<Config, 'state' | 'driver'> & Partial<Pick<Config, 'audit'>>,
  folders: Readonly<Record<'config' | 'helper', string>> = CONSENT_FOLDERS,
): readonly StateCheck[] {
  const ofHelpers = driver.kind !== 'linux-frr' ? [] : [folders.helper];
  const ofChanges = driver.kind === 'linux-frr' && driver.configHelper !== undefined ? [folders.config] : [];
  const startup = ofChanges.length > 0 ? [STARTUP_FOLDER] : [];
  return [
    { name: 'disk', look: () => roomOfAll([state, ...ofHelpers, ...ofChanges, ...startup]) },
    { name: 'report database', look: () => reportsOf(join(state, 'reports')) },
    { name: 'audit trail', look: () => trailOf(join(state, 'audit')) },
    { name: 'lasting audit records', look: () => lastingOf(state) },
    ...(audit?.collector === undefined
      ? []
      : [{ name: 'audit trail at the collector', look: () => sentOf(state, audit.collector!) }]),
    { name: 'nonces', look: () => noncesOf(join(state, 'nonces')) },
    ...[...ofHelpers, ...ofChanges].map((folder) => ({
      name: `used consents in ${folder}`,
      look: () => consentsOf(folder),
    })),
  ];
}

/** Each disk once, by the first folder that is on it, and the quotas of each folder's owners. */
async function roomOfAll(folders: readonly string[]): Promise<string> {
  const said: string[] = [];
  const full: string[] = [];
  const seen = new Set<number>();
  const owners = new Set<string>();
  for (const [index, folder] of folders.entries()) {
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && index > 0) return undefined;
      throw error;
    });
    if (found === undefined) continue;
    for (const quota of await quotasOf(folder).catch(unlessDenied)) {
      if (owners.has(`${found.dev} ${quota.owner}`)) continue;
      owners.add(`${found.dev} ${quota.owner}`);
      const { fault, free } = quotaSaid(folder, quota);
      if (fault === undefined) said.push(free);
      else full.push(fault);
    }
    if (seen.has(found.dev)) continue;
    seen.add(found.dev);
    const { fault, free } = roomSaid(folder, await diskRoom(folder));
    // The disk before its quotas.
    if (fault === undefined) said.unshift(seen.size === 1 ? free : `${free} on that of ${folder}`);
    else full.unshift(fault);
  }
  if (full.length > 0) throw new Error(full.join('; '));
  return said.join(', ');
}

/** A folder that this user may not open has quotas that are not known; koffi may not be installed. */
function unlessDenied(error: unknown): readonly OwnedRoom[] {
  if (isDenied(error) || (error instanceof ParleyError && error.code === 'node/koffi-unavailable')) return [];
  throw error;
}

/** The same as of a disk, of what one owner may write on it: a full quota fails writes as a full disk does. */
export function quotaSaid(
  folder: string,
  { owner, ...room }: OwnedRoom,
): { readonly free: string; readonly fault?: string } {
  const { free, fault } = roomSaid(folder, room);
  const bounded = Number.isFinite(room.totalBytes) ? free : `${room.freeFiles} more files`;
  return {
    free: `${bounded} in the quota of ${owner} for ${folder}`,
    ...(fault === undefined ? {} : { fault: `the quota of ${owner}: ${fault.replace('the disk of', 'the part of')}` }),
  };
}

/** What is wrong with the room of one disk, and how much there is. */
export function roomSaid(
  folder: string,
  { freeBytes, totalBytes, freeFiles }: DiskRoom,
): { readonly free: string; readonly fault?: string } {
  const free = `${megabytes(freeBytes)} of ${megabytes(totalBytes)} MB free`;
  const what = 'free some; reports are not kept and no change is made once it is full';
  if (freeFiles !== undefined && freeFiles < CLI_LIMITS.diskFreeFiles)
    return { free, fault: `the disk of ${folder} can take ${freeFiles} more files (inodes): ${what}` };
  if (freeBytes > Math.min(CLI_LIMITS.diskFreeBytes, totalBytes / 10)) return { free };
  const state = freeBytes < CLI_LIMITS.diskFullBytes ? 'is full' : 'is nearly full';
  return { free, fault: `the disk of ${folder} ${state}, ${free}: ${what}` };
}

async function reportsOf(dir: string): Promise<string | NotLooked> {
  const found = await checkReportDatabase(join(dir, REPORT_DATABASE));
  switch (found.kind) {
    case 'none':
      return 'none yet';
    case 'whole':
      return `whole, ${found.reports} reports`;
    case 'unknown':
      return {
        notLooked: `could not be looked at (${found.reason}): where the disk is full, free some; then ask the agent for "parley report list", and look again`,
      };
    case 'damaged':
      throw new Error(
        `it is damaged (${found.reason}): stop the agent, move ${dir} away and start it again; what controllers have is not lost`,
      );
  }
}

/** How many records; undefined where there is no trail. Throws where its chain is broken. */
async function recordsOf(dir: string): Promise<number | undefined> {
  const verified = await verifyAudit(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const { firstBreak } = verified ?? {};
  if (firstBreak !== undefined)
    throw new Error(
      `its chain is broken in ${firstBreak.file}, line ${firstBreak.line} (${firstBreak.reason}): a user of this node or the disk changed it; keep a copy, and compare with heads that peers keep ("parley audit verify --witness")`,
    );
  return verified?.records;
}

/** The end of this trail is witnessed by no node. Its folder is made when it is opened, before the first record of either. */
async function lastingOf(state: string): Promise<string> {
  const records = await recordsOf(join(state, ...LASTING_FOLDER));
  if (records !== undefined) return `${records} records, the chain holds`;
  const files = await listAuditFiles(join(state, 'audit')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (files.length === 0) return 'none yet';
  throw new Error(
    `the audit trail has records, and there is no ${join(state, ...LASTING_FOLDER)}: the agent could not make it, or was not restarted since an upgrade; see that the agent's user may write there and the disk has room, then restart the agent`,
  );
}

async function trailOf(dir: string): Promise<string> {
  const records = await recordsOf(dir);
  if (records === undefined) return 'none yet';
  const { missing, doubtful, compared } = await compareHeads(dir, {});
  const [cut] = missing;
  if (cut !== undefined)
    throw new Error(
      `its end was cut off: record ${cut.sequence} was signed on ${cut.time}, and ${cut.reason}; a restored backup looks the same; else find out who could write there`,
    );
  if (doubtful.length > 0)
    throw new Error(
      `the record that its node signed as the last cannot be verified, so that a cut end would not show (${doubtful.join('; ')}): find out who could write there, and compare with heads that peers keep ("parley audit verify --witness")`,
    );
  if (compared === 0)
    return `${records} records, the chain holds; nothing was compared with its end: its node has signed none yet`;
  return `${records} records, the chain holds`;
}

/** What the collector lacks, and whether it can be reached now. */
async function sentOf(state: string, collector: CollectorAddress): Promise<string> {
  const behind = await behindOf(join(state, 'audit'), join(state, POSITION_FILE));
  const clock = createSystemClock();
  const answers = await dialCollector(collector, clock, new AbortController().signal).then(
    (stream) => stream.destroy(),
    (error) => messageOf(error),
  );
  return sentSaid(behind, answers ?? undefined, clock.nowMs());
}

/** `unreachable`: why the collector takes nothing now. Throws where records wait too long, or were removed unsent in the last week. */
export function sentSaid(behind: Behind, unreachable: string | undefined, nowMs: number): string {
  const { records, since, deliveredAt, removedUnsent, lastRemovedAt } = behind;
  const last = deliveredAt === undefined ? 'it was never given any' : `last given some on ${deliveredAt}`;
  const waiting = records === 0 ? `has every record, ${last}` : `${records} records behind, from ${since} on; ${last}`;
  const removed =
    removedUnsent === 0 ? '' : `; retention removed ${removedUnsent} records unsent, the last on ${lastRemovedAt}`;
  const isRecent = lastRemovedAt !== undefined && nowMs - Date.parse(lastRemovedAt) < CLI_LIMITS.collectorLossMs;
  const isLate = since !== undefined && nowMs - Date.parse(since) > CLI_LIMITS.collectorBehindMs;
  if (unreachable !== undefined) throw new Error(`${waiting}${removed}; ${unreachable}`);
  if (isLate)
    throw new Error(`${waiting}${removed}: the collector answers; see the agent's log for why it takes nothing`);
  if (isRecent)
    throw new Error(`${waiting}${removed}: see that the collector is reached before the trail's oldest file goes`);
  return `${waiting}${removed}`;
}

async function noncesOf(path: string): Promise<string> {
  try {
    const { counter } = openNonceDisk(path).load();
    return counter === 0 ? 'none yet' : `boot ${counter}`;
  } catch (error) {
    if (isDenied(error)) throw error;
    throw new Error(
      `${path} is damaged, and the agent does not start with it: see that the clock is right, then remove the file; the next boot takes its number from the clock`,
      { cause: error },
    );
  }
}

async function consentsOf(folder: string): Promise<string> {
  try {
    return `${await readUsedConsents(folder)} remembered`;
  } catch (error) {
    if (isDenied(error)) throw error;
    throw new Error(
      `the record of used consents is damaged, and no consent is accepted: wait ${Math.ceil((LIMITS.consentMs + LIMITS.consentSkewMs) / 60_000)} minutes, until all that were signed have expired, then remove ${join(folder, 'used-consents.json')}`,
      { cause: error },
    );
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
