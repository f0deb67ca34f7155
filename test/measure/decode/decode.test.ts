// What peers send is decoded totally: what is right is kept, what is wrong is left out, nothing throws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '#base/json.ts';
import { decodeNodeState, decodeProbeResult } from '#measure/decode/decode.ts';
import { exchange } from '../../correlate/builder.ts';

const body = () =>
  exchange({
    nodes: ['pe1', 'p2'],
    seed: 1,
    probeCount: 1,
    filters: [{ node: 'pe1', acl: 'a', hook: 'egress', ifname: 'eth1', old: 3 }],
  }).evidence[0]!.body;

test('a right state survives as it is', () => {
  const filters = [
    {
      family: 'netdev',
      table: 'filter',
      chain: 'a',
      path: ['base', 'a'],
      hook: 'egress',
      handle: 4,
      verdict: 'drop',
      outInterfaces: ['eth1'],
      inInterfaces: [],
      packets: '3',
      acl: 'a',
    },
  ];
  assert.deepEqual(decodeNodeState(body()), { ...(body() as object), filters });
});

test('remembered states have the ages of the readings around them, where their node tells them', () => {
  const state = body() as Record<string, JsonValue>;
  const agesOf = (ages: Record<string, JsonValue>) =>
    (decodeNodeState({ ...state, past: [{ ...ages, state }] })?.past ?? []).map(({ state: _, ...read }) => read);
  const earlier = { fromAgoMs: 30_000, untilAgoMs: 20_000 };
  assert.deepEqual(agesOf(earlier), [earlier], 'an agent of an earlier version');
  const ages = { ...earlier, tookMs: 200, beforeAgoMs: 38_000, afterAgoMs: 12_000 };
  assert.deepEqual(agesOf(ages), [ages]);
  assert.deepEqual(agesOf({ ...earlier, tookMs: -1, afterAgoMs: 'x' }), [earlier]);
  assert.deepEqual(agesOf({ fromAgoMs: 30_000 }), []);
});

test('how often whole states were read is kept, and rows that are wrong are left out', () => {
  const pauses = [{ agoMs: 9_000, forMs: 16_000 }, { agoMs: 1_000 }, { agoMs: 0, forMs: 2_000 }];
  const history = (stateReadings: JsonValue) =>
    decodeNodeState({ ...(body() as object), history: { spanMs: 1, events: [], lastHeard: [], stateReadings } })
      ?.history;
  assert.deepEqual(history({ reachMs: 60_000, pauses })?.stateReadings, {
    reachMs: 60_000,
    pauses: [pauses[0], pauses[2]],
  });
  assert.deepEqual(history({ pauses })?.stateReadings, undefined);
  assert.equal(history({ pauses })?.spanMs, 1);
});

test('rows that are wrong are left out, the rest is kept', () => {
  const state = body() as Record<string, JsonValue>;
  const inventory = state['inventory'] as Record<string, JsonValue>;
  const [good] = inventory['interfaces'] as readonly Record<string, JsonValue>[];
  const counters = good!['counters'] as Record<string, JsonValue>;
  const wrong = [
    7,
    null,
    { name: 'eth7' },
    { ...good, name: 9 },
    { ...good, counters: { ...counters, txPackets: -1 } },
    { ...good, counters: { ...counters, rxPackets: '1e9' } },
  ];
  const decoded = decodeNodeState({
    ...state,
    inventory: { ...inventory, interfaces: [...wrong, good!] },
    adjacencies: [{ state: 'sideways' }],
    nodeCounters: { a: '1', b: 2, c: 'x' },
  });
  assert.deepEqual(
    decoded?.inventory.interfaces.map((entry) => entry.name),
    ['eth1'],
  );
  assert.deepEqual(decoded?.adjacencies, []);
  assert.deepEqual(decoded?.nodeCounters, { a: '1' });
});

test('probe results that contradict themselves are none', () => {
  const result = {
    sent: 100,
    reflected: 98,
    received: 97,
    duplicates: 0,
    rttMs: { min: 1, avg: 2, max: 3 },
    sendErrors: 0,
  };
  assert.deepEqual(decodeProbeResult(result), result);
  assert.equal(decodeProbeResult({ ...result, rttMs: { min: 3, avg: 2, max: 1 } })?.rttMs, null);
  for (const wrong of [
    { received: 99 },
    { reflected: 101 },
    { sent: -1 },
    { sent: 1.5 },
    { sent: '100' },
    { received: 101, reflected: 101 },
    { reflected: null },
  ]) {
    assert.equal(decodeProbeResult({ ...result, ...wrong }), undefined, JSON.stringify(wrong));
  }
  assert.equal(decodeProbeResult({ sent: 5, received: 0, reflected: null })?.reflected, undefined);
});

test('any JSON at all is decoded or refused, never thrown at', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      decodeNodeState(value as JsonValue);
      decodeNodeState({ inventory: value as JsonValue });
      decodeProbeResult(value as JsonValue);
    }),
    { numRuns: 300, seed: 20261121 },
  );
});

test('demands of a rule survive; what cannot be read, or is too much, becomes a rest', () => {
  const rulesOf = (extra: object) => {
    const state = body() as { readonly filters: readonly object[] };
    return decodeNodeState({ ...state, filters: [{ ...state.filters[0], ...extra }] } as unknown as JsonValue)
      ?.filters[0];
  };
  const right = [{ field: 'destination-port', values: ['22'], negated: true }];
  const decoded = ({ matches, matchesRest }: NonNullable<ReturnType<typeof rulesOf>>) => [matches, matchesRest];
  assert.deepEqual(decoded(rulesOf({ matches: right, matchesRest: false })!), [right, false]);
  assert.deepEqual(decoded(rulesOf({ matches: right })!), [right, true]);
  for (const wrong of [{ field: 'colour', values: [] }, { field: 'in', values: [7] }, { field: 'in', values: 'x' }, 7])
    assert.deepEqual(decoded(rulesOf({ matches: [...right, wrong], matchesRest: false })!), [right, true]);
  const many = { field: 'in', values: new Array(65).fill('eth1') };
  assert.deepEqual(decoded(rulesOf({ matches: [many], matchesRest: false })!), [[], true]);
  assert.deepEqual(decoded(rulesOf({ matches: 'all', matchesRest: false })!), [undefined, undefined]);
  const words = ({ matchesRest, unread }: NonNullable<ReturnType<typeof rulesOf>>) => [matchesRest, unread];
  const unread = ['ct state new'];
  assert.deepEqual(words(rulesOf({ matches: right, matchesRest: true, unread })!), [true, unread]);
  for (const wrong of [{ matches: [...right, 7] }, { unread: [...unread, 7] }, { unread: 'all' }])
    assert.deepEqual(words(rulesOf({ matches: right, matchesRest: true, unread, ...wrong })!), [true, undefined]);
});

test('rules of a remembered filter are decoded as a whole or left out, and the change itself is kept', () => {
  const good = {
    ...{ verdict: 'accept', path: ['f'], inInterfaces: [], outInterfaces: ['eth1'], matchesRest: false },
    matches: [{ field: 'source', values: ['198.19.1.0/24'] }],
  };
  const rulesIn = (wasRules: unknown) => {
    const change = { kind: 'filter', subject: 'inet fw f', setting: 'accept 1', was: 'accept', agoMs: 1, wasRules };
    const history = { spanMs: 1, events: [], settings: [change] };
    const { settings = [] } =
      decodeNodeState({ ...(body() as object), history } as unknown as JsonValue)?.history ?? {};
    assert.equal(settings.length, 1);
    return settings[0]!.wasRules;
  };
  assert.deepEqual(rulesIn([good]), [good]);
  assert.deepEqual(rulesIn([]), []);
  assert.deepEqual(rulesIn(new Array(32).fill(good))?.length, 32);
  for (const wrong of [
    ...['all', 7, null, new Array(33).fill(good), [good, { ...good, verdict: 'perhaps' }]],
    ...[[{ ...good, matches: [{ field: 'colour', values: [] }] }], [{ ...good, inInterfaces: 'eth1' }]],
    ...[[{ ...good, path: new Array(18).fill('f') }], [{ ...good, matchesRest: undefined }]],
    [{ ...good, matches: [{ field: 'source', values: ['x'.repeat(257)] }] }],
  ])
    assert.equal(rulesIn(wrong), undefined, JSON.stringify(wrong)?.slice(0, 80));
});

test('filters of which a row cannot be read are not told whole and in order', () => {
  const state = body() as Record<string, JsonValue>;
  const filters = state['filters'] as readonly JsonValue[];
  const marked = (rows: readonly JsonValue[], filtersInOrder: JsonValue = true) =>
    decodeNodeState({ ...state, filters: rows, filtersInOrder })?.filtersInOrder;
  assert.deepEqual([marked(filters), marked([...filters, 7]), marked(filters, 'yes')], [true, undefined, undefined]);
  assert.equal(decodeNodeState(state)?.filtersInOrder, undefined);
});

test('more interfaces than are looked at are cut, and the state says so', () => {
  const state = body() as { readonly inventory: { readonly interfaces: readonly object[] } };
  const interfaces = new Array(4_097).fill(state.inventory.interfaces[0]);
  const decoded = decodeNodeState({ ...state, inventory: { ...state.inventory, interfaces } } as unknown as JsonValue);
  assert.equal(decoded?.inventory.interfaces.length, 4_096);
  assert.deepEqual(decoded?.missing, [{ part: 'interfaces', reason: 'more than 4096' }]);
});

test('a probe result that contradicts itself about what was refused is none', () => {
  const result = { sent: 100, reflected: 90, received: 60, duplicates: 0, rttMs: null, sendErrors: 10 };
  assert.equal(decodeProbeResult({ ...result, reflectorRefused: 20 })?.reflectorRefused, 20);
  assert.equal(decodeProbeResult({ ...result, reflectorRefused: 50 })?.reflectorRefused, 30);
  assert.equal(decodeProbeResult({ ...result, sendErrors: 11 }), undefined);
  assert.equal(decodeProbeResult({ sent: 5, received: 0, sendErrors: 6 }), undefined);
});
