// `parley audit tail` and `parley audit export`: shows the records of an audit trail (TS-31). Neither checks the chain: `parley audit verify` does.
// A line that is no record is said on standard error and makes the exit code 5; it is never left out in silence.
import { dirname, join } from 'node:path';
import { HEADS_FILE, loadHeads } from '#audit/heads.ts';
import { syslogMessage } from '#audit/outward/syslog.ts';
import { firstPlace, lastLines, linesFrom, type Place, readRecord, type TrailLine } from '#audit/read-on.ts';
import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { slept } from '#base/every.ts';
import { isJsonObject } from '#base/json.ts';
import { CLI_LIMITS } from '../limits.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { printable, writeOut } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';

type TailOptions = { readonly lines: string; readonly follow?: boolean; readonly json?: boolean };

export async function tailAuditCommand(options: TailOptions, [dir = '']: readonly string[]): Promise<number> {
  const count = countOf(options.lines);
  const show = shower(options.json ? rawLine : readableLine);
  const shown = await readable(dir, () => lastLines(dir, count));
  await show(shown);
  if (options.follow) await follow(dir, shown.at(-1)?.end, show);
  return show.exitCode();
}

type ExportOptions = {
  readonly from?: string;
  readonly to?: string;
  readonly format: 'json' | 'rfc5424';
  readonly node?: string;
};

export async function exportAuditCommand(options: ExportOptions, [dir = '']: readonly string[]): Promise<number> {
  const nowMs = createSystemClock().nowMs();
  const fromMs = options.from === undefined ? Number.NEGATIVE_INFINITY : timeOf('--from', options.from, nowMs);
  const toMs = options.to === undefined ? Number.POSITIVE_INFINITY : timeOf('--to', options.to, nowMs);
  const node = options.format === 'json' ? '' : (options.node ?? (await nodeOf(dir)));
  const show = shower(options.format === 'json' ? rawLine : ({ line }) => syslogMessage(node, line));
  const start = await readable(dir, () => firstPlace(dir));
  if (start === undefined) return EXIT.ok;
  for await (const lines of linesFrom(dir, start, Number.MAX_SAFE_INTEGER)) {
    // A damaged line has no time: it is shown wherever it stands.
    const within = lines.filter(({ line, sequence }) => {
      const time = sequence === undefined ? undefined : Date.parse(readRecord(line)!.time);
      return time === undefined || (time >= fromMs && time <= toMs);
    });
    await show(within);
  }
  return show.exitCode();
}

/** Until the process is interrupted, which is how it is meant to end. */
async function follow(dir: string, from: Place | undefined, show: (lines: readonly TrailLine[]) => Promise<void>) {
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort());
  const clock = createSystemClock();
  let place = from;
  do {
    place ??= await firstPlace(dir);
    if (place === undefined) continue;
    try {
      for await (const lines of linesFrom(dir, place, Number.MAX_SAFE_INTEGER)) {
        await show(lines);
        place = lines.at(-1)!.end;
      }
    } catch (error) {
      // Retention removed the file that was read from: what follows is in the oldest that is left.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      place = undefined;
    }
  } while (await slept(clock, CLI_LIMITS.tailFollowMs, ended.signal));
}

function shower(format: (line: TrailLine) => string) {
  let damaged = 0;
  const show = async (lines: readonly TrailLine[]) => {
    for (const { sequence, place } of lines) {
      if (sequence !== undefined) continue;
      damaged += 1;
      process.stderr.write(`parley: ${place.file}, octet ${place.offset}: this line is no record\n`);
    }
    if (lines.length > 0) await writeOut(lines.map((line) => `${format(line)}\n`).join(''));
  };
  return Object.assign(show, { exitCode: () => (damaged === 0 ? EXIT.ok : EXIT.signature) });
}

function rawLine({ line }: TrailLine): string {
  return line.toString('utf8');
}

/** Time, number, event, and what the record says of it, in this order. */
function readableLine({ line, sequence }: TrailLine): string {
  const record = readRecord(line);
  if (record === undefined || sequence === undefined) return `(damaged) ${printable(line.toString('latin1'))}`;
  const { event, party, asker, direction, method, intent, status, reason, detail } = record.fields;
  const who = [party, asker === undefined ? undefined : `for ${String(asker)}`];
  const way = direction === 'in' ? '<-' : direction === 'out' ? '->' : undefined;
  const rest = [way, ...who, method, status, intent === undefined ? undefined : `"${String(intent)}"`, reason];
  const shown = detail !== undefined && isJsonObject(detail) ? [JSON.stringify(detail)] : [];
  const words = [record.time, String(sequence), String(event), ...rest, ...shown].filter((word) => word !== undefined);
  return printable(words.join('  '));
}

function countOf(text: string): number {
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count <= CLI_LIMITS.tailRecords) return count;
  throw usage(`--lines with a number up to ${CLI_LIMITS.tailRecords}`, text);
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function timeOf(option: string, text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const timeMs = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timeMs)) return timeMs;
  throw usage(`${option} with a time such as 2026-11-24T08:00:00Z, or a span such as 90m, 12h or 30d`, text);
}

/** By the heads beside the trail. */
async function nodeOf(dir: string): Promise<string> {
  const own = (await loadHeads(join(dirname(dir), HEADS_FILE)))?.own;
  if (own === undefined) throw usage('--node NAME: whose trail is it?', 'none');
  return own.node;
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  return read().catch((cause) => {
    throw new ParleyError('caller/unreadable-file', `cannot read ${path}: ${messageOf(cause)}`, { cause });
  });
}
