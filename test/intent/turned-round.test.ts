// Sentences that were read the wrong way round, with a word lost, or with a port of a switch as a TCP port: each is refused.
import { test } from 'node:test';
import { readingsIn } from './reading.ts';

const { allRead } = readingsIn({
  here: 'border1',
  nodes: ['border1', 'leaf1', 'pe1', 'pe2'],
  ifnames: ['eth1'],
});
const allUnclear = (questions: readonly string[]) =>
  allRead(questions.map((question) => [question, 'unclear'] as const));

test('a bare port is a TCP port only beside an address that is reached [TS-7a]', () => {
  allUnclear([
    'is 198.51.100.81 on port 3 of leaf1',
    '198.51.100.81 is behind leaf1 port 3',
    '198.51.100.81 hangs on port 5 of leaf1',
    'server 198.51.100.81 in port 5 of leaf1 does not answer',
    'is 198.51.100.81 connected to port 3',
    '198.51.100.81 plugged into port 7 has no link',
    'no link on port 7 for 198.51.100.81',
    'printer 198.51.100.81 on switch port 5 is unreachable',
    '198.51.100.81 is on port 80, is it up',
    '198.51.100.81 on port 5 is unreachable',
    'check port 5 where 198.51.100.81 is',
    'how many connections are on 198.51.100.81 port 22',
    'what is listening on 198.51.100.81 port 22 and is it up',
    'are ports 22-25 open on 198.51.100.81',
    'which port of leaf1 is 198.51.100.81 on',
  ]);
  allRead([
    ['can pe1 reach 198.51.100.81 on port 22', 'reachability from pe1 to 198.51.100.81 TCP port 22'],
    ['can pe1 reach port 3389 of 198.51.100.81', 'reachability from pe1 to 198.51.100.81 TCP port 3389'],
    ['is 198.51.100.81 port 22 open', 'reachability to 198.51.100.81 TCP port 22'],
    ['pe1 -> 198.51.100.81 port 22', 'reachability from pe1 to 198.51.100.81 TCP port 22'],
    ['198.51.100.81 is not reachable from pe1 on port 22', 'reachability from pe1 to 198.51.100.81 TCP port 22'],
    ['which port is 198.51.100.81 on', 'where is 198.51.100.81'],
  ]);
});

test('a port of the one that asks, and one that is not to be open, are refused [TS-7a]', () =>
  allUnclear([
    'host 198.51.100.81 at port 7 cannot reach pe1',
    '198.51.100.81 port 7 cannot reach pe1',
    'pe1 port 2 cannot reach 198.51.100.81',
    'from pe1 port 3 to 198.51.100.81',
    'does pe1 port 22 reach 198.51.100.81',
    'can pe1 reach 198.51.100.81 from port 5060',
    'can pe1 reach 198.51.100.81 from tcp port 5060',
    'pe1 tcp port 22 cannot reach 198.51.100.81',
    'port 22 must not be open on 198.51.100.81',
    'should port 22 be reachable on 198.51.100.81 from pe1',
    '198.19.1.10 should not reach 198.19.2.10',
  ]));

test('that all is well except one complains of that one, and a question leaves it out [TS-7a]', () => {
  allUnclear([
    'everything else works except pe2',
    'everything works except pe2',
    'everything is fine except pe2',
    'all routers are up except pe2',
    'all nodes work except pe2',
    'tout marche sauf pe2',
  ]);
  allRead([
    ['alles läuft außer pe2', 'language'],
    ['is everything fine except pe2', 'what is wrong except pe2'],
    ['how is everything except pe2', 'what is wrong except pe2'],
    ['what is wrong on all nodes except pe2', 'what is wrong except pe2'],
  ]);
});

test('a way from a place without the other end, and timeouts from one, are refused [TS-7a]', () =>
  allUnclear([
    'pe1 cannot get anywhere',
    'pe1 gets nowhere',
    '198.19.1.10 gets nowhere',
    'pe1 cannot get out',
    '198.19.1.10 gets timeouts from 198.19.2.10',
  ]));

test('a bundle, a lost route, "at 15h" and "on purpose" are no part of another question [TS-7a]', () => {
  allUnclear([
    'the port-channel between pe1 and pe2 is down',
    'the bundle on pe1 is down',
    'which member of eth1 is down',
    'a member of the bundle on pe1 is down',
    'pe1 went down at 15h',
    'is pe1 admin down on purpose',
  ]);
  allRead([
    ['did pe1 lose its route to 198.51.100.0/24', 'unsupported'],
    ['pe1 went down 2h ago', 'flaps on pe1 in the last 2 hours'],
  ]);
});
