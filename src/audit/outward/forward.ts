// Gives a collector every record of the audit trail at least once (TS-31): one connection a delivery, read from the trail on disk as the collector
// takes it. Syslog has no acknowledgement; a delivery counts once the collector has closed the connection after our end, which it does when it has
// read all of it. Holds no queue, and never keeps a record from the trail: what fails is tried again, and said.
import { basename } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { isoTime } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { slept } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AUDIT_LIMITS } from '../limits.ts';
import { firstPlace, linesFrom, type Place, placeBehind, type TrailLine } from '../read-on.ts';
import { loadAuditStart } from '../start.ts';
import { type AuditHead, listAuditFiles } from '../verify.ts';
import { readPosition, type SentPosition, storePosition } from './position.ts';
import { syslogFrame } from './syslog.ts';

/** A connection to the collector. */
export type CollectorStream = {
  /** Resolves once there is room for more; rejects when the connection broke or the collector does not read. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection; resolves once the collector has ended it as well, having read all; rejects otherwise. */
  finish(): Promise<void>;
  /** Gives up what was not sent. */
  destroy(): void;
};

export type ForwarderInit = {
  /** Folder of the trail. */
  readonly dir: string;
  /** File of the position. */
  readonly path: string;
  readonly node: string;
  /** The last record of the trail that is durable. */
  readonly head: () => AuditHead;
  readonly connect: (signal: AbortSignal) => Promise<CollectorStream>;
  /** Rejects when the record is not durable. */
  readonly record: (record: AuditRecord) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
};

export type Forwarder = {
  /** Resolves when `signal` aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>;
};

export function createForwarder(init: ForwarderInit): Forwarder {
  const { clock, log } = init;
  return {
    async run(signal) {
      let sent: SentPosition | undefined;
      let failures = 0;
      let said: string | undefined;
      while (!signal.aborted) {
        let moved = false;
        try {
          sent ??= await beginning(init);
          const { sequence } = sent;
          sent = await passOn(init, sent, signal);
          moved = sent.sequence > sequence;
          if (failures > 0) log.info('the collector of the audit trail takes records again', { failures });
          failures = 0;
          said = undefined;
        } catch (error) {
          if (signal.aborted) return;
          const reason = messageOf(error);
          failures += 1;
          // Once for each reason: a collector that is away for days must not fill the log.
          if (reason !== said) log.warn('the audit trail could not be sent to its collector', { reason });
          said = reason;
        }
        // Where nothing could be read of what there is to send, another look at once would find no more.
        const isMore = moved && sent !== undefined && sent.sequence < init.head().sequence;
        const waitMs = failures > 0 ? retryMs(failures, init.random) : isMore ? 0 : AUDIT_LIMITS.auditForwardMs;
        if (!(await slept(clock, waitMs, signal))) return;
      }
    },
  };
}

/** Doubled with each failure, and between half and all of that: collectors that come back are not asked by all nodes at once. */
export function retryMs(failures: number, random: Random): number {
  const { auditForwardRetryMs, auditForwardRetryMaxMs } = AUDIT_LIMITS;
  const longest = Math.min(auditForwardRetryMaxMs, auditForwardRetryMs * 2 ** Math.min(failures - 1, 16));
  const [byte = 0] = random.bytes(1);
  return Math.round(longest * (0.5 + byte / 510));
}

/**
 * A collector that is new gets what is there; what retention had removed before was none of its records. On disk, so that later removals show.
 * A position that is damaged counts as none: all is sent again, and the trail says why.
 */
async function beginning({ dir, path, log, record }: ForwarderInit): Promise<SentPosition> {
  const found = await readPosition(path);
  if (found.sent !== undefined) return found.sent;
  if (found.damaged !== undefined) {
    log.error('how far the audit trail was sent is not known: it is sent from its beginning', {
      reason: found.damaged,
    });
    await record({ event: 'audit/sent-position-damaged', reason: found.damaged });
  }
  const { sequence, hash } = (await loadAuditStart(dir)) ?? { sequence: 0, hash: '' };
  const sent = { sequence, hash, file: '', offset: 0, deliveredAt: '', removedUnsent: 0 };
  await storePosition(path, sent);
  return sent;
}

/** One delivery, where there is anything to deliver; the position behind it. */
async function passOn(init: ForwarderInit, before: SentPosition, signal: AbortSignal): Promise<SentPosition> {
  const upTo = init.head().sequence;
  if (upTo <= before.sequence && !(await isMadeAnew(init, before, upTo))) return before;
  const { sent, place } = await startOf(init, before);
  if (place === undefined) return sent;
  return deliver(init, { sent, place, upTo }, signal);
}

/** A trail that ends before what was sent was cut off or made anew: it is sent from its beginning. */
async function isMadeAnew({ dir }: ForwarderInit, { sequence, hash }: SentPosition, upTo: number): Promise<boolean> {
  return upTo < sequence && (await placeBehind(dir, { sequence, hash }, undefined)) === undefined;
}

type Beginning = { readonly sent: SentPosition; readonly place: Place | undefined };

/** Where to go on; what retention has removed before it was sent is recorded first. */
async function startOf(init: ForwarderInit, before: SentPosition): Promise<Beginning> {
  const { dir, path, record, log, clock } = init;
  const { sequence, hash, file, offset } = before;
  const start = await loadAuditStart(dir);
  const removed = (start?.sequence ?? 0) - sequence;
  if (removed > 0) {
    const detail = { from: sequence + 1, to: start!.sequence };
    const reason = 'retention removed these records before the collector had them';
    log.error('records of the audit trail were removed before they were sent', detail);
    await record({ event: 'audit/unsent-removed', reason, detail });
    const { damagedTo: _, ...kept } = before;
    const sent: SentPosition = {
      ...kept,
      sequence: start!.sequence,
      hash: start!.hash,
      removedUnsent: before.removedUnsent + removed,
      lastRemovedAt: isoTime(clock.nowMs()),
    };
    await storePosition(path, sent);
    return { sent, place: await firstPlace(dir) };
  }
  if (sequence === (start?.sequence ?? 0) && (sequence === 0 || hash === start?.hash))
    return { sent: before, place: await firstPlace(dir) };
  const place = await placeBehind(dir, { sequence, hash }, { file, offset });
  if (place !== undefined) return { sent: before, place };
  const reason = `the trail does not have record ${sequence}, the last that the collector was given: it is sent from its beginning`;
  log.error('the audit trail was cut off or made anew since it was last sent', { sequence });
  await record({ event: 'audit/sent-record-missing', reason, detail: { sequence, hash } });
  const { damagedTo: _, ...kept } = before;
  const anew = { ...kept, sequence: start?.sequence ?? 0, hash: start?.hash ?? '' };
  await storePosition(path, anew);
  return { sent: anew, place: await firstPlace(dir) };
}

/** What a delivery reads, told apart: the last record, and numbers between two records that no line has. */
function createReading(sent: SentPosition, damagedBefore: number) {
  let next = sent.sequence + 1;
  let damaged = damagedBefore;
  let last: TrailLine | undefined;
  let end: TrailLine | undefined;
  const missing = { records: 0, from: 0, to: 0 };
  return {
    take(line: TrailLine) {
      end = line;
      if (line.sequence === undefined) {
        damaged += 1;
        return;
      }
      // Each damaged line was a record.
      const gap = line.sequence - next - damaged;
      if (gap > 0) {
        missing.from ||= next;
        missing.to = line.sequence - 1;
        missing.records += gap;
      }
      next = line.sequence + 1;
      damaged = 0;
      last = line;
    },
    missing,
    /** Undefined where nothing was read. */
    after(): SentPosition | undefined {
      if (end === undefined) return undefined;
      const { damagedTo: _, ...before } = sent;
      const { sequence = sent.sequence, hash = sent.hash, place } = last ?? {};
      const damagedTo = end === last ? {} : { damagedTo: { ...end.end, lines: damaged } };
      return { ...before, sequence, hash, ...place, ...damagedTo };
    },
  };
}

async function deliver(
  init: ForwarderInit,
  { sent, place, upTo }: Beginning & { readonly place: Place; readonly upTo: number },
  signal: AbortSignal,
): Promise<SentPosition> {
  const { dir, path, node, clock, log } = init;
  const from = await behindDamage(dir, place, sent);
  const reading = createReading(sent, from.damaged);
  let stream: CollectorStream | undefined;
  const stop = () => stream?.destroy();
  signal.addEventListener('abort', stop, { once: true });
  let octets = 0;
  try {
    for await (const lines of linesFrom(dir, from.place, upTo)) {
      const frames = Buffer.concat(lines.map(({ line }) => syslogFrame(node, line)));
      // No connection without anything to send.
      stream ??= await init.connect(signal);
      await stream.write(frames);
      octets += frames.length;
      lines.forEach(reading.take);
      if (octets >= AUDIT_LIMITS.auditDeliveryBytes) break;
      await clock.sleep(AUDIT_LIMITS.auditForwardRestMs, signal);
    }
    await stream?.finish();
  } finally {
    signal.removeEventListener('abort', stop);
    stream?.destroy();
  }
  const read = reading.after();
  if (read === undefined) return sent;
  const after = { ...read, ...(await toldMissing(init, sent, reading.missing)), deliveredAt: isoTime(clock.nowMs()) };
  await storePosition(path, after).catch((error) =>
    log.warn('how far the audit trail was sent could not be kept: records will be sent twice', {
      reason: messageOf(error),
    }),
  );
  return after;
}

/** Lines that are no records are sent once, although no number of theirs can be kept. */
async function behindDamage(
  dir: string,
  place: Place,
  { damagedTo }: SentPosition,
): Promise<{ readonly place: Place; readonly damaged: number }> {
  const names = (await listAuditFiles(dir)).map((path) => basename(path));
  if (damagedTo === undefined || !names.includes(damagedTo.file)) return { place, damaged: 0 };
  const { lines, ...behind } = damagedTo;
  const isFurther = behind.file > place.file || (behind.file === place.file && behind.offset > place.offset);
  return isFurther ? { place: behind, damaged: lines } : { place, damaged: 0 };
}

/** Numbers that are not in the trail although those around them are: removed by a hand, not by retention. */
async function toldMissing(
  { log, record, clock }: ForwarderInit,
  { removedUnsent }: SentPosition,
  { records, from, to }: { readonly records: number; readonly from: number; readonly to: number },
): Promise<Partial<SentPosition>> {
  if (records === 0) return {};
  const detail = { from, to, records };
  log.error('records of the audit trail were removed before they were sent', detail);
  const reason = 'these records are not in the trail, and the collector did not have them';
  await record({ event: 'audit/unsent-removed', reason, detail });
  return { removedUnsent: removedUnsent + records, lastRemovedAt: isoTime(clock.nowMs()) };
}
