// The profile of a baseline: each part that is unknown, too much, or no plain text is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { readProfile } from '#report/read-profile.ts';

const ENTRY = { part: 'link', subject: 's', nodes: ['p2'], value: 'up', resource: 'r' } satisfies JsonObject;
const BAND = { from: 'pe1', to: 'p2', minMs: 0.1, avgMs: 0.2 } satisfies JsonObject;
const PROFILE = { nodes: ['pe1'], told: ['pe1 link'], entries: [ENTRY], roundTrips: [BAND] } satisfies JsonObject;

function reason(value: JsonValue | undefined): string {
  const read = readProfile(value);
  return read.ok ? 'read' : read.reason.replace('profile: ', '');
}

const entry = (over: JsonObject) => reason({ ...PROFILE, entries: [ENTRY, { ...ENTRY, ...over }] });
const band = (over: JsonObject) => reason({ ...PROFILE, roundTrips: [BAND, { ...BAND, ...over }] });

test('a profile is four lists, each bounded', () => {
  assert.deepEqual(readProfile(PROFILE), { ok: true, value: PROFILE });
  assert.equal(reason({ nodes: [], told: [], entries: [], roundTrips: [] }), 'read');
  for (const value of [undefined, null, [], 'x']) assert.equal(reason(value), 'expected an object');
  const most = LIMITS.baselineEntries;
  const lists = `expected four lists of at most ${most}`;
  for (const name of Object.keys(PROFILE)) assert.equal(reason({ ...PROFILE, [name]: {} }), lists, name);
  assert.equal(reason({ ...PROFILE, told: Array(most).fill('x') }), 'read');
  assert.equal(reason({ ...PROFILE, told: Array(most + 1).fill('x') }), lists);
});

test('names are names of nodes, and texts one line that can be printed', () => {
  for (const nodes of [['a b'], [1], ['pe1', '']])
    assert.equal(reason({ ...PROFILE, nodes }), 'expected names of nodes');
  const told = 'expected what each node told';
  for (const text of ['', 'x'.repeat(257), 'a\nb', 'é', 1, null])
    assert.equal(reason({ ...PROFILE, told: ['ok', text] }), told);
  assert.equal(reason({ ...PROFILE, told: ['x'.repeat(256), ' ~'] }), 'read');
});

test('an entry has a known part, its texts and at least one node, and may have ends', () => {
  const refused = 'expected entries of known parts';
  assert.equal(reason({ ...PROFILE, entries: [1] }), refused);
  for (const over of [
    { part: 'mood' },
    { subject: '' },
    { value: 1 },
    { resource: null },
    { nodes: [] },
    { nodes: 'p2' },
    { nodes: ['p2', 'a b'] },
    { nodes: [1] },
    { ends: {} },
    { ends: [1] },
    { ends: [{ node: 'p2', ifname: 'eth1' }, { node: 'p2' }] },
    { ends: [{ ifname: 'eth1' }] },
  ])
    assert.equal(entry(over), refused, JSON.stringify(over));
  assert.equal(entry({ ends: [{ node: 'p2', ifname: 'eth1' }] }), 'read');
});

test('a round trip has two ends and two times', () => {
  assert.equal(reason({ ...PROFILE, roundTrips: ['x'] }), 'expected round trips');
  for (const over of [{ from: '' }, { to: 1 }, { minMs: '1' }, { avgMs: null }])
    assert.equal(band(over), 'expected round trips', JSON.stringify(over));
});

test('a prefix that an earlier version called announced to nobody is announced to no peer', () => {
  const prefix = { ...ENTRY, part: 'prefix', value: 'to nobody' };
  const read = readProfile({
    ...PROFILE,
    entries: [prefix, { ...prefix, part: 'link' }, { ...prefix, value: 'to b' }],
  });
  assert.deepEqual(read.ok && read.value.entries.map(({ value }) => value), ['to no peer', 'to nobody', 'to b']);
});
