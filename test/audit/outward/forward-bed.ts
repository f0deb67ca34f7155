// A trail in a folder of its own, and a forwarder that gives it to a collector of the test's own, which behaves as the test wants.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectorStream, createForwarder } from '#audit/outward/forward.ts';
import { loadPosition } from '#audit/outward/position.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { createLog } from '#base/log.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';

type Behaviour = {
  /** Rejects the connection. */
  refuse?: string;
  /** Takes octets, and ends without having confirmed them. */
  unconfirmed?: boolean;
  /** Takes nothing until it resolves. */
  blocked?: Promise<void>;
  /** Happens while a connection is made. */
  meanwhile?: () => Promise<void>;
};

export async function bed(t: { after(fn: () => Promise<void>): void }, options: { keepBytes?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-outward-'));
  const dir = join(folder, 'audit');
  const path = join(folder, 'audit-sent.json');
  const clock = createFakeClock();
  const { keepBytes = 1e9 } = options;
  const trail = await openAuditTrail({ dir, clock, fileBytes: 2_000, retention: { keepBytes, keepMs: 1e15 } });
  const behaviour: Behaviour = {};
  const messages: string[] = [];
  const counted = { connections: 0, writes: 0, looks: 0 };
  const lines: string[] = [];
  const connect = async (): Promise<CollectorStream> => {
    counted.connections += 1;
    if (behaviour.refuse !== undefined) throw new Error(behaviour.refuse);
    await behaviour.meanwhile?.();
    const taken: string[] = [];
    return {
      async write(bytes) {
        counted.writes += 1;
        await behaviour.blocked;
        taken.push(...messagesIn(Buffer.from(bytes)));
      },
      async finish() {
        messages.push(...taken);
        if (behaviour.unconfirmed) throw new Error('closed too early');
      },
      destroy() {},
    };
  };
  const running: { stop(): Promise<void> }[] = [];
  const start = () => {
    const ended = new AbortController();
    const forwarder = createForwarder({
      dir,
      path,
      node: 'pe1',
      head: () => {
        counted.looks += 1;
        return trail.head;
      },
      connect,
      record: (record) => trail.append(record),
      clock,
      random: { bytes: () => Uint8Array.of(0) },
      log: createLog({ level: 'info', sink: (line) => lines.push(line), now: () => 0 }),
    });
    const done = forwarder.run(ended.signal);
    const stop = async () => {
      ended.abort();
      await done;
    };
    running.push({ stop });
    return { stop };
  };
  t.after(async () => {
    for (const each of running) await each.stop();
    await trail.close();
    await rm(folder, { recursive: true, force: true });
  });
  const append = async (count: number) => {
    for (let index = 0; index < count; index++) await trail.append({ event: 'request', party: 'node/p2' });
  };
  /** Lets time pass until it holds. */
  const eventually = (condition: () => boolean | Promise<boolean>, what: string) =>
    until(async () => {
      await clock.advance(500);
      return condition();
    }, what);
  const sequences = () => messages.map((message) => Number(/ seq="(\d+)"/.exec(message)?.[1]));
  const sent = async () => (await loadPosition(path))?.sequence;
  return { dir, path, clock, trail, behaviour, messages, counted, lines, start, append, eventually, sequences, sent };
}

/** RFC 5425 §4.3: the length in octets, a space, the message. */
function messagesIn(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString());
    found.push(bytes.subarray(space + 1, space + 1 + length).toString());
    at = space + 1 + length;
  }
  return found;
}
