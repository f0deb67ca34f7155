// A disk as a power cut may leave it. Follows a recording: what was synchronised is there for good, all else may be there or not. Names count as
// durable once their folder is synchronised, contents once their file is; neither says anything of the other (POSIX fsync promises no more).
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Octets } from './octets.ts';
import type { Change } from './recording.ts';

/**
 * What a cut does to what was not synchronised. `none`: all of it is lost. `prefix`: what was done up to one moment is there, the write of
 * that moment torn at a sector. `any`: each write, each of its sectors, and each name by itself. `all`: nothing is lost, as after kill -9.
 */
export const CUT_MODES = ['none', 'prefix', 'any', 'all'] as const;
export type CutMode = (typeof CUT_MODES)[number];

/** Path below the root → content; folders have none. */
export type Image = ReadonlyMap<string, Buffer | undefined>;

type DataOp = { readonly at: number } & (
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'size'; readonly bytes: number }
);
/** One change of names, which is there as a whole or not: what each name leads to afterwards. */
type NameOp = { readonly at: number; readonly sets: readonly NameSet[] };
type NameSet = { readonly folder: Entry; readonly name: string; readonly entry: Entry | undefined };
type Entry = {
  readonly isFolder: boolean;
  readonly live: Octets;
  readonly durable: Octets;
  pending: DataOp[];
  readonly names: Map<string, Entry>;
  readonly durableNames: Map<string, Entry>;
};

export const SECTOR_BYTES = 512;

export class Disk {
  readonly #root: string;
  readonly #top: Entry = newEntry(true);
  readonly #byInode = new Map<bigint, Entry>();
  #names: NameOp[] = [];
  #at = 0;

  private constructor(root: string) {
    this.#root = root;
  }

  /** What is below `root` now is durable. */
  static async of(root: string): Promise<Disk> {
    const disk = new Disk(root);
    await disk.#load(root, disk.#top);
    return disk;
  }

  apply(change: Change): void {
    this.#at += 1;
    if (change.kind === 'open') this.#open(change);
    else if (change.kind === 'write') this.#write(this.#known(change.inode), change.offset, change.data);
    else if (change.kind === 'size') this.#resize(this.#known(change.inode), change.bytes);
    else if (change.kind === 'sync') this.#sync(this.#known(change.inode));
    else if (change.kind === 'folder') this.#make(change.path, change.inode, true);
    else if (change.kind === 'remove') this.#set([{ ...this.#place(change.path), entry: undefined }]);
    else if (change.kind === 'rename') this.#rename(change.path, change.to);
    else if (change.kind === 'link')
      this.#set([{ ...this.#place(change.to), entry: this.#find(change.path) ?? this.#lost(change.path) }]);
  }

  /** What a process sees now. Holds until the next change, as `cut` does. */
  live(): Image {
    return imageOf(
      this.#top,
      (folder) => folder.names,
      (file) => file.live.bytes(),
    );
  }

  /** Paths of what a process sees now. */
  liveNames(): readonly string[] {
    const nothing = Buffer.alloc(0);
    return [
      ...imageOf(
        this.#top,
        ({ names }) => names,
        () => nothing,
      ).keys(),
    ];
  }

  /** One way in which the disk may be after a cut now. */
  cut(mode: CutMode, random: () => number): Image {
    const until = mode === 'prefix' ? this.#moment(random) : 0;
    const isThere = (at: number) =>
      mode === 'all' || (mode === 'prefix' ? at < until : mode === 'any' && random() < 0.5);
    const overlay = new Map<Entry, Map<string, Entry | undefined>>();
    for (const { at, sets } of this.#names) {
      if (!isThere(at)) continue;
      for (const { folder, name, entry } of sets) {
        const names = overlay.get(folder) ?? new Map<string, Entry | undefined>();
        overlay.set(folder, names.set(name, entry));
      }
    }
    const namesOf = (folder: Entry) => {
      const changed = overlay.get(folder);
      return changed === undefined ? folder.durableNames : new Map([...folder.durableNames, ...changed]);
    };
    const contents = new Map<Entry, Buffer>();
    const contentOf = (file: Entry) => {
      const known = contents.get(file) ?? cutContent(file, { mode, until, random });
      contents.set(file, known);
      return known;
    };
    return imageOf(this.#top, namesOf, contentOf);
  }

  /** How much was not synchronised: a cut now can lose so many writes and names. */
  get unsynced(): { readonly writes: number; readonly names: number } {
    let writes = 0;
    for (const entry of new Set(this.#byInode.values())) writes += entry.pending.length;
    return { writes, names: this.#names.length };
  }

  /** Of all that is not durable, a random place in their order. */
  #moment(random: () => number): number {
    const ats = this.#names.map(({ at }) => at);
    for (const entry of new Set(this.#byInode.values())) for (const { at } of entry.pending) ats.push(at);
    const sorted = ats.toSorted((one, other) => one - other);
    return sorted[Math.floor(random() * (sorted.length + 1))] ?? this.#at + 1;
  }

  async #load(path: string, folder: Entry): Promise<void> {
    this.#byInode.set((await lstat(path, { bigint: true })).ino, folder);
    for (const name of await readdir(path)) {
      const below = join(path, name);
      const status = await lstat(below, { bigint: true });
      const entry = newEntry(status.isDirectory());
      folder.names.set(name, entry);
      folder.durableNames.set(name, entry);
      if (entry.isFolder) {
        await this.#load(below, entry);
        continue;
      }
      this.#byInode.set(status.ino, entry);
      const bytes = await readFile(below);
      entry.live.write(0, bytes);
      entry.durable.write(0, bytes);
    }
  }

  #open({ path, inode, empties }: Extract<Change, { kind: 'open' }>): void {
    const found = this.#find(path) ?? this.#make(path, inode, false);
    this.#byInode.set(inode, found);
    if (empties && found.live.length > 0) this.#resize(found, 0);
  }

  #make(path: string, inode: bigint, isFolder: boolean): Entry {
    const entry = newEntry(isFolder);
    this.#byInode.set(inode, entry);
    this.#set([{ ...this.#place(path), entry }]);
    return entry;
  }

  #rename(from: string, to: string): void {
    const entry = this.#find(from) ?? this.#lost(from);
    this.#set([
      { ...this.#place(to), entry },
      { ...this.#place(from), entry: undefined },
    ]);
  }

  #write(file: Entry, offset: number, data: Buffer): void {
    file.live.write(offset, data);
    file.pending.push({ at: this.#at, kind: 'write', offset, data });
  }

  #resize(file: Entry, bytes: number): void {
    file.live.resize(bytes);
    file.pending.push({ at: this.#at, kind: 'size', bytes });
  }

  #sync(entry: Entry): void {
    for (const op of entry.pending) applyTo(entry.durable, op);
    entry.pending = [];
    if (!entry.isFolder) return;
    // With a name goes what happened to it before, in whichever folder.
    const wanted = new Set(this.#names.filter(({ sets }) => sets.some(({ folder }) => folder === entry)));
    const isSame = (one: NameSet, other: NameSet) => one.folder === other.folder && one.name === other.name;
    for (const later of this.#names.toReversed())
      for (const earlier of this.#names)
        if (
          wanted.has(later) &&
          earlier.at < later.at &&
          earlier.sets.some((one) => later.sets.some((other) => isSame(one, other)))
        )
          wanted.add(earlier);
    for (const op of this.#names)
      if (wanted.has(op)) for (const each of op.sets) setName(each.folder.durableNames, each);
    this.#names = this.#names.filter((op) => !wanted.has(op));
  }

  #set(sets: readonly NameSet[]): void {
    for (const each of sets) setName(each.folder.names, each);
    this.#names.push({ at: this.#at, sets });
  }

  #place(path: string): { readonly folder: Entry; readonly name: string } {
    return { folder: this.#find(dirname(path)) ?? this.#lost(dirname(path)), name: basename(path) };
  }

  #find(path: string): Entry | undefined {
    const parts = path
      .slice(this.#root.length)
      .split('/')
      .filter((part) => part !== '');
    return parts.reduce<Entry | undefined>((entry, part) => entry?.names.get(part), this.#top);
  }

  #known(inode: bigint): Entry {
    return this.#byInode.get(inode) ?? this.#lost(`inode ${inode}`);
  }

  #lost(what: string): never {
    throw new Error(`the recording speaks of ${what}, which was never made: the recorder has missed something`);
  }
}

function newEntry(isFolder: boolean): Entry {
  const [names, durableNames] = [new Map<string, Entry>(), new Map<string, Entry>()];
  return { isFolder, live: new Octets(), durable: new Octets(), pending: [], names, durableNames };
}

function setName(names: Map<string, Entry>, { name, entry }: NameSet): void {
  if (entry === undefined) names.delete(name);
  else names.set(name, entry);
}

function applyTo(octets: Octets, op: DataOp): void {
  if (op.kind === 'write') octets.write(op.offset, op.data);
  else octets.resize(op.bytes);
}

type Cut = { readonly mode: CutMode; readonly until: number; readonly random: () => number };

function cutContent(file: Entry, { mode, until, random }: Cut): Buffer {
  if (file.pending.length === 0 || mode === 'none') return file.durable.bytes();
  if (mode === 'all') return file.live.bytes();
  const left = file.durable.copy();
  for (const op of file.pending) {
    if (mode === 'prefix') {
      if (op.at < until) applyTo(left, op);
      else if (op.at === until && op.kind === 'write') {
        const kept = Math.floor((random() * op.data.length) / SECTOR_BYTES + random());
        tear(left, op, (index) => index < kept);
      }
      continue;
    }
    const luck = random();
    if (luck < 0.4) applyTo(left, op);
    else if (op.kind === 'write' && luck < 0.7) tear(left, op, () => random() < 0.5);
    // The file's size may be there without what was written: the octets read as zeros then.
    if (op.kind === 'write' && luck >= 0.4 && random() < 0.5) left.reach(op.offset + op.data.length);
  }
  return left.bytes();
}

/** Sectors of the disk, not of the write: a disk puts each of them down as a whole. */
function tear(left: Octets, { offset, data }: DataOp & { kind: 'write' }, isKept: (index: number) => boolean): void {
  const first = Math.floor(offset / SECTOR_BYTES);
  const count = Math.ceil((offset + data.length) / SECTOR_BYTES) - first;
  for (let index = 0; index < count; index++) {
    const from = Math.max(offset, (first + index) * SECTOR_BYTES);
    const to = Math.min(offset + data.length, (first + index + 1) * SECTOR_BYTES);
    if (isKept(index)) left.write(from, data.subarray(from - offset, to - offset));
  }
}

function imageOf(
  top: Entry,
  namesOf: (folder: Entry) => ReadonlyMap<string, Entry | undefined>,
  contentOf: (file: Entry) => Buffer,
): Image {
  const image = new Map<string, Buffer | undefined>();
  const walk = (folder: Entry, path: string) => {
    for (const [name, entry] of namesOf(folder)) {
      if (entry === undefined) continue;
      const below = path === '' ? name : `${path}/${name}`;
      image.set(below, entry.isFolder ? undefined : contentOf(entry));
      if (entry.isFolder) walk(entry, below);
    }
  };
  walk(top, '');
  return image;
}
