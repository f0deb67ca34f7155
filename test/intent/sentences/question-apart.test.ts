// A question in a part of its own, beside parts that tell a story: the question is answered, and the story is named as not used. What could belong
// to the question is no story.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('a story beside a question is named as not used [TS-7a]', () => {
  allRead([
    ['The rack was moved. Is there loss on p2?', 'packet loss on p2; not used: The rack was moved.'],
    [
      "phones don't register, does 198.51.100.60 answer leaf1 at all?",
      "reachability from leaf1 to 198.51.100.60; not used: phones don't register,",
    ],
    ['We changed the cable. Is p2 up?', 'what is wrong on p2; not used: We changed the cable.'],
    ["did anybody change something on leaf1? I swear it wasn't me", "changes on leaf1; not used: I swear it wasn't me"],
    [
      '10 packets transmitted, 7 received. is there loss between leaf1 and pe3?',
      'packet loss from leaf1 to pe3; not used: 10 packets transmitted,, 7 received.',
    ],
  ]);
});

test('"it" stands for the one name before it [TS-7a]', () => {
  allRead([
    [
      'Someone pulled eth1 on leaf1. How often did it go down?',
      'flaps on eth1 of leaf1 as far back as is remembered; not used: Someone pulled eth1 on leaf1.',
    ],
    ['We pulled eth1 on leaf1 and eth0 on p2. How often did it go down?', 'unclear'],
  ]);
});

test('what could belong to the question is no story [TS-7a]', () => {
  allRead([
    ['The rack of p4 was moved. Is there loss on p2?', 'unclear'],
    ['The rack was moved on Tuesday. Does p2 have errors?', 'unclear'],
    ['We are interested in yesterday. Is there loss on p2?', 'unclear'],
    ['The tunnel from p2 was rebuilt. Is it up?', 'unclear'],
    ['We bought a switch like p2. Is it down?', 'unclear'],
    ['Is p2 down? Scratch that.', 'unclear'],
    ['Not p2. Is it slow?', 'unclear'],
    ['We no longer use p2. Is it down?', 'unclear'],
    ['Is p2 slow? For voice I mean.', 'unclear'],
    ['It only happens at night. Is there loss on p2?', 'unclear'],
    ['That was before the reboot. Is there loss on p2?', 'unclear'],
    ['is p2 slow or is the config wrong', 'unclear'],
    ['We frobbed it on Tuesday, badly, twice. Is there loss on p2?', 'unclear'],
    ['We only frob BGP. Is p2 ok?', 'unclear'],
    ['Frob the thing unless it rains. Is p2 down?', 'unclear'],
    ['How is the frob? Is p2 down?', 'unclear'],
    ['We frobbed it since Tuesday. Is p2 frobless?', 'unclear'],
    ['VLAN 10: is there loss on p2?', 'unsupported'],
    ['Is p2 frob? I mean its sessions.', 'unclear'],
    ['198.51.100.81 is on port 80, is it up', 'unclear'],
  ]);
});

test('what a script writes is read as the words that it stands for [TS-7a]', () => {
  allRead([
    ['loss;src=p2;dst=pe3;last=15m', 'packet loss from p2 to pe3 in the last 15 minutes'],
    ['delay{from="p2",to="pe3"}', 'delay from p2 to pe3'],
    ['flap.count node=p2 if=eth0', 'flaps on eth0 of p2 as far back as is remembered'],
    ['bgp peer=192.0.2.41 state', 'BGP sessions with 192.0.2.41'],
    ['loss src=p2 dst=pe3 size=9000', 'unclear'],
    ['sessions state!="Established"', 'unclear'],
  ]);
});
