// The journal of one change, on disk before its effect: PREPARED → APPLIED → VERIFIED → CONFIRMED | ROLLED_BACK. `journal.json`
// exists exactly while a change is open; its images and, at the end, its record stay in `commits/<id>/` as history.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { makeFolder, syncFolder, writeFileDurably } from '#base/files.ts';
import { createReserve } from '#base/reserve.ts';
import type { ChangeBasis } from '#model/router/change-authority.ts';
import type { DurableFile, Failpoint } from './failpoint.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import type { LiveChange } from './live.ts';
import type { Moment, Owner } from './moment.ts';

export type CommitState = 'PREPARED' | 'APPLIED' | 'VERIFIED' | 'CONFIRMED' | 'ROLLED_BACK';

export type CommitRecord = {
  readonly schemaVersion: 1;
  readonly id: string;
  readonly state: CommitState;
  /** Who agreed: the certificate of a verified consent, or a policy; where nothing was verified (`basis`), who asked, as the agent says it. */
  readonly by: string;
  /** Who asked and may confirm, as the agent says it; absent in records of earlier versions, where it is `by`. */
  readonly holder?: string;
  /** What the change was accepted on; absent in records of earlier versions. */
  readonly basis?: ChangeBasis;
  /** Id of the consent. */
  readonly consent?: string;
  readonly startedMs: number;
  readonly timeoutMs: number;
  readonly deadline: Moment;
  /** The configuration helper that made the change. */
  readonly owner: Owner;
  /** SHA-256 of the token of RFC 6241 §8.4: the change outlives its session. */
  readonly persist?: string;
  /** Fingerprints (text.ts) of what ran before and of what shall run. */
  readonly before: string;
  readonly after: string;
  /** Settings outside FRR's configuration that the change makes, each with what was there. They are gone after a reboot. */
  readonly live?: readonly LiveChange[];
  /** Why it is being undone: from here on it cannot be confirmed, and the next process that reads the journal finishes the undoing. */
  readonly undoing?: string;
  readonly reason?: string;
};

export type Image = 'before' | 'after';

export type Journal = {
  readonly folder: string;
  /** Room on the disk for undoing a change, whatever fills the disk meanwhile. Rejects with `node/disk-full`; nothing may be changed then. */
  keepRoom(): Promise<void>;
  /** Gives that room to what undoes or finishes the change. */
  useRoom(): Promise<void>;
  /** The open change, if there is one. Rejects with `node/journal-damaged`. */
  open(): Promise<CommitRecord | undefined>;
  write(record: CommitRecord): Promise<void>;
  /** As `write`, on a full disk in a part of the room that is kept: the rest stays for undoing the change. */
  writeStep(record: CommitRecord): Promise<void>;
  writeImage(id: string, image: Image, text: string): Promise<void>;
  readImage(id: string, image: Image): Promise<string>;
  /** Moves the open change into the history. */
  settle(record: CommitRecord): Promise<void>;
  history(): Promise<readonly CommitRecord[]>;
  /** Sorts after every id that was ever given here. */
  nextId(): Promise<string>;
};

const FILE_OF: Readonly<Record<CommitState, DurableFile>> = {
  PREPARED: 'prepared',
  APPLIED: 'applied',
  VERIFIED: 'verified',
  CONFIRMED: 'confirmed',
  ROLLED_BACK: 'rolled-back',
};

export function createJournal(folder: string, failpoint: Failpoint): Journal {
  const openPath = join(folder, 'journal.json');
  const commits = join(folder, 'commits');
  const imagePath = (id: string, image: Image) => join(commits, id, `${image}.conf`);
  const write = (path: string, text: string, file: DurableFile) =>
    writeFileDurably(path, text, 0o600, (step) => failpoint(`${file}.${step}`));
  const reserve = createReserve(join(folder, 'reserve'), CONFIG_HELPER_LIMITS.commitReserveBytes);
  const writeOpen = (record: CommitRecord) => write(openPath, JSON.stringify(record), fileOf(record));
  return {
    folder,
    async keepRoom() {
      if (await reserve.keep()) return;
      throw new ParleyError(
        'node/disk-full',
        'expected room on the disk of the journal to undo a change, it is full: free some, nothing was changed',
      );
    },
    useRoom: () => reserve.release(),
    open: () => readRecord(openPath),
    write: writeOpen,
    writeStep: (record) =>
      writeOpen(record).catch(async (error) => {
        if (!isDiskFull(error)) throw error;
        await reserve.shrink(CONFIG_HELPER_LIMITS.commitStepBytes);
        await writeOpen(record);
      }),
    async writeImage(id, image, text) {
      // The folder's own name must be as durable as what is written into it.
      await makeFolder(join(commits, id), 0o700);
      await write(imagePath(id, image), text, image);
    },
    readImage: (id, image) => readFile(imagePath(id, image), 'utf8'),
    async settle(record) {
      await write(join(commits, record.id, 'record.json'), JSON.stringify(record), 'settled');
      await rm(openPath, { force: true });
      await syncFolder(folder);
      await failpoint('settle.removed');
      await prune(commits);
    },
    async history() {
      const ids = await idsIn(commits);
      const records = await Promise.all(ids.map((id) => readRecord(join(commits, id, 'record.json'))));
      return records.filter((record) => record !== undefined);
    },
    async nextId() {
      await makeFolder(commits, 0o700);
      const last = Number((await idsIn(commits)).at(-1)?.slice(0, 8) ?? 0);
      return `${String(last + 1).padStart(8, '0')}-${randomBytes(4).toString('hex')}`;
    },
  };
}

function fileOf({ state, undoing }: CommitRecord): DurableFile {
  return undoing !== undefined && state !== 'ROLLED_BACK' ? 'undoing' : FILE_OF[state];
}

/** The form of a commit id: nothing else is ever part of a path. */
export const COMMIT_ID = /^\d{8}-[0-9a-f]{8}$/;

async function idsIn(commits: string): Promise<readonly string[]> {
  const names = await readdir(commits).catch(() => []);
  return names.filter((name) => COMMIT_ID.test(name)).toSorted();
}

/** Folders without a record belong to changes that never began, or to the open one. */
async function prune(commits: string): Promise<void> {
  const ids = await idsIn(commits);
  for (const id of ids.slice(0, Math.max(0, ids.length - CONFIG_HELPER_LIMITS.commitHistory)))
    await rm(join(commits, id), { recursive: true, force: true });
}

async function readRecord(path: string): Promise<CommitRecord | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const record = JSON.parse(text) as CommitRecord;
    if (record.schemaVersion === 1 && COMMIT_ID.test(record.id) && record.state in FILE_OF) return record;
    throw new Error('another form');
  } catch (error) {
    throw new ParleyError('node/journal-damaged', `expected a journal record, got ${messageOf(error)}`, {
      cause: error,
    });
  }
}
