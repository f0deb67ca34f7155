// CPU and memory use of the node from /proc (NET-4): CPU over the window between the last two readings, 30 s apart.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Load, Memory } from '#model/router/device-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

type Reading = { readonly atMs: number; readonly cpus: readonly { readonly busy: number; readonly total: number }[] };

export type LoadMeter = { load(): Promise<Load>; close(): void };

export function createLoadMeter(clock: Clock): LoadMeter {
  const ended = new AbortController();
  let older: Reading | undefined;
  let newer: Reading | undefined;
  let running = false;
  const read = async () => {
    const cpus = parseCpus(await readFile('/proc/stat', 'utf8'));
    older = newer;
    newer = { atMs: clock.monotonicMs(), cpus };
  };
  const keepReading = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(LIMITS.loadWindowMs, ended.signal);
      await read();
    }
  };
  return {
    async load() {
      if (!running) {
        running = true;
        await read();
        await clock.sleep(DRIVER_LIMITS.loadFirstMs, ended.signal);
        await read();
        keepReading().catch(() => {});
      }
      if (older === undefined || newer === undefined)
        throw new ParleyError('node/unreadable', 'expected two readings of /proc/stat, got one');
      return loadOf(older, newer);
    },
    close: () => ended.abort(),
  };
}

/** `cpu  user nice system idle iowait irq softirq steal`; idle and iowait are not busy. */
function parseCpus(stat: string): Reading['cpus'] {
  return [...stat.matchAll(/^cpu\d* +(.+)$/gm)].map((row) => {
    const ticks = row[1]!.trim().split(/ +/).slice(0, 8).map(Number);
    const total = ticks.reduce((sum, value) => sum + value, 0);
    return { total, busy: total - (ticks[3] ?? 0) - (ticks[4] ?? 0) };
  });
}

function loadOf(older: Reading, newer: Reading): Load {
  const percents = newer.cpus.map((cpu, index) => {
    const before = older.cpus[index] ?? { busy: 0, total: 0 };
    const total = cpu.total - before.total;
    return total <= 0 ? 0 : Math.round(((cpu.busy - before.busy) / total) * 1_000) / 10;
  });
  return { percent: percents[0] ?? 0, perCpu: percents.slice(1), windowMs: Math.round(newer.atMs - older.atMs) };
}

export async function readMemory(): Promise<Memory> {
  return parseMemory(await readFile('/proc/meminfo', 'utf8'));
}

function parseMemory(meminfo: string): Memory {
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) * 1_024;
  return {
    totalBytes: kibibytes('MemTotal'),
    availableBytes: kibibytes('MemAvailable'),
    swapTotalBytes: kibibytes('SwapTotal'),
    swapFreeBytes: kibibytes('SwapFree'),
  };
}

/** `btime` of /proc/stat, seconds since the epoch. */
export async function readBootTime(): Promise<string> {
  const seconds = /^btime (\d+)$/m.exec(await readFile('/proc/stat', 'utf8'))?.[1] ?? '0';
  return new Date(Number(seconds) * 1_000).toISOString();
}
