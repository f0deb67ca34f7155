// isis_neighbor_missing on the ring: IS-IS is off, or passive, at r1 towards r2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { isisNeighborMissing } from '#correlate/faults/isis/isis-neighbor-missing.ts';
import { all, at, circuits, cut, drawn, lines, named, r1Circuit, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld } from '../proposing.ts';

const without = all(
  cut,
  r1Circuit(() => undefined),
);
const passive = all(
  cut,
  r1Circuit(() => ({ passive: true })),
);

test('an end without IS-IS runs it as the other end does', () => {
  assert.deepEqual(drawn(ring(without)), [
    [
      'isis_neighbor_missing interface/r1/eth1',
      lines(
        'interface eth1',
        ' ip router isis core',
        ' ipv6 router isis core',
        ' isis network point-to-point',
        ' isis hello-interval 1',
      ),
    ],
  ]);
});

test('the other end’s password is an operator’s', () => {
  const secret = circuits(['r2'], (row) => (row.ifname === 'eth1' ? { password: 'md5' } : row));
  assert.deepEqual(drawn(ring(all(without, secret))), [
    [
      'isis_neighbor_missing interface/r1/eth1',
      undefined,
      'the password: the other end has one, and no agent tells it',
    ],
  ]);
});

test('a passive end is likely the wrong one, one without IS-IS is', () => {
  assert.deepEqual(drawn(ring(passive)), [
    ['isis_neighbor_missing interface/r1/eth1', lines('interface eth1', ' no isis passive')],
  ]);
  assert.equal(diagnose(ring(passive)).findings[0]?.confidence, 'likely');
  assert.equal(diagnose(ring(without)).findings[0]?.confidence, 'certain');
});

test('a passive interface towards a node that gives no state of IS-IS accuses nobody', () => {
  const unread = at(['r1'], ({ isis: _isis, ...state }) => state);
  assert.deepEqual(named(ring(all(cut, unread))), []);
});

const FRR = { driver: 'linux-frr', interfaces: [], sids: [] };
const CIRCUIT = {
  ifname: 'to-a',
  passive: false,
  ipv4: true,
  ipv6: true,
  level: '2',
  network: 'broadcast',
  password: 'none',
};
/** a runs IS-IS as given; b has this circuit towards it. */
function proposed(a: object | undefined, circuit: object | undefined, own: readonly object[] = []) {
  const isis = { tag: 'core', level: '2', circuits: own, ...a };
  const world = ringWorld(
    {},
    {
      a: { inventory: FRR, ...(a === undefined ? {} : { isis }) },
      b: { isis: { tag: 'core', level: '2', circuits: circuit === undefined ? [] : [{ ...CIRCUIT, ...circuit }] } },
    },
  );
  return isisNeighborMissing
    .propose(caseOf([onLink('isis', 'a-b', { id: 'lost' })], world), [])
    .map(({ resource, confidence, together, details, remedy }) => [
      ...[resource, confidence, together, details['here']],
      remedy?.change?.lines?.slice(1).join(';') ?? remedy?.decide?.split(':')[0],
    ]);
}
const like = (circuit: object, a: object = {}) => proposed(a, circuit)[0]?.at(-1);

test('each property of the other end’s circuit is one line, unless it is what the process has', () => {
  const [four, six] = [' ip router isis core', ' ipv6 router isis core'];
  assert.equal(like({}), `${four};${six}`);
  assert.equal(like({ ipv4: false }), six);
  assert.equal(like({ ipv6: false }), four);
  assert.equal(like({ network: 'point-to-point' }), `${four};${six}; isis network point-to-point`);
  assert.equal(like({ helloSeconds: 3, metric: 20 }), `${four};${six}; isis hello-interval 3; isis metric 20`);
  for (const [level, word] of [
    ['1', 'level-1'],
    ['1-2', 'level-1-2'],
  ])
    assert.equal(like({ level }), `${four};${six}; isis circuit-type ${word}`);
  assert.equal(like({ level: '2' }, { level: '1-2' }), `${four};${six}; isis circuit-type level-2-only`);
  assert.equal(like({}, { tag: undefined }), 'how it ran');
  assert.equal(like({ password: 'clear' }), 'the password');
});

test('missing at both ends it is one fault in two places; where a node tells nothing of IS-IS, none', () => {
  assert.deepEqual(proposed({}, undefined), [
    ['interface/a/to-b', 'certain', 'lost', 'not configured', 'how it ran'],
    ['interface/b/to-a', 'certain', 'lost', 'not configured', 'how it ran'],
  ]);
  assert.deepEqual(proposed(undefined, {}), []);
  assert.deepEqual(proposed({}, {}, [{ ...CIRCUIT, ifname: 'to-b' }]), []);
  assert.deepEqual(proposed({}, {}, [{ ...CIRCUIT, ifname: 'to-b', passive: true }]), [
    ['interface/a/to-b', 'likely', undefined, 'passive', ' no isis passive'],
  ]);
});

test('a lost adjacency without a link in the world names no end', () => {
  const lost = { ...onLink('isis', 'a-b'), link: undefined } as never;
  assert.deepEqual(
    isisNeighborMissing.propose(caseOf([lost], ringWorld({}, { a: { isis: { circuits: [] } } })), []),
    [],
  );
});
