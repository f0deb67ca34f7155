// Parts of the proof of health over worlds that hold only what a part reads: what a question names, echoes, plain links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Proof } from '#correlate/engine/facts.ts';
import { askedProof } from '#correlate/health/proof-asked.ts';
import { plainLinkProof } from '#correlate/health/proof-links.ts';
import { lossyReaches, reachProof } from '#correlate/health/proof-reach.ts';
import type { World } from '#correlate/network/world.ts';
import { isLossy } from '#correlate/symptoms/unanswered-echoes.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const intentOf = (change: Partial<Intent> = {}, ...path: readonly string[]): Intent => ({
  ...{ kind: 'fault', text: 'What is wrong?', path: path.map((as) => ({ as, key: nodeKey(as) })), encapsulation: 'ip' },
  ...change,
});
/** How many lines say that all is well, and what is said to lack, names as in the question. */
const told = ({ proven, lacking }: Proof) => [
  proven.length,
  lacking.map((line) => line.replace(/[^\x20-\x7e→–]/g, '')),
];
const states = { a: { now: {} }, b: { now: {} }, c: { now: {} } };
const worldOf = (more: object = {}, change: Parameters<typeof pairWorld>[1] = {}) =>
  pairWorld(['a-b', 'b-c'], { ...states, ...change }, more);
const asked = (intent: Intent, world: World) => told(askedProof(intent, world, []));
const isWell = ([proven, lacking]: readonly unknown[]) =>
  (lacking as readonly string[]).length === 0 && Number(proven) > 0;

const port = (change: object = {}) => ({
  now: {
    inventory: {
      interfaces: [{ name: 'to-b', kind: 'physical', adminUp: true, operUp: true, addresses: [], ...change }],
    },
  },
});

test('an interface that is asked about is there, up, and measured by a link or a host', () => {
  const about = (change: object, more: object = {}, ifname = 'to-b') =>
    asked(intentOf({ ifname }, 'a'), worldOf(more, { a: port(change) }));
  assert.equal(isWell(about({})), true);
  assert.match(String(about({ adminUp: false })), /is shut down/);
  assert.match(String(about({ operUp: false })), /is down/);
  assert.match(String(about({}, {}, 'eth9')), /no interface eth9 is there/);
  const alone = (change: object, macs: readonly string[] = []) =>
    about(
      { name: 'eth5', ...change },
      { hosts: [{ node: 'a', ifname: 'eth5', answers: [{ address: '198.19.1.10', macs }] }] },
      'eth5',
    );
  assert.match(String(alone({})), /no known node behind it could be asked/);
  assert.equal(isWell(alone({}, ['02:00:00:00:00:01'])), true);
  assert.equal(isWell(alone({ kind: 'loopback' })), true);
});

test('a link that is asked about is known, whichever end is named first', () => {
  const between = (...path: readonly string[]) => asked(intentOf({ kind: 'interface-fault' }, ...path), worldOf());
  assert.deepEqual(
    [between('a', 'b'), between('b', 'a')],
    [
      [0, []],
      [0, []],
    ],
  );
  assert.match(String(between('a', 'c')), /no link between .* is known/);
  assert.deepEqual(between('a'), [0, []]);
});

const owners = new Map([
  ['198.18.9.1', [{ node: 'a', ifname: 'lo' }]],
  ['198.18.9.3', [{ node: 'c', ifname: 'lo' }]],
]);
const reachOf = (from: string, destination: string, received: number, sent = 3) => ({
  from,
  destination,
  sent,
  received,
  source: 'r',
});

test('two nodes reach each other when probes of each came back from the other', () => {
  const between = (...reach: readonly object[]) =>
    askedProof(intentOf({ kind: 'reachability' }, 'a', 'c'), worldOf({ owners, reach }), []).lacking.length;
  assert.equal(between(reachOf('a', '198.18.9.3', 3), reachOf('c', '198.18.9.1', 1)), 0);
  assert.equal(between(reachOf('a', '198.18.9.3', 3)), 1);
  assert.equal(between(reachOf('a', '198.18.9.3', 3), reachOf('c', '198.18.9.1', 0)), 1);
  assert.equal(between(reachOf('a', '198.18.9.1', 3), reachOf('c', '198.18.9.3', 3)), 2);
  assert.equal(between(), 2);
  assert.equal(askedProof(intentOf({ kind: 'reachability' }, 'a'), worldOf({ owners }), []).lacking.length, 0);
});

test('an address is reached when echoes or tries of the asking node came back, all of them', () => {
  const to = (destination: string, more: object) =>
    asked(intentOf({ kind: 'reachability', destination }, 'a'), worldOf({ owners, ...more }));
  assert.equal(isWell(to('198.18.9.3', { reach: [reachOf('a', '198.18.9.3', 3)] })), true);
  assert.match(
    String(to('198.18.9.3', { reach: [reachOf('a', '198.18.9.3', 2)] })),
    /nothing came back from 198\.18\.9\.3$/,
  );
  assert.equal(isWell(to('198.18.9.1', {})), true, 'its own');
  assert.match(String(to('198.18.9.7', {})), /no probe was sent to 198\.18\.9\.7, which no agent has/);
  const tries = (...rows: readonly object[]) => to('198.18.9.3', { serviceProbes: rows });
  const row = { from: 'a', destination: '198.18.9.3', answered: true };
  assert.equal(isWell(tries(row)), true);
  assert.equal(isWell(tries(row, { ...row, answered: false })), false);
  assert.equal(isWell(tries({ ...row, from: 'b' })), false);
  assert.equal(isWell(tries({ ...row, destination: '198.18.9.4' })), false);
  assert.equal(isWell(tries({ ...row, via: { mac: 'x' } })), false);
});

test('of a host that answers the proof says that the last leg was not tested in full size', () => {
  const proven = (destination: string) => {
    const serviceProbes = [{ from: 'a', destination, answered: true }];
    const intent = intentOf({ kind: 'reachability', destination }, 'a');
    return askedProof(intent, worldOf({ owners, serviceProbes }), []).proven;
  };
  assert.deepEqual(proven('198.18.9.7'), [
    '{a}: 198.18.9.7 answers',
    'not tested: full-size packets to 198.18.9.7, as a host is sent small ones alone',
  ]);
  assert.deepEqual(proven('198.18.9.3'), ['{a}: 198.18.9.3 answers'], 'an address of a node');
});

test('of a whole network the addresses that nodes have in it are reached, and its hosts are not tested', () => {
  const to = (destination: string, ...reach: readonly object[]) =>
    asked(intentOf({ kind: 'reachability', destination }, 'b'), worldOf({ owners, reach }));
  assert.deepEqual(to('198.18.9.0/24', reachOf('b', '198.18.9.3', 3), reachOf('b', '198.18.9.1', 3)), [3, []]);
  assert.equal(to('198.18.9.3/32', reachOf('b', '198.18.9.3', 3))[0], 1);
  assert.match(String(to('198.18.7.0/24')), /no probe was sent/);
});

test('who throws packets away, refuses them, or has no way for them is named', () => {
  const ends = (kind: string, at: Record<string, object> = {}) => {
    const lookups = new Map([['a', new Map([['198.18.9.3', { destination: '198.18.9.3', kind, ...at }]])]]);
    return String(
      askedProof(intentOf({ kind: 'reachability', destination: '198.18.9.3' }, 'a'), worldOf({ owners, lookups }), [])
        .lacking[0],
    );
  };
  assert.match(ends('none'), /has no route to 198\.18\.9\.3$/);
  assert.match(ends('blackhole'), /throws away what is for 198\.18\.9\.3$/);
  assert.match(ends('unreachable'), /refuses what is for/);
  assert.match(ends('local'), /takes for its own what is for/);
  assert.match(ends('unicast'), /no probe was sent/);
});

test('a service that is to be there has served somebody, with the name where one is asked for', () => {
  const service = { name: 'dns', address: '198.19.3.10', port: 53 };
  const row = { destination: '198.19.3.10', port: 53, open: true, record: 'a.example', found: true };
  const about = (change: object, probe: object) =>
    isWell(asked(intentOf(), worldOf({ service: { ...service, ...change }, serviceProbes: [{ ...row, ...probe }] })));
  assert.equal(about({}, {}), true);
  assert.equal(about({ record: 'a.example' }, {}), true);
  for (const probe of [{ destination: '198.19.3.11' }, { port: 54 }, { open: false }])
    assert.equal(about({}, probe), false);
  for (const probe of [{ record: 'b.example' }, { found: false }])
    assert.deepEqual([about({ record: 'a.example' }, probe), about({}, probe)], [false, true]);
});

const bgp = (peer: string, state: string) => ({ bgp: { sessions: [{ peer, state }] } });

test('a neighbour that is asked about is known and up, by address, name or protocol', () => {
  const about = (intent: Partial<Intent>, now: object, ...path: readonly string[]) =>
    asked(intentOf({ kind: 'neighbour-down', ...intent }, ...path), worldOf({ owners }, { a: { now } }));
  assert.equal(isWell(about({ neighbour: '198.18.9.3' }, bgp('198.18.9.3', 'Established'), 'a')), true);
  assert.match(
    String(about({ neighbour: '198.18.9.3' }, bgp('198.18.9.3', 'Active'), 'a')),
    /BGP neighbour 198\.18\.9\.3 is Active/,
  );
  assert.equal(isWell(about({ neighbour: 'C' }, bgp('198.18.9.3', 'Established'), 'a')), true, 'whose address it is');
  assert.match(
    String(about({ neighbour: 'b' }, bgp('198.18.9.3', 'Established'), 'a')),
    /no routing neighbour b is known/,
  );
  assert.match(
    String(about({ neighbour: 'c', protocol: 'ospf' }, bgp('198.18.9.3', 'Established'), 'a')),
    /no OSPF neighbour c is known/,
  );
  const isis = (state: string) => ({ adjacencies: [{ ifname: 'to-b', systemId: '0000.0000.0002', state }] });
  assert.equal(isWell(about({ protocol: 'isis' }, isis('up'), 'a', 'b')), true, 'who is behind the link');
  assert.equal(isWell(about({ protocol: 'isis' }, isis('initializing'), 'a', 'b')), false);
  assert.equal(isWell(about({ neighbour: '0000.0000.0002' }, isis('up'), 'a')), true);
  const ospf = (state: string) => ({
    ospf: [{ ifname: 'to-b', neighbours: [{ routerId: '198.18.255.2', address: '198.18.1.1', state }] }],
  });
  for (const [state, isUp] of [
    ['Full', true],
    ['2-Way', true],
    ['full/DR', true],
    ['ExStart', false],
    ['Not Full', false],
  ] as const)
    assert.equal(isWell(about({ neighbour: '198.18.255.2' }, ospf(state), 'a')), isUp, state);
  const bfd = (status: string) => ({ bfd: [{ peer: '198.18.1.1', ifname: 'to-b', status }] });
  assert.deepEqual(
    [
      isWell(about({ neighbour: 'b', protocol: 'bfd' }, bfd('up'), 'a')),
      isWell(about({ neighbour: 'b' }, bfd('down'), 'a')),
    ],
    [true, false],
  );
});

test('the other end of what is asked about may know of it as well', () => {
  const isis = { adjacencies: [{ ifname: 'to-b', systemId: '0000.0000.0002', state: 'up' }] };
  const about = (...path: readonly string[]) =>
    isWell(asked(intentOf({ kind: 'neighbour-down' }, ...path), worldOf({}, { a: { now: isis } })));
  assert.deepEqual([about('a', 'b'), about('b', 'a'), about('c', 'a')], [true, true, false]);
  const anybody = askedProof(
    intentOf({ kind: 'neighbour-down', neighbour: 'b' }),
    worldOf({}, { a: { now: isis } }),
    [],
  );
  assert.equal(anybody.lacking.length, 0);
});

test('echoes that did not come back are lost, unless a second look lost no more than a stray', () => {
  const row = (received: number, again?: readonly [number, number]) =>
    isLossy({
      ...reachOf('a', '198.18.9.3', received, 100),
      rttMs: null,
      ...(again && { again: { sent: again[0], received: again[1] } }),
    });
  assert.deepEqual([row(100), row(99), row(99, [100, 98]), row(99, [100, 97])], [false, true, false, true]);
  assert.equal(row(0, [100, 100]), true, 'nothing at all came back');
});

test('an address to which no node but its owner has a route is nobody else’s loss', () => {
  const answer = (change: object) => new Map([['198.18.9.3', { destination: '198.18.9.3', kind: 'none', ...change }]]);
  const lost = (received: number, lookups: readonly (readonly [string, object])[]) =>
    lossyReaches(worldOf({ owners, reach: [reachOf('a', '198.18.9.3', received)], lookups: new Map(lookups as never) }))
      .length;
  assert.equal(lost(0, [['a', answer({})]]), 0);
  assert.equal(lost(1, [['a', answer({})]]), 1, 'some came back');
  assert.equal(lost(0, []), 1, 'nobody was asked for the way');
  assert.equal(
    lost(0, [
      ['a', answer({})],
      ['b', answer({ kind: 'unicast' })],
    ]),
    1,
  );
  assert.equal(
    lost(0, [
      ['a', answer({})],
      ['b', answer({ kind: 'unicast', matched: 'default' })],
    ]),
    0,
  );
  assert.equal(
    lost(0, [
      ['a', answer({})],
      ['b', answer({ kind: 'unicast', segments: ['fd00::1'] })],
    ]),
    0,
  );
  assert.equal(
    lost(0, [
      ['a', answer({})],
      ['c', answer({ kind: 'unicast' })],
    ]),
    0,
    'the owner’s own',
  );
  assert.equal(
    lost(0, [
      ['a', answer({ segments: ['fd00::1'], kind: 'unicast' })],
      ['b', answer({ kind: 'unicast' })],
    ]),
    0,
  );
});

test('what came back is added up for each node; strays and losses are told with their way', () => {
  const lookups = new Map([
    ['a', new Map([['198.18.9.3', { destination: '198.18.9.3', kind: 'unicast', ifname: 'to-b' }]])],
    ['b', new Map([['198.18.9.3', { destination: '198.18.9.3', kind: 'unicast', ifname: 'to-c' }]])],
  ]);
  const proof = (...reach: readonly object[]) => reachProof(worldOf({ owners, lookups, reach }), []);
  const well = proof(reachOf('a', '198.18.9.3', 3), reachOf('a', '198.18.9.1', 2, 2), reachOf('b', '198.18.9.1', 3));
  assert.equal(well.proven.length, 2);
  assert.match(well.proven[0]!, /5 of 5 probes to 2 addresses of others came back$/);
  const stray = proof({ ...reachOf('a', '198.18.9.3', 99, 100), again: { sent: 50, received: 50 } });
  assert.match(stray.proven[0]!, /99 of 100 probes to 1 .* came back; 1 lost is a stray, not seen again$/);
  const turnedAway = proof(reachOf('a', '198.18.9.3', 0, 0), reachOf('a', '198.18.9.1', 3));
  assert.match(turnedAway.proven.join(), /3 of 3 probes to 1 addresses of others came back$/);
  assert.match(turnedAway.lacking[0]!, /→ 198\.18\.9\.3: not measured, the session table of its reflector is full/);
  const lost = proof(reachOf('a', '198.18.9.3', 1));
  assert.match(lost.lacking[0]!, /2 of 3 probes from end to end did not come back; not looked at again$/);
  assert.match(lost.lacking[0]!, /→ 198\.18\.9\.3 of .*c.* over [^,]*b[^,]*: /);
  const twice = proof({ ...reachOf('a', '198.18.9.3', 1), again: { sent: 9, received: 1 } });
  assert.match(twice.lacking[0]!, /2 of 3 probes from end to end did not come back$/);
});

test('a link without IPv6 is proven by a hundred probes to the other end of it', () => {
  const plain = (change: object = {}) => {
    const link = linkOf('a-b');
    return { ...link, link: { ...link.link, addresses: { from: '198.18.1.0', to: '198.18.1.1' }, ...change } };
  };
  const far = new Map([['198.18.1.1', [{ node: 'b', ifname: 'to-a' }]]]);
  const proof = (sent: number, received: number, link: object = plain(), more: object = {}) =>
    told(
      plainLinkProof(
        worldOf({ links: [link], owners: far, reach: [reachOf('a', '198.18.1.1', received, sent)], ...more }),
      ),
    );
  assert.deepEqual(
    [proof(100, 100), proof(100, 0)],
    [
      [1, []],
      [1, []],
    ],
    'what is lost is told from end to end',
  );
  assert.match(String(proof(99, 99)), /^0,.*no probe crossed it in numbers that prove anything/);
  const wire = (from: object, to: object, packets: number) => ({
    ...{ subject: 'interface/a/to-b', predicate: 'wire', source: [] },
    value: {
      from,
      to,
      comparable: true,
      txPackets: packets,
      rxPackets: packets,
      lostAtLeast: 0,
      lostAtMost: 0,
      estimate: 0,
    },
  });
  const { from, to } = plain();
  const counted = (packets: number) => {
    const facts = [wire(from, to, packets), wire(to, from, 20)] as unknown as readonly Fact[];
    return told(plainLinkProof(worldOf({ links: [plain()], owners: far, reach: [] }), facts));
  };
  assert.deepEqual(counted(100), [1, []], 'both ends counted as many packets');
  assert.equal(counted(99)[0], 0);
  assert.deepEqual(proof(99, 99, plain({ pointToPoint: false })), [0, []]);
  assert.deepEqual(proof(99, 99, plain({ addresses: { from: 'fd00::1', to: 'fd00::2' } })), [0, []]);
  const twins = new Map([
    [
      '198.18.1.1',
      [
        { node: 'b', ifname: 'to-a' },
        { node: 'c', ifname: 'lo' },
      ],
    ],
  ]);
  assert.equal(proof(100, 100, plain(), { owners: twins })[0], 0, 'nobody knows who answered');
  const elsewhere = new Map([['198.18.1.1', [{ node: 'b', ifname: 'lo' }]]]);
  assert.equal(proof(100, 100, plain(), { owners: elsewhere })[0], 0, 'it may have gone another way');
});
