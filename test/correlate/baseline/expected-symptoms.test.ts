// What is expected and is not there any more, entry by entry of a profile, and what is known anyway.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlSymptom } from '#correlate/baseline/expected-control.ts';
import { isAccountedFor, linkSymptom, roundTripSymptoms } from '#correlate/baseline/expected-links.ts';
import type { CaseFile } from '#correlate/engine/facts.ts';
import { pairWorld } from '../pair-scene.ts';

const A = { node: 'a', ifname: 'to-b' };
const B = { node: 'b', ifname: 'to-a' };
const port = (name: string, change: object = {}) => ({
  now: { inventory: { interfaces: [{ name, adminUp: true, operUp: true, mtu: 1_500, ...change }] } },
});
type Setting = {
  readonly a?: object;
  readonly links?: boolean;
  readonly symptoms?: readonly object[];
  readonly owners?: ReadonlyMap<string, unknown>;
};
const fileOf = ({ a = port('to-b'), links = false, symptoms = [], owners = new Map() }: Setting = {}) =>
  ({
    world: pairWorld(['a-b'], { a: a as never, b: port('to-a') }, { owners, ...(links ? {} : { links: [] }) }),
    symptoms,
    facts: [],
    path: [],
  }) as unknown as CaseFile;
const entryOf = (part: string, value: string, change: object = {}) =>
  ({ part, subject: 's', value, nodes: ['a', 'b'], ends: [A, B], resource: 'link/a:to-b--b:to-a', ...change }) as never;
const symptom = (kind: string, change: object = {}) => ({
  id: kind,
  kind,
  subject: 'node/z',
  text: 't',
  source: [],
  nodes: ['z'],
  detail: {},
  ...change,
});

test('a link that was up and is not known any more is down at the end that is, else only lacking', () => {
  const lost = (setting: Setting = {}, value = 'up', now?: object) => {
    const found = linkSymptom(fileOf(setting), entryOf('link', value), now as never);
    return found === undefined ? undefined : [found.kind, found.subject, found.detail];
  };
  const down = (how: string) => [
    'down',
    'interface/a/to-b',
    { from: how, node: 'a', ifname: 'to-b', peer: 'b', port: 'to-a' },
  ];
  assert.deepEqual(lost(), ['expected', 'link/a:to-b--b:to-a', { part: 'link', expected: 'up' }]);
  assert.deepEqual(lost({ a: port('to-b', { operUp: false }) }), down('no-carrier'));
  assert.deepEqual(lost({ a: port('to-b', { operUp: false, adminUp: false }) }), down('shut'));
  assert.deepEqual(lost({ a: port('other') }), down('gone'));
  assert.equal(lost({}, 'down'), undefined);
  assert.equal(lost({}, 'up', {}), undefined);
  assert.equal(lost({ symptoms: [symptom('x', { subject: 'interface/b/to-a' })] }), undefined);
});

test('an end is accounted for by what is known of it, its link, or its whole node', () => {
  const known = (kind: string, change: object = {}) => isAccountedFor(fileOf({ symptoms: [symptom(kind, change)] }), A);
  assert.equal(known('x'), false);
  assert.equal(known('x', { subject: 'interface/a/to-b' }), true);
  assert.deepEqual([known('daemon', { nodes: ['a'] }), known('bgp', { nodes: ['a'] })], [true, false]);
  assert.deepEqual(
    [known('expected', { detail: A }), known('expected', { detail: { ...A, ifname: 'x' } }), known('x', { detail: A })],
    [true, false, false],
  );
  assert.deepEqual(
    [
      known('down', { detail: A }),
      known('down', { detail: { peer: 'a', port: 'to-b' } }),
      known('down', { detail: { peer: 'a', port: 'x' } }),
    ],
    [true, true, false],
  );
  assert.deepEqual(
    [
      known('x', { link: { from: A, to: B } }),
      known('x', { link: { from: B, to: A } }),
      known('x', { link: { from: B, to: B } }),
    ],
    [true, true, false],
  );
});

test('a smaller MTU than expected is a symptom of its link, one that is known or larger is none', () => {
  const mtu = (now: string | undefined, setting: Setting = { links: true }) => {
    const found = linkSymptom(
      fileOf(setting),
      entryOf('mtu', '9000'),
      now === undefined ? undefined : ({ value: now } as never),
    );
    return found === undefined ? undefined : [found.kind, found.detail];
  };
  assert.deepEqual(mtu('1500'), ['mtu', { from: 1_500, to: 1_500, others: 9_000, expected: true }]);
  assert.deepEqual([mtu('9000'), mtu('9216'), mtu(undefined)], [undefined, undefined, undefined]);
  assert.equal(mtu('1500', {})?.[0], 'expected');
  const key = 'link/a:to-b--b:to-a';
  assert.equal(mtu('1500', { links: true, symptoms: [symptom('mtu', { link: { key } })] }), undefined);
  assert.equal(mtu('1500', { links: true, symptoms: [symptom('mtu', { link: { key: 'other' } })] })?.[0], 'mtu');
});

test('an address that is not set any more is lacking, where its interface is there', () => {
  const entry = entryOf('address', 'set', { subject: 'a to-b 198.18.1.0/31', ends: [A], nodes: ['a'] });
  assert.deepEqual(linkSymptom(fileOf(), entry, undefined)?.detail, {
    part: 'address',
    expected: 'set',
    node: 'a',
    ifname: 'to-b',
    address: '198.18.1.0/31',
  });
  assert.equal(linkSymptom(fileOf(), entry, {} as never), undefined);
  assert.equal(linkSymptom(fileOf({ a: port('x') }), entry, undefined), undefined);
});

test('an adjacency that was up is missed at both ends of its link', () => {
  const lost = (was: string, now?: string, setting: Setting = { links: true }, subject = 'isis a to-b') => {
    const found = controlSymptom(
      fileOf(setting),
      entryOf('adjacency', was, { subject, ends: [A] }),
      now === undefined ? undefined : ({ value: now } as never),
    );
    return found === undefined ? undefined : [found.kind, found.detail];
  };
  assert.deepEqual(lost('up'), ['isis', { from: 'none' }]);
  assert.deepEqual(lost('up', 'down'), ['isis', { from: 'down' }]);
  assert.deepEqual(lost('Full', undefined, { links: true }, 'ospf a to-b'), ['ospf', { from: 'none' }]);
  const ofVersion3 = ['ospf', { from: 'none', version: 3 }];
  const at = (state: object) => ({ links: true, a: { now: { missing: [], ...port('to-b').now, ...state } } });
  const lost6 = (state: object) => lost('Full', undefined, at(state), 'ospf6 a to-b');
  assert.deepEqual(lost6({ ospf6: [] }), ofVersion3);
  const daemons = (change: object) => ({ daemons: [{ name: 'ospf6d', alive: true, ...change }] });
  assert.deepEqual(lost6(daemons({ alive: false })), ofVersion3);
  assert.deepEqual(lost6(daemons({ name: 'zebra' })), ofVersion3, 'ospf6d was stopped');
  assert.deepEqual([lost6(daemons({})), lost6({})], [undefined, undefined], 'an agent that does not read it');
  assert.deepEqual([lost('down'), lost('up', 'up'), lost('Full', 'Full')], [undefined, undefined, undefined]);
  assert.equal(lost('up', undefined, {})?.[0], 'expected');
  assert.equal(
    lost('up', undefined, { links: true, symptoms: [symptom('x', { subject: 'interface/a/to-b' })] }),
    undefined,
  );
});

const owners = new Map([['198.18.1.1', [B]]]);

test('a session that is configured no more is lacking at both its ends; one whose daemon is dead is known', () => {
  const lost = (was: string, now?: object, setting: Setting = { owners }) => {
    const found = controlSymptom(
      fileOf(setting),
      entryOf('session', was, { subject: 'bgp a 198.18.1.1', nodes: ['a'] }),
      now as never,
    );
    return found === undefined ? undefined : [found.nodes, found.detail];
  };
  assert.deepEqual(lost('Established'), [
    ['a', 'b'],
    { part: 'session', expected: 'Established', node: 'a', peer: '198.18.1.1', far: 'b' },
  ]);
  assert.deepEqual(lost('Established', undefined, {}), [
    ['a'],
    { part: 'session', expected: 'Established', node: 'a', peer: '198.18.1.1' },
  ]);
  assert.deepEqual([lost('Active'), lost('Established', {})], [undefined, undefined]);
  const daemon = (node: string) =>
    lost('Established', undefined, { owners, symptoms: [symptom('daemon', { nodes: [node] })] });
  assert.deepEqual([daemon('a'), daemon('b') === undefined], [undefined, false]);
});

test('a prefix that is announced to no peer is lacking, unless something else is known of its node', () => {
  const lost = (was: string, now: string | undefined, symptoms: readonly object[] = []) =>
    controlSymptom(
      fileOf({ symptoms }),
      entryOf('prefix', was, { subject: 'a 198.19.1.0/24', nodes: ['a'] }),
      now === undefined ? undefined : ({ value: now } as never),
    )?.kind;
  assert.equal(lost('to b', 'to no peer'), 'expected');
  assert.deepEqual(
    [lost('to no peer', 'to no peer'), lost('to b', undefined), lost('to b', 'to c')],
    [undefined, undefined, undefined],
  );
  for (const kind of ['daemon', 'bgp', 'route', 'reach', 'expected'])
    assert.equal(lost('to b', 'to no peer', [symptom(kind, { nodes: ['a'] })]), undefined, kind);
  assert.equal(lost('to b', 'to no peer', [symptom('bgp', { nodes: ['b'] })]), 'expected');
  assert.equal(lost('to b', 'to no peer', [symptom('slow', { nodes: ['a'] })]), 'expected');
});

test('a way that a node had and has no more is a symptom of routes, unless routing is cut', () => {
  const lost = (was: string, now: string, symptoms: readonly object[] = [], setting: Setting = { owners }) => {
    const entry = entryOf('route', was, { subject: 'a 198.18.1.1', nodes: ['a'] });
    return controlSymptom(fileOf({ ...setting, symptoms }), entry, { value: now } as never)?.detail;
  };
  const yes = { destination: '198.18.1.1', owner: 'b', at: 'a', how: 'none', from: 'a', affected: ['a'] };
  assert.deepEqual(lost('unicast eth1', 'none'), yes);
  assert.deepEqual(
    [lost('blackhole', 'none'), lost('unicast eth1', 'unicast eth2'), lost('unicast', 'none', [], {})],
    [undefined, undefined, undefined],
  );
  assert.equal(lost('unicast', 'none', [symptom('route', { detail: { destination: '198.18.1.1' } })]), undefined);
  assert.deepEqual(lost('unicast', 'none', [symptom('route', { detail: { destination: '198.18.1.9' } })]), yes);
  for (const kind of ['daemon', 'isis', 'ospf', 'bgp', 'down', 'silent'])
    assert.equal(lost('unicast', 'none', [symptom(kind)]), undefined, kind);
  for (const part of ['link', 'adjacency', 'session'])
    assert.equal(lost('unicast', 'none', [symptom('expected', { detail: { part } })]), undefined, part);
  assert.deepEqual(lost('unicast', 'none', [symptom('expected', { detail: { part: 'mtu' } })]), yes);
});

test('a round trip five ms beyond the expected one, and twice as long or more, is slow', () => {
  const rose = (
    was: number,
    now: number,
    change: { readonly symptoms?: readonly object[]; readonly swapped?: boolean } = {},
  ) => {
    const [from, to] = change.swapped ? ['b', 'a'] : ['a', 'b'];
    const expected = { profile: { roundTrips: [{ from, to, minMs: was }] } } as never;
    const file = fileOf({ links: true, symptoms: change.symptoms ?? [] });
    return roundTripSymptoms(file, expected, { roundTrips: [{ from: 'a', to: 'b', minMs: now }] } as never).map(
      ({ detail }) => detail,
    );
  };
  assert.deepEqual(rose(1, 50), [{ roundTripMs: 50, othersMs: 1, rose: true }]);
  assert.deepEqual(rose(1, 50, { swapped: true }).length, 1);
  assert.deepEqual([rose(1, 6).length, rose(1, 5.9).length], [1, 0]);
  assert.equal(rose(100, 110).length, 0);
  const known = (slowFrom: readonly string[]) =>
    symptom('slow', { link: { key: 'link/a:to-b--b:to-a' }, detail: { slowFrom } });
  assert.deepEqual(
    [rose(1, 50, { symptoms: [known(['a'])] }).length, rose(1, 50, { symptoms: [known([])] }).length],
    [0, 1],
  );
  const none = roundTripSymptoms(
    fileOf({ links: true }),
    { profile: { roundTrips: [] } } as never,
    { roundTrips: [{ from: 'a', to: 'b', minMs: 50 }] } as never,
  );
  assert.deepEqual(none, []);
});
