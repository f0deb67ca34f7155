// Everyday words that carry what is asked: each is read, is named in the answer, or refuses. None is dropped because it may also stand beside something.
import { test } from 'node:test';
import { readingsIn } from './reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1', 'leaf2', 'spine1'],
  ifnames: ['eth1', 'eth2', 'swp1'],
  addresses: new Map([['192.0.2.1', 'pe1']]),
});

test('where no other word says what is asked, a word that may say it refuses [TS-7a]', () => {
  allRead([
    ['is p2 full', 'unclear'],
    ['is p2 nice', 'unclear'],
    ['p2 tries', 'unclear'],
    ['is eth1 on p2 in use', 'unclear'],
    ['values on p2', 'unclear'],
    ['where does 203.0.113.0/24 come from', 'unclear'],
    ['is p2 idle', 'unclear'],
    ['is the loss on the full path from pe1 to pe3', 'packet loss from pe1 to pe3'],
    ['customers say p2 drops packets', 'packet loss on p2'],
  ]);
});

test('a line that is full carries no more; before what it is of, "full" says nothing [TS-7a]', () => {
  allRead([
    ['is the line between pe1 and pe3 full?', 'throughput from pe1 to pe3'],
    ['is eth1 full on leaf1', 'throughput on eth1 of leaf1'],
    ['was the link between pe1 and p2 full yesterday', 'throughput from pe1 to p2 yesterday'],
    ['current load on eth1 of p2', 'how much traffic on eth1 of p2'],
    ['which link on the path pe1 pe3 drops packets', 'packet loss from pe1 to pe3'],
    ['pe1 lost connection to pe3', 'reachability from pe1 to pe3 as far back as is remembered'],
    ['full outage on p2', 'what is wrong on p2'],
    ['ospf stuck in full on p2', 'OSPF sessions on p2'],
  ]);
});

test('two questions in one sentence refuse, whichever of them the other would take in [TS-7a]', () => {
  allRead([
    ['reachability and latency of pe3', 'unclear'],
    ['is p2 down and p4 slow', 'unclear'],
    ['p2 is down, pe3 drops packets', 'unclear'],
    ['what changed on p2 and is it down', 'unclear'],
    ['bgp up on p2 but traffic is lost', 'unclear'],
    ['loss on the peer of p2', 'unclear'],
    ['p2 and p4 are down', 'what is wrong on p2 and p4'],
    ['users report loss between leaf1 and leaf2. Please investigate.', 'packet loss from leaf1 to leaf2'],
    ["p2 is slow, what's up with it", 'delay on p2'],
  ]);
});

test('sessions that drop, and what was once, read what is remembered [TS-7a]', () => {
  allRead([
    ['isis p2 p4 keeps dropping', 'IS-IS sessions between p2 and p4 as far back as is remembered'],
    ['bfd keeps timing out between p2 and p4', 'BFD sessions between p2 and p4 as far back as is remembered'],
    ['when did bgp to 192.0.2.9 last reset on p2', 'BGP sessions on p2 with 192.0.2.9 as far back as is remembered'],
    ['how long is bgp up on p2', 'BGP sessions on p2 as far back as is remembered'],
    ['who did the last commit on p2', 'changes on p2 as far back as is remembered'],
    ['when was pe1 last changed', 'changes on pe1 as far back as is remembered'],
    ['who changed pe1', 'changes on pe1'],
    ['pe1 lost packets', 'packet loss on pe1 as far back as is remembered'],
    ['lost packets on pe1', 'packet loss on pe1'],
    ['have we lost packets on pe1', 'packet loss on pe1'],
    ['p2 is never down', 'what is wrong on p2 as far back as is remembered'],
    ['p2 never comes up', 'unclear'],
  ]);
});

test('what tells one kind of what is asked from another is named [TS-7a]', () => {
  allRead([
    ['user sessions on leaf1', 'sessions on leaf1; not used: user'],
    ['route changes on leaf1', 'changes on leaf1; not used: route'],
    ['is pe1 talking to pe3 too much', 'reachability from pe1 to pe3; not used: too much'],
    ['devices on leaf1 swp1', 'what is wrong on swp1 of leaf1; not used: devices'],
    ['wrong cable between pe1 and p2', 'unsupported'],
    ['what is wrong link pe1 p2', 'what is wrong on the link between pe1 and p2'],
    ['packets out of order from pe1 to pe3', 'unsupported'],
  ]);
});

test('what people say beside the question is named, and what they complain of is not [TS-7a]', () => {
  allRead([
    ['loss on p2? customer is angry', 'packet loss on p2; not used: customer is angry'],
    [
      'is p2 down, the caller does not know his port',
      'what is wrong on p2; not used: the caller does not know his port',
    ],
    ['is p2 down, the customer has no link', 'what is wrong on p2'],
    ['the internet is slow on leaf1', 'what is wrong on leaf1; not used: the internet is slow'],
    ['how is the way to the internet from leaf1', 'unsupported'],
    ['ping from pe1 to pe3 is 80 ms', 'delay from pe1 to pe3; not used: 80 ms'],
    ['has nobody changed anything on p2 since monday', 'changes on p2 since monday'],
    ['nobody can reach p2', 'unclear'],
    ['leaf1 is without bgp', 'BGP sessions on leaf1'],
    ['which nodes are without bgp', 'unclear'],
    ['%LINK-3-UPDOWN: Interface eth1, changed state to down on p2', 'flaps on eth1 of p2 as far back as is remembered'],
  ]);
});

test('names, states and times are read as they are said [TS-7a]', () => {
  allRead([
    ['check leaf one for errors', 'errors on leaf1'],
    ['loss between p e one and p e three', 'packet loss from pe1 to pe3'],
    ['bgp idle or active on p2', 'BGP sessions on p2'],
    ['is p2 or not p4 down', 'unclear'],
    ['are all routers reachable', 'what is wrong'],
    ['what happened on p2 between 1 and 2 pm today', 'what is wrong on p2 between 13:00 and 14:00'],
    ['p2 down from 11 to 1 pm', 'what is wrong on p2 between 11:00 and 13:00'],
    ['was pe3 dead from 6 to 7 this morning', 'what is wrong on pe3 between 06:00 and 07:00'],
    ['what happened on p2 at three fifteen this morning', 'what is wrong on p2 at 03:15'],
    ['loss on p2 since 4 in the morning', 'packet loss on p2 since 04:00'],
    ['loss on p2 around 11 at night', 'packet loss on p2 at 23:00'],
    ['p4 was down 09:20-09:40 yesterday', 'what is wrong on p4 between 09:20 and 09:40 yesterday'],
    ['eth1 of p2 up/down all night', 'what is wrong on eth1 of p2 last night'],
    ['errors on p2 at two', 'unclear'],
    ['loss on p2 from 2 to 4', 'unclear'],
  ]);
});

test('a question about sessions may leave nodes out [TS-7a]', () => {
  allRead([
    ['is bgp ok everywhere but on p2', 'BGP sessions except p2'],
    ['except p2 and p4, who lost their bgp sessions since midnight', 'BGP sessions except p2 and p4 since 00:00'],
    ['bgp session pe1 pe3 except p2', 'unclear'],
  ]);
});
