// address_missing: a baseline has an address that its interface no longer has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { addressMissing } from '#correlate/faults/routing/address-missing.ts';
import type { Expectation } from '#model/baseline.ts';
import { withInterface } from '../../recording.ts';
import { at, drawn, named, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld, symptom } from '../proposing.ts';

const { intent, nodeNames, evidence, outcomes } = ring();
const BASELINE: Expectation = {
  ...{ name: 'baseline of then', source: 'report' },
  profile: profileOf(caseFileOf(intent, nodeNames, evidence, outcomes)),
};

const without = at(['r2'], (state) =>
  withInterface(state, 'lan0', ({ addresses }) => ({ addresses: addresses.filter((each) => each.includes(':')) })),
);

test('the address is set again as the baseline has it', () => {
  const live = [{ kind: 'address-add', ifname: 'lan0', address: '198.19.2.1/24' }];
  assert.deepEqual(drawn({ ...ring(without), expected: [BASELINE] }), [
    ['address_missing interface/r2/lan0', { live }],
  ]);
});

test('without a baseline no node misses it, and an address that is there is not missed', () => {
  assert.deepEqual(named(ring(without)), []);
  assert.deepEqual(named({ ...ring(), expected: [BASELINE] }), []);
});

const port = (name: string, own: readonly string[], up = true) => ({
  ...{ name, kind: 'physical', adminUp: up, operUp: up, mtu: 1_500 },
  ...{ addresses: own, offloads: [] },
});
const lost = symptom('expected', {
  ...{ id: 'lost', subject: 'interface/a/to-b', nodes: ['a'] },
  detail: { part: 'address', expected: 'set', node: 'a', ifname: 'to-b', address: '198.18.1.0/31' },
});
const follows = (other: Symptom) => {
  const [found] = addressMissing.propose(caseOf([lost, other]), []);
  return found?.explains.some((share) => share.symptom === other.id);
};

test('sessions, ways and echoes of its subnet follow from an address that is missing, others do not', () => {
  const [near, far] = ['198.18.1.1', '198.18.1.2'];
  for (const kind of ['bgp', 'bfd', 'expected'])
    assert.deepEqual(
      [near, far].map((peer) => follows(symptom(kind, { detail: { part: 'session', peer } }))),
      [true, false],
      kind,
    );
  for (const kind of ['route', 'reach'])
    assert.deepEqual(
      [near, far].map((destination) => follows(symptom(kind, { detail: { destination } }))),
      [true, false],
      kind,
    );
  assert.equal(follows(symptom('expected', { detail: { part: 'session' } })), false);
});

test('what runs over its interface follows, at either end of the link', () => {
  for (const kind of ['isis', 'ospf', 'entry'])
    assert.deepEqual(
      ['a-b', 'b-a', 'b-c', 'd-a'].map((pair) => follows(onLink(kind, pair))),
      [true, true, false, false],
      kind,
    );
  for (const kind of ['slow', 'mtu', 'down']) assert.equal(follows(onLink(kind, 'a-b')), false, kind);
  const session = (pair: string, nodes: readonly string[]) =>
    follows(onLink('bgp', pair, { nodes, detail: { peer: '203.0.113.1' } }));
  assert.deepEqual([session('a-b', ['a']), session('a-b', ['b']), session('b-c', ['a'])], [true, false, false]);
  const expectedLink = (subject: string) => follows(symptom('expected', { subject, detail: { part: 'link' } }));
  assert.deepEqual([expectedLink('link/a:to-b--b:to-a'), expectedLink('link/a:to-d--d:to-a')], [true, false]);
});

const [V2, V3] = [onLink('ospf', 'a-b', { id: 'v2' }), onLink('ospf', 'a-b', { id: 'v3', detail: { version: 3 } })];

test('OSPFv2 follows from an address of IPv4 alone; OSPFv3 from one of IPv6, where the interface has no link-local address any more', () => {
  const together = (address: string, ...addresses: readonly string[]) => {
    const missing = { ...lost, detail: { ...lost.detail, address } } as Symptom;
    const inventory = { interfaces: [port('to-b', addresses)], loopbacks: [] };
    const [found] = addressMissing.propose(caseOf([missing, V2, V3], ringWorld({}, { a: { inventory } })), []);
    return found?.explains.map((share) => share.symptom);
  };
  assert.deepEqual(together('fd00:1::/127'), ['lost', 'v3']);
  assert.deepEqual(together('fd00:1::/127', 'fe80::1/64'), ['lost'], 'it speaks from that one');
  assert.deepEqual(together('198.18.1.0/31'), ['lost', 'v2']);
});

test('the finding is certain, stands on its own evidence and says how the address is set again', () => {
  const [found, ...rest] = addressMissing.propose(caseOf([lost]), []);
  assert.deepEqual(rest, []);
  const { resource, score, confidence, evidence, details, remedy } = found!;
  assert.deepEqual([resource, score, confidence, evidence], ['interface/a/to-b', 4, 'certain', ['source of expected']]);
  assert.deepEqual(details, {
    ...{ what: 'text of expected', node: 'a', interface: 'to-b', address: '198.18.1.0/31' },
  });
  assert.equal(remedy?.command, 'ip address add 198.18.1.0/31 dev to-b');
  for (const part of ['mtu', 'link']) {
    const other = { ...lost, detail: { ...lost.detail, part } };
    assert.deepEqual(addressMissing.propose(caseOf([other]), []), [], part);
  }
  for (const name of ['node', 'ifname', 'address']) {
    const other = { ...lost, detail: { ...lost.detail, [name]: undefined } } as unknown as Symptom;
    assert.deepEqual(addressMissing.propose(caseOf([other]), []), [], name);
  }
});

const GONE = [
  { kind: 'address', subject: 'to-b', was: '198.18.1.0/31 fd00:1::/127', is: 'fd00:1::/127', agoMs: 20_000 },
];
/** a's port towards b, of which memory knows another address; b's port has `far`. */
function remembered(
  symptoms: readonly Symptom[],
  { settings = GONE, addresses = ['fd00:1::/127'], adminUp = true, far = '198.18.1.1/31' } = {},
) {
  const world = ringWorld(
    {},
    {
      a: {
        history: { settings, settingsSpanMs: 600_000 },
        inventory: { interfaces: [port('to-b', addresses, adminUp)], loopbacks: [] },
      },
      b: { inventory: { interfaces: [port('to-a', [far])], loopbacks: [] } },
    },
  );
  return addressMissing
    .propose(caseOf(symptoms, world), [])
    .map(({ resource, confidence, details, remedy }) => [resource, confidence, details['address'], remedy?.command]);
}
const session = (peer: string) => symptom('bgp', { nodes: ['a'], detail: { peer, node: 'a' } });

test('an address that memory saw and that a session or the other end of the link wants is missing, as likely', () => {
  const found = [['interface/a/to-b', 'likely', '198.18.1.0/31', 'ip address add 198.18.1.0/31 dev to-b']];
  assert.deepEqual(remembered([session('198.18.1.1')]), found);
  assert.deepEqual(remembered([symptom('reach', { detail: { destination: '198.18.1.0' } })]), found);
  assert.deepEqual(remembered([onLink('ospf', 'a-b')]), found);
});

test('an address that nothing wants, that is there, or that stood for a moment is not missed', () => {
  assert.deepEqual(remembered([]), []);
  assert.deepEqual(remembered([session('198.18.9.1')]), []);
  assert.deepEqual(
    remembered([onLink('ospf', 'a-b')], { far: '198.18.2.1/31' }),
    [],
    'both ends were given other addresses',
  );
  assert.deepEqual(remembered([session('198.18.1.1')], { addresses: ['198.18.1.0/31', 'fd00:1::/127'] }), []);
  assert.deepEqual(remembered([session('198.18.1.1')], { adminUp: false }), [], 'a port that is shut');
  const young = [{ ...GONE[0]!, agoMs: 595_000 }];
  assert.deepEqual(remembered([session('198.18.1.1')], { settings: young }), []);
});
