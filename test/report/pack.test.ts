// How reports lie in the store: the same bytes come back, in a tenth of the room, and no more than was put in.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import type { AuditRecord } from '#model/ports.ts';
import { pack, unpack } from '#report/pack.ts';
import { sealedReportText, sealReport, summaryOf } from '#report/seal.ts';
import { openReportStore } from '#report/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { pe1, ROOMY, smallReport } from './fixture.ts';

const DAY_MS = 86_400_000;
const KEEP = { healthy: DAY_MS, inconclusive: DAY_MS, fault: DAY_MS, acknowledged: DAY_MS };
/** 70 million zeros in a few octets: more than any report may have. */
const BOMB = brotliCompressSync(Buffer.alloc(70_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const back = (text: string) => unpack(pack(text), Buffer.byteLength(text));
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('every text comes back as it was: base64 in base64, almost base64, other alphabets, none [CARD-6]', () => {
  const deep = [1, 2, 3, 4, 5, 6].reduce((inner) => JSON.stringify({ payload: base64(inner), x: 'é' }), 'y'.repeat(99));
  const line = base64('interface eth1 is up\n'.repeat(9));
  const texts = [
    '',
    '{}',
    sealedReportText(sealReport(smallReport(), pe1.signer)),
    deep,
    `"${line.slice(0, -1)}"`,
    `"${line}" "${line}="`,
    `"${'A'.repeat(95)}"`,
    `"${'A'.repeat(97)}"`,
    `"${'A'.repeat(95)}="`,
    `"${'A'.repeat(98)}B=="`,
    `"${'é'.repeat(120)}"`,
    '"'.repeat(300),
    `"${line.replaceAll('a', '-')}"`,
    Array.from({ length: 50 }, (_, index) => `"${randomBytes(60 + index).toString('base64')}"`).join(''),
  ];
  for (const text of texts) assert.equal(back(text), text, text.slice(0, 60));
});

test('a text that has no bytes of its own is refused, not changed', () => {
  assert.throws(() => pack('\ud800'), { code: 'us/report-damaged' });
});

test('never makes more of what lies in the store than the report had: a bomb ends at its bound [CARD-8]', () => {
  assert.ok(BOMB.length < 20_000, `${BOMB.length} bytes`);
  assert.throws(() => unpack(BOMB, 10_000), { code: 'us/report-damaged', message: /compressed report of 10000 bytes/ });
});

test('refuses what is not a packed report: cut, longer, another depth, another kind', () => {
  const text = JSON.stringify({ payload: base64('interface eth1 is up\n'.repeat(9)) });
  const size = Buffer.byteLength(text);
  const packed = pack(text);
  const nested = (depth: number): Buffer => {
    const inner = depth === 0 ? Buffer.from([0, 0, 0, 0, 0]) : nested(depth - 1);
    const header = Buffer.from([1, 0, 0, 0, 0]);
    header.writeUInt32BE(inner.length, 1);
    return Buffer.concat([header, inner]);
  };
  const bad = [
    packed.subarray(0, -1),
    Buffer.from('x'),
    brotliCompressSync(Buffer.from([0, 0, 0])),
    brotliCompressSync(Buffer.from([0, 0, 0, 0, 9, 1])),
    brotliCompressSync(Buffer.from([2, 0, 0, 0, 0])),
    brotliCompressSync(Buffer.from([0, 255, 255, 255, 255])),
    brotliCompressSync(nested(8)),
  ];
  for (const each of bad) assert.throws(() => unpack(each, size), { code: 'us/report-damaged' });
  for (const length of [size - 1, size + 1])
    assert.throws(() => unpack(packed, length), { code: 'us/report-damaged' }, `${length}`);
});

/** What an earlier version did with each store that it opened: reports as text, one table less and no kinds. */
const EARLIER = `
  CREATE TABLE IF NOT EXISTS report (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, stored_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL, summary TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS acknowledgement (id TEXT NOT NULL REFERENCES report(id) ON DELETE CASCADE, controller TEXT NOT NULL,
    at_ms INTEGER NOT NULL, receipt TEXT NOT NULL, PRIMARY KEY (id, controller)) STRICT;
  PRAGMA user_version = 1;`;

async function earlierStore(t: { after(fn: () => Promise<void>): void }, ids: readonly string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-earlier-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const clock = createFakeClock();
  putEarlier(dir, ids, clock.nowMs());
  return { dir, clock };
}

/** An earlier version opens the store and puts these reports into it. */
function putEarlier(dir: string, ids: readonly string[], nowMs: number): void {
  const db = new DatabaseSync(join(dir, 'reports.sqlite'));
  db.exec(`PRAGMA journal_mode = WAL; ${EARLIER}`);
  const insert = db.prepare('INSERT INTO report (id, stored_ms, bytes, summary, text) VALUES (?, ?, ?, ?, ?)');
  for (const id of ids) {
    const { text, summary } = named(id);
    insert.run(id, nowMs, Buffer.byteLength(text), JSON.stringify(summary), text);
  }
  db.close();
}

const NAMED = new Map<string, ReturnType<typeof makeNamed>>();
/** The same report each time: two that are signed differ in their nonces. */
function named(id: string) {
  const made = NAMED.get(id) ?? makeNamed(id);
  NAMED.set(id, made);
  return made;
}

function makeNamed(id: string) {
  const report = smallReport({
    id,
    uri: `urn:ietf:params:xml:ns:yang:ietf-mcp/report/${id}`,
    hypothesis: `fault ${id}`,
  });
  const sealed = sealReport(report, pe1.signer);
  return { sealed, text: sealedReportText(sealed), summary: summaryOf(report) };
}

test('reports that an earlier version stored are read as before, and packed before any report goes for room [CARD-6]', async (t) => {
  const { dir, clock } = await earlierStore(t, ['f1', 'f2', 'f3']);
  const size = ['f1', 'f2', 'f3'].reduce((sum, id) => sum + Buffer.byteLength(named(id).text), 0);
  const store = await openReportStore({ dir, clock, limits: { count: 100, bytes: size + 20, keepMs: KEEP } });
  t.after(() => store.close());
  const before = await store.get('f1');
  const { bytes } = await store.status();
  assert.deepEqual([sealedReportText(before!), bytes], [named('f1').text, size]);
  assert.deepEqual(await store.put('f4', named('f4').sealed, named('f4').summary), { lost: 0 });
  assert.deepEqual(
    (await store.list()).map(({ id }) => id),
    ['f4', 'f3', 'f2', 'f1'],
  );
  for (const id of ['f1', 'f2', 'f3', 'f4']) assert.equal(sealedReportText((await store.get(id))!), named(id).text, id);
  assert.ok((await store.status()).bytes < size);
});

test('a store that an earlier version used in between opens again, with every report, acknowledgement and removal [CARD-6]', async (t) => {
  const { dir, clock } = await earlierStore(t, ['f1']);
  const trail: AuditRecord[] = [];
  const open = () => openReportStore({ dir, clock, limits: ROOMY, record: async (line) => void trail.push(line) });
  const upgraded = await open();
  await upgraded.put('f2', named('f2').sealed, named('f2').summary);
  await upgraded.put('f3', named('f3').sealed, named('f3').summary);
  await upgraded.acknowledge('f2', 'noc', null);
  await upgraded.remove({ ids: ['f3'] }, 'operator/alice');
  await upgraded.close();
  putEarlier(dir, ['f4'], clock.nowMs());
  const again = await open();
  t.after(() => again.close());
  await again.put('f5', named('f5').sealed, named('f5').summary);
  assert.deepEqual(
    (await again.list()).map(({ id, acknowledgedBy }) => [id, acknowledgedBy]),
    [
      ['f5', undefined],
      ['f4', undefined],
      ['f2', ['noc']],
      ['f1', undefined],
    ],
  );
  for (const id of ['f1', 'f2', 'f4', 'f5']) assert.equal(sealedReportText((await again.get(id))!), named(id).text, id);
  const { id, reason, by } = (await again.removalOf('f3'))!;
  assert.deepEqual([id, reason, by], ['f3', 'deleted', 'operator/alice']);
  await again.close();
  assert.equal(trail.length, 1, 'the removal is in the trail once');
  const db = new DatabaseSync(join(dir, 'reports.sqlite'));
  t.after(() => db.close());
  assert.deepEqual(db.prepare('SELECT id, kind, hypothesis FROM report ORDER BY id').all().map(Object.values), [
    ['f1', 'fault', 'fault f1'],
    ['f2', 'fault', 'fault f2'],
    ['f4', 'fault', 'fault f4'],
    ['f5', 'fault', 'fault f5'],
  ]);
});

test('a damaged packed report, and one whose size is a lie, is said to be damaged; the others are read [CARD-6]', async (t) => {
  const { dir, clock } = await earlierStore(t, []);
  const first = await openReportStore({ dir, clock, limits: ROOMY });
  for (const id of ['f1', 'f2', 'f3']) await first.put(id, named(id).sealed, named(id).summary);
  await first.close();
  const db = new DatabaseSync(join(dir, 'reports.sqlite'));
  db.prepare("UPDATE report SET packed = ?, text_bytes = 9999999999 WHERE id = 'f1'").run(BOMB);
  db.prepare("UPDATE report SET text_bytes = text_bytes - 1 WHERE id = 'f2'").run();
  db.close();
  const store = await openReportStore({ dir, clock, limits: ROOMY });
  t.after(() => store.close());
  for (const id of ['f1', 'f2']) await assert.rejects(store.get(id), { code: 'us/report-damaged' }, id);
  assert.deepEqual(await store.get('f3'), named('f3').sealed);
});

test('a database of a newer version is left alone, with the reason', async (t) => {
  const { dir, clock } = await earlierStore(t, []);
  const db = new DatabaseSync(join(dir, 'reports.sqlite'));
  db.exec('PRAGMA user_version = 3');
  db.close();
  const store = await openReportStore({ dir, clock, limits: ROOMY });
  t.after(() => store.close().catch(() => {}));
  await assert.rejects(store.list(), { code: 'us/report-store', message: /version 2, got 3: a newer Parley/ });
});
