// Clock, progress and timeline of one investigation: progress for the operator, the timeline for the report.
import { type Clock, isoTime } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import type { Asking } from '#model/asker.ts';
import type { ProgressEvent } from '#model/ports.ts';
import type { TimelineEntry } from '#model/report.ts';

export type Journal = Asking & {
  /** Collaboration domain id: the session id everywhere (TS-31). */
  readonly sessionId: string;
  /** By which the reflectors of the nodes that are asked know this question's probes; absent where it has none. */
  readonly probeKey?: string;
  readonly timeline: readonly TimelineEntry[];
  tell(step: ProgressEvent['step'], message: string, data?: JsonObject): void;
  /** Milliseconds since the investigation began. */
  elapsedMs(): number;
};

export function openJournal(
  init: Asking & {
    readonly sessionId: string;
    readonly probeKey?: string;
    readonly node: string;
    readonly clock: Clock;
    readonly onProgress: (event: ProgressEvent) => void;
  },
): Journal {
  const startedMs = init.clock.monotonicMs();
  const timeline: TimelineEntry[] = [];
  return {
    sessionId: init.sessionId,
    ...(init.probeKey === undefined ? {} : { probeKey: init.probeKey }),
    asker: init.asker,
    askedBy: init.askedBy,
    timeline,
    tell: (step, message, data) => {
      timeline.push({ at: isoTime(init.clock.nowMs()), event: step, node: init.node, detail: message });
      init.onProgress({ step, message, ...(data === undefined ? {} : { data }) });
    },
    elapsedMs: () => init.clock.monotonicMs() - startedMs,
  };
}
