// clock_wrong: four nodes that were asked at one time sign by their own clocks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '#base/clock.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { clockFacts } from '#correlate/observe/clocks.ts';
import { named, ring } from '../../ring.ts';

const AT_MS = Date.UTC(2026, 0, 31, 12);

/** The ring's nodes, each with a clock that is so far ahead; a node that is left out signs nothing that tells. */
function clocks(aheadMs: Readonly<Record<string, number>>) {
  const input = ring();
  return {
    ...input,
    evidence: input.evidence.map((entry) => {
      const ahead = aheadMs[entry.node];
      const payload = ahead === undefined ? '' : base64({ time: isoTime(AT_MS + ahead) });
      return { ...entry, envelope: { ...entry.envelope, payload } };
    }),
  };
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const says = (input: ReturnType<typeof clocks>) => diagnose(input).findings.map(({ details }) => details['what']);

test('a clock far from three that agree is named, with the side and the distance', () => {
  const ahead = clocks({ r1: 0, r2: 300, r3: 5 * 60_000, r4: 900 });
  assert.deepEqual(named(ahead), ['clock_wrong node/r3']);
  assert.deepEqual(says(ahead), ['the clock of r3 is 299 s ahead of those of 3 other nodes']);
  assert.deepEqual(says(clocks({ r1: -43_200_000, r2: 0, r3: 0, r4: 0 })), [
    'the clock of r1 is 720 min behind those of 3 other nodes',
  ]);
});

test('seconds apart, as clocks of routers and slow answers are, and times that cannot be read are no fault', () => {
  assert.deepEqual(named(clocks({ r1: -500, r2: 500, r3: 10_000, r4: 0 })), []);
  assert.deepEqual(named(clocks({ r1: 0, r2: 0, r3: 69_999, r4: 0 })), []);
  assert.deepEqual(named(clocks({ r1: 0, r2: 0, r3: 70_000, r4: 0 })), ['clock_wrong node/r3']);
  assert.deepEqual(named(clocks({})), []);
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
  const facts = clockFacts(input.evidence).map((fact: Fact) => `${fact.subject} ${fact.source.join()}`);
  assert.equal(facts.length, 4);
  const other = { ...input.evidence[0]!, phase: 'after' as const };
  assert.deepEqual(clockFacts([other, { ...other, phase: 'before', kind: 'probe' }]), []);
});
