// An agent that sends its audit trail to a real rsyslog, and what `parley doctor` says of it: all sent, the collector away, one with a foreign certificate.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sentSaid } from '../../../src/cli/doctor/state.ts';
import { type AgentBed, runParley, upAgents } from '../../agent/agent-bed.ts';
import {
  type Collector,
  collectorObstacle,
  createCollector,
  parameterOf,
  type Rsyslogd,
  withCollector,
} from '../../audit/outward/rsyslogd.ts';
import { until } from '../../fakes/clock.ts';
import { HANG_MS } from '../../until-written.ts';

let collector: Collector;
let daemon: Rsyslogd;
let bed: AgentBed;
before(async () => {
  if ((await collectorObstacle()) !== undefined) return;
  collector = await createCollector();
  daemon = await collector.start();
  const { port } = daemon;
  bed = await upAgents(['pe1'], {
    pe1: { audit: { collector: { host: '127.0.0.1', port, name: 'logs.example', ca: collector.ca } } },
  });
});
after(async () => {
  await bed?.down();
  await collector?.remove();
});

async function said(): Promise<{ readonly ok: boolean; readonly detail: string }> {
  const { stdout } = await runParley(['doctor', '--config', bed.configOf('pe1'), '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
  return checks.find(({ name }) => name === 'audit trail at the collector')!;
}

test(
  'what the agent records is at the collector, across a restart of the agent and an absence of the collector [TS-31]',
  withCollector(async () => {
    await runParley(['ask', 'is anything wrong', '--socket', bed.socketOf('pe1')]);
    const arrived = async () => new Set((await collector.received()).map((each) => parameterOf(each, 'seq'))).size;
    // An agent goes on recording: what was there when all had arrived is compared below.
    let records = await bed.audit('pe1');
    const isComplete = async () => {
      records = await bed.audit('pe1');
      return (await arrived()) >= records.length;
    };
    await until(isComplete, 'the collector has every record', HANG_MS, 50);
    assert.match((await said()).detail, /^has every record, last given some on \d{4}-|^\d records behind/);

    await daemon.kill('SIGKILL');
    await runParley(['ask', 'is anything wrong', '--socket', bed.socketOf('pe1')]);
    const away = await said();
    assert.equal(away.ok, false);
    assert.match(away.detail, /^\d+ records behind, from .* on; last given some on .*; no connection to collector 127/);
    await bed.stop('pe1');
    daemon = await collector.start(daemon.port);
    await bed.start('pe1');
    await until(isComplete, 'the collector has every record again', HANG_MS, 50);
    const hashes = new Map(
      (await collector.received()).map((each) => [parameterOf(each, 'seq'), parameterOf(each, 'hash')]),
    );
    for (const { sequence, hash } of records) assert.equal(hashes.get(String(sequence)), hash);
  }),
);

test('doctor names records that wait for long, that were removed unsent, and a collector that is refused [TS-31]', () => {
  const nowMs = Date.parse('2026-11-24T12:00:00Z');
  const none = { records: 0, removedUnsent: 0 };
  const late = { records: 7, since: '2026-11-24T11:00:00.000Z', removedUnsent: 0 };
  assert.equal(sentSaid(none, undefined, nowMs), 'has every record, it was never given any');
  assert.match(sentSaid({ ...late, since: '2026-11-24T11:59:00.000Z' }, undefined, nowMs), /^7 records behind, from /);
  assert.throws(() => sentSaid(late, undefined, nowMs), { message: /7 records behind.*see the agent's log/ });
  assert.throws(() => sentSaid(none, 'its certificate is not from the configured CA', nowMs), {
    message: /not from the configured CA$/,
  });
  const removed = { ...none, removedUnsent: 40, lastRemovedAt: '2026-11-23T12:00:00.000Z' };
  assert.throws(() => sentSaid(removed, undefined, nowMs), {
    message: /retention removed 40 records unsent, the last on 2026-11-23/,
  });
  assert.match(
    sentSaid({ ...removed, lastRemovedAt: '2026-10-01T00:00:00.000Z' }, undefined, nowMs),
    /removed 40 records/,
  );
});
