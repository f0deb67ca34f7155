// Writes what the node's memory learnt in the last minute to the memory of days, and tells the memory of settings what was there before:
// that the agent ended, how, and whether the machine has booted since.
import { type Clock, STOPPED } from '#base/clock.ts';
import { slept } from '#base/every.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { LinkMonitor } from '#model/router/link-monitor.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import type { SettingMemory } from './setting-memory.ts';
import type { DayStore } from './store/day-store.ts';
import { eventMinutes, linkMinutes, portMinutes } from './store/minute-record.ts';

export type DayRecorderInit = {
  readonly clock: Clock;
  readonly days: DayStore;
  readonly settings: Pick<SettingMemory, 'known' | 'unmet'>;
  /** The newest state. */
  readonly state: () => NodeState | undefined;
  readonly links: () => readonly LinkMonitor[];
  readonly events: () => readonly HistoryEvent[];
};

/** Resolves when everything has been written. */
export type DayRecorder = { stop(): Promise<void> };

export function startDayRecorder({ clock, days, settings, state, links, events }: DayRecorderInit): DayRecorder {
  const stopped = new AbortController();
  let [atMs, last] = [clock.monotonicMs(), state()];
  const write = async () => {
    const nowMs = clock.monotonicMs();
    const lengthMs = nowMs - atMs;
    const now = state();
    const minute = {
      links: linkMinutes(links(), lengthMs),
      ...portMinutes(last, now),
      events: eventMinutes(events(), lengthMs),
    };
    [atMs, last] = [nowMs, now];
    await days.write({ known: settings.known(), unmet: settings.unmet(), minute });
  };
  const run = (async () => {
    while (await slept(clock, DRIVER_LIMITS.dayFlushMs, stopped.signal)) await write();
    await write();
    await days.close();
  })();
  return {
    stop() {
      stopped.abort(STOPPED);
      return run;
    },
  };
}

/** What ended and began around the start of this agent, into the memory of settings. */
export function noteStart(
  node: string,
  settings: Pick<SettingMemory, 'note' | 'now'>,
  days: DayStore | undefined,
): void {
  const now = settings.now();
  const agent = (was: string, is: string) => ({ kind: 'agent', subject: node, was, is }) as const;
  const end = days?.earlier.end;
  if (days !== undefined && end !== undefined) {
    const last = { wallMs: end.wallMs };
    settings.note(
      end.isStopped
        ? { change: agent('running', 'stopped'), at: last }
        : // It wrote once a minute until it ended, at a time that is not known.
          { change: agent('running', 'ended'), at: now, from: last },
    );
    if (days.earlier.isOtherBoot) {
      const uptimeMs = days.machine.uptimeMs();
      const at = { wallMs: now.wallMs - uptimeMs, monotonicMs: now.monotonicMs! - uptimeMs };
      settings.note({ change: { kind: 'reboot', subject: node, is: 'booted' }, at });
    }
  }
  settings.note({ change: agent('stopped', 'started'), at: now });
}
