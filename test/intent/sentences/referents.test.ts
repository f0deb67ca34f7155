// What "it" stands for: one named thing, or the question refuses.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('"it" is the one thing that is named before it, and the answer says its name [TS-7a]', () => {
  allRead([
    ['p2 was down, is it up', 'what is wrong on p2; not used: p2 was down,'],
    ['We rebooted p2. Is it up?', 'what is wrong on p2; not used: We rebooted p2.'],
    ['eth1 on p2 was cut. is it up', 'what is wrong on eth1 of p2; not used: eth1 on p2 was cut.'],
    [
      'the link between p2 and p4 was cut. Is it up?',
      'what is wrong on the link between p2 and p4; not used: the link between p2 and p4 was cut.',
    ],
    ['198.51.100.66 is odd. Where is it plugged in?', 'where is 198.51.100.66; not used: 198.51.100.66 is odd.'],
    ['The BGP session of p2 dropped. Why is it down?', 'BGP sessions on p2'],
    ['p2 - p4 drops packets, when did it start', 'packet loss from p2 to p4 as far back as is remembered'],
    ['We rebooted p2. Can it reach pe3?', 'reachability from p2 to pe3; not used: We rebooted p2.'],
    [
      'My laptop is 198.51.100.7. Can it get to 198.51.100.9?',
      'reachability from 198.51.100.7 to 198.51.100.9; not used: My laptop is 198.51.100.7.',
    ],
    [
      'Strange packets to 198.51.100.66. Which path does leaf1 use to get there?',
      'which path from leaf1 to 198.51.100.66; not used: Strange packets to 198.51.100.66.',
    ],
    ['the traffic from p2 to p4, which way does it go', 'which path from p2 to p4'],
  ]);
});

test('"it" that may be one of two things, or a thing without a name, refuses [TS-7a]', () => {
  allRead([
    ['Everything but p2 is fine. Is it slow?', 'unclear'],
    ['the link to p2 was cut. Is it up?', 'unclear'],
    ['p2 talks to the server. Is it slow?', 'unclear'],
    ['p2 talks to the frobnicator. Is it slow?', 'unclear'],
    ['pe1 cannot see p2, is it down?', 'unclear'],
    ['We rebooted p2. Is it p4?', 'unclear'],
    ['can it reach p2 from leaf1', 'unclear'],
    ['p2 and p4 are slow. is it down?', 'unclear'],
    ['The alarm on p2 is red. Is it slow?', 'unclear'],
    ['The route to p2 vanished. Is it slow?', 'unclear'],
    ['p2 lost its neighbour. Is it up?', 'unclear'],
    ['Traffic goes via p2. Is it slow?', 'unclear'],
    ['the link between p2 and p4 feeds the server. Is it up?', 'unclear'],
    ['p2 has loss, check its interfaces', 'unclear'],
    ['We moved frob7. Is it slow?', 'unclear'],
  ]);
});

test('people who cannot reach something ask from the place that is named [TS-7a]', () => {
  allRead([
    ['they cannot get to 198.51.100.7 from leaf1', 'reachability from leaf1 to 198.51.100.7'],
    ['he cannot reach p2', 'unclear'],
  ]);
});

test('"they" is all that is named before it, and nothing that belongs to a name [TS-7a]', () => {
  allRead([
    ['We rebooted p2 and p4. Are they up?', 'what is wrong on p2 and p4; not used: We rebooted p2 and p4.'],
    ['p2 and p4 dropped packets. Are they up?', 'what is wrong on p2 and p4; not used: p2 and p4 dropped packets.'],
    ['We rebooted p2. Are they up?', 'unclear'],
    ['We rebooted p2. Are its neighbours up?', 'unclear'],
    ['We rebooted p2. Are its routes ok?', 'unclear'],
    ['We rebooted p2. How are they?', 'unclear'],
    ['We rebooted p2 and p4. Are those ok?', 'unclear'],
    ['p2 was down. Are its neighbours up?', 'unclear'],
    [
      'the hosts on leaf1 complain, can they get to 198.51.100.45 port 2049?',
      'reachability from leaf1 to 198.51.100.45 TCP port 2049; not used: hosts',
    ],
  ]);
});

test('"their" of what its own part names is no word of another part [TS-7a]', () => {
  allRead([
    ['except for p2 and p4, who lost their bgp sessions since midnight?', 'BGP sessions except p2 and p4 since 00:00'],
  ]);
});

test('what is had, closed or changed is a thing of its own [TS-7a]', () => {
  allRead([
    ['p2 had a config change. Is it safe?', 'changes on p2; not used: Is it safe?'],
    ['p2 closed the session. is it up?', 'sessions on p2; not used: closed'],
    ['p2 lost its session, is it back', 'sessions on p2; not used: back'],
    ['p2 lost its connection. Is it back?', 'unclear'],
    ['p2 lost its link, is it up?', 'flaps on p2 as far back as is remembered; not used: is it up?'],
    ['p2 changed the route. Is it slow?', 'unclear'],
    ['p2 had an outage. Is it up?', 'what is wrong on p2; not used: p2 had an outage.'],
    ['p2 has a problem. Is it down?', 'what is wrong on p2'],
  ]);
});

test('"it" of a name that is said again, or of a way, is clear [TS-7a]', () => {
  allRead([
    ['p2 is our core router. Is it slow?', 'delay on p2'],
    ['loss p2 -> p4, can you see it', 'packet loss from p2 to p4'],
    ['p2 --> p4, is it lossy', 'packet loss from p2 to p4'],
    ['p2 and p4: is it slow?', 'delay from p2 to p4'],
  ]);
});

test('people who ask from a place do something to another one [TS-7a]', () => {
  allRead([
    ['they cannot reach p4 from p2', 'reachability from p2 to p4'],
    ['he is not reached from p2', 'unclear'],
    ['they do not see errors from p2', 'unclear'],
    ['she gets no answer from p2', 'unclear'],
    ['they cannot get to p4 from p2', 'unclear'],
  ]);
});
