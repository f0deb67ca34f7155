// What the protocols themselves say of a fault: refused hellos, NOTIFICATIONs and logs, symptom by symptom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWitness } from '#correlate/corroboration.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import { addressOn, bgpWorld, type Row } from '../faults/bgp/bgp-scene.ts';
import { caseOf, onLink, ringWorld } from '../faults/proposing.ts';
import { pairWorld } from '../pair-scene.ts';

const proposal = (...explains: readonly string[]) =>
  ({
    ...{ fault: 'x', resource: 'node/a', evidence: ['own'], details: { known: 1 } },
    explains: explains.map((symptom) => ({ symptom, lost: 1, spread: 0 })),
  }) as unknown as Proposal;

const rejecting = (a: readonly (string | undefined)[], b: readonly (string | undefined)[] = ['5', '5']) => {
  const at = (ifname: string, rejects: string | undefined) => ({ isis: { circuits: [{ ifname, rejects }] } });
  const node = (ifname: string, [before, after]: readonly (string | undefined)[]) => ({
    ...{ now: at(ifname, after), before: at(ifname, before), after: at(ifname, after) },
  });
  const world = pairWorld(['a-b'], { a: node('to-b', a), b: node('to-a', b) }, { logs: new Map() });
  const symptom = onLink('isis', 'a-b', { id: 'lost', source: ['state'] });
  return withWitness(caseOf([symptom], world), proposal('lost'));
};

test('each end whose counter of refused hellos rose within the window says so', () => {
  const words = (...given: Parameters<typeof rejecting>) => rejecting(...given).details['refusedHellos'];
  assert.deepEqual(words(['5', '7']), ['{a} to-b refused 2 in the window']);
  assert.deepEqual(words(['5', '7'], ['1', '2']), [
    '{a} to-b refused 2 in the window',
    '{b} to-a refused 1 in the window',
  ]);
  for (const [before, after] of [
    ['5', '5'],
    ['7', '5'],
    [undefined, '5'],
    ['5', undefined],
  ])
    assert.equal(words([before, after]), undefined, `${before} ${after}`);
  const { evidence, details } = rejecting(['5', '7']);
  assert.deepEqual([evidence, details['known']], [['own', 'state'], 1]);
  assert.deepEqual(rejecting(['5', '5']), proposal('lost'), 'nothing to say changes nothing');
});

const SENT = { lastError: '0202', lastReset: 'BGP Notification send' };
const notified = (near: object, far?: object) => {
  const rows: readonly Row[] = [
    { from: 'a', to: 'b', ...near },
    ...(far === undefined ? [] : [{ from: 'b', to: 'a', ...far }]),
  ];
  const detail = { node: 'a', peer: addressOn('b', 'a') };
  const symptom = onLink('bgp', 'a-b', { id: 'down', detail });
  const file = caseOf([symptom], bgpWorld(rows, {}, { logs: new Map() }));
  return withWitness(file, proposal('down')).details['notifications'];
};

test('a NOTIFICATION is told by the end that sent it and by the one that received it', () => {
  assert.deepEqual(notified(SENT), ['{a} sent OPEN Message Error, Bad Peer AS']);
  assert.deepEqual(notified({}, { ...SENT, lastReset: 'BGP Notification received' }), [
    '{b} received OPEN Message Error, Bad Peer AS',
  ]);
  assert.deepEqual((notified(SENT, SENT) as readonly string[]).length, 2);
  assert.deepEqual(notified({ ...SENT, lastError: '060a' }), ['{a} sent Cease, BFD Down']);
  assert.equal(notified({ ...SENT, lastError: '0299' }), undefined);
  assert.equal(notified({ ...SENT, lastReset: 'Interface down' }), undefined);
  assert.equal(notified({ ...SENT, state: 'Established' }), undefined);
  assert.equal(notified({ ...SENT, lastError: undefined }), undefined);
});

test('each code of the RFCs has its words', () => {
  const words: Readonly<Record<string, string>> = {
    '0101': 'Message Header Error, Connection Not Synchronized',
    '0201': 'OPEN Message Error, Unsupported Version Number',
    '0203': 'OPEN Message Error, Bad BGP Identifier',
    '0204': 'OPEN Message Error, Unsupported Optional Parameter',
    '0206': 'OPEN Message Error, Unacceptable Hold Time',
    '0207': 'OPEN Message Error, Unsupported Capability',
    '0400': 'Hold Timer Expired',
    '0601': 'Cease, Maximum Number of Prefixes Reached',
    '0602': 'Cease, Administrative Shutdown',
    '0603': 'Cease, Peer De-configured',
    '0604': 'Cease, Administrative Reset',
    '0605': 'Cease, Connection Rejected',
    '0606': 'Cease, Other Configuration Change',
  };
  for (const [lastError, said] of Object.entries(words))
    assert.deepEqual(notified({ ...SENT, lastError }), [`{a} sent ${said}`], lastError);
});

const logged = (kind: string, about: string, symptom: ReturnType<typeof onLink>, node = 'a') => {
  const owners = new Map([['198.18.12.1', [{ node: 'b', ifname: 'to-a' }]]]);
  const logs = new Map([[node, { signs: [{ kind, about, count: 3, lastAgoMs: 6_400 }], source: 'log' }]]);
  const { details, evidence } = withWitness(caseOf([symptom], ringWorld({ logs, owners })), proposal('lost'));
  return [details['logged'], evidence.includes('log')];
};
const NONE = [undefined, false];

test('the log of an end counts for the protocol in question, about its port of the link or an address of the other end', () => {
  const isis = onLink('isis', 'a-b', { id: 'lost' });
  const words = (about: string) => [
    `{a} logged hellos of another area: ${about}, 3 in two minutes, the last 6 s before`,
  ];
  assert.deepEqual(logged('isis-area', 'to-b', isis), [words('to-b'), true]);
  assert.deepEqual(logged('isis-area', '198.18.12.1', isis), [words('198.18.12.1'), true]);
  assert.deepEqual(logged('isis-area', 'to-d', isis), NONE);
  assert.deepEqual(logged('isis-area', '203.0.113.1', isis), NONE);
  assert.deepEqual(logged('ospf-area', 'to-b', isis), NONE);
  assert.deepEqual(logged('isis-area', 'to-b', isis, 'c'), NONE, 'another node');
  const ospf = onLink('ospf', 'a-b', { id: 'lost' });
  assert.equal(logged('ospf-mtu', 'to-b', ospf)[1], true);
  const slow = onLink('slow', 'a-b', { id: 'lost' });
  assert.deepEqual(logged('isis-area', 'to-b', slow), NONE, 'no protocol');
});

test('of BGP it must be that very session', () => {
  const bgp = onLink('bgp', 'a-b', {
    id: 'bgp:a/198.18.12.1+b/198.18.12.0',
    detail: { node: 'a', peer: '198.18.12.1' },
  });
  const of = (about: string) => {
    const logs = new Map([
      ['a', { signs: [{ kind: 'bgp-open-refused', about, count: 1, lastAgoMs: 0 }], source: 'log' }],
    ]);
    return withWitness(caseOf([bgp], ringWorld({ logs })), proposal(bgp.id)).details['logged'] !== undefined;
  };
  assert.deepEqual([of('198.18.12.1'), of('198.18.13.1'), of('to-b')], [true, false, false]);
});
