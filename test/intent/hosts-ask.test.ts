// Questions in which a host asks: its address is kept, whichever way round the sentence says it, and nothing else is taken for a way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { readingsIn } from './reading.ts';

const known = {
  here: 'pe1',
  nodes: ['pe1', 'pe2', 'pe3'],
  addresses: new Map([['192.0.2.2', 'pe2']]),
};
const { allRead } = readingsIn(known);

test('of two addresses the one that asks may be of no node, and the words say which it is [TS-7a]', () =>
  allRead([
    ['Why can 198.19.17.10 not reach 198.19.33.10?', 'reachability from 198.19.17.10 to 198.19.33.10'],
    ['Why does 198.19.33.10 not answer 198.19.17.10?', 'reachability from 198.19.17.10 to 198.19.33.10'],
    ['198.19.17.10 gets no reply from 198.19.33.10', 'reachability from 198.19.17.10 to 198.19.33.10'],
    ['ping 198.19.2.10 from 198.19.1.10', 'reachability from 198.19.1.10 to 198.19.2.10'],
    ['198.19.1.10 to 198.19.2.10 is slow', 'delay from 198.19.1.10 to 198.19.2.10'],
    ['198.19.1.10 -> 198.19.2.10 loses packets', 'packet loss from 198.19.1.10 to 198.19.2.10'],
    ['http://198.51.100.10/ does not load from 198.19.1.10', 'reachability from 198.19.1.10 to 198.51.100.10 port 80'],
    [
      'host h1 (198.19.1.10) cannot open 198.51.100.10:443',
      'reachability from 198.19.1.10 to 198.51.100.10 port 443; not used: h1',
    ],
    [
      '198.19.1.10 cannot resolve www.example.net at 198.51.100.53',
      'reachability from 198.19.1.10 to 198.51.100.53 resolving www.example.net port 53',
    ],
    ['which path from 198.19.1.10 to 198.19.2.10', 'which path from 198.19.1.10 to 198.19.2.10'],
    [
      '198.19.1.10 behind pe1 eth3 cannot reach 198.19.2.10',
      'reachability from 198.19.1.10 (behind pe1 eth3) to 198.19.2.10',
    ],
    ['is 198.19.1.10 up?', 'reachability to 198.19.1.10'],
    ['198.19.1.10 is slow', 'delay to 198.19.1.10'],
    ['192.0.2.2 gets no reply from 198.51.100.7', 'reachability from pe2 to 198.51.100.7'],
  ]));

test('two addresses without a word of a way between them, or with a name that has no place, are refused', () =>
  allRead(
    [
      '198.19.1.10 and 198.19.2.10 are down',
      '198.19.1.10 is unreachable, 198.19.2.10 too',
      '198.19.1.10 gets its address from 198.19.1.1',
      '198.19.1.0/24 cannot reach 198.51.100.7',
      'why can 198.19.17.10 not reach 198.19.33.10 behind pe3',
      'can 198.19.1.10 reach 198.19.2.10 and pe3',
      'host pe2 198.19.1.10 cannot reach 198.19.2.10',
      '198.19.1.10 behind pe1 cannot reach 198.19.2.10 on pe3',
      'bgp session from 198.19.1.10 to 198.19.2.10 is down',
    ].map((question) => [question, 'unclear'] as const),
  ));

test('a structure may name the host, and refuses a host without a destination, a prefix and two nodes', () => {
  const read = (members: string) => parseIntent(`{ kind: reachability, ${members} }`);
  const parsed = read('from: 198.19.1.10, nodes: [PE-1], destination: 198.19.2.10');
  assert.deepEqual(parsed.ok && [parsed.intent.fromHost, parsed.intent.path.map(({ key }) => key)], [
    { address: '198.19.1.10' },
    ['pe1'],
  ]);
  for (const members of [
    'from: 198.19.1.10, nodes: [PE-1, PE-3]',
    'from: 198.19.1.0/24, destination: 198.19.2.10',
    'from: 198.19.1.10, nodes: [PE-1, PE-3], destination: 198.19.2.10',
  ]) {
    const refused = read(members);
    assert.match(refused.ok ? '' : refused.understood, /from: expected/, members);
  }
});
