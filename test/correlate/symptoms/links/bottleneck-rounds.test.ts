// A narrow link from its first train to what is said of it: as many trains as a second look has time for, by rate and by which of its
// directions is shaped; and what one end alone says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Passage } from '#correlate/engine/facts.ts';
import type { World, WorldLink } from '#correlate/network/world.ts';
import { passageOf } from '#correlate/observe/train-passage.ts';
import { doubtfulTrains, narrowLinks, unjudgedRates } from '#correlate/symptoms/links/bottleneck.ts';
import { planLinkConfirmation } from '#measure/links/link-probes.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import { stateOf } from '../../scope-scene.ts';

const states = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const link = scopeLinks(states).find(({ from, to }) => [from.node, to.node].sort().join(' ') === 'r1 r2')!;
const KEYS = ['doubted', 'one', 'two', 'three'] as const;
const WORLD = {
  links: KEYS.map((key): WorldLink => ({ key: `link/r1:${key}--r2:${key}`, from: link.from, to: link.to, link })),
  views: new Map(),
} as unknown as World;

/** Megabits a second by who sends; none where nothing holds anything up. */
type Rates = { readonly r1?: number; readonly r2?: number };
const PACKETS = 45;
const BYTES = 1_514;
const BUCKET_BYTES = 16_384;
const AT_ONCE: readonly number[] = Array.from({ length: PACKETS }, () => 10);

/** When packets that go in at these times come out of a link, in microseconds. */
function through(inUs: readonly number[], megabits: number | undefined): readonly number[] {
  let freeUs = 0;
  return inUs.map((at, index) => {
    const owed = Math.max(0, (index + 1) * BYTES - BUCKET_BYTES);
    freeUs = Math.max(at, megabits === undefined ? freeUs + 12 : Math.max(freeUs, (owed * 8) / megabits));
    return freeUs;
  });
}

const gaps = (atUs: readonly number[]) => atUs.slice(1).map((at, index) => Math.round(at - atUs[index]!));

function passages(rates: Rates, from: 'r1' | 'r2') {
  const arrived = through(
    AT_ONCE.map((_, index) => index * 10),
    rates[from],
  );
  // Each is reflected as it arrives.
  const returned = through(arrived, rates[from === 'r1' ? 'r2' : 'r1']);
  const train = { packetBytes: BYTES, packets: PACKETS };
  return {
    there: passageOf(gaps(arrived), { ...train, sentUs: AT_ONCE })!,
    back: passageOf(gaps(returned), { ...train, sentUs: [] })!,
  };
}

type Told = { readonly there: Passage; readonly back: Passage };
function trainOf(key: string, from: string, told: Told, id: string): Fact {
  const to = from === 'r1' ? 'r2' : 'r1';
  const value = {
    link: `link/r1:${key}--r2:${key}`,
    from,
    to,
    sent: PACKETS,
    received: PACKETS,
    bytes: PACKETS * BYTES,
    ...told,
  };
  return { subject: `link/r1:${key}--r2:${key}`, predicate: 'large-probes', value, source: [id] };
}

const others = KEYS.slice(1).map((key) => trainOf(key, 'r1', passages({}, 'r1'), `probe/${key}/large`));

/** The first train is sent by r1; the second look as it is planned for what that told. */
function looked(telling: (from: 'r1' | 'r2') => Told): readonly Fact[] {
  const first = trainOf('doubted', 'r1', telling('r1'), 'probe/doubted/large');
  const { suspects } = doubtfulTrains([first, ...others]);
  const narrow = [...suspects.values()].map((passage) => ({ link, ...passage }));
  const calls = planLinkConfirmation(states, { lossy: [], dead: [], slow: [], narrow }, 1_000);
  const again = calls.map(({ node, id }) => trainOf('doubted', node, telling(node as 'r1' | 'r2'), id));
  return [first, ...again, ...others];
}

const shaped = (rates: Rates) => looked((from) => passages(rates, from));

for (const [where, ratesOf, from] of [
  ['at the end that probes first', (megabits: number) => ({ r1: megabits }), ['r1']],
  ['at the other end', (megabits: number) => ({ r2: megabits }), ['r2']],
  ['at both ends', (megabits: number) => ({ r1: megabits, r2: megabits }), ['r1', 'r2']],
] as const)
  for (const megabits of [0.5, 1, 1.5, 2, 2.5, 5, 10, 20, 50])
    test(`a shaper of ${megabits} Mbit/s ${where} is found by the trains that there is time for`, () => {
      const facts = shaped(ratesOf(megabits));
      const [symptom, ...rest] = narrowLinks(WORLD, facts);
      assert.deepEqual(
        [symptom?.subject, symptom?.detail['narrowFrom'], rest],
        ['link/r1:doubted--r2:doubted', from, []],
      );
      assert.ok(Number(symptom?.detail['trains']) >= 3, `${symptom?.detail['trains']} trains`);
      const told = Number(symptom?.detail['megabits']);
      assert.ok(told > megabits * 0.9 && told < megabits * 1.1, `came ${told}`);
      assert.deepEqual(unjudgedRates(WORLD, facts), []);
    });

for (const rates of [{ r1: 1 }, { r2: 1 }, { r1: 1, r2: 1 }, { r1: 10 }, { r2: 10 }])
  test(`with one other link to compare with, a shaper of ${JSON.stringify(rates)} is found where its trains agree`, () => {
    const two = { ...WORLD, links: WORLD.links.slice(0, 2) };
    const facts = shaped(rates).filter(({ subject }) => two.links.some(({ key }) => key === subject));
    const [symptom, ...rest] = narrowLinks(two, facts);
    assert.deepEqual([symptom?.detail['narrowFrom'], symptom?.detail['others'], rest], [Object.keys(rates), 1, []]);
  });

test('a link without a shaper is looked at once', () => {
  assert.equal(shaped({}).length, 1 + others.length);
});

test('what one end alone makes up of its trains names no link, whichever end it is', () => {
  const slow = passages({ r1: 50, r2: 50 }, 'r1');
  const quick = passages({}, 'r1');
  for (const liar of ['r1', 'r2'] as const)
    for (const lie of [slow, { ...quick, there: slow.there }, { ...quick, back: slow.back }]) {
      let turn = 0;
      // The first train met a busy moment, else nobody looks again.
      const facts = looked((from) => (turn++ === 0 ? slow : from === liar ? lie : quick));
      assert.equal(facts.length, 7 + others.length);
      assert.deepEqual([narrowLinks(WORLD, facts), unjudgedRates(WORLD, facts)], [[], []]);
    }
});

test('where the other end cannot be asked, what one end says is said to be unconfirmed', () => {
  const alone = shaped({ r1: 10 }).filter(
    ({ value, subject }) => subject !== 'link/r1:doubted--r2:doubted' || (value as { from: string }).from === 'r1',
  );
  assert.deepEqual(narrowLinks(WORLD, alone), []);
  assert.match(
    unjudgedRates(WORLD, alone).join(),
    /trains of large probes from .*r1.* come through at about 10 Mbit\/s, and none from .*r2.* says so as well$/,
  );
});

/** As a sender with fifty others waiting for two processors had it: each time between two arrivals is one between two sendings. */
test('a healthy link beside a busy node is neither narrow nor unjudged', () => {
  const train = { packetBytes: 8_254, packets: 8 };
  const sentUs = [499, 1_402, 1_565, 388, 4_941, 3_354, 96, 23];
  const paused = passageOf([375, 1_419, 1_563, 409, 4_916, 3_375, 34], { ...train, sentUs })!;
  const reflected = passageOf([264, 1_466, 1_638, 297, 4_998, 3_938, 48], { ...train, sentUs: [] })!;
  assert.deepEqual(
    [paused, reflected].map(({ heldMs, loose }) => [heldMs, loose]),
    [
      [7.175, true],
      [7.651, false],
    ],
  );
  const busy = { there: paused, back: reflected };
  const quick = passages({}, 'r1');
  for (const pausing of [
    // Now and then, always, a reflector alone, and one node both as sender and as reflector.
    (turn: number) => (turn === 0 ? busy : quick),
    () => busy,
    () => ({ ...quick, back: reflected }),
    (_: number, from: string) => (from === 'r1' ? busy : { ...quick, back: reflected }),
  ]) {
    let turn = 0;
    const facts = looked((from) => pausing(turn++, from));
    assert.equal(facts.length, 7 + others.length);
    assert.deepEqual([narrowLinks(WORLD, facts), unjudgedRates(WORLD, facts)], [[], []]);
  }
});
