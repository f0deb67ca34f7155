// Structured log: a constant sentence plus fields, one JSON line each. Error = someone must act, warn = degraded,
// info = lifecycle, debug = the rest.

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
    init.sink(
      JSON.stringify(line, (_, value) => (typeof value === 'string' ? (init.redact?.(value) ?? value) : value)),
    );
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
