// Narrow links: told by how trains of large probes come out of them, over widths, buckets and packet sizes; and what only looks like one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Passage } from '#correlate/engine/facts.ts';
import type { World } from '#correlate/network/world.ts';
import { passageOf } from '#correlate/observe/train-passage.ts';
import { doubtfulTrains, narrowLinks, unjudgedRates } from '#correlate/symptoms/links/bottleneck.ts';
import { linkOf, PAIRS } from '../../pair-scene.ts';

const worldOf = (...pairs: readonly string[]) => ({ links: pairs.map(linkOf), views: new Map() }) as unknown as World;
const WORLD = worldOf(...PAIRS);
const key = (pair: string) => linkOf(pair).key;

/** `8x8k`: packets and their kilobytes on the wire. */
const TRAINS = { '8x8k': { packets: 8, bytes: 8_254 }, '45x1k5': { packets: 45, bytes: 1_514 } } as const;

/** What a token bucket of `kilobytes` lets out, `megabits` a second, of a train that goes in at once: times between, in microseconds. */
function shaped(kind: keyof typeof TRAINS, megabits: number, kilobytes: number, pausesUs: readonly number[] = []) {
  const { packets, bytes } = TRAINS[kind];
  const outUs = Array.from({ length: packets }, (_, index) => {
    const owed = Math.max(0, (index + 1) * bytes - kilobytes * 1_024);
    const due = Math.round((owed * 8) / megabits) + index * 20;
    // Whatever is due while the machine pauses comes out when it goes on.
    const pause = pausesUs.findIndex((start) => due >= start && due < start + PAUSE_US);
    return pause === -1 ? due : pausesUs[pause]! + PAUSE_US + index;
  });
  return outUs.slice(1).map((at, index) => at - outUs[index]!);
}
const PAUSE_US = 12_000;

const SENT_AT_ONCE = [60, 45, 50, 48, 52, 47, 49, 55];
const passage = (
  gapsUs: readonly number[],
  sentUs: readonly number[] = SENT_AT_ONCE,
  packetBytes = 8_254,
  packets = gapsUs.length + 1,
) => passageOf(gapsUs, { packetBytes, packets, sentUs });

function train(pair: string, there: Passage | undefined, { from = pair[0]!, back = there } = {}): Fact {
  const { key: link, from: one, to: other } = linkOf(pair);
  const to = from === one.node ? other.node : one.node;
  const value = { link, from, to, sent: 8, received: 8, bytes: 66_032 };
  const both = { ...(there === undefined ? {} : { there }), ...(back === undefined ? {} : { back }) };
  return { subject: link, predicate: 'large-probes', value: { ...value, ...both }, source: [`probe/${pair}/${from}`] };
}

const QUICK = passage([40, 60, 35, 40, 38, 44, 41])!;
const quickOthers = PAIRS.slice(1).map((pair) => train(pair, QUICK));
const suspectsOf = (facts: readonly Fact[]) => [...doubtfulTrains(facts).suspects.keys()];
const said = (facts: readonly Fact[], world = WORLD) => narrowLinks(world, facts).map(({ subject }) => subject);
const lookedAtAgain = (pair: string, there: Passage | undefined) => [
  ...Array.from({ length: 4 }, () => train(pair, there, { from: pair[0]! })),
  ...Array.from({ length: 3 }, () => train(pair, there, { from: pair[2]! })),
];

for (const kind of ['8x8k', '45x1k5'] as const)
  for (const megabits of [1, 2, 5, 10, 20, 50])
    for (const bucket of [16, 24, 32])
      test(`a link of ${megabits} Mbit/s with a bucket of ${bucket} kB is narrow, told by ${kind}`, () => {
        const { bytes } = TRAINS[kind];
        const there = passage(shaped(kind, megabits, bucket), SENT_AT_ONCE, bytes);
        assert.deepEqual(suspectsOf([train('a-b', there), ...quickOthers]), [key('a-b')]);
        const [symptom, ...rest] = narrowLinks(WORLD, [...lookedAtAgain('a-b', there), ...quickOthers]);
        assert.deepEqual([symptom?.subject, symptom?.detail['narrowFrom'], rest], [key('a-b'), ['a', 'b'], []]);
        const told = Number(symptom?.detail['megabits']);
        assert.ok(told > megabits * 0.85 && told < megabits * 1.1, `came ${told}`);
      });

test('a link of IPv4 alone is narrow by the same trains, and a single train of it is looked at again and tells nothing', () => {
  const addresses = { from: '198.18.12.0', to: '198.18.12.1' };
  const links = PAIRS.map(linkOf).map((each) => ({ ...each, link: { ...each, addresses } }));
  const world = { ...WORLD, links } as unknown as World;
  const there = passage(shaped('45x1k5', 2, 16), SENT_AT_ONCE, 1_514);
  assert.deepEqual(said([...lookedAtAgain('a-b', there), ...quickOthers], world), [key('a-b')]);
  const once = [train('a-b', there), ...quickOthers];
  assert.deepEqual([suspectsOf(once), said(once, world), unjudgedRates(world, once)], [[key('a-b')], [], []]);
});

test('Fast Ethernet is not narrow, nor is anything faster', () => {
  for (const megabits of [100, 1_000]) {
    assert.deepEqual(said([...lookedAtAgain('a-b', passage(shaped('8x8k', megabits, 2))), ...quickOthers]), []);
    const small = passage(shaped('45x1k5', megabits, 2), SENT_AT_ONCE, 1_514);
    assert.deepEqual(said([...lookedAtAgain('a-b', small), ...quickOthers]), []);
  }
});

test('a pause of the machine is no rate, however long it was', () => {
  const paused = passage([40, 35, 180_000, 40, 38, 44, 41])!;
  assert.equal(paused.heldMs, 0.238);
  assert.deepEqual(suspectsOf([train('a-b', paused), ...quickOthers]), []);
  assert.deepEqual(said([...lookedAtAgain('a-b', paused), ...quickOthers]), []);
});

test('a narrow link is found although pauses let packets out in bunches', () => {
  const there = passage(shaped('8x8k', 10, 16, [15_000]));
  assert.deepEqual(said([...lookedAtAgain('a-b', there), ...quickOthers]), [key('a-b')]);
});

test('one train that was held up is forgotten when most were not, and the other way round', () => {
  const slow = passage(shaped('8x8k', 5, 16))!;
  const its = (back: Passage) => train('a-b', QUICK, { from: 'b', back });
  const few = [train('a-b', slow), train('a-b', QUICK), train('a-b', QUICK), its(slow)];
  assert.deepEqual(said([...few, ...quickOthers]), []);
  const most = [train('a-b', slow), train('a-b', slow), train('a-b', QUICK)];
  assert.deepEqual(said([...most, its(slow), its(slow), its(QUICK), ...quickOthers]), [key('a-b')]);
  assert.deepEqual(said([...most, its(slow), its(QUICK), its(QUICK), ...quickOthers]), []);
});

test('who sends slowly tells nothing of a rate, and is looked at again', () => {
  const slowly = [9_000, 8_000, 9_100, 8_700, 9_000, 8_900, 8_800, 40];
  const trains = lookedAtAgain('a-b', passage(slowly.slice(0, 7), slowly));
  assert.deepEqual(said([...trains, ...quickOthers]), []);
  assert.deepEqual(suspectsOf([trains[0]!, ...quickOthers]), [key('a-b')]);
});

test('one pause of the sender hides no rate', () => {
  const late = [6_328, 40, 1_334, 1_304, 1_327, 1_326, 1_327];
  const there = passage(late, [40, 6_400, 30, 35, 30, 28, 30, 25]);
  assert.deepEqual(said([...lookedAtAgain('a-b', there), ...quickOthers]), [key('a-b')]);
});

test('one direction alone may be narrow, and is named; the way back of a first train puts it in doubt', () => {
  const slow = passage(shaped('8x8k', 5, 16));
  const first = train('a-b', QUICK, { back: slow });
  assert.deepEqual(doubtfulTrains([first, ...quickOthers]), {
    suspects: new Map([[key('a-b'), slow]]),
    others: PAIRS.slice(1).map(key),
  });
  const trains = [
    ...[first, first, first, first],
    ...Array.from({ length: 3 }, () => train('a-b', slow, { from: 'b', back: QUICK })),
  ];
  const [symptom] = narrowLinks(WORLD, [...trains, ...quickOthers]);
  assert.deepEqual([symptom?.subject, symptom?.detail['narrowFrom']], [key('a-b'), ['b']]);
});

test('what one end says of its trains names nothing that the trains of the other end contradict', () => {
  const slow = passage(shaped('8x8k', 5, 16));
  for (const [there, back] of [
    [slow, slow],
    [slow, QUICK],
    [QUICK, slow],
  ] as const) {
    const lying = Array.from({ length: 4 }, () => train('a-b', there, { back }));
    const honest = Array.from({ length: 3 }, () => train('a-b', QUICK, { from: 'b' }));
    assert.deepEqual(said([...lying, ...honest, ...quickOthers]), []);
  }
});

test('trains of both ends tell of one direction together: a slow link leaves time for few', () => {
  const slow = passage(shaped('8x8k', 1, 16));
  const [mine, its] = [train('a-b', QUICK, { back: slow }), train('a-b', slow, { from: 'b', back: slow })];
  const [symptom] = narrowLinks(WORLD, [mine, mine, its, ...quickOthers]);
  assert.deepEqual([symptom?.detail['narrowFrom'], symptom?.detail['trains']], [['b'], 3]);
});

test('a way that looks narrow puts its link in doubt, also where pauses held up the other way for longer', () => {
  const narrow: Passage = { heldMs: 9, megabits: 50, mostMegabits: 50, loose: false };
  const paused: Passage = { heldMs: 12, megabits: 300, mostMegabits: 300, loose: false };
  for (const [there, back] of [
    [narrow, paused],
    [paused, narrow],
  ] as const)
    assert.deepEqual(suspectsOf([train('a-b', there, { back }), ...quickOthers]), [key('a-b')]);
  assert.deepEqual(suspectsOf([train('a-b', paused), ...quickOthers]), []);
});

test('Fast Ethernet that loses packets is not narrow: without them the others came that far apart', () => {
  // Every third is missing.
  const whole = Array.from({ length: 45 }, (_, index) => index * 121);
  const left = whole.filter((_, index) => index % 3 !== 1);
  const gapsUs = left.slice(1).map((at, index) => at - left[index]!);
  const lossy = passage(gapsUs, SENT_AT_ONCE, 1_514, 45)!;
  assert.deepEqual([Math.round(lossy.megabits), Math.round(lossy.mostMegabits)], [67, 101]);
  assert.deepEqual(suspectsOf([train('a-b', lossy), ...quickOthers]), []);
  assert.deepEqual(said([...lookedAtAgain('a-b', lossy), ...quickOthers]), []);
});

test('a narrow link that loses some of a train is narrow', () => {
  const there = shaped('45x1k5', 20, 16);
  const lossy = passage([...there.slice(0, 30), there[30]! + there[31]!, ...there.slice(32)], SENT_AT_ONCE, 1_514, 45);
  assert.deepEqual(said([...lookedAtAgain('a-b', lossy), ...quickOthers]), [key('a-b')]);
});

test('of many links in doubt those are looked at again that were held up for longest', () => {
  const many = Array.from({ length: 9 }, (_, index) => `x${index}-y${index}`);
  const trains = many.map((pair, index) =>
    train(pair, { heldMs: 3 + index, megabits: 50, mostMegabits: 50, loose: false }),
  );
  const { suspects, others } = doubtfulTrains([...trains, ...quickOthers]);
  assert.deepEqual(
    [...suspects.keys()],
    [8, 7, 6, 5, 4, 3].map((index) => key(`x${index}-y${index}`)),
  );
  assert.deepEqual(others, PAIRS.slice(1).map(key));
});

test('where all trains are held up alike, no link is narrower than the others', () => {
  const slow = passage(shaped('8x8k', 10, 16));
  assert.deepEqual(said(PAIRS.flatMap((pair) => lookedAtAgain(pair, slow))), []);
});

test('of a train that overflowed a queue the rest tells the rate; two packets tell nothing', () => {
  const rest = passage([13_206, 13_206])!;
  assert.deepEqual([rest.heldMs, Math.round(rest.megabits)], [13.206, 5]);
  assert.deepEqual(said([...lookedAtAgain('a-b', rest), ...quickOthers]), [key('a-b')]);
  assert.equal(passage([13_206]), undefined);
  assert.deepEqual(said([...lookedAtAgain('a-b', undefined), ...quickOthers]), []);
});

test('beside one other link a link is narrow when its trains agree on a rate; alone nothing is known of it', () => {
  const two = worldOf('a-b', 'b-c');
  const steady = lookedAtAgain('a-b', passage(shaped('8x8k', 5, 16)));
  const uneven = [5, 2, 20, 1, 9].map((megabits) => train('a-b', passage(shaped('8x8k', megabits, 16))));
  const quick = train('b-c', QUICK);
  assert.deepEqual(
    narrowLinks(two, [...steady, quick]).map(({ subject, detail }) => [subject, detail['others']]),
    [[key('a-b'), 1]],
  );
  assert.deepEqual(said([...uneven, quick], two), []);
  assert.deepEqual(said([...steady, train('b-c', passage(shaped('8x8k', 5, 16)))], two), []);
  assert.deepEqual(said(steady, worldOf('a-b')), []);
  assert.match(
    unjudgedRates(worldOf('a-b'), steady).join(),
    /to-b – .* at about 4\.99 Mbit\/s, and there are too few other/,
  );
  assert.deepEqual(unjudgedRates(worldOf('a-b'), [train('a-b', QUICK)]), []);
  assert.deepEqual(unjudgedRates(two, [...steady, quick]), []);
});
