// The memory of days: a router with ten links lives through seven simulated days on a real disk. How many octets that takes, how long it takes
// to read them back, what a power cut at a random octet loses, and what a minute costs in which nothing happens: one write and one fsync.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '#base/log.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { createSettingMemory } from '#router/drivers/linux-frr/memory/setting-memory.ts';
import { openDayStore } from '#router/drivers/linux-frr/memory/store/day-store.ts';
import { eventMinutes, linkMinutes, portMinutes } from '#router/drivers/linux-frr/memory/store/minute-record.ts';
import { decodeSegment } from '#router/drivers/linux-frr/memory/store/segment.ts';
import { mulberry32 } from '../simulations/lab/node-files.ts';
import type { Benchmark } from './main.ts';
import { createRouter, LINKS } from './memory/router.ts';
import { summary, tenths } from './statistics.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const BEGAN_MS = Date.UTC(2026, 0, 1);
/** The agent is restarted so often in the time. */
const RESTARTS = 3;

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      days: { type: 'string' },
      changes: { type: 'string' },
      cuts: { type: 'string' },
      dir: { type: 'string' },
    },
  });
  const [seed, days] = [Number(values.seed ?? 20_261_123), Number(values.days ?? 7)];
  const changesADay = Number(values.changes ?? 50);
  const parent = await mkdtemp(join(values.dir ?? tmpdir(), 'parley-bench-memory-'));
  try {
    const dir = join(parent, 'memory');
    const random = mulberry32(seed);
    const lived = await live(dir, { random, days, changesADay, say });
    say(`${days} days written; reading back, and cutting`);
    const bytes = await bytesIn(dir);
    const back = await readBack(dir, lived.endMs);
    const cuts = await cutAtRandom(dir, { random, count: Number(values.cuts ?? 100), endMs: lived.endMs });
    const { endMs: _, ...figures } = lived;
    return {
      seed,
      days,
      links: LINKS,
      changesADay,
      bytes,
      megabytesAWeek: tenths((bytes / days) * 7e-6),
      ...figures,
      ...back,
      cuts,
    };
  } finally {
    await rm(parent, { recursive: true });
  }
};

type Living = {
  readonly random: () => number;
  readonly days: number;
  readonly changesADay: number;
  readonly say: (line: string) => void;
};

/** Minute by minute, as the agent does it; a restart ends in order or not, by the seed. */
async function live(dir: string, { random, days, changesADay, say }: Living) {
  const router = createRouter(random, changesADay);
  const time = { nowMs: BEGAN_MS };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs - BEGAN_MS };
  const machine = { boot: 'bench', uptimeMs: clock.monotonicMs };
  const open = async () => {
    const store = await openDayStore({ dir, clock, machine, log: logTo(say) });
    const onChange: typeof store.note = (entry) => {
      noted += 1;
      store.note(entry);
    };
    return { store, settings: createSettingMemory({ clock, earlier: store.earlier, onChange }) };
  };
  let noted = 0;
  let { store, settings } = await open();
  let last: NodeState | undefined;
  const [minutes, restartEvery] = [days * DAY_MINUTES, Math.floor((days * DAY_MINUTES) / (RESTARTS + 1))];
  const [compareMs, writeMs]: [number[], number[]] = [[], []];
  const [idleBytes, idlePages]: [number[], number[]] = [[], []];
  let [changed, size] = [0, 0];
  for (let minute = 1; minute <= minutes; minute++) {
    time.nowMs += MINUTE_MS;
    const isChanged = router.step();
    changed += isChanged ? 1 : 0;
    const state = router.state();
    compareMs.push(timed(() => settings.add(state)));
    const minuteParts = {
      links: linkMinutes(router.links(), MINUTE_MS),
      ...portMinutes(last, state),
      events: eventMinutes(router.events(), MINUTE_MS),
    };
    last = state;
    const [writtenBefore, beganMs] = [await writtenBytes(), performance.now()];
    await store.write({ known: settings.known(), unmet: settings.unmet(), minute: minuteParts });
    writeMs.push(performance.now() - beganMs);
    const pagesBytes = (await writtenBytes()) - writtenBefore;
    const newest = (await readdir(dir)).sort().at(-1)!;
    const now = (await stat(join(dir, newest))).size;
    if (!isChanged && now > size) {
      idleBytes.push(now - size);
      idlePages.push(pagesBytes);
    }
    size = now;
    if (minute % restartEvery !== 0 || minute === minutes) continue;
    say(`day ${tenths(minute / DAY_MINUTES)}: the agent is restarted`);
    if (random() < 0.5) await store.close();
    ({ store, settings } = await open());
  }
  await store.close();
  return {
    endMs: time.nowMs,
    settingsChanged: changed,
    changesNoted: noted,
    idlePerMinute: { bytes: summary(idleBytes), bytesToDisk: summary(idlePages) },
    compareMs: summary(compareMs),
    writeAndSyncMs: summary(writeMs),
  };
}

/** Octets that this process had the kernel write to a disk: whole pages, with what the file system needs besides. */
async function writtenBytes(): Promise<number> {
  return Number(/^write_bytes: (\d+)/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
}

function logTo(say: (line: string) => void) {
  return createLog({ level: 'warn', sink: say, now: () => 0 });
}

function timed(work: () => void): number {
  const beganMs = performance.now();
  work();
  return performance.now() - beganMs;
}

async function bytesIn(dir: string): Promise<number> {
  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** As at the start of an agent. */
async function readBack(dir: string, endMs: number) {
  const beganMs = performance.now();
  const { earlier } = await openDayStore({ dir, clock: { nowMs: () => endMs }, log: logTo(() => {}) });
  const readBackMs = Math.round(performance.now() - beganMs);
  return {
    readBackMs,
    readBackChanges: earlier.changes.length,
    readBackSettings: earlier.known?.settings.rows.length ?? 0,
    readBackDays: tenths((endMs - (earlier.sinceMs ?? endMs)) / (DAY_MINUTES * MINUTE_MS)),
  };
}

/** A power cut leaves a part of the newest segment: how many whole records and how much time before the cut are lost. */
async function cutAtRandom(
  dir: string,
  { random, count, endMs }: { random: () => number; count: number; endMs: number },
) {
  const path = join(dir, (await readdir(dir)).sort().at(-1)!);
  const whole = await readFile(path);
  const minuteEnds = minutesIn(whole);
  let [lostWhole, mostLostMs, unreadable] = [0, 0, 0];
  for (let turn = 0; turn < count; turn++) {
    const cut = 1 + Math.floor(random() * (whole.length - 1));
    const left = whole.subarray(0, cut);
    await writeFile(path, left);
    const segment = decodeSegment(left);
    const wholeLines = left.toString('latin1').split('\n').length - 1;
    // The head is a line, and no record.
    lostWhole += Math.max(0, wholeLines - 1 - (segment.kind === 'read' ? segment.lines.length : 0));
    const { earlier } = await openDayStore({ dir, clock: { nowMs: () => endMs }, log: logTo(() => {}) });
    if (earlier.known === undefined) unreadable += 1;
    // The minute during whose write the power went, and the end of the last that is remembered.
    const during = minuteEnds.find(({ end }) => end >= cut);
    mostLostMs = Math.max(mostLostMs, (during?.atMs ?? endMs) - (earlier.end?.wallMs ?? BEGAN_MS));
  }
  await writeFile(path, whole);
  return { count, wholeRecordsLost: lostWhole, mostSecondsLost: mostLostMs / 1_000, withoutSettings: unreadable };
}

function minutesIn(octets: Buffer): readonly { readonly end: number; readonly atMs: number }[] {
  const lines = octets.toString('latin1').split('\n');
  let end = 0;
  return lines.flatMap((line) => {
    end += line.length + 1;
    const atMs = /"k":"minute","atMs":(\d+)/.exec(line)?.[1];
    return atMs === undefined ? [] : [{ end, atMs: Number(atMs) }];
  });
}
