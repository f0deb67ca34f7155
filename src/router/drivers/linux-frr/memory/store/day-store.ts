// The memory of days: what was remembered before this agent started, and a queue of what is to be remembered, written once a minute. Where
// the disk does not take it, that is said once, and memory goes on without it.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { Remembered, RememberedRequest } from '#model/router/remembered-days.ts';
import type { NodeSettings } from '#model/settings/node-settings.ts';
import { DRIVER_LIMITS } from '../../../limits.ts';
import type { RememberedChange } from '../setting-list.ts';
import type { EarlierSettings } from '../setting-memory.ts';
import { settleHosts } from './forget-hosts.ts';
import { readPastDays } from './past-days.ts';
import type { MinuteRecord } from './records.ts';
import { deltaBetween, NOTHING_REPLAYED, type Replay, replaySegment } from './replay.ts';
import { encodeLine } from './segment.ts';
import { openSegments, type SegmentFiles } from './segment-files.ts';

/** The machine below: which boot of it this is, and for how long it has been up. */
export type Machine = { readonly boot: string; uptimeMs(): number };

export type EarlierDays = EarlierSettings & {
  /** How the agent before ended; absent where there was none. */
  readonly end?: { readonly wallMs: number; readonly isStopped: boolean };
  /** The machine has booted since. */
  readonly isOtherBoot: boolean;
};

export type MinuteParts = Pick<MinuteRecord, 'links' | 'ports' | 'portsMs' | 'events'>;

export type DayStore = {
  readonly earlier: EarlierDays;
  readonly machine: Machine;
  /** Waits for the next write. */
  note(entry: RememberedChange): void;
  /** Writes what waits, what differs of the settings, and the minute; resolves also where the disk refuses. */
  write(now: {
    readonly known: NodeSettings | undefined;
    readonly unmet: EarlierSettings['unmet'];
    readonly minute: MinuteParts;
  }): Promise<void>;
  /** What was written of a span of time. */
  past(request: RememberedRequest, signal?: AbortSignal): Promise<Remembered>;
  /** Writes for the last time, in order. */
  close(): Promise<void>;
};

export type DayStoreInit = {
  /** Made where it is missing, readable by its owner only. */
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly machine?: Machine;
  /** False: what was written while hosts were remembered is removed, once. */
  readonly rememberHosts?: boolean;
};

/** Never rejects. */
export async function openDayStore({
  dir,
  clock,
  log,
  machine = readMachine(),
  rememberHosts = true,
}: DayStoreInit): Promise<DayStore> {
  await settleHosts(dir, rememberHosts, log);
  let replay: Replay = NOTHING_REPLAYED;
  const files = await openSegments({ dir, log }, (lines) => {
    replay = replaySegment(replay, lines);
  });
  const earlier = earlierOf(replay, machine, clock.nowMs());
  const isFresh = clock.nowMs() - (replay.settingsMs ?? 0) < DRIVER_LIMITS.settingsRecordMs;
  return {
    earlier,
    machine,
    past: (request, signal) => readPastDays(dir, request, clock.nowMs(), signal),
    ...createWriter({ files, clock, log, machine, written: isFresh ? replay.known : undefined }),
  };
}

type WriterInit = Required<Pick<DayStoreInit, 'clock' | 'log' | 'machine'>> & {
  readonly files: SegmentFiles;
  /** The settings as they stand on disk. */
  readonly written: NodeSettings | undefined;
};

function createWriter({ files, clock, log, machine, ...init }: WriterInit): Pick<DayStore, 'note' | 'write' | 'close'> {
  let { written } = init;
  let waiting: readonly RememberedChange[] = [];
  let hasFailed = false;
  const append = async (lines: readonly string[], nowMs: number) => {
    await files.write(lines, nowMs);
    if (hasFailed) log.info('the memory of days is written again');
    hasFailed = false;
  };
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      written = undefined;
      if (!hasFailed)
        log.error(
          'the memory of days cannot be written and goes on without a disk: make room or mend the state folder',
          {
            reason: messageOf(error),
          },
        );
      hasFailed = true;
    }
  };
  return {
    note(entry) {
      waiting = [...waiting, entry].slice(-DRIVER_LIMITS.waitingChanges);
    },
    write: ({ known, unmet, minute }) =>
      guarded(async () => {
        const atMs = clock.nowMs();
        const before = files.isFull(atMs) ? undefined : written;
        const settings = known === undefined ? undefined : settingsLine(before, known, atMs);
        const changes = waiting;
        const waits = unmet.slice(-DRIVER_LIMITS.waitingChanges);
        const daemonUpMs = known?.daemonUpMs ?? {};
        const head = {
          k: 'minute',
          atMs,
          boot: machine.boot,
          uptimeMs: machine.uptimeMs(),
          daemonUpMs,
          waits,
        } as const;
        await append(
          [
            // Before the settings: of changes whose settings were torn off, none is lost.
            ...changes.map(changeLine),
            ...(settings === undefined ? [] : [settings]),
            encodeLine(JSON.stringify({ ...head, ...minute } satisfies MinuteRecord)),
          ],
          atMs,
        );
        written = known;
        waiting = waiting.filter((entry) => !changes.includes(entry));
      }),
    close: () =>
      guarded(async () => {
        const atMs = clock.nowMs();
        // A segment has to begin with all settings: where none is open, there is nothing to end.
        if (!files.isFull(atMs)) await append([encodeLine(JSON.stringify({ k: 'stop', atMs }))], atMs);
      }),
  };
}

/** All settings, or what differs; undefined where nothing does, or where it is too much for one record. */
function settingsLine(before: NodeSettings | undefined, known: NodeSettings, atMs: number): string | undefined {
  const record = before === undefined ? { k: 'settings', atMs, ...known } : deltaBetween(before, known, atMs);
  const json = record === undefined ? '' : JSON.stringify(record);
  return json === '' || json.length > DRIVER_LIMITS.dayRecordChars ? undefined : encodeLine(json);
}

function changeLine({ change, at, from }: RememberedChange): string {
  const fromMs = from === undefined ? {} : { fromMs: from.wallMs };
  return encodeLine(JSON.stringify({ k: 'change', atMs: at.wallMs, ...fromMs, change }));
}

function earlierOf(replay: Replay, machine: Machine, nowMs: number): EarlierDays {
  const { changes, known, minute, firstMs, lastMs, isStopped } = replay;
  if (lastMs === undefined) return { changes, unmet: [], isOtherBoot: false };
  const isOtherBoot = minute !== undefined && minute.boot !== machine.boot;
  // The wall clock may have been set meanwhile: the machine's own time tells, where it has not booted.
  const sinceMinuteMs = minute === undefined || isOtherBoot ? undefined : machine.uptimeMs() - minute.uptimeMs;
  const elapsedMs = Math.max(0, Math.round(sinceMinuteMs ?? nowMs - lastMs));
  return {
    changes,
    ...(known === undefined
      ? {}
      : {
          known: {
            settings: { ...known, daemonUpMs: minute?.daemonUpMs ?? known.daemonUpMs },
            wallMs: lastMs,
            elapsedMs,
          },
        }),
    unmet: minute?.waits ?? [],
    ...(firstMs === undefined ? {} : { sinceMs: firstMs }),
    end: { wallMs: lastMs, isStopped },
    isOtherBoot,
  };
}

const BOOT_CHARS = 8;

function readMachine(): Machine {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, BOOT_CHARS);
  return { boot, uptimeMs: () => Math.round(uptime() * 1_000) };
}
