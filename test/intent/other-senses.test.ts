// Words that ask something elsewhere and stand here in another sense: each class refuses, or is read as what it means.
import { test } from 'node:test';
import { readingsIn } from './reading.ts';

const known = {
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth1', 'eth2', 'bond0'],
};

const { allRead } = readingsIn(known);

test('what a name is or does refuses where no word says what is asked of it [TS-7a]', () => {
  allRead([
    ['is p2 a router', 'unclear'],
    ['does p2 exist', 'unclear'],
    ['who uses p2', 'unclear'],
    ['is p2 in the core', 'unclear'],
    ['p2 was pe1', 'unclear'],
    ['is 198.51.100.7 taken', 'unclear'],
    ['is 198.51.100.7 a server', 'unclear'],
    ['what is 198.51.100.7 doing', 'unclear'],
    ['what does 198.51.100.7 do', 'unclear'],
    ['do we need bgp on p2', 'unclear'],
    ['p2?', 'what is wrong on p2'],
    ['please check 198.51.100.7', 'reachability to 198.51.100.7'],
  ]);
});

test('questions about people and their records refuse [TS-7a]', () => {
  allRead([
    ['whose fault was it?', 'unsupported'],
    ['who made p2 slow', 'unsupported'],
    ['whose packets are lost on p2', 'unsupported'],
    ['are the errors on p2 my fault', 'unsupported'],
    ['how many users are slow on p2', 'unsupported'],
    ['the delay of the ticket about p2', 'unsupported'],
    ['status of the order for p2', 'unsupported'],
    ['the capacity of the team on p2', 'unsupported'],
    ["yesterday's ticket on p2", 'unsupported'],
    ['is the contact for p2 reachable', 'unsupported'],
    ['who wants a change on p2', 'unsupported'],
    ['who drops traffic to 198.51.100.0/24', 'packet loss to 198.51.100.0/24'],
    ['who changed p2', 'changes on p2'],
    ['ticket: p2 is slow', 'delay on p2'],
  ]);
});

test('what one thing did to another, and what should be, refuses [TS-7a]', () => {
  allRead([
    ['does p2 cause the delay', 'unsupported'],
    ['is the delay caused by p2', 'unsupported'],
    ['was p2 the problem', 'unsupported'],
    ['p2 took pe1 down', 'unsupported'],
    ['with p2 down is pe1 ok', 'unsupported'],
    ['why should p2 be slow', 'unclear'],
    ['what should the delay between pe1 and p2 be', 'unclear'],
    ['did the change on p2 help', 'unsupported'],
    ['did the path from pe1 to pe3 change', 'unclear'],
    ['what caused the loss on p2', 'packet loss on p2'],
    ['p2 should be up', 'what is wrong on p2'],
  ]);
});

test('a verb with another object, and an order, refuse [TS-7a]', () => {
  allRead([
    ['p2 lost a member of bond0', 'unclear'],
    ['p2 lost one of its links', 'unclear'],
    ['loss of light on p2', 'unclear'],
    ['p2 lost packets', 'packet loss on p2 as far back as is remembered'],
    ['we lost p2', 'what is wrong on p2 as far back as is remembered'],
    ['p2 failed the audit', 'unclear'],
    ['look p2 up', 'unclear'],
    ['drop p2', 'unclear'],
    ['drops p2', 'packet loss on p2'],
    ['give 198.51.100.46 a static dhcp lease', 'unclear'],
    ['take 198.51.100.7 off leaf1', 'unclear'],
    ['exchange p2', 'unclear'],
    ['is p2 configured', 'unsupported'],
  ]);
});

test('what is said to be well, and two nodes of which one is, ask nothing [TS-7a]', () => {
  allRead([
    ['pe3 is not slow any more', 'unclear'],
    ['p2 no longer flaps', 'unclear'],
    ["leaf1 works, p2 doesn't", 'unclear'],
    ['pe1 down, p2 up', 'unclear'],
    ['pe1 has loss, p2 has none', 'unclear'],
    ['p2 is slow, check p4', 'unclear'],
    ['p2 is slow and p4 too', 'unclear'],
    ['when did you check p2', 'unclear'],
    ['what works on p2', 'unclear'],
    ['is p2 not slow any more', 'delay on p2'],
    ['pe1 down, p2 down', 'what is wrong on pe1 and p2'],
  ]);
});

test('measures and comparisons that no answer tells refuse [TS-7a]', () => {
  allRead([
    ['flaps on p2 within an hour of each other', 'unclear'],
    ['changes on p2 for next monday', 'unclear'],
    ['is p2 as slow as pe3', 'unclear'],
    ['p2 loses as many packets as pe3', 'unclear'],
    ['is leaf1 down to one link', 'unclear'],
    ['is leaf1 up to date', 'unclear'],
    ['is eth1 on p2 quiet', 'unclear'],
    ['how long is the cable from p2', 'unclear'],
    ['how much delay is ok between pe1 and pe3', 'unclear'],
    ['how many of the links of p2 are down', 'unsupported'],
    ['what kind of traffic is on eth1 of p2', 'unsupported'],
    ['what is the subnet between pe1 and p2', 'unclear'],
    [
      'how many ms is it from leaf1 to 198.51.100.52, the app people say 80',
      'delay from leaf1 to 198.51.100.52; not used: the app people say 80',
    ],
    ['443 pe1 to 198.51.100.7', 'reachability from pe1 to 198.51.100.7 port 443'],
  ]);
});

test('a path to an address, an uptime and the other end of a port are read [TS-7a]', () => {
  allRead([
    ['path leaf1 -> 203.0.113.77', 'which path from leaf1 to 203.0.113.77'],
    ['please explain how p2 reaches pe3', 'which path from p2 to pe3'],
    ['since how long is p2 running', 'uptime on p2'],
    ['since how long is p2 down', 'what is wrong on p2 as far back as is remembered'],
    ["who's on the other end of bond0 on leaf1", 'show neighbours on bond0 of leaf1'],
  ]);
});
