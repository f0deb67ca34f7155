// Sending the audit trail outwards, with a collector of the test's own: nothing is lost, nothing is kept in memory, and what was removed unsent is said.
import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { behindOf } from '#audit/outward/behind.ts';
import { retryMs } from '#audit/outward/forward.ts';
import { firstPlace, linesFrom } from '#audit/read-on.ts';
import { retainAudit } from '#audit/retain.ts';
import { settle, until } from '../../fakes/clock.ts';
import { bed } from './forward-bed.ts';

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('sends the whole trail across its files in order, then what is new, each once [TS-31]', async (t) => {
  const { append, start, eventually, sequences, sent, counted } = await bed(t);
  await append(40);
  start();
  await eventually(async () => (await sent()) === 40, 'forty');
  assert.deepEqual(sequences(), upTo(40));
  assert.equal(counted.connections, 1);
  await append(2);
  await eventually(async () => (await sent()) === 42, 'two more');
  assert.deepEqual(sequences(), upTo(42));
  await eventually(() => true, 'a while');
  assert.equal(counted.connections, 2, 'no connection without anything to send');
});

test('sends again after a crash what was not confirmed, and nothing that was [TS-31]', async (t) => {
  const { append, start, eventually, sequences, sent, behaviour, messages } = await bed(t);
  await append(5);
  const first = start();
  await eventually(async () => (await sent()) === 5, 'five');
  behaviour.unconfirmed = true;
  await append(3);
  await eventually(() => messages.length >= 8, 'taken, and not confirmed');
  await first.stop();
  assert.equal(await sent(), 5);
  behaviour.unconfirmed = false;
  messages.length = 0;
  start();
  await eventually(async () => (await sent()) === 8, 'eight');
  assert.deepEqual(sequences(), [6, 7, 8]);
});

test('asks a collector that is away at longer and longer intervals, and says each reason once [TS-31]', async (t) => {
  const { append, start, clock, behaviour, counted, lines, eventually, sent, trail } = await bed(t);
  behaviour.refuse = 'away';
  await append(1);
  start();
  await until(() => counted.connections === 1 && clock.sleepers === 1, 'the first attempt');
  const attemptsWithin = async (spanMs: number) => {
    const before = counted.connections;
    for (let passed = 0; passed < spanMs; passed += 500) {
      await clock.advance(500);
      await until(() => clock.sleepers === 1, 'it waits again');
    }
    return counted.connections - before;
  };
  // Waits of 0.5, 1, 2, 4, 8, 16 and then 30 s: half of each, as the random octet is 0.
  assert.equal(await attemptsWithin(32_000), 6);
  assert.equal(await attemptsWithin(120_000), 4);
  assert.equal(lines.filter((line) => line.includes('could not be sent')).length, 1);
  behaviour.refuse = 'its certificate is not from the configured CA';
  await attemptsWithin(30_000);
  assert.equal(lines.filter((line) => line.includes('could not be sent')).length, 2);
  // What it is for goes on meanwhile.
  await trail.append({ event: 'request' });
  delete behaviour.refuse;
  await eventually(async () => (await sent()) === 2, 'both');
  await until(() => lines.some((line) => line.includes('takes records again')), 'the log says so');
});

test('the wait after a failure is between half and all of a doubled second, at most a minute', () => {
  const at = (byte: number) => (failures: number) => retryMs(failures, { bytes: () => Uint8Array.of(byte) });
  assert.deepEqual([1, 2, 3, 7, 400].map(at(0)), [500, 1_000, 2_000, 30_000, 30_000]);
  assert.deepEqual([1, 2, 3, 7, 400].map(at(255)), [1_000, 2_000, 4_000, 60_000, 60_000]);
});

test('reads no further while the collector takes nothing, and appends go on [TS-31]', async (t) => {
  const { append, start, behaviour, counted, trail, eventually, sent, clock } = await bed(t);
  let release = () => {};
  behaviour.blocked = new Promise((resolve) => {
    release = resolve;
  });
  await append(30);
  start();
  await until(() => counted.writes === 1, 'the first write');
  await clock.advance(60_000);
  await append(30);
  await settle();
  assert.equal(counted.writes, 1, 'one portion is in memory, the rest is on disk');
  assert.equal(trail.head.sequence, 60);
  release();
  await eventually(async () => (await sent()) === 60, 'all');
});

test('never sends a record that is not durable yet [TS-31]', async (t) => {
  const { dir, start, append, eventually, sequences, sent } = await bed(t);
  await append(3);
  const file = join(dir, 'audit-000000000000001.jsonl');
  const text = await readFile(file, 'utf8');
  // As a write whose synchronisation has not ended: the line is in the file, and not in the trail's head.
  const next = { ...JSON.parse(text.trimEnd().split('\n').at(-1)!), sequence: 4 };
  await writeFile(file, `${text}${JSON.stringify(next)}\n`);
  start();
  await eventually(async () => (await sent()) === 3, 'three');
  assert.deepEqual(sequences(), [1, 2, 3]);
});

test('says in the trail, in the log and to doctor which records retention removed before they were sent [TS-31]', async (t) => {
  const { append, start, eventually, sequences, sent, behaviour, lines, messages, dir, path } = await bed(t, {
    keepBytes: 5_000,
  });
  await append(4);
  const first = start();
  await eventually(async () => (await sent()) === 4, 'four');
  behaviour.refuse = 'away';
  await append(60);
  await eventually(() => lines.some((line) => line.includes('removed before they were sent')), 'the log says so');
  await first.stop();
  delete behaviour.refuse;
  start();
  await eventually(() => messages.some((each) => each.includes('audit/unsent-removed')), 'the collector is told');
  const record = messages.map(fieldsOf).find(({ event }) => event === 'audit/unsent-removed')!;
  const { from, to } = record.detail as { from: number; to: number };
  assert.equal(from, 5);
  // No record is neither sent nor named as removed.
  const known = new Set([...sequences(), ...upTo(to, from)]);
  await eventually(async () => (await sent())! >= 65, 'the rest');
  assert.deepEqual(
    upTo(64).filter((sequence) => !known.has(sequence) && !sequences().includes(sequence)),
    [],
  );
  const behind = await behindOf(dir, path);
  assert.deepEqual([behind.records, behind.removedUnsent], [0, to - from + 1]);
});

test('a collector that is new gets what is left of the trail, and nothing is said of what was removed before [TS-31]', async (t) => {
  const { append, start, eventually, sequences, sent, lines, trail, dir, path } = await bed(t, { keepBytes: 5_000 });
  await append(60);
  assert.equal((await behindOf(dir, path)).records < 60, true);
  start();
  await eventually(async () => (await sent()) === 60, 'the rest');
  assert.deepEqual(sequences(), upTo(60, sequences()[0]));
  assert.ok(sequences()[0]! > 1);
  assert.equal(trail.head.sequence, 60, 'no record of its own');
  assert.deepEqual(lines, []);
});

test('a removal before the first delivery is said, also where the agent was restarted in between [TS-31]', async (t) => {
  const { append, start, eventually, behaviour, messages, sent } = await bed(t, { keepBytes: 5_000 });
  behaviour.refuse = 'away';
  await append(2);
  const first = start();
  await eventually(async () => (await sent()) === 0, 'the beginning is on disk');
  await first.stop();
  await append(60);
  delete behaviour.refuse;
  start();
  await eventually(() => messages.some((each) => each.includes('audit/unsent-removed')), 'the collector is told');
  const record = messages.map(fieldsOf).find(({ event }) => event === 'audit/unsent-removed')!;
  assert.equal((record.detail as { from: number }).from, 1);
});

test('sends a trail that was made anew from its beginning, and says so [TS-31]', async (t) => {
  const { append, start, eventually, sent, path, messages, sequences } = await bed(t);
  await append(6);
  const first = start();
  await eventually(async () => (await sent()) === 6, 'six');
  await first.stop();
  const position = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...position, hash: 'f'.repeat(64) }));
  messages.length = 0;
  await append(1);
  start();
  await eventually(() => messages.some((each) => each.includes('audit/sent-record-missing')), 'it is recorded');
  assert.deepEqual(sequences(), upTo(8));
});

test('sends a damaged line as what it is, and goes on behind it [TS-31]', async (t) => {
  const { dir, append, start, eventually, sent, messages, sequences } = await bed(t);
  await append(8);
  const file = join(dir, 'audit-000000000000001.jsonl');
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[1] = '{"damaged';
  await writeFile(file, lines.join('\n'));
  start();
  await eventually(async () => (await sent()) === 8, 'eight');
  assert.deepEqual(
    sequences().filter((sequence) => !Number.isNaN(sequence)),
    [1, ...upTo(8, 3)],
  );
  assert.match(messages[1]!, /^<106>1 - pe1 parley - damaged-line \[parley@32473 damaged="yes"\] /);
});

test('waits between two looks where nothing can be read of what there is to send [TS-31]', async (t) => {
  const { dir, append, start, clock, counted, lines } = await bed(t);
  await append(5);
  for (const name of await readdir(dir)) if (name.endsWith('.jsonl')) await rm(join(dir, name));
  start();
  await until(() => clock.sleepers === 1, 'the first wait');
  const before = counted.looks;
  for (let passed = 0; passed < 10_000; passed += 500) {
    await clock.advance(500);
    await until(() => clock.sleepers === 1, 'it waits again');
  }
  // One look each two seconds, of two calls at most.
  assert.ok(counted.looks - before <= 12, `${counted.looks - before} looks`);
  assert.deepEqual([counted.connections, lines], [0, []]);
});

test('tells damaged lines at the end once, and names none of them as removed [TS-31]', async (t) => {
  const { dir, append, start, eventually, messages, sequences, counted, sent, lines } = await bed(t);
  await append(8);
  const names = (await readdir(dir)).filter((name) => name.endsWith('.jsonl')).sort();
  const file = join(dir, names.at(-1)!);
  const whole = await readFile(file, 'utf8');
  const ofFile = whole.trimEnd().split('\n').length;
  await writeFile(file, whole.replace(/./g, 'x'));
  const first = start();
  await eventually(async () => (await sent()) === 8 - ofFile, 'what is before them');
  const told = () => messages.filter((each) => each.includes('damaged-line')).length;
  await eventually(() => told() === ofFile, 'the damaged lines');
  await first.stop();
  start();
  for (let looks = 0; looks < 20; looks++) await eventually(() => true, 'a while');
  assert.equal(told(), ofFile);
  assert.equal(counted.connections, 1);
  await append(1);
  await eventually(async () => (await sent()) === 9, 'what comes behind them');
  assert.deepEqual(
    sequences().filter((sequence) => !Number.isNaN(sequence)),
    [...upTo(8 - ofFile), 9],
  );
  assert.deepEqual(lines, []);
});

test('names what retention removes between finding the place and reading it [TS-31]', async (t) => {
  const { dir, append, start, eventually, sent, behaviour, sequences, messages, clock } = await bed(t);
  await append(40);
  let isFirst = true;
  behaviour.meanwhile = async () => {
    if (isFirst) await retainAudit(dir, clock.nowMs(), { keepBytes: 6_000, keepMs: 1e15 });
    isFirst = false;
  };
  start();
  await eventually(async () => ((await sent()) ?? 0) >= 40, 'the rest');
  const removed = messages
    .map(fieldsOf)
    .filter(({ event }) => event === 'audit/unsent-removed')
    .flatMap(({ detail }) => upTo((detail as { to: number }).to, (detail as { from: number }).from));
  const known = new Set([...sequences(), ...removed]);
  await eventually(() => messages.some((each) => each.includes('audit/unsent-removed')), 'it is said');
  for (const { event, detail } of messages.map(fieldsOf))
    if (event === 'audit/unsent-removed')
      for (const each of upTo((detail as { to: number }).to, (detail as { from: number }).from)) known.add(each);
  assert.deepEqual(
    upTo(40).filter((sequence) => !known.has(sequence)),
    [],
  );
});

test('a place in a file that is gone is no place in the file behind it [TS-31]', async (t) => {
  const { dir, append } = await bed(t);
  await append(20);
  const place = await firstPlace(dir);
  await rm(join(dir, place!.file));
  await assert.rejects(linesFrom(dir, place!, 20).next(), { code: 'ENOENT' });
});

test('names numbers that are missing between two records of the trail [TS-31]', async (t) => {
  const { dir, path, append, start, eventually, messages } = await bed(t);
  await append(20);
  const file = join(dir, 'audit-000000000000001.jsonl');
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, lines.toSpliced(1, 2).join('\n'));
  start();
  await eventually(() => messages.some((each) => each.includes('audit/unsent-removed')), 'it is said');
  const record = messages.map(fieldsOf).find(({ event }) => event === 'audit/unsent-removed')!;
  assert.deepEqual(record.detail, { from: 2, to: 3, records: 2 });
  assert.equal((await behindOf(dir, path)).removedUnsent, 2);
});

test('a position that is damaged is none: all is sent again, and the trail says so [TS-31]', async (t) => {
  const { path, append, start, eventually, sent, messages, sequences } = await bed(t);
  await append(3);
  await writeFile(path, '{"schemaVersion":1,"sequ');
  start();
  await eventually(async () => (await sent()) === 4, 'the record of it too');
  assert.deepEqual(sequences(), [1, 2, 3, 4]);
  assert.equal(fieldsOf(messages[3]!).event, 'audit/sent-position-damaged');
});

test('a line longer than any record is damage, and what is behind it is sent [TS-31]', async (t) => {
  const { dir, append, start, eventually, sent, messages } = await bed(t);
  await append(4);
  const file = join(dir, 'audit-000000000000001.jsonl');
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[1] = 'x'.repeat(1_000_000);
  await writeFile(file, lines.join('\n'));
  start();
  await eventually(async () => (await sent()) === 4, 'four');
  assert.deepEqual(
    messages.map((each) => / seq="(\d+)"/.exec(each)?.[1] ?? / parley - ([a-z-]+) /.exec(each)?.[1]),
    ['1', 'damaged-line', '3', '4'],
  );
});

test('tells how far behind the collector is, and since when [TS-31]', async (t) => {
  const { dir, path, append, start, eventually, sent, clock, behaviour } = await bed(t);
  await append(2);
  assert.deepEqual(await behindOf(dir, path), { records: 2, since: '2026-01-01T00:00:00.000Z', removedUnsent: 0 });
  const forwarder = start();
  await eventually(async () => (await sent()) === 2, 'two');
  behaviour.refuse = 'away';
  clock.setWall(Date.parse('2026-02-02T00:00:00Z'));
  await append(3);
  await forwarder.stop();
  const { records, since, deliveredAt } = await behindOf(dir, path);
  assert.deepEqual([records, since], [3, '2026-02-02T00:00:00.000Z']);
  assert.match(deliveredAt!, /^2026-01-01T00:00:/);
});

function fieldsOf(message: string): { readonly event: string; readonly detail?: unknown } {
  return JSON.parse(message.slice(message.indexOf('\ufeff') + 1));
}
