// Capability negotiation: exact names, sorted, bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAnnouncement, hashCapabilities, intersect, parseCapabilityNames } from '#mcp/protocol/negotiation.ts';

test('the intersection is sorted, holds each name once, and compares names exactly [TS-14] [CARD-3]', () => {
  assert.deepEqual(intersect(['b', 'a', 'c'], ['c', 'b', 'b', 'x']), ['b', 'c']);
  assert.deepEqual(intersect(['ietf-srv6-ping'], ['IETF-SRv6-ping', 'ietf-srv6-ping ', 'ietf-srv6-ping\u0000']), []);
  assert.deepEqual(intersect([], ['a']), []);
});

test('the hash is the same for every order, and known', () => {
  // printf 'ietf-interface-counters\nietf-srv6-ping\n' | sha256sum | cut -c1-32
  const expected = '722cada257367c131ea26105910b5e35';
  assert.equal(hashCapabilities(['ietf-srv6-ping', 'ietf-interface-counters']), expected);
  assert.equal(hashCapabilities(['ietf-interface-counters', 'ietf-srv6-ping', 'ietf-srv6-ping']), expected);
  assert.notEqual(hashCapabilities(['ietf-srv6-ping']), expected);
});

const badLists: readonly (readonly [string, unknown])[] = [
  ['an object', {}],
  ['nothing', undefined],
  ['a number among names', ['a', 1]],
  ['an empty name', ['']],
  ['a name of 129 characters', ['x'.repeat(129)]],
  ['257 names', Array.from({ length: 257 }, (_, index) => `n${index}`)],
];
for (const [what, value] of badLists) {
  test(`refuses ${what} as a capability list`, () => {
    assert.equal(parseCapabilityNames(value).ok, false);
  });
}

test('the announcement is found, absent, or refused', () => {
  assert.deepEqual(findAnnouncement({ experimental: { parley: { node: 'pe1', capabilities: ['a'] } } }), {
    ok: true,
    value: { node: 'pe1', capabilities: ['a'] },
  });
  assert.equal(findAnnouncement({ experimental: { other: {} } }), undefined);
  assert.equal(findAnnouncement({}), undefined);
  assert.equal(findAnnouncement({ experimental: { parley: 'yes' } })?.ok, false);
  assert.equal(findAnnouncement({ experimental: { parley: { capabilities: 'a' } } })?.ok, false);
});

test('a refused announcement or list says why, and the bounds are 256 names of 128 characters', () => {
  const reason = (result: ReturnType<typeof findAnnouncement>) => (result?.ok === false ? result.reason : result);
  const experiment = (parley: unknown) => reason(findAnnouncement({ experimental: { parley } }));
  for (const parley of ['yes', 1, [], null])
    assert.equal(experiment(parley), 'expected experimental.parley to be an object, got something else');
  assert.equal(experiment({}), 'expected an array of capability names, got something else');
  assert.equal(
    experiment({ capabilities: [1] }),
    'expected capability names of 1 to 128 characters, got something else',
  );
  assert.equal(experiment({ capabilities: Array(257).fill('a') }), 'expected at most 256 capability names, got 257');
  assert.deepEqual(experiment({ node: 7, capabilities: Array(256).fill('x'.repeat(128)) }), {
    ok: true,
    value: { capabilities: Array(256).fill('x'.repeat(128)) },
  });
  for (const none of [null, 'x', { experimental: 'x' }, { experimental: [] }])
    assert.equal(findAnnouncement(none), undefined);
});
