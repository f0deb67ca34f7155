// The memory of days across restarts: what was known, what changed, how the agent before ended, whether the machine has booted since.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '#base/log.ts';
import type { NodeSettings } from '#model/settings/node-settings.ts';
import { type Machine, openDayStore } from '#router/drivers/linux-frr/memory/store/day-store.ts';
import { createFakeClock } from '../../../../../fakes/clock.ts';

const MINUTE = { links: [['eth1', 1_200, 1_199, 180, 210, 900] as const], ports: [], portsMs: 0, events: [] };

const known = (mtu: string, ...more: readonly string[]): NodeSettings => ({
  rows: [
    { kind: 'mtu', subject: 'eth1', value: mtu, needs: ['interface eth1'] },
    ...more.map((subject) => ({ kind: 'admin' as const, subject, value: 'up', needs: [] })),
  ],
  met: ['interface eth1', ...more.map((name) => `interface ${name}`)],
  daemonUpMs: { bgpd: 5_000 },
});

async function inFolder(work: (open: ReturnType<typeof opener>) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'parley-memory-'));
  try {
    await work(opener(join(parent, 'memory')));
  } finally {
    await rm(parent, { recursive: true });
  }
}

function opener(dir: string) {
  const clock = createFakeClock({ nowMs: 1_767_225_600_000 });
  const said: string[] = [];
  const log = createLog({ level: 'info', sink: (line) => said.push(JSON.parse(line).message), now: () => 0 });
  let upMs = 0;
  const machine = (boot: string): Machine => ({ boot, uptimeMs: () => upMs + clock.monotonicMs() });
  return {
    ...{ dir, clock, said },
    setUptime: (ms: number) => {
      upMs = ms;
    },
    open: (boot = 'aaaa', rememberHosts = true) =>
      openDayStore({ dir, clock, log, machine: machine(boot), rememberHosts }),
  };
}

test('where nothing was remembered there is nothing, and no folder until the first minute', () =>
  inFolder(async ({ open, dir, said }) => {
    const store = await open();
    assert.deepEqual(store.earlier, { changes: [], unmet: [], isOtherBoot: false });
    await store.close();
    await assert.rejects(readdir(dir));
    assert.deepEqual(said, []);
  }));

test('where hosts are no longer to be remembered, what is on disk is removed, once', () =>
  inFolder(async ({ open, dir, said, clock }) => {
    const kept = async () => (await readdir(dir)).filter((name) => name.endsWith('.log')).length;
    const note = async (rememberHosts: boolean) => {
      const store = await open('aaaa', rememberHosts);
      await store.write({ known: known('1400'), unmet: [], minute: MINUTE });
      await store.close();
      await clock.advance(60_000);
      return store.earlier.end !== undefined;
    };
    assert.equal(await note(true), false);
    assert.deepEqual([await note(true), await kept()], [true, 1]);
    assert.equal(await note(false), false, 'what was there is gone');
    assert.deepEqual(said, ['the memory of days was removed, as no hosts are remembered from now on']);
    assert.equal(await note(false), true, 'what was written since is not');
    assert.equal(await note(true), true, 'nor when hosts are remembered again');
    assert.equal(await note(false), false, 'and off again removes again');
    assert.equal(await kept(), 1);
  }));

test('changes, settings, conditions and the end of the agent are there after a restart', () =>
  inFolder(async ({ open, clock }) => {
    const began = clock.nowMs();
    const first = await open();
    const change = { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400' } as const;
    first.note({ change, at: { wallMs: began, monotonicMs: 0 }, from: { wallMs: began - 7, monotonicMs: -7 } });
    await first.write({ known: known('1400', 'eth2'), unmet: [['up eth2', began - 3]], minute: MINUTE });
    await clock.advance(60_000);
    await first.write({ known: known('1400', 'eth3'), unmet: [], minute: MINUTE });
    await clock.advance(60_000);
    await first.write({ known: known('1400', 'eth3'), unmet: [['up eth3', began]], minute: MINUTE });
    await clock.advance(5_000);
    await first.close();
    await clock.advance(100_000);
    const { earlier } = await open();
    assert.deepEqual(earlier, {
      changes: [{ change, at: { wallMs: began }, from: { wallMs: began - 7 } }],
      known: { settings: known('1400', 'eth3'), wallMs: began + 125_000, elapsedMs: 105_000 },
      unmet: [['up eth3', began]],
      sinceMs: began,
      end: { wallMs: began + 125_000, isStopped: true },
      isOtherBoot: false,
    });
  }));

test('an agent that was killed has no stop; a machine that booted is another one, though the clock was set', () =>
  inFolder(async ({ open, clock, setUptime }) => {
    setUptime(9_000_000);
    const first = await open();
    await first.write({ known: known('1500'), unmet: [], minute: MINUTE });
    await clock.advance(90_000);
    clock.setWall(clock.nowMs() + 86_400_000);
    const second = await open();
    assert.equal(second.earlier.end?.isStopped, false);
    assert.equal(second.earlier.known?.elapsedMs, 90_000);
    assert.equal(second.earlier.isOtherBoot, false);
    assert.equal((await open('bbbb')).earlier.isOtherBoot, true);
  }));

test('settings that did not change are written once an hour at most, and once a segment', () =>
  inFolder(async ({ open, clock, dir }) => {
    const settingsRecords = async () => {
      const texts = await Promise.all((await readdir(dir)).sort().map((name) => readFile(join(dir, name), 'utf8')));
      return texts.map((text) => text.split('"k":"settings"').length - 1);
    };
    const run = async () => {
      const store = await open();
      await store.write({ known: known('1500'), unmet: [], minute: MINUTE });
      await store.close();
      await clock.advance(60_000);
    };
    for (let turn = 0; turn < 5; turn++) await run();
    assert.deepEqual(await settingsRecords(), [1]);
    await clock.advance(3_600_000);
    await run();
    assert.deepEqual(await settingsRecords(), [2]);
    await clock.advance(86_400_000);
    await run();
    assert.deepEqual(await settingsRecords(), [2, 1]);
  }));

test('a power cut at any octet loses the last minute at most', () =>
  inFolder(async ({ open, clock, dir }) => {
    const store = await open();
    const mtus = ['1500', '1400', '9000'];
    const ends: number[] = [];
    for (const [turn, mtu] of mtus.entries()) {
      const change = { kind: 'mtu', subject: 'eth1', is: mtu } as const;
      store.note({ change, at: { wallMs: clock.nowMs() + turn } });
      await store.write({ known: known(mtu), unmet: [], minute: MINUTE });
      ends.push((await readFile(join(dir, '00000001.log'))).length);
      await clock.advance(60_000);
    }
    const path = join(dir, '00000001.log');
    const whole = await readFile(path);
    for (let cut = ends[0]!; cut <= whole.length; cut += 7) {
      await writeFile(path, whole.subarray(0, cut));
      const minutes = ends.filter((end) => end <= cut).length;
      const { earlier } = await open();
      const found = earlier.changes.map(({ change }) => change.is);
      assert.ok(found.length >= minutes);
      assert.deepEqual(found, mtus.slice(0, found.length));
      const value = earlier.known?.settings.rows[0]?.value;
      assert.ok(mtus.indexOf(value!) >= minutes - 1, `${value} after ${minutes} minutes`);
    }
  }));

test('a disk that cannot be written is said once, what waits is written later, with all settings', () =>
  inFolder(async ({ open, said, dir, clock }) => {
    await writeFile(dir, '');
    const store = await open();
    const note = (is: string) =>
      store.note({ change: { kind: 'mtu', subject: 'eth1', is }, at: { wallMs: clock.nowMs() } });
    note('1400');
    for (let turn = 0; turn < 3; turn++) await store.write({ known: known('1400'), unmet: [], minute: MINUTE });
    const failure =
      'the memory of days cannot be written and goes on without a disk: make room or mend the state folder';
    assert.deepEqual(said, [failure]);
    await rm(dir);
    note('1300');
    await store.write({ known: known('1300'), unmet: [], minute: MINUTE });
    await store.close();
    assert.deepEqual(said, [failure, 'the memory of days is written again']);
    const { earlier } = await open();
    assert.deepEqual(
      earlier.changes.map(({ change }) => change.is),
      ['1400', '1300'],
    );
    assert.equal(earlier.known?.settings.rows[0]?.value, '1300');
  }));

test('records of kinds that this version does not know are skipped', () =>
  inFolder(async ({ open, dir }) => {
    const store = await open();
    await store.write({ known: known('1500'), unmet: [], minute: MINUTE });
    await store.close();
    const { encodeLine } = await import('#router/drivers/linux-frr/memory/store/segment.ts');
    const path = join(dir, '00000001.log');
    const more =
      encodeLine('{"k":"trains","atMs":1}') + encodeLine('{"k":"change","atMs":1,"change":{"kind":"colour"}}');
    await writeFile(path, (await readFile(path, 'utf8')) + more);
    const { earlier } = await open();
    assert.deepEqual([earlier.changes, earlier.known?.settings.rows[0]?.value], [[], '1500']);
  }));
