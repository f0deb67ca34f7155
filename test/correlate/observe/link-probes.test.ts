// Probes over links of the scope: which link each crossed, which rounds are added up, and loops that came home.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isLong,
  type LinkProbe,
  linkPacketsOver,
  linkProbeFacts,
  loopFacts,
  readLinkProbes,
} from '#correlate/observe/link-probes.ts';
import type { Evidence } from '#model/evidence.ts';
import { FRAME_BYTES, HEADER_BYTES } from '#model/links/probe-bytes.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const RESULT = { sent: 100, sendErrors: 0, reflected: 90, received: 80, duplicates: 0, rttMs: null };
const [A, B] = [
  { node: 'a', ifname: 'to-b' },
  { node: 'b', ifname: 'to-a' },
];
const LINK = { ...linkOf('a-b'), link: { ...linkOf('a-b').link, addresses: { from: 'fd00::a', to: 'fd00::b' } } };
const world = pairWorld([], { a: { now: {} }, b: { now: {} } }, { links: [LINK] });
const entry = (change: object = {}, args: object = {}, purpose: object = {}) =>
  ({
    ...{ id: 'e1', node: 'a', kind: 'probe', phase: 'probe' },
    purpose: { kind: 'link-probe', from: A, to: B, round: 'first', ...purpose },
    request: { method: 'tools/call', params: { arguments: { source: 'fd00::a', destination: 'fd00::b', ...args } } },
    body: RESULT,
    ...change,
  }) as unknown as Evidence;
const read = (...given: Parameters<typeof entry>) =>
  readLinkProbes(world, [entry(...given)]).map(({ from, to, large, round, flows, payloadBytes }) => [
    ...[from, to, large, round, flows, payloadBytes],
  ]);

test('the link is that whose two addresses the request names, in either order', () => {
  assert.deepEqual(read(), [['a', 'b', false, 'first', 1, 0]]);
  const back = { source: 'fd00::b', destination: 'fd00::a' };
  assert.deepEqual(read({ node: 'b' }, back), [['b', 'a', false, 'first', 1, 0]]);
  assert.deepEqual(read({}, { destination: 'fd00::c' }), []);
  assert.deepEqual(read({}, { source: 'fd00::c' }), []);
  assert.deepEqual(read({ node: 'b' }, { source: 'fd00::c', destination: 'fd00::a' }), []);
  assert.deepEqual(read({ body: { ...RESULT, sent: 0, reflected: 0, received: 0 } }), []);
});

test('a train between other addresses than a link has is of that link where both nodes’ only routes lead over it', () => {
  const bare = linkOf('a-b');
  const readWith = (there: object, back: object, purpose: object = {}) => {
    const lookups = new Map([
      ['a', new Map([['fd00::2', { destination: 'fd00::2', kind: 'unicast', ifname: 'to-b', ...there }]])],
      ['b', new Map([['fd00::1', { destination: 'fd00::1', kind: 'unicast', ifname: 'to-a', ...back }]])],
    ]);
    const scene = pairWorld([], { a: { now: {} }, b: { now: {} } }, { links: [bare], lookups });
    const train = { kind: 'link-train', train: 1, ...purpose };
    const found = readLinkProbes(scene, [entry({}, { source: 'fd00::1', destination: 'fd00::2' }, train)]);
    return found.map(({ link, from }) => [link.key, from]);
  };
  assert.deepEqual(readWith({}, {}), [[bare.key, 'a']]);
  for (const other of [{ ifname: 'to-c' }, { ifnames: ['to-b', 'to-c'] }, { kind: 'none' }])
    assert.deepEqual([readWith(other, {}), readWith({}, other)], [[], []], JSON.stringify(other));
  assert.deepEqual(readWith({}, {}, { to: { node: 'c', ifname: 'to-a' } }), []);
});

test('flows, sizes and rounds are told; trains are large, and belong to no round', () => {
  assert.deepEqual(read({}, { flows: 16, payloadBytes: 1_400 }, { round: 'confirmation' })[0]?.slice(3), [
    ...['confirmation', 16, 1_400],
  ]);
  assert.deepEqual(read({}, {}, { kind: 'link-train', train: 1 })[0]?.slice(2, 4), [true, undefined]);
  const [long] = readLinkProbes(world, [entry({}, {}, { round: 'extended' })]);
  const [first] = readLinkProbes(world, [entry()]);
  assert.deepEqual([isLong(long!), isLong(first!)], [true, false]);
});

const probe = (change: Partial<LinkProbe> = {}): LinkProbe => ({
  ...{ link: LINK, from: 'a', to: 'b', result: RESULT as LinkProbe['result'], large: false, round: 'first' as const },
  ...{ payloadBytes: 0, flows: 1, source: 'p1' },
  ...change,
});
const losses = (...probes: readonly LinkProbe[]) =>
  linkProbeFacts([LINK], probes)
    .filter(({ predicate }) => predicate === 'probe-loss')
    .map(({ value }) => {
      const { from, to, measuredBy, sent, lost, flows, again } = value as never as Record<string, unknown>;
      return [from, to, measuredBy, sent, lost, flows, (again as { lost?: number } | undefined)?.lost];
    });

test('the rounds of one end are added up, those of the two ends stay apart, the extended round is none of them', () => {
  assert.deepEqual(losses(probe()), [
    ['a', 'b', 'a', 100, 10, undefined, undefined],
    ['b', 'a', 'a', 90, 10, undefined, undefined],
  ]);
  const again = probe({ round: 'confirmation', flows: 16, source: 'p2' });
  assert.deepEqual(losses(probe(), again), [
    ['a', 'b', 'a', 200, 20, 16, 10],
    ['b', 'a', 'a', 180, 20, 16, 10],
  ]);
  assert.deepEqual(losses(probe(), probe({ from: 'b', to: 'a' })).length, 4);
  assert.deepEqual(losses(probe({ round: 'extended' })), []);
  assert.deepEqual(losses({ ...probe(), link: linkOf('b-c') }), [], 'a link that is not of the scope');
});

test('the least round trip of all rounds of both ends counts', () => {
  const timed = (min: number, change: Partial<LinkProbe> = {}) =>
    probe({ result: { ...RESULT, rttMs: { min, avg: 9, max: 9 } } as LinkProbe['result'], ...change });
  const trips = (...probes: readonly LinkProbe[]) =>
    linkProbeFacts([LINK], probes)
      .filter(({ predicate }) => predicate === 'round-trip')
      .map(({ value, source }) => [(value as { min: number }).min, source]);
  assert.deepEqual(trips(timed(3), timed(2, { from: 'b', to: 'a', source: 'p2' }), probe({ source: 'p3' })), [
    [2, ['p1', 'p2', 'p3']],
  ]);
  assert.deepEqual(trips(probe()), []);
});

test('a train is told with its bytes on the wire, and how it passed where it was timed', () => {
  const large = (change: Partial<LinkProbe> = {}) =>
    linkProbeFacts([], [probe({ large: true, payloadBytes: 1_000, ...change })]).map(
      ({ predicate, value }) => [predicate, value] as const,
    );
  const [[predicate, value]] = large() as never as [[string, Record<string, unknown>]];
  assert.deepEqual(
    [predicate, value['bytes'], value['sent'], value['received'], value['there']],
    [...['large-probes', 100 * (1_000 + HEADER_BYTES + FRAME_BYTES), 100, 80, undefined]],
  );
  const gaps = [1_000, 1_000, 1_000];
  const train = { sentUs: [10, 10, 10], reachedUs: gaps, returnedUs: [2_000, 2_000, 2_000] };
  const result = { ...RESULT, sent: 4, train } as unknown as LinkProbe['result'];
  const [[, timed]] = large({ result }) as never as [[string, Record<string, { heldMs: number; loose: boolean }>]];
  assert.deepEqual([timed['there']?.heldMs, timed['back']?.heldMs], [2, 4]);
});

test('packets over a link from one end: the probes of that end, and the reflections of the other end’s', () => {
  const over = (change: Partial<LinkProbe>, from: string, key: string = LINK.key) =>
    linkPacketsOver(key, [probe(change)], from).map(({ probesSent, probesArrived }) => [probesSent, probesArrived]);
  assert.deepEqual([over({}, 'a'), over({}, 'b')], [[[100, 90]], [[90, 80]]]);
  assert.deepEqual(over({ large: true, round: undefined } as never, 'a'), [[100, 90]]);
  assert.deepEqual(over({ round: 'extended' }, 'a'), []);
  assert.deepEqual(over({}, 'a', 'link/x'), []);
});

test('a loop counts when it came back to the node that sent it', () => {
  const looped = (visits: readonly string[], rttMs: object | null) =>
    loopFacts([entry({ body: { ...RESULT, rttMs } }, {}, { kind: 'loop', visits, round: 'first' })]).map(
      ({ subject, value }) => [subject, value],
    );
  const trip = { min: 3, avg: 4, max: 5 };
  assert.deepEqual(looped(['b', 'c', 'a'], trip), [['path/b>c>a', { visits: ['b', 'c', 'a'], min: 3 }]]);
  assert.deepEqual(looped(['a', 'b'], trip), []);
  assert.deepEqual(looped(['b', 'a'], null), []);
});
