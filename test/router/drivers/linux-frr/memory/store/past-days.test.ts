// Reading the memory of days back by span: what is in it, where it has gaps, and how far it reaches.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLog } from '#base/log.ts';
import { openDayStore } from '#router/drivers/linux-frr/memory/store/day-store.ts';
import { daysOnDisk } from '#router/drivers/linux-frr/memory/store/past-days.ts';
import { createMinuteFold } from '#router/drivers/linux-frr/memory/store/past-minutes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BEGAN_MS = Date.UTC(2026, 0, 1);
const HOURS = 6;
let parent: string;
let dir: string;
const time = { nowMs: BEGAN_MS };
const clock = { nowMs: () => time.nowMs };
const machine = { boot: 'x', uptimeMs: () => time.nowMs - BEGAN_MS };
const log = createLog({ level: 'error', sink: () => {}, now: () => 0 });
let store: Awaited<ReturnType<typeof openDayStore>>;

/** Six hours. In hour 2 eth1 loses its carrier for two minutes and probes for three; the agent stands still in hour 4. */
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'parley-days-'));
  dir = join(parent, 'memory');
  store = await openDayStore({ dir, clock, machine, log });
  for (let minute = 1; minute <= HOURS * 60; minute++) {
    time.nowMs += MINUTE_MS;
    const hour = Math.floor(minute / 60);
    if (hour === 4) continue;
    const at = minute - 120;
    if (at === 5)
      store.note({ change: { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400' }, at: { wallMs: time.nowMs } });
    const lost = at >= 10 && at <= 12 ? 60 : 0;
    await store.write({
      known: { rows: [], met: [], daemonUpMs: {} },
      unmet: [],
      minute: {
        links: [['eth1', 600, 600 - lost - (at === 30 ? 1 : 0), 200, 300, 400]],
        ports: [['eth1', 1_000, 1_000, 64_000, 64_000, at === 40 ? 7 : 0, 0]],
        portsMs: MINUTE_MS,
        events:
          at === 9
            ? [[30_000, 'carrier', 'eth1', 0, 1] as const]
            : at === 11
              ? [[30_000, 'carrier', 'eth1', 1, 1] as const]
              : [],
      },
    });
  }
});
after(() => rm(parent, { recursive: true }));

const ago = (hour: number) => HOURS * HOUR_MS - hour * HOUR_MS;

test('a span has its events, losses, errors and changes, newest first, and nothing of other times', async () => {
  const hour = await store.past({ sinceMs: ago(2), untilMs: ago(3) });
  assert.deepEqual(
    hour.events.map(({ kind, subject, up, agoMs }) => [kind, subject, up, (ago(2) - agoMs) / MINUTE_MS]),
    [
      ['carrier', 'eth1', true, 10.5],
      ['carrier', 'eth1', false, 8.5],
    ],
  );
  assert.deepEqual(
    hour.losses.map(({ ifname, sent, lost, fromAgoMs, untilAgoMs }) => [
      ifname,
      sent,
      lost,
      (fromAgoMs - untilAgoMs) / MINUTE_MS,
    ]),
    [['eth1', 1_800, 180, 3]],
  );
  assert.deepEqual(
    hour.errors.map(({ ifname, errors, drops }) => [ifname, errors, drops]),
    [['eth1', 7, 0]],
  );
  assert.deepEqual(
    hour.changes.map(({ kind, was, is }) => [kind, was, is]),
    [['mtu', '1500', '1400']],
  );
  assert.deepEqual([hour.gaps, hour.left], [[], 0]);
  assert.deepEqual([hour.links[0]?.lost, hour.links[0]?.leastUs, hour.links[0]?.mostUs], [181, 200, 400]);

  const quiet = await store.past({ sinceMs: ago(3), untilMs: ago(4) + 2 * MINUTE_MS });
  assert.deepEqual([quiet.events, quiet.losses, quiet.errors, quiet.changes, quiet.gaps], [[], [], [], [], []]);
});

test('a single stray probe is no loss of its minute', async () => {
  const { losses } = await store.past({ sinceMs: ago(2) - 25 * MINUTE_MS, untilMs: ago(2) - 35 * MINUTE_MS });
  assert.deepEqual(losses, []);
});

test('a time in which the agent did not run is a gap, and so is what is older than the memory', async () => {
  const { gaps } = await store.past({ sinceMs: ago(3), untilMs: 0 });
  assert.deepEqual(
    gaps.map(({ fromAgoMs, untilAgoMs }) => [
      Math.round(ago(4) / HOUR_MS) - Math.round(fromAgoMs / HOUR_MS),
      Math.round((fromAgoMs - untilAgoMs) / MINUTE_MS),
    ]),
    [[0, 61]],
  );
  const before = await store.past({ sinceMs: 48 * HOUR_MS, untilMs: 47 * HOUR_MS });
  assert.deepEqual(before.gaps, [{ fromAgoMs: 48 * HOUR_MS, untilAgoMs: 47 * HOUR_MS }]);
  assert.equal(before.minutes, 0);
});

test('what memory takes on disk and how far it reaches is read without reading it', async () => {
  const { bytes, mostBytes, reachMs } = await daysOnDisk(dir, time.nowMs);
  assert.ok(bytes > 20_000 && bytes < mostBytes, String(bytes));
  assert.ok(Math.abs(reachMs - HOURS * HOUR_MS) <= MINUTE_MS, String(reachMs));
  assert.deepEqual(await daysOnDisk(join(dir, 'none'), time.nowMs), { bytes: 0, mostBytes, reachMs: 0 });
});

test('a reading ends with its signal', async () => {
  const ended = new AbortController();
  ended.abort(new Error('enough'));
  await assert.rejects(store.past({ sinceMs: 24 * HOUR_MS, untilMs: 0 }, ended.signal), /enough/);
});

test('readings take turns: one that began is at its end before the next begins', async () => {
  const order: string[] = [];
  const past = (name: string) => {
    const signal = { throwIfAborted: () => order.push(name) } as unknown as AbortSignal;
    return store.past({ sinceMs: 24 * HOUR_MS, untilMs: 0 }, signal);
  };
  const all = await Promise.all(['one', 'two', 'three'].map(past));
  assert.ok(order.length > 6, String(order.length));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => rank(a) - rank(b)),
  );
  assert.deepEqual(all[2], all[0]);
});

const rank = (name: string) => ['one', 'two', 'three'].indexOf(name);

test('minutes are folded as they come: of more rows than are told the newest stay, and the others are counted', () => {
  const most = 400;
  const minutes = 10 * most;
  const nowMs = BEGAN_MS + 4 * minutes * MINUTE_MS;
  const fold = createMinuteFold({ fromMs: BEGAN_MS, toMs: nowMs, nowMs });
  for (let minute = 1; minute <= minutes; minute++) {
    fold.add({
      ...{ k: 'minute', atMs: BEGAN_MS + 4 * minute * MINUTE_MS, boot: 'x', uptimeMs: 0, daemonUpMs: {}, waits: [] },
      links: [['eth1', 600, 500, minute, 2 * minute, 3 * minute]],
      ports: [['eth1', 0, 0, 0, 0, 1, minute]],
      portsMs: MINUTE_MS,
      events: [[0, 'carrier', 'eth1', minute % 2, 1]],
    });
  }
  const { gaps, events, losses, errors, links, left } = fold.done();
  assert.deepEqual(
    [gaps, events, losses, errors].map(({ length }) => length),
    [most, most, most, most],
  );
  assert.equal(left, 4 * (minutes - most));
  assert.deepEqual(
    [gaps.at(-1)?.untilAgoMs, events[0]?.agoMs, losses[0]?.untilAgoMs, errors[0]?.drops],
    [0, 0, 0, minutes],
  );
  assert.equal(losses.at(-1)?.untilAgoMs, 4 * (most - 1) * MINUTE_MS);
  const sums = { minutes, sent: 600 * minutes, lost: 100 * minutes };
  assert.deepEqual(links, [
    { ifname: 'eth1', ...sums, leastUs: 1, medianUs: 2 * (minutes / 2 + 1), mostUs: 3 * minutes },
  ]);
});
