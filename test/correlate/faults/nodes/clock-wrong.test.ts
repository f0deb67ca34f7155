// clock_wrong: four nodes that were asked at one time sign by their own clocks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '#base/clock.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { clockFacts } from '#correlate/observe/clocks.ts';
import { named, ring } from '../../ring.ts';

const AT_MS = Date.UTC(2026, 0, 31, 12);

type Ahead = Readonly<Record<string, number>>;

/** The ring's nodes, each with a clock that is so far ahead, at first and at last; a node that is left out signs nothing that tells. */
function clocks(aheadMs: Ahead, lastMs: Ahead = aheadMs) {
  const input = ring();
  return {
    ...input,
    evidence: input.evidence.map((entry) => {
      const isLast = entry.phase === 'after';
      const ahead = (isLast ? lastMs : aheadMs)[entry.node];
      const payload = ahead === undefined ? '' : base64({ time: isoTime(AT_MS + ahead + (isLast ? 12_000 : 0)) });
      return { ...entry, envelope: { ...entry.envelope, payload } };
    }),
  };
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const says = (input: ReturnType<typeof clocks>) => diagnose(input).findings.map(({ details }) => details['what']);

test('a clock far from three that agree is named as likely, with the side and the distance', () => {
  const ahead = clocks({ r1: 0, r2: 300, r3: 5 * 60_000, r4: 900 });
  assert.deepEqual(named(ahead), ['clock_wrong node/r3']);
  assert.equal(diagnose(ahead).findings[0]?.confidence, 'likely');
  assert.deepEqual(says(ahead), ['the clock of r3 is 4 min ahead of those of 3 other nodes']);
  assert.deepEqual(says(clocks({ r1: -43_200_000, r2: 0, r3: 0, r4: 0 })), [
    'the clock of r1 is 12 h behind those of 3 other nodes',
  ]);
});

test('seconds apart, as clocks of routers and slow answers are, and times that cannot be read are no fault', () => {
  assert.deepEqual(named(clocks({ r1: -500, r2: 500, r3: 10_000, r4: 0 })), []);
  assert.deepEqual(named(clocks({ r1: 0, r2: 0, r3: 69_999, r4: 0 })), []);
  assert.deepEqual(named(clocks({ r1: 0, r2: 0, r3: 70_000, r4: 0 })), ['clock_wrong node/r3']);
  assert.deepEqual(named(clocks({})), []);
});

test('a clock that was set while the question ran, or was read once, is a remark', () => {
  const first = { r1: 0, r2: 0, r3: -3_600_000, r4: 0 };
  const told = (last: Ahead) => {
    const { findings, remarks = [] } = diagnose(clocks(first, last));
    return [findings.length, ...remarks.map(({ text }) => text)];
  };
  const text = 'the clock of r3 is 60 min behind those of 3 other nodes';
  assert.deepEqual(told({ ...first, r3: 0 }), [0, `${text}; it was set, or answered late, while the question ran`]);
  assert.deepEqual(told({ r1: 0, r2: 0, r4: 0 }), [0, `${text}; it was read once`]);
  assert.deepEqual(told({ ...first, r3: -3_600_000 + 20_000 }), [1]);
  assert.equal(told({ ...first, r3: -3_600_000 + 20_001 })[0], 0);
});

test('where no majority agrees, clocks that differ are a remark, and none is accused', () => {
  for (const split of [
    { r1: 0, r2: 0, r3: 600_000, r4: 600_000 },
    { r1: 0, r2: 600_000 },
  ]) {
    const { verdict, findings, remarks = [] } = diagnose(clocks(split));
    assert.deepEqual([verdict.kind, findings], ['healthy', []]);
    assert.match(remarks.map(({ text }) => text).join(), /^the clocks of r1 and r\d are 10 min apart; which of them/);
  }
});

test('only the states that were asked for at one time are compared', () => {
  const input = clocks({ r1: 0, r2: 0, r3: 0, r4: 0 });
  const states = input.evidence.filter(({ kind }) => kind === 'state');
  const told = (...phases: readonly string[]) =>
    clockFacts(states.filter(({ phase }) => phases.includes(phase))).map(
      ({ subject, value }: Fact) => [subject, 'lastMs' in (value as object)] as const,
    );
  const nodes = ['node/r1', 'node/r2', 'node/r3', 'node/r4'];
  assert.deepEqual(
    told('before', 'after').toSorted(),
    nodes.map((node) => [node, true]),
  );
  assert.deepEqual(
    told('before').toSorted(),
    nodes.map((node) => [node, false]),
  );
  assert.deepEqual(told('after'), [], 'the last alone');
  assert.deepEqual(clockFacts(states.map((entry) => ({ ...entry, kind: 'probe' }))), []);
});
