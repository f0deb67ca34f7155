// Structured log: a constant sentence plus fields, one JSON line each. Error = an operator must act, warn = degraded,
// info = lifecycle, debug = the rest. What fails again and again is one line when it breaks and one when it works again.
import type { Clock } from './clock.ts';
import { messageOf } from './error.ts';
import { seenJson } from './json.ts';
import { LIMITS } from './limits.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(sentence: string, fields?: LogFields): void;
  info(sentence: string, fields?: LogFields): void;
  warn(sentence: string, fields?: LogFields): void;
  error(sentence: string, fields?: LogFields): void;
  /** A log that adds `fields` to every line. */
  child(fields: LogFields): Log;
};

export type LogSink = (line: string) => void;

/** A log that writes lines at or above `level` to `sink`. `now` gives milliseconds since the epoch. */
export function createLog(init: {
  readonly level: LogLevel;
  readonly sink: LogSink;
  readonly now: () => number;
  readonly fields?: LogFields;
  /** Takes secrets out of every text of a field (model/redaction.ts). */
  readonly redact?: (text: string) => string;
}): Log {
  const threshold = LOG_LEVELS.indexOf(init.level);
  const write = (level: LogLevel, sentence: string, fields: LogFields = {}) => {
    if (LOG_LEVELS.indexOf(level) < threshold) return;
    const time = new Date(init.now()).toISOString();
    const line = { time, level, message: sentence, ...init.fields, ...fields };
    const redacted = (_: string, value: unknown) =>
      typeof value === 'string' ? (init.redact?.(value) ?? value) : value;
    init.sink(seenJson(JSON.stringify(line, redacted)));
  };
  return {
    debug: (sentence, fields) => write('debug', sentence, fields),
    info: (sentence, fields) => write('info', sentence, fields),
    warn: (sentence, fields) => write('warn', sentence, fields),
    error: (sentence, fields) => write('error', sentence, fields),
    child: (fields) => createLog({ ...init, fields: { ...init.fields, ...fields } }),
  };
}

/** A log that keeps nothing. */
export const silentLog: Log = createLog({ level: 'error', sink: () => {}, now: () => 0 });

export type Outage = {
  /** Logs the first failure. Then one with another reason than the last line gave, but not soon: reasons that take turns are no news each time. */
  failed(reason: unknown, fields?: LogFields): void;
  worked(): void;
};

/** `broken` and `back` are constant sentences: "our LLDP TLV could not be set", "our LLDP TLV is set again". */
export function createOutage(init: {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly broken: string;
  readonly back: string;
}): Outage {
  const { log, clock, broken, back } = init;
  let failures = 0;
  let sinceMs = 0;
  let toldMs = 0;
  let told: string | undefined;
  return {
    failed(error, fields = {}) {
      const reason = messageOf(error);
      const nowMs = clock.monotonicMs();
      failures += 1;
      if (failures === 1) sinceMs = nowMs;
      if (failures > 1 && (reason === told || nowMs - toldMs < LIMITS.outageLineMs)) return;
      [told, toldMs] = [reason, nowMs];
      log.warn(broken, { ...fields, reason, ...(failures > 1 ? { failures } : {}) });
    },
    worked() {
      if (failures === 0) return;
      const seconds = Math.round((clock.monotonicMs() - sinceMs) / 1_000);
      log.info(back, { failures, seconds });
      failures = 0;
    },
  };
}
