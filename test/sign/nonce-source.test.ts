// Nonces never come again: killed at every write, restored from a snapshot, with a clock set back, in bursts.
import assert from 'node:assert/strict';
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { type NonceFiles, openNonceDisk } from '#sign/nonce-disk.ts';
import { openNonceSource } from '#sign/nonce-source.ts';
import { createFakeClock } from '../fakes/clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-nonce-'));
after(() => rmSync(folder, { recursive: true }));

/** The worst generator there is: what holds with it, holds by the counters alone. */
const constantRandom = { bytes: (byteCount: number) => new Uint8Array(byteCount) };
const PATH = '/state/nonce.json';

/** Names and contents, as the process sees them and as they survive when nothing unsynced does. */
type Disk = { readonly seen: Map<string, string>; readonly durable: Map<string, string> };

/** A disk that dies before its operation number `killAt`. */
function createDyingDisk(
  disk: Disk,
  killAt: number,
): { readonly files: NonceFiles; readonly dead: () => boolean; readonly operations: () => number } {
  let operationCount = 0;
  const operate = (action: () => void) => {
    if (operationCount >= killAt) throw new Error('killed');
    operationCount += 1;
    action();
  };
  const rename = (from: string, to: string) =>
    operate(() => {
      disk.seen.set(to, disk.seen.get(from)!);
      disk.seen.delete(from);
    });
  const syncFolder = () =>
    operate(() => {
      disk.durable.clear();
      for (const [name, text] of disk.seen) disk.durable.set(name, text);
    });
  const write = (path: string, text: string) => operate(() => disk.seen.set(path, text));
  const files: NonceFiles = {
    read: (path) => (disk.seen.has(path) ? Buffer.from(disk.seen.get(path)!) : undefined),
    writeNow: write,
    async writeLater(path, text) {
      await undefined;
      write(path, text);
      await undefined;
    },
    rename,
    syncFolderNow: syncFolder,
    async syncFolderLater() {
      await undefined;
      syncFolder();
    },
    remove: (path) => operate(() => disk.seen.delete(path)),
  };
  return { files, dead: () => operationCount >= killAt, operations: () => operationCount };
}

function reservedOn(text: string | undefined): number {
  return text === undefined ? 0 : (JSON.parse(text) as { reserved: number }).reserved;
}

/** One life of the process: nonces until `count` or until the disk is dead. First in bursts, then at a steady pace. */
async function live(disk: Disk, killAt: number, count: number): Promise<{ issued: string[]; operations: number }> {
  const { files, operations } = createDyingDisk(disk, killAt);
  const issued: string[] = [];
  try {
    const source = await openNonceSource({
      path: PATH,
      random: constantRandom,
      block: 4,
      disk: openNonceDisk(PATH, files),
    });
    while (issued.length < count) {
      const nonce = source.next();
      // The heart of it: what leaves the process is on disk already, in the state that survives a power cut.
      assert.ok(Number(nonce) <= reservedOn(disk.durable.get(PATH)), `nonce ${nonce} before its reservation`);
      issued.push(`${source.boot}/${nonce}`);
      if (issued.length % 3 === 0) await undefined;
      if (issued.length % 7 === 0 || issued.length > 15) await source.settled();
    }
    await source.settled();
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'us/nonce-state', String(error));
  }
  return { issued, operations: operations() };
}

test('no nonce comes again when the process is killed at any write [TS-16]', async () => {
  const whole = await live({ seen: new Map(), durable: new Map() }, Number.POSITIVE_INFINITY, 30);
  assert.equal(whole.issued.length, 30);
  assert.ok(whole.operations >= 20);
  for (let killAt = 0; killAt <= whole.operations; killAt++) {
    for (const survives of ['seen', 'durable'] as const) {
      const first: Disk = { seen: new Map(), durable: new Map() };
      const before = await live(first, killAt, 30);
      const second: Disk = { seen: new Map(first[survives]), durable: new Map(first[survives]) };
      const later = await live(second, Number.POSITIVE_INFINITY, 10);
      const all = [...before.issued, ...later.issued];
      assert.equal(new Set(all).size, all.length);
      assert.equal(later.issued.length, 10);
      const numbers = all.map((each) => Number(each.split('/')[1]));
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
        `killed at ${killAt}`,
      );
      assert.equal(new Set(numbers).size, numbers.length);
    }
  }
});

test('a slow reservation never takes the place of a newer one', async () => {
  const disk: Disk = { seen: new Map(), durable: new Map() };
  const { files } = createDyingDisk(disk, Number.POSITIVE_INFINITY);
  const gate = Promise.withResolvers<void>();
  const slow: NonceFiles = {
    ...files,
    async writeLater(path, text) {
      await gate.promise;
      files.writeNow(path, text);
    },
  };
  const source = await openNonceSource({
    path: PATH,
    random: constantRandom,
    block: 4,
    disk: openNonceDisk(PATH, slow),
  });
  for (let turn = 0; turn < 20; turn++) source.next();
  assert.equal(reservedOn(disk.durable.get(PATH)), 20);
  gate.resolve();
  await source.settled();
  assert.equal(reservedOn(disk.durable.get(PATH)), 20);
  assert.equal(source.next(), '21');
});

test('reserves ahead, so that a steady pace never writes in the way of an answer', async () => {
  const disk: Disk = { seen: new Map(), durable: new Map() };
  const { files } = createDyingDisk(disk, Number.POSITIVE_INFINITY);
  let writeCount = 0;
  const counted: NonceFiles = {
    ...files,
    writeNow(path, text) {
      writeCount += 1;
      files.writeNow(path, text);
    },
  };
  const source = await openNonceSource({
    path: PATH,
    random: constantRandom,
    block: 8,
    disk: openNonceDisk(PATH, counted),
  });
  for (let turn = 1; turn <= 100; turn++) {
    assert.equal(source.next(), String(turn));
    await source.settled();
  }
  assert.equal(writeCount, 1);
});

test('the next block is reserved when half of the last one is left, one reservation at a time', async () => {
  const disk: Disk = { seen: new Map(), durable: new Map() };
  const { files } = createDyingDisk(disk, Number.POSITIVE_INFINITY);
  let reservations = 0;
  const counted: NonceFiles = {
    ...files,
    writeLater(path, text) {
      reservations += 1;
      return files.writeLater(path, text);
    },
  };
  const nonceDisk = openNonceDisk(PATH, counted);
  const source = await openNonceSource({ path: PATH, random: constantRandom, block: 8, disk: nonceDisk });
  for (let count = 0; count < 4; count++) source.next();
  assert.equal(reservations, 0);
  source.next();
  assert.equal(reservations, 1);
  source.next();
  source.next();
  assert.equal(reservations, 1, 'one is under way');
  await source.settled();
  assert.equal(reservedOn(disk.durable.get(PATH)), 16);
});

test('goes on over starts with a real file, and says who it is', async () => {
  const path = join(folder, 'deep', 'nonce.json');
  const first = await openNonceSource({ path, random: systemRandom });
  assert.match(first.boot, /^1-[0-9a-f]{16}$/);
  assert.equal(first.next(), '1');
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { schemaVersion: 1, counter: 1, reserved: 1024 });
  const second = await openNonceSource({ path, random: systemRandom });
  assert.match(second.boot, /^2-[0-9a-f]{16}$/);
  assert.equal(second.next(), '1025');
  for (let turn = 0; turn < 3_000; turn++) second.next();
  assert.equal(second.next(), '4026');
  await second.settled();
});

test('a restored snapshot has another boot id, and with a clock a higher counter', async () => {
  const path = join(folder, 'snapshot.json');
  const clock = createFakeClock();
  await openNonceSource({ path, random: systemRandom });
  const snapshot = readFileSync(path);
  const lost = await openNonceSource({ path, random: systemRandom, clock });
  writeFileSync(path, snapshot);
  await clock.advance(60_000);
  const restored = await openNonceSource({ path, random: systemRandom, clock });
  assert.equal(lost.boot.split('-')[0], '1767225600');
  assert.equal(restored.boot.split('-')[0], '1767225660');
  assert.notEqual(restored.boot.split('-')[1], lost.boot.split('-')[1]);
});

test('a clock that was set back does not bring a counter back', async () => {
  const path = join(folder, 'clock.json');
  const clock = createFakeClock();
  await openNonceSource({ path, random: systemRandom, clock });
  clock.setWall(0);
  assert.match((await openNonceSource({ path, random: systemRandom, clock })).boot, /^1767225601-/);
});

test('refuses to start on a file that is not its own rather than start from nothing', async () => {
  const texts = [
    '',
    '{}',
    'null',
    '[]',
    'x',
    '{"schemaVersion":2,"counter":1,"reserved":1}',
    '{"schemaVersion":1,"counter":-1,"reserved":1}',
    '{"schemaVersion":1,"counter":1,"reserved":0.5}',
  ];
  for (const text of texts) {
    const path = join(folder, 'bad.json');
    writeFileSync(path, text);
    await assert.rejects(openNonceSource({ path, random: systemRandom }), { code: 'us/nonce-state' });
    assert.equal(readFileSync(path, 'utf8'), text);
  }
  await assert.rejects(openNonceSource({ path: folder, random: systemRandom }), { code: 'us/nonce-state' });
});

test('the last nonce has 15 digits; after it there is none [TS-16]', async () => {
  const disk = { load: () => ({ counter: 1, reserved: 1e15 - 2 }), storeNow: () => {}, storeLater: async () => true };
  const source = await openNonceSource({ path: PATH, random: constantRandom, disk });
  assert.equal(source.next(), '999999999999999');
  assert.throws(() => source.next(), { code: 'us/nonce-state' });
  await source.settled();
});

test('both ways of writing leave a file for its owner only, whole and with the new reservation [TS-16]', async () => {
  const path = join(folder, 'both-ways', 'nonce.json');
  const disk = openNonceDisk(path);
  assert.deepEqual(disk.load(), { counter: 0, reserved: 0 });
  disk.storeNow({ counter: 1, reserved: 10 });
  assert.equal(readFileSync(path, 'utf8'), '{"schemaVersion":1,"counter":1,"reserved":10}\n');
  const mode = () => statSync(path).mode & 0o777;
  assert.equal(mode(), 0o600);
  assert.equal(await disk.storeLater({ counter: 1, reserved: 20 }, () => true), true);
  assert.deepEqual([disk.load(), mode()], [{ counter: 1, reserved: 20 }, 0o600]);
  assert.equal(await disk.storeLater({ counter: 1, reserved: 30 }, () => false), false);
  assert.deepEqual(disk.load(), { counter: 1, reserved: 20 });
  assert.deepEqual(readdirSync(join(folder, 'both-ways')), ['nonce.json'], 'nothing is left beside it');
});

test('each way of writing syncs the file and then its folder, and closes both [TS-16]', async (t) => {
  const path = join(folder, 'synced', 'nonce.json');
  const disk = openNonceDisk(path);
  const openFiles = () => readdirSync('/proc/self/fd').length;
  disk.storeNow({ counter: 1, reserved: 10 });
  await disk.storeLater({ counter: 1, reserved: 20 }, () => true);
  const before = openFiles();
  const synced: string[] = [];
  const { fsyncSync } = fs;
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    synced.push(fs.fstatSync(file).isDirectory() ? 'folder' : 'file');
    fsyncSync(file);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  disk.storeNow({ counter: 1, reserved: 30 });
  assert.deepEqual(synced, ['file', 'folder']);
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const later: string[] = [];
  const { sync } = prototype;
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    later.push((await this.stat()).isDirectory() ? 'folder' : 'file');
    await sync.call(this);
  });
  await disk.storeLater({ counter: 1, reserved: 40 }, () => true);
  assert.deepEqual(later, ['file', 'folder']);
  assert.equal(openFiles(), before);
});

test('a disk that refuses is said to, and a folder in the place of the file as well', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'x');
  const below = openNonceDisk(join(path, 'nonce.json'));
  const refused = { code: 'us/nonce-state', message: /^expected durable nonce state, / };
  assert.throws(() => below.load(), refused);
  assert.throws(() => below.storeNow({ counter: 1, reserved: 1 }), refused);
  await assert.rejects(
    below.storeLater({ counter: 1, reserved: 1 }, () => true),
    refused,
  );
  assert.throws(() => openNonceDisk(folder).load(), refused);
});

test('on a full disk a reservation is not tried again for each nonce, and leaves no file behind [TS-16]', async () => {
  const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const disk: Disk = { seen: new Map(), durable: new Map() };
  const state = { isFull: false, tries: 0 };
  const { files } = createDyingDisk(disk, Number.POSITIVE_INFINITY);
  const filling: NonceFiles = {
    ...files,
    async writeLater(path, text) {
      await files.writeLater(path, state.isFull ? '' : text);
      if (!state.isFull) return;
      state.tries += 1;
      throw full();
    },
  };
  const nonces = await openNonceSource({
    path: PATH,
    random: constantRandom,
    block: 64,
    disk: openNonceDisk(PATH, filling),
  });
  state.isFull = true;
  for (let used = 0; used < 64; used++) {
    nonces.next();
    await nonces.settled();
  }
  assert.equal(state.tries, 4);
  assert.deepEqual([...disk.seen.keys()], [PATH]);
  state.isFull = false;
  // The block is used up: the synchronous reservation comes, and after it the next one ahead.
  for (let used = 0; used < 40; used++) {
    nonces.next();
    await nonces.settled();
  }
  assert.equal(JSON.parse(disk.seen.get(PATH)!).reserved, 192);
});
