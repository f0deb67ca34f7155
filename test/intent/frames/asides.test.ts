// What is said beside the question, and is named as not used.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1', 'ospf-peer'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('what people call a thing or a place is named as not used [TS-7a]', () => {
  allRead([
    [
      'can leaf1 reach the SBC 198.51.100.60 on port 5060',
      'reachability from leaf1 to 198.51.100.60 TCP port 5060; not used: SBC',
    ],
    [
      'is there loss between Frankfurt (p2) and Amsterdam (p4)',
      'packet loss from p2 to p4; not used: Frankfurt, Amsterdam',
    ],
    ['which switch is my VM 198.51.100.44 behind?', 'where is 198.51.100.44'],
    ['can leaf1 reach 198.51.100.25 on tcp/25', 'reachability from leaf1 to 198.51.100.25 TCP port 25'],
    ['anything else broken apart from p2', 'what is wrong except p2'],
    ['does p2 cross p4', 'unclear'],
  ]);
});

test('what is set aside before the question has no question of its own [TS-7a]', () => {
  allRead([
    ['never mind p2, how is p4', 'what is wrong on p4; not used: never mind p2'],
    [
      'leave the delay aside, is there jitter between p2 and p4',
      'jitter from p2 to p4; not used: leave the delay aside',
    ],
    ['forget about the loss on p2, is p4 slow', 'delay on p4; not used: forget about the loss on p2'],
    ['never mind p2', 'unclear'],
  ]);
});
