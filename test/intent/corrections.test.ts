// Names that correct, contrast or join others, directions, and ends without a name: read as meant, or refused, and never as the other question.
import { test } from 'node:test';
import { readingsIn } from './reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'pe3', 'p2', 'leaf1', 'leaf2', 'h1', 'h2'],
  ifnames: ['eth1', 'eth2'],
});

test('a name that corrects the one before it takes its place, and that one is named as not used [TS-7a]', () => {
  allRead([
    ['check p2 - sorry, pe3', 'what is wrong on pe3; not used: p2'],
    ['what is wrong with p2, i mean pe3', 'what is wrong on pe3; not used: p2'],
    ['why can h1 not reach h2, sorry, pe3', 'reachability from h1 to pe3; not used: h2'],
    ['loss between h1 and h2, i mean from h2 to h1', 'packet loss from h2 to h1'],
    ['check p2, sorry, from h1 to h2', 'unclear'],
    ['loss on p2 and leaf1, sorry, pe3', 'unclear'],
    ['loss on p2, i mean eth1', 'unclear'],
    ['loss between h1 and h2, from h2 to h1', 'unclear'],
    ['sorry, is p2 down', 'what is wrong on p2'],
    ['Why can h1 not reach h2? Sorry, pe3 works', 'unclear'],
    ['Check p2. Wait, pe3 is also down', 'unclear'],
  ]);
});

test('of two names of which one is said to work the other is asked about [TS-7a]', () => {
  allRead([
    ['pe1 reaches 198.51.100.7 but not 198.51.100.8', 'reachability from pe1 to 198.51.100.8; not used: 198.51.100.7'],
    ['h1 can reach h2 but not pe3', 'reachability from h1 to pe3; not used: h2'],
    ['bgp not ospf between p2 and pe3, why down', 'BGP sessions between p2 and pe3; not used: not ospf'],
    ['loss on p2 not pe3', 'unclear'],
    ['h2 has no internet but can ping leaf1', 'unclear'],
  ]);
});

test('what is said of a node to leave it out leaves it out, or refuses [TS-7a]', () => {
  allRead([
    ['what is wrong, and i am not talking about leaf2', 'what is wrong except leaf2'],
    ['what is wrong, not interested in leaf2', 'what is wrong except leaf2'],
    ['errors on p2, i am not asking about pe3', 'unclear'],
    ['what is wrong, i already know about leaf2', 'unclear'],
    ['do we know what is wrong on leaf2', 'what is wrong on leaf2'],
  ]);
});

test('an "or" between nodes asks about both where each has an answer of its own, and refuses elsewhere [TS-7a]', () => {
  allRead([
    ['did anyone change the config on p2 or pe3 today', 'changes on p2 and pe3 today'],
    ['are there errors on p2 or on pe3', 'errors on p2 and pe3'],
    ['is it p2 or pe3 that drops packets', 'unclear'],
    ['can p2 or pe3 reach h1', 'unclear'],
    ['which of p2 or pe3 is down', 'unclear'],
  ]);
});

test('a reply comes from the node that was asked, and a way back needs its ends [TS-7a]', () => {
  allRead([
    ['why does h2 not get any reply from h1', 'reachability from h2 to h1'],
    ['no answer from h1 on h2', 'reachability from h2 to h1'],
    ['packets from h1 do not arrive at h2', 'reachability from h1 to h2'],
    ['hosts behind leaf1 cannot reach h1', 'reachability from leaf1 to h1; not used: hosts'],
    ['the way back from h2 to h1 is slow', 'delay from h2 to h1; not used: back'],
    ['loss between h1 and h2, only the way back', 'unclear'],
    ['loss from h1 to h2, return path', 'unclear'],
    ['loss from h1 to h2 and back', 'packet loss from h1 to h2; not used: and back'],
  ]);
});

test('a word that says where something begins or ends has a name behind it, or refuses [TS-7a]', () => {
  allRead([
    ['loss from customers to p2', 'unclear'],
    ['loss between site a and site b', 'unclear'],
    ['blackhole between p2 and 198.51.100.0/24', 'packet loss from p2 to 198.51.100.0/24'],
    ['drops through p2', 'packet loss on p2'],
    ['ping p2 and pe3', 'unsupported'],
    ['uptime of all nodes', 'unsupported'],
    ['is it p2? loss h1 h2', 'unsupported'],
  ]);
});

test('a qualifier that narrows is named, and a word of two meanings refuses [TS-7a]', () => {
  allRead([
    ['loss on the uplinks of leaf1', 'packet loss on leaf1; not used: uplinks'],
    ['ebgp sessions on p2', 'BGP sessions on p2; not used: ebgp'],
    ['bgp on p2 is up but no prefixes', 'BGP sessions on p2; not used: prefixes'],
    ['who rebooted p2', 'uptime on p2 as far back as is remembered; not used: who'],
    ['lag between leaf1 and p2 has one member down', 'unclear'],
    ['lag between leaf1 and p2', 'delay from leaf1 to p2'],
    ['does the EF traffic between h1 and h2 lose packets', 'unsupported'],
    ['loss on p2 during backups', 'unclear'],
    ['what changed in the 10 minutes before the fault', 'unclear'],
    ['biggest flow on p2', 'unclear'],
    ['help me with p2', 'what is wrong on p2'],
    ['interfaces on p2', 'list interfaces on p2'],
  ]);
});
