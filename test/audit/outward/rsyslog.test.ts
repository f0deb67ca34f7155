// The audit trail at a real rsyslog: every record, in order, as RFC 5424 over TLS says, also where either side is killed.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createForwarder } from '#audit/outward/forward.ts';
import { loadPosition, POSITION_FILE } from '#audit/outward/position.ts';
import { type AuditTrail, openAuditTrail } from '#audit/trail.ts';
import type { Clock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { dialCollector } from '#mtls/collector/dial-collector.ts';
import { until } from '../../fakes/clock.ts';
import { createDomain, systemClock } from '../../mtls/domain.ts';
import { HANG_MS } from '../../until-written.ts';
import { type Collector, createCollector, parameterOf, withCollector } from './rsyslogd.ts';

/** Waits of the forwarder's own are cut to a few milliseconds; deadlines of connections are not its own. */
const hasty: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 5), signal),
};

type Options = { readonly port: number; readonly ca?: string; readonly name?: string; readonly closeNotify?: boolean };

function startForwarder(
  collector: Collector,
  trail: AuditTrail,
  { port, ca = collector.ca, name, closeNotify }: Options,
) {
  const ended = new AbortController();
  const lines: string[] = [];
  const forwarder = createForwarder({
    dir: join(collector.dir, 'audit'),
    path: join(collector.dir, POSITION_FILE),
    node: 'pe1',
    head: () => trail.head,
    connect: (signal) =>
      dialCollector({ host: '127.0.0.1', port, name: name ?? 'logs.example', ca, closeNotify }, systemClock, signal),
    record: (record) => trail.append(record),
    clock: hasty,
    random: systemRandom,
    log: createLog({ level: 'debug', sink: (line) => lines.push(line), now: () => 0 }),
  });
  const running = forwarder.run(ended.signal);
  const started = {
    lines,
    async stop() {
      ended.abort();
      await running;
    },
  };
  open.add(started);
  return started;
}

const open = new Set<{ stop(): Promise<void> }>();

async function bed(t: { after(fn: () => Promise<void>): void }) {
  const collector = await createCollector();
  const trail = await openAuditTrail({ dir: join(collector.dir, 'audit'), clock: systemClock });
  t.after(async () => {
    for (const each of open) await each.stop();
    open.clear();
    await trail.close();
    await collector.remove();
  });
  const append = (count: number) =>
    Promise.all(Array.from({ length: count }, () => trail.append({ event: 'request', party: 'node/p2' })));
  const sequences = async () => (await collector.received()).map((each) => Number(parameterOf(each, 'seq')));
  return { collector, trail, append, sequences };
}

for (const driver of ['ossl', 'gtls'] as const)
  test(
    `rsyslog with ${driver} receives each record with its number, digest, session and line [TS-31]`,
    withCollector(async (t) => {
      const { collector, trail } = await bed(t);
      const { port } = await collector.start(0, driver);
      await trail.append({
        event: 'request',
        party: 'operator/alice',
        sessionId: 'a"b]c\\d',
        method: 'tools/call ask',
      });
      await trail.append({ event: 'response', status: 'refused', reason: 'line one\nline two <13>1 forged' });
      await trail.append({ event: 'note', detail: { big: 'x'.repeat(16_000) } });
      // rsyslog with GnuTLS ends connections without a close_notify.
      const forwarder = startForwarder(collector, trail, { port, closeNotify: driver === 'ossl' });
      const path = join(collector.dir, POSITION_FILE);
      await until(async () => (await loadPosition(path))?.sequence === 3, 'three messages');
      await forwarder.stop();
      const received = await collector.received();
      assert.equal(received.length, 3);
      const text = await readFile(join(collector.dir, 'audit', 'audit-000000000000001.jsonl'), 'utf8');
      const lines = text.trimEnd().split('\n');
      assert.deepEqual(
        received.map(({ pri, host, app, msgid }) => [pri, host, app, msgid]),
        [
          ['110', 'pe1', 'parley', 'request'],
          ['108', 'pe1', 'parley', 'response'],
          ['110', 'pe1', 'parley', 'note'],
        ],
      );
      for (const [index, each] of received.slice(0, 2).entries())
        assert.equal(each.msg.replace(/^\ufeff/, ''), lines[index]);
      assert.deepEqual(
        received.map((each) => parameterOf(each, 'hash')),
        lines.map((line) => JSON.parse(line).hash),
      );
      assert.equal(parameterOf(received[0]!, 'session-id'), 'a\\"b\\]c\\\\d');
      assert.equal(parameterOf(received[2]!, 'cut'), 'yes');
      const cut = JSON.parse(received[2]!.msg.replace(/^\ufeff/, ''));
      assert.deepEqual([cut.sequence, cut.detail, cut.cutFromBytes], [3, undefined, Buffer.byteLength(lines[2]!)]);
    }),
  );

test(
  'a collector that ends connections without a close_notify is named, and its deliveries do not count [TS-31]',
  withCollector(async (t) => {
    const { collector, trail, append } = await bed(t);
    const { port } = await collector.start(0, 'gtls');
    await append(3);
    const forwarder = startForwarder(collector, trail, { port });
    await until(() => forwarder.lines.length > 0, 'a line of the log');
    await forwarder.stop();
    assert.match(forwarder.lines[0]!, /without a close_notify of TLS.*audit\.collector\.closeNotify: false/);
    assert.equal((await loadPosition(join(collector.dir, POSITION_FILE)))?.sequence, 0);
  }),
);

test(
  'goes on where it was after a restart, and sends nothing twice that was confirmed [TS-31]',
  withCollector(async (t) => {
    const { collector, trail, append, sequences } = await bed(t);
    const { port } = await collector.start();
    await append(50);
    const first = startForwarder(collector, trail, { port });
    await until(
      async () => (await loadPosition(join(collector.dir, POSITION_FILE)))?.sequence === 50,
      'fifty confirmed',
    );
    await first.stop();
    await append(30);
    const second = startForwarder(collector, trail, { port });
    await until(
      async () => (await loadPosition(join(collector.dir, POSITION_FILE)))?.sequence === 80,
      'eighty confirmed',
    );
    await second.stop();
    await until(async () => (await sequences()).length >= 80, 'all are written');
    assert.deepEqual(
      await sequences(),
      Array.from({ length: 80 }, (_, index) => index + 1),
    );
  }),
);

test(
  'loses nothing where the collector is killed while it receives, and is away for a while [TS-31]',
  withCollector(async (t) => {
    const { collector, trail, append, sequences } = await bed(t);
    const daemon = await collector.start();
    for (const count of [10_000, 10_000]) await append(count);
    const forwarder = startForwarder(collector, trail, { port: daemon.port });
    await until(async () => (await sequences()).length > 500, 'some have arrived');
    await daemon.kill('SIGKILL');
    await append(100);
    await until(() => forwarder.lines.some((line) => line.includes('could not be sent')), 'the forwarder says so');
    await collector.start(daemon.port);
    const path = join(collector.dir, POSITION_FILE);
    await until(async () => (await loadPosition(path))?.sequence === 20_100, 'all confirmed', HANG_MS, 50);
    await forwarder.stop();
    await until(async () => new Set(await sequences()).size >= 20_100, 'all are written', HANG_MS, 100);
    const arrived = await collector.received();
    const distinct = new Set(arrived.map((each) => `${parameterOf(each, 'seq')} ${parameterOf(each, 'hash')}`));
    assert.equal(distinct.size, 20_100);
    assert.ok(forwarder.lines.some((line) => line.includes('takes records again')));
  }),
);

test(
  'gives a collector with a foreign certificate or another name no record, and says which it is [TS-31]',
  withCollector(async (t) => {
    const { collector, trail, append, sequences } = await bed(t);
    const { port } = await collector.start();
    const stranger = await createDomain('strangers.example');
    t.after(() => stranger.remove());
    const ca = join(collector.dir, 'other-ca.pem');
    await writeFile(ca, stranger.caPem);
    await append(3);
    const cases = [
      [{ port, ca }, /its certificate is not from the configured CA/],
      [{ port, name: 'other.example' }, /its certificate is not for other\.example/],
      [{ port, ca: join(collector.dir, 'none.pem') }, /cannot read .*none\.pem/],
    ] as const;
    for (const [options, reason] of cases) {
      const forwarder = startForwarder(collector, trail, options);
      await until(() => forwarder.lines.length > 0, 'a line of the log');
      await forwarder.stop();
      assert.match(forwarder.lines[0]!, reason);
      assert.equal(forwarder.lines.length, 1, 'the same reason is said once');
    }
    assert.equal((await loadPosition(join(collector.dir, POSITION_FILE)))?.sequence, 0);
    const right = startForwarder(collector, trail, { port });
    await until(async () => (await sequences()).length === 3, 'the right one gets them');
    await right.stop();
  }),
);
