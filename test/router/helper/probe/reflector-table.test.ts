// The attack: datagrams of made-up sessions, a few a second, that once took every place of a reflector, so that a real loss was no longer seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HELPER_LIMITS } from '#router/helper/limits.ts';
import { createProbeKeys } from '#router/helper/probe/probe-keys.ts';
import { sourceNetwork } from '#router/helper/probe/reflector-places.ts';
import { createReflectorTable, type ReflectorTable } from '#router/helper/probe/reflector-table.ts';
import { createProbeLedger } from '#router/protocol/probe-ledger.ts';
import { decodeProbeMessage, encodeProbeMessage, type ProbeProof } from '#router/protocol/probe-message.ts';
import { createFakeClock } from '../../../fakes/clock.ts';
import { STRANGERS } from '../../../fakes/reflector-trust.ts';

const QUESTION = 'aa'.repeat(16);
const KEY = { question: QUESTION, key: '5e'.repeat(16) };
const NO_COUNTS = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;
const NEIGHBOUR = '198.18.0.1';

const sessionId = (number: number) => number.toString(16).padStart(16, '0');

function ask(table: ReflectorTable, from: string, session: string, nowMs: number, proof?: ProbeProof, sequence = 0) {
  const probe = { kind: 'probe', session, sequence, ...NO_COUNTS, ...(proof === undefined ? {} : { proof }) } as const;
  const answer = decodeProbeMessage(table.reflect(from, encodeProbeMessage(probe), nowMs) ?? new Uint8Array());
  return answer.ok ? answer.value.kind : undefined;
}

function flooded(keys = createProbeKeys(createFakeClock())) {
  const table = createReflectorTable({
    isProven: keys.isProven,
    isNeighbour: (address) => address === NEIGHBOUR,
  });
  const forge = (nowMs: number, count: number) => {
    for (let each = 0; each < count; each++)
      ask(table, `198.51.${(nowMs + each) % 250}.${each % 250}`, sessionId(1_000_000 + nowMs * 1_000 + each), nowMs);
  };
  for (let second = 0; second < 20; second++) forge(second * 1_000, 28);
  forge(20_000, 300);
  return { table, keys, nowMs: 20_000 };
}

test('forged sessions take no place from a question’s probes, nor from the neighbours of monitored links', () => {
  const { table, keys, nowMs } = flooded();
  keys.admit(KEY);
  for (let session = 1; session <= HELPER_LIMITS.reflectorSessionsOfQuestion; session++)
    assert.equal(
      ask(table, 'fd00::1', sessionId(session), nowMs, keys.proofOf(QUESTION, sessionId(session))),
      'reflection',
    );
  assert.equal(ask(table, NEIGHBOUR, sessionId(7_000), nowMs), 'reflection');
  assert.equal(ask(table, '203.0.113.5', sessionId(7_001), nowMs), 'refusal', 'a stranger hears why');
  const more = sessionId(9_999);
  assert.equal(
    ask(table, 'fd00::1', more, nowMs, keys.proofOf(QUESTION, more)),
    'refusal',
    'one question has its share',
  );
});

test('a proof holds for one session, one key and its time; a wrong one makes a stranger', async () => {
  const clock = createFakeClock();
  const { table, keys, nowMs } = flooded(createProbeKeys(clock));
  keys.admit(KEY);
  keys.admit({ question: QUESTION, key: '66'.repeat(16) });
  const proof = keys.proofOf(QUESTION, sessionId(1))!;
  const other = createProbeKeys(clock);
  other.admit({ ...KEY, key: '77'.repeat(16) });
  const tries: readonly (readonly [string, ProbeProof])[] = [
    [sessionId(2), proof],
    [sessionId(1), { ...proof, token: 'ff'.repeat(8) }],
    [sessionId(1), { ...proof, keyId: '00000001' }],
    [sessionId(1), other.proofOf(QUESTION, sessionId(1))!],
  ];
  for (const [session, tried] of tries) assert.equal(ask(table, 'fd00::1', session, nowMs, tried), 'refusal');
  assert.equal(keys.proofOf(undefined, sessionId(1)), undefined);
  assert.equal(keys.proofOf('bb'.repeat(16), sessionId(1)), undefined);
  assert.equal(ask(table, 'fd00::1', sessionId(1), nowMs, proof), 'reflection');
  await clock.advance(HELPER_LIMITS.probeKeyMs);
  assert.equal(keys.proofOf(QUESTION, sessionId(3)), undefined);
  assert.equal(keys.isProven(sessionId(1), proof), false);
});

test('no more keys are known than the bound: the oldest is forgotten', () => {
  const keys = createProbeKeys(createFakeClock());
  const question = (number: number) => number.toString(16).padStart(32, '0');
  for (let each = 0; each <= HELPER_LIMITS.probeKeys; each++)
    keys.admit({ question: question(each), key: question(each + 1_000) });
  assert.equal(keys.proofOf(question(0), sessionId(1)), undefined);
  assert.notEqual(keys.proofOf(question(1), sessionId(1)), undefined);
  assert.notEqual(keys.proofOf(question(HELPER_LIMITS.probeKeys), sessionId(1)), undefined);
});

test('one source has its share: of IPv6 its network of 64 bits, and its idle session gives way to its next', () => {
  const table = createReflectorTable(STRANGERS);
  const from = (number: number) => `2001:db8:0:1::${number.toString(16)}`;
  for (let each = 1; each <= HELPER_LIMITS.reflectorSessionsOfSource; each++)
    assert.equal(ask(table, from(each), sessionId(each), each), 'reflection');
  assert.equal(ask(table, from(999), sessionId(999), 100), 'refusal');
  assert.equal(ask(table, '2001:db8:0:2::1', sessionId(1_000), 100), 'reflection');
  assert.equal(ask(table, from(999), sessionId(999), HELPER_LIMITS.reflectorIdleMs + 1), 'reflection');
  assert.equal(table.sessionCount, HELPER_LIMITS.reflectorSessionsOfSource + 1);
  assert.equal(sourceNetwork('fe80::1%eth1'), sourceNetwork('fe80::2%eth1'));
  assert.notEqual(sourceNetwork('fe80::1%eth1'), sourceNetwork('fe80::1%eth2'));
  assert.notEqual(sourceNetwork('192.0.2.1'), sourceNetwork('192.0.2.2'));
});

test('refusals are few a second, and a flood of strangers leaves the answers that a question needs', () => {
  const { table, keys } = flooded();
  keys.admit(KEY);
  const nowMs = 21_000;
  let refused = 0;
  for (let each = 0; each < 10_000; each++)
    if (ask(table, `203.0.${each % 113}.${each % 250}`, sessionId(2_000_000 + each), nowMs) === 'refusal') refused += 1;
  assert.equal(refused, HELPER_LIMITS.reflectorRefusalsPerSecond);
  const proof = keys.proofOf(QUESTION, sessionId(1));
  for (let sequence = 0; sequence < 1_000; sequence++)
    assert.equal(ask(table, 'fd00::1', sessionId(1), nowMs, proof, sequence), 'reflection');
});

test('probes that were turned away arrived, and are neither lost nor waited for', () => {
  const ledger = createProbeLedger(3);
  for (let each = 0; each < 3; each++) ledger.recordSent(0);
  const refusal = (sequence: number) => ({ kind: 'refusal', session: sessionId(1), sequence, ...NO_COUNTS }) as const;
  for (const sequence of [0, 1, 1, 2, 3]) ledger.recordReflection(refusal(sequence), 1);
  assert.equal(ledger.complete, true);
  const { sent, reflected, received, reflectorRefused } = ledger.result();
  assert.deepEqual([sent, reflected, received, reflectorRefused], [3, 3, 0, 3]);
});
