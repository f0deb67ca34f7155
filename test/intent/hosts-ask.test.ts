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

test('which of two addresses asks is read from the words between them, whichever stands first [TS-7a]', () => {
  const forth = 'reachability from 198.19.1.10 to 198.19.2.10';
  allRead([
    ['no reply to 198.19.1.10 from 198.19.2.10', forth],
    ['no answer to 198.19.1.10 from 198.19.2.10', forth],
    ['there is no response for 198.19.1.10 from 198.19.2.10', forth],
    ['no reply from 198.19.2.10 to 198.19.1.10', forth],
    ['no replies to pings from 198.19.1.10 to 198.19.2.10', forth],
    ['198.19.2.10 does not answer pings from 198.19.1.10', forth],
    ['198.19.2.10 is not seen by 198.19.1.10', forth],
    ['from 198.19.1.10, 198.19.2.10 is not reachable', forth],
    ['198.19.2.10 ist von 198.19.1.10 nicht erreichbar', forth],
    ['traffic from 198.19.1.10 never reaches 198.19.2.10', forth],
    ['198.19.1.10 cannot resolve www.example.net from 198.19.2.10', `${forth} resolving www.example.net port 53`],
    ['port 443 of 198.19.2.10 is not reachable from 198.19.1.10', `${forth} port 443`],
    ['198.19.1.10 cannot reach dns server 198.19.2.10', `${forth} port 53`],
    ['198.19.2.10 is not reachable from 198.19.1.10 on port 443', `${forth} port 443`],
    ['packets from 198.19.1.10 are lost on 198.19.2.10', 'packet loss from 198.19.1.10 to 198.19.2.10'],
    ['why is it slow for 198.19.1.10 to reach 198.19.2.10', 'delay from 198.19.1.10 to 198.19.2.10'],
    ['which nodes are between 198.19.1.10 and 198.19.2.10', 'which path from 198.19.1.10 to 198.19.2.10'],
    ['2001:db8:1::10 cannot reach 2001:db8:2::10', 'reachability from 2001:db8:1::10 to 2001:db8:2::10'],
  ]);
});

test('a range of addresses, a link, a move or a translation is no way from one host to another', () =>
  allRead(
    [
      ...[
        'all hosts from A to B are down',
        'hosts between A and B are unreachable',
        'are A to B up',
        'servers A to B are down',
      ],
      ...[
        'which of A to B is up',
        'A to B are unreachable',
        'everything from A to B is down',
        'clients A to B are slow',
      ],
      ...['what is down between A and B', 'A to B do not answer', 'which routers between A and B are down'],
      ...[
        'link from A to B is down',
        'is the link between A and B up',
        'is the tunnel from A to B up',
        'cable from A to B',
      ],
      ...['is the interface from A to B up', 'link from 192.0.2.2 to B is down', 'did A fail over to B'],
      ...['has A failed over to B', 'A took over from B', 'is A reachable as B', 'is A reachable at B', 'A becomes B'],
      ...['hosts behind A cannot reach B', 'the router of A cannot reach B', 'A cannot reach the server behind B'],
      ...['A cannot load from B', 'A resolves www.example.net to B', 'A is available to B', 'A is unreachable to B'],
      ...[
        'reply from A to B is lost',
        'A gets no answer to pings from B',
        'A does not respond from B',
        'A hears nothing from B',
      ],
      ...['ticket from A: B is down', 'A says B is down', 'ping A via B', 'A with router B is slow'],
    ].map((question) => [question.replace(/\bA\b/, '198.19.1.10').replace(/\bB\b/, '198.19.1.20'), 'unclear'] as const),
  ));

test('no other reader makes a question of two addresses of which it is not said which asks', () => {
  const isLeftToOthers = (question: string) => {
    const parsed = parseIntent(question, known);
    return !parsed.ok && parsed.isSentence;
  };
  assert.equal(isLeftToOthers('the router of 198.19.1.10 cannot reach 198.19.2.10'), false);
  assert.equal(isLeftToOthers('198.19.1.10 to 198.19.1.20 are unreachable'), false);
  assert.equal(isLeftToOthers('reachability'), true);
});

test('a port or a service of the one that asks, and a service in a sentence of its own, are refused', () =>
  allRead(
    [
      '198.51.100.10:443 cannot reach 198.19.1.10',
      '198.51.100.10:443 -> 198.19.1.10',
      'from 198.51.100.10:443 to 198.19.1.10',
      'packets from http://198.51.100.10/ do not arrive at 198.19.1.10',
      'port 443 of 198.51.100.10 cannot reach 198.19.1.10',
      '198.51.100.10 port 443 cannot reach 198.19.1.10',
      'web server 198.51.100.10 cannot reach 198.19.1.10',
      '198.19.1.10 cannot reach 198.51.100.7 port 443 from port 5000',
      '198.19.1.10 cannot reach 198.51.100.7, dns is fine',
      '198.19.1.10 cannot reach 198.51.100.7 because dns is down',
    ].map((question) => [question, 'unclear'] as const),
  ));

test('only two hosts of one family ask each other: no unspecified, loopback, multicast or link-local address, and not one twice', () => {
  for (const [from, to] of [
    ['198.19.1.10', '2001:db8:1::10'],
    ['198.19.1.10', '198.19.1.10'],
    ['2001:db8::1', '2001:db8:0::1'],
    ['0.0.0.0', '198.19.2.10'],
    ['127.0.0.1', '198.19.2.10'],
    ['224.0.0.1', '198.19.2.10'],
    ['255.255.255.255', '198.19.2.10'],
    ['fe80::1', '2001:db8::1'],
    ['2001:db8::1', 'ff02::1'],
  ]) {
    allRead([[`${from} cannot reach ${to}`, 'unclear']]);
    const read = parseIntent(`{ kind: reachability, from: "${from}", destination: "${to}" }`);
    assert.match(read.ok ? '' : read.understood, /from: expected a host/, `${from} ${to}`);
  }
});

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

test('an address of IPv6 is kept as nodes write it, in whichever spelling it is given', () =>
  allRead([
    ['2001:DB8:1:0::10 cannot reach 2001:db8:2:0:0:0:0:0010', 'reachability from 2001:db8:1::10 to 2001:db8:2::10'],
    ['Is the web server at FD00:C:2::10 working?', 'reachability to fd00:c:2::10 port 80'],
    ['is [2001:DB8::0:53] reachable', 'reachability to 2001:db8::53'],
  ]));
