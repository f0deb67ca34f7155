// What a program beside the agent says of a report database: damage is only what SQLite calls so, and looking leaves nothing behind.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { checkReportDatabase, openSqlite, type SqliteDisk } from '#report/store-sqlite.ts';

async function setUp(t: TestContext, name = '') {
  const dir = await mkdtemp(join(tmpdir(), `parley-check-${name}-`));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return { dir, path: join(dir, 'reports.sqlite') };
}

test('looking at a sound database leaves nothing beside it [CARD-6]', async (t) => {
  const { dir, path } = await setUp(t, 'odd %41 #1?');
  assert.deepEqual(await checkReportDatabase(path), { kind: 'none' });
  openSqlite(path).close();
  assert.deepEqual(await checkReportDatabase(path), { kind: 'whole', reports: 0 });
  assert.deepEqual(await readdir(dir), ['reports.sqlite']);
});

test('a database in use is looked at as well, with what is not in its own file yet [CARD-6]', async (t) => {
  const { path } = await setUp(t);
  const { run, close } = openSqlite(path);
  run("INSERT INTO report (id, stored_ms, bytes, summary, text) VALUES ('a', 1, 1, '{}', '')");
  assert.deepEqual(await checkReportDatabase(path), { kind: 'whole', reports: 1 });
  close();
});

test('a database that another program holds alone is not called damaged [CARD-6]', async (t) => {
  const { dir, path } = await setUp(t);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE report (id TEXT)');
  const before = await readdir(dir);
  assert.deepEqual(await checkReportDatabase(path), {
    kind: 'unknown',
    reason: 'its last changes are in a file beside it, which only an agent takes in',
  });
  assert.deepEqual(await readdir(dir), before);
  await writeFile(`${path}-shm`, '');
  assert.deepEqual(await checkReportDatabase(path), { kind: 'unknown', reason: 'database is locked' });
  db.close();
});

test('a page that is overwritten, and a file that is no database, are damaged [CARD-6]', async (t) => {
  const { path } = await setUp(t);
  openSqlite(path).close();
  const sound = await readFile(path);
  await writeFile(path, Buffer.concat([sound.subarray(0, 4_096), Buffer.alloc(sound.length - 4_096, 0xff)]));
  assert.equal((await checkReportDatabase(path)).kind, 'damaged');
  await writeFile(path, 'no database, but a text that is longer than a header of one hundred octets. '.repeat(20));
  assert.deepEqual(await checkReportDatabase(path), { kind: 'damaged', reason: 'file is not a database' });
});

test('a database that was opened on a full disk is opened for others too once there is room [CARD-6]', async (t) => {
  const { path } = await setUp(t);
  const state = { freeBytes: 0 };
  const disk: SqliteDisk = {
    freeBytes: () => state.freeBytes,
    open(where, settings) {
      if (state.freeBytes === 0 && !settings.includes('EXCLUSIVE'))
        throw Object.assign(new Error('disk I/O error'), { errcode: 4_874 });
      const db = new DatabaseSync(where);
      db.exec(settings);
      return db;
    },
  };
  const { run, one, atomically, close } = openSqlite(path, disk);
  run("INSERT INTO report (id, stored_ms, bytes, summary, text) VALUES ('a', 1, 1, '{}', '')");
  assert.equal((await checkReportDatabase(path)).kind, 'unknown');
  state.freeBytes = 10_000_000;
  // Not in the middle of a change.
  atomically(() => {
    assert.equal(one('SELECT count(*) AS count FROM report')?.['count'], 1);
  });
  assert.deepEqual(await checkReportDatabase(path), { kind: 'whole', reports: 1 });
  close();
});
