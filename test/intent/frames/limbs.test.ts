// Two parts of a sentence that are one question: an "or" that opens no other, a protocol fused with its session, times of two parts.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1', 'ospf-peer'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('an "or" that doubts the question, or is its other outcome, opens no second one [TS-7a]', () => {
  allRead([
    ['is there loss on p2 or am I imagining it', 'packet loss on p2; not used: or am i imagining it'],
    ['are there errors on p2, or is the tool wrong', 'errors on p2; not used: or is the tool wrong'],
    ['does p2 still reach p4, or no longer', 'reachability from p2 to p4; not used: or no longer'],
    ['is eth1 of p2 down, or well again', 'what is wrong on eth1 of p2; not used: or well again'],
    ['is p2 down or is there loss', 'unclear'],
    ['why is there loss on p2, or no longer', 'unclear'],
    ['is p2 down or p4 well again', 'unclear'],
    ['does p2 flap or does the vendor pay', 'unclear'],
  ]);
});

test('a protocol that is fused with the noun of its session says both [TS-7a]', () => {
  allRead([
    ['is the BGP-peer 198.51.100.63 of p2 up', 'BGP sessions on p2 with 198.51.100.63'],
    ['any OSPF-neighbours down on p2', 'OSPF sessions on p2'],
    ['isis-adjacency p2 p4', 'IS-IS sessions between p2 and p4'],
    ['is ospf-peer slow', 'delay on ospf-peer'],
  ]);
});

test('a word for the whole of a day and the day are one time, and so are an event and its time of day [TS-7a]', () => {
  allRead([
    ['did eth1 of p2 flap the entire day on monday', 'flaps on eth1 of p2 on monday'],
    ['was there loss on p2 all morning today', 'packet loss on p2 this morning'],
    ['was there loss on p2 all day yesterday', 'packet loss on p2 yesterday'],
    ['was there loss on p2 yesterday all day', 'packet loss on p2 yesterday'],
    [
      'is there loss on p2 since the rack was moved at 09:30',
      'packet loss on p2 since 09:30; not used: the rack was moved',
    ],
    [
      'did the session between p2 and p4 drop since the cable was swapped at 10:15',
      'sessions between p2 and p4 since 10:15; not used: the cable was swapped',
    ],
    ['is there loss on p2 since p4 was moved at 09:30', 'unclear'],
  ]);
});
