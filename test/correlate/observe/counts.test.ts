// Counts of probe runs, times of trains, and what is known of the calls of an exchange: in literal numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from '#correlate/network/world.ts';
import { elapsed, isStateOf, probePhaseMs, statesRead, whyMissing } from '#correlate/observe/exchange.ts';
import { bothWays, countsOf, lossFacts, proberFacts } from '#correlate/observe/probe-counts.ts';
import { passageOf } from '#correlate/observe/train-passage.ts';
import type { Outcome } from '#model/call.ts';
import type { ProbeResult } from '#model/router/router-port.ts';

const runOf = (result: Partial<ProbeResult>) => ({
  ...{ from: 'a', to: 'b' },
  result: { sent: 100, received: 90, sendErrors: 0, duplicates: 0, rttMs: null, ...result } as ProbeResult,
});

test('runs between the same two nodes are added up; what is not told is none', () => {
  const full = { reflected: 95, reflectorRefused: 3, late: 2, sendErrors: 4 };
  assert.deepEqual(countsOf(runOf(full), runOf({ ...full, sent: 50 }), runOf({})), {
    ...{
      from: 'a',
      to: 'b',
      sent: 250,
      refused: 8,
      reflected: 190,
      unanswered: 6,
      received: 270,
      late: 4,
      duplicates: 0,
    },
  });
});

test('what was refused never left, and what a reflector’s limit left unanswered is no loss', () => {
  const counts = {
    from: 'a',
    to: 'b',
    sent: 100,
    refused: 10,
    reflected: 80,
    unanswered: 5,
    received: 70,
    late: 0,
    duplicates: 0,
  };
  assert.deepEqual(bothWays(counts), { out: { sent: 90, lost: 10 }, back: { sent: 75, lost: 5 } });
  assert.deepEqual(bothWays({ ...counts, received: 78 }).back, { sent: 75, lost: 0 });
});

const ABOUT = { scope: 'segment' } as const;

test('both ways are told where something was reflected, each with its second look', () => {
  const facts = lossFacts(
    [runOf({ reflected: 80, received: 70, sendErrors: 5 })],
    ABOUT,
    ['s'],
    runOf({ reflected: 99, received: 97 }),
  );
  const common = { scope: 'segment', measuredBy: 'a', unanswered: 0, refusedByFilter: true, directionKnown: true };
  assert.deepEqual(
    facts.map(({ subject, value }) => [subject, value]),
    [
      ['path/a>b', { ...common, from: 'a', to: 'b', sent: 100, lost: 20, refused: 5, again: { sent: 100, lost: 1 } }],
      ['path/b>a', { ...common, from: 'b', to: 'a', sent: 80, lost: 10, refused: 0, again: { sent: 99, lost: 2 } }],
    ],
  );
  assert.deepEqual([facts[0]?.source, facts[0]?.window, facts[0]?.predicate], [['s'], 'before..after', 'probe-loss']);
  assert.equal('again' in lossFacts([runOf({ reflected: 80 })], ABOUT, ['s'])[0]!.value, false);
});

test('where nothing came back the direction is not known, unless nothing was sent', () => {
  const told = (result: Partial<ProbeResult>) => {
    const facts = lossFacts([runOf({ received: 0, ...result })], ABOUT, ['s']);
    return facts.map(({ value }) => {
      const { lost, refused, directionKnown } = value as never as Record<string, unknown>;
      return [lost, refused, directionKnown];
    });
  };
  assert.deepEqual(told({}), [[100, 0, false]]);
  assert.deepEqual(told({ sendErrors: 40 }), [[100, 40, false]]);
  assert.deepEqual(told({ sendErrors: 100 }), [[100, 100, true]]);
});

test('a refusal is a filter’s unless another reason is given', () => {
  const by = (sendErrorReason?: string) =>
    (
      lossFacts([runOf({ sendErrors: 3, ...(sendErrorReason && { sendErrorReason }) } as never)], ABOUT, ['s'])[0]!
        .value as never as { readonly refusedByFilter: boolean }
    ).refusedByFilter;
  assert.deepEqual(
    [by(), by('EPERM'), by('EACCES'), by('Operation not permitted'), by('ENETUNREACH')],
    [true, true, true, true, false],
  );
});

test('late and refused probes are told of the prober', () => {
  const counts = {
    from: 'a',
    to: 'b',
    sent: 100,
    refused: 0,
    reflected: 0,
    unanswered: 0,
    received: 0,
    late: 0,
    duplicates: 0,
  };
  assert.deepEqual(proberFacts(counts, ['s']), []);
  assert.deepEqual(proberFacts({ ...counts, late: 1, refused: 1 }, ['s']), [
    { subject: 'path/a>b', predicate: 'late-probes', value: { from: 'a', to: 'b', late: 1, sent: 100 }, source: ['s'] },
    { subject: 'path/a>b', predicate: 'send-errors', value: { from: 'a', to: 'b', packets: 1 }, source: ['s'] },
  ]);
});

test('probes that came back are reported with those that came back twice, and with the link that they crossed', () => {
  const counts = countsOf(
    runOf({ sent: 100, received: 90, duplicates: 12 }),
    runOf({ sent: 50, received: 50, duplicates: 3 }),
  );
  const value = { from: 'a', to: 'b', received: 140, duplicates: 15 };
  assert.deepEqual(proberFacts(counts, ['s']), [
    { subject: 'path/a>b', predicate: 'returned-probes', value, source: ['s'] },
  ]);
  assert.deepEqual(proberFacts(counts, ['s'], 'link/a:x--b:y')[0]?.value, { ...value, link: 'link/a:x--b:y' });
});

const TRAIN = { packetBytes: 1_000, packets: 9, sentUs: [] };
const passage = (
  gaps: readonly number[],
  change: Partial<typeof TRAIN> & { readonly sentUs?: readonly number[] } = {},
) => passageOf(gaps, { ...TRAIN, ...change });

test('a rate is all times between arrivals but the longest; a pause alone is none', () => {
  assert.equal(passage([100]), undefined);
  assert.deepEqual(passage([100, 100]), { heldMs: 0.1, megabits: 80, mostMegabits: 320, loose: false });
  const even = passage(Array.from({ length: 8 }, () => 100));
  assert.deepEqual(even, { heldMs: 0.7, megabits: 80, mostMegabits: 80, loose: false });
  assert.equal(passage([1, 1, 1, 1, 1, 1, 1, 9_000])?.heldMs, 0.007);
});

test('the second half of a train is the link’s own rate, of more than three times between arrivals', () => {
  assert.equal(passage([1, 1, 1, 1, 100, 100, 100, 100])?.megabits, 80);
  assert.equal(passage([1, 100, 100])?.megabits, (2 * 8_000) / 101);
  assert.equal(passage([1, 1, 100, 100])?.megabits, 80);
});

test('where packets are missing it may have been faster by as much', () => {
  assert.equal(passage([100, 100, 100, 100], { packets: 9 })?.mostMegabits, 160);
  assert.equal(passage([100, 100, 100, 100], { packets: 5 })?.mostMegabits, 80);
  assert.equal(passage([100, 100, 100, 100], { packets: 2 })?.mostMegabits, 80);
});

test('a train that was sent half as slowly as it arrived, or slower, tells nothing of the link', () => {
  const sent = (us: number) => passage([100, 100, 100, 100], { sentUs: [us, us, us, us] as never })?.loose;
  assert.deepEqual([sent(50), sent(51), sent(10)], [false, true, false]);
  assert.equal(
    passage([100, 100, 100, 100], { sentUs: [10, 10, 10, 9_000] as never })?.loose,
    false,
    'a pause of the sender',
  );
});

const outcome = (change: Partial<Outcome>): Outcome =>
  ({
    callId: 'c',
    purpose: { kind: 'state', when: 'before' },
    node: 'a',
    phase: 'before',
    name: 'n',
    status: 'answered',
    elapsedMs: 7,
    ...change,
  }) as Outcome;

test('how long the asker waited: for a call the longest wait there is when it is not known, for probes the longest of those answered', () => {
  assert.equal(elapsed([outcome({})], 'c'), 7);
  assert.ok(elapsed([outcome({})], 'other') >= 1_000);
  const probe = (elapsedMs: number, change: Partial<Outcome> = {}) => outcome({ phase: 'probe', elapsedMs, ...change });
  assert.equal(
    probePhaseMs([probe(300), probe(500), probe(900, { status: 'timed-out' }), outcome({ elapsedMs: 800 })]),
    500,
  );
  const again = [probe(300), outcome({ phase: 'deepen', elapsedMs: 400 })];
  assert.deepEqual(
    [probePhaseMs(again), probePhaseMs(again, true)],
    [300, 700],
    'along a path the second look follows',
  );
  const beside = [...again, probe(900, { purpose: { kind: 'path-state' } })];
  assert.equal(probePhaseMs(beside, true), 900, 'whole states are read beside both');
  assert.equal(probePhaseMs([]), 1);
  assert.equal(probePhaseMs([probe(0)]), 1);
});

test('why there is no answer', () => {
  const why = (change: Partial<Outcome>, when: 'before' | 'after' = 'before', node = 'a') =>
    whyMissing([outcome(change)], isStateOf(node, when));
  assert.equal(why({}), 'the answer could not be used');
  assert.equal(why({ untrusted: 'its signature is wrong' }), 'its signature is wrong');
  assert.equal(why({ status: 'refused' }), 'refused');
  assert.equal(why({ status: 'timed-out', reason: 'too late' }), 'timed-out: too late');
  assert.deepEqual([why({}, 'after'), why({}, 'before', 'b')], ['not asked', 'not asked']);
});

test('a node is read when it gave both states, each with its own wait', () => {
  const [before, after] = [{ is: 'before' }, { is: 'after' }];
  const views = new Map<string, unknown>([
    ['a', { before, after, sources: ['one', 'two'] }],
    ['b', { after, sources: ['two'] }],
    ['c', { before, sources: ['one'] }],
  ]);
  const found = statesRead({ views } as unknown as World, [
    outcome({ callId: 'one', elapsedMs: 3 }),
    outcome({ callId: 'two', elapsedMs: 5 }),
  ]);
  assert.deepEqual([...found], [['a', { before, after, beforeMs: 3, afterMs: 5 }]]);
});
