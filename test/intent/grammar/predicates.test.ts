// What is asked of a subject is its predicate: one that no answer tells refuses.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('a predicate that is no state which an answer tells refuses [TS-7a]', () => {
  allRead([
    ['is eth1 on p2 connected', 'unclear'],
    ['is the link between p2 and p4 connected', 'unclear'],
    ['is jumbo enabled on p2', 'unclear'],
    ['are jumbo frames disabled on p2', 'unclear'],
    ['is jumbo supported on p2', 'unclear'],
    ['is loss expected on p2', 'unclear'],
    ['why is loss expected on p2', 'unclear'],
    ['are errors logged on p2', 'unclear'],
  ]);
});

test('a state that an answer tells is read [TS-7a]', () => {
  allRead([
    ['is eth1 on p2 enabled', 'what is wrong on eth1 of p2'],
    ['is p2 connected', 'reachability from pe1 to p2'],
    ['is loss seen on p2', 'packet loss on p2'],
    ['are packets dropped on p2', 'packet loss on p2'],
    ['is the link between p2 and p4 saturated', 'throughput from p2 to p4'],
  ]);
});

test('what was done is another fact than what is over [TS-7a]', () => {
  allRead([
    ['was p2 rebooted or recovered', 'unclear'],
    ['was p2 changed or fixed', 'unclear'],
    ['is p2 down or recovered', 'what is wrong on p2'],
  ]);
});

test('an interface that is connected, and not to what, refuses however it is said [TS-7a]', () => {
  allRead([
    ['eth1 on p2 connected?', 'unclear'],
    ['has eth1 on p2 been connected', 'unclear'],
    ['does eth1 on p2 have a connection', 'unclear'],
    ['is eth1 on p2 well connected', 'unclear'],
    ['is eth1 on p2 connected to anything', 'unclear'],
    ['what is eth1 on p2 connected to', 'what is connected to eth1 of p2'],
    ['does p2 have jumbo enabled', 'unclear'],
    ['jumbo enabled on p2?', 'unclear'],
  ]);
});

test('that there is much of it, or that it is seen, is named beside the answer [TS-7a]', () => {
  allRead([
    ['is loss detected on p2', 'packet loss on p2; not used: detected'],
    ['is latency elevated on p2', 'delay on p2; not used: elevated'],
    ['is bandwidth exhausted on p2', 'throughput on p2; not used: exhausted'],
    ['p2 is slow, it is frobbed', 'delay on p2; not used: frobbed'],
    ['is loss back on p2', 'packet loss on p2; not used: back'],
    ['is loss weirdly on p2', 'packet loss on p2; not used: weirdly'],
    ['is p2 alone slow', 'delay on p2; not used: alone'],
    ['are errors on p2 mostly', 'errors on p2; not used: mostly'],
    ['is ospf converged on p2', 'OSPF sessions on p2; not used: converged'],
    ['is mtu mismatched between p2 and p4', 'path MTU from p2 to p4; not used: mismatched'],
  ]);
});
