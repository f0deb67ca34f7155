// A negation, an exception, a direction, a time, a number, a class or a name that has no place in a question refuses it, or is named in the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from '#intent/time/span.ts';
import { readingsIn } from './reading.ts';

const known = {
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3'],
  ifnames: ['eth1', 'eth2'],
  addresses: new Map([['192.0.2.2', 'p2']]),
};

const { allRead } = readingsIn(known);

test('a "not" before a name, a place or a way refuses [TS-7a]', () => {
  allRead([
    ['is there loss from pe1 to pe3 not via p2', 'unclear'],
    ['loss between pe1 and pe3 but never through p2', 'unclear'],
    ['bgp from pe1 not to pe3', 'unclear'],
    ['packet loss on all links, not p2', 'unclear'],
    ['what is wrong with pe1 but not with p2', 'unclear'],
    ['it is not p2, check pe3', 'unclear'],
    ["the problem isn't p2, look at pe1", 'unclear'],
    ['who is not a neighbour of p2', 'unclear'],
    ["any packet loss? don't look at p2", 'unclear'],
    ['flaps on pe1 not today', 'unclear'],
    ['nothing but p2 is broken', 'unclear'],
    ['is everything ok but p2', 'unclear'],
  ]);
});

test('a "not" between a subject and a verb is read as before [TS-7a]', () => {
  allRead([
    ["why can't pe1 reach pe3", 'reachability from pe1 to pe3'],
    ["isn't p2 reachable", 'reachability from pe1 to p2'],
    ['bgp between pe1 and p2 is not established', 'BGP sessions between pe1 and p2'],
    ['p2 has no neighbours', 'sessions on p2'],
    ['bgp on p2 does not run', 'BGP sessions on p2'],
    ['I can not to reach pe3', 'reachability from pe1 to pe3'],
    ['pe1 is up and p2 is not', 'what is wrong on pe1 and p2'],
    ["bgp between pe1 and p2 won't come up", 'BGP sessions between pe1 and p2'],
  ]);
});

test('an exception is of nodes, or there is no answer [TS-7a]', () => {
  allRead([
    ['is there loss from pe1 to pe3 without going through p2', 'unclear'],
    ['loss from pe1 to pe3 except via p2', 'unclear'],
    ['errors on p2 except eth1', 'unclear'],
    ['flaps except eth1 on pe1', 'unclear'],
    ['everything apart from the link between pe1 and p2', 'unclear'],
    ['everything ok except the session with pe1', 'unclear'],
    ['ignore eth1, any errors on pe1', 'unclear'],
    ['errors on all routers minus p2', 'errors except p2'],
    ['what is wrong except p2, pe3 and pe1', 'what is wrong except p2, pe3 and pe1'],
    ['skip pe3, what is wrong', 'what is wrong except pe3'],
    ['is everything ok apart from pe3 today', 'what is wrong except pe3 today'],
  ]);
});

test('a time in UTC is read as UTC; any other zone refuses [TS-7a]', () => {
  allRead([
    ['what happened on p2 at 14:00 UTC', 'what is wrong on p2 at 14:00 UTC'],
    ['what happened on p2 between 2am and 3am gmt', 'what is wrong on p2 between 02:00 and 03:00 UTC'],
    ['what changed between 2am utc and 3am', 'unclear'],
    ['what happened on p2 at 14:00 CET', 'unclear'],
    ['errors on p2 at noon local time', 'errors on p2 at 12:00; not used: local time'],
  ]);
  const nowMs = Date.UTC(2026, 10, 26, 16, 0);
  assert.deepEqual(spanOf('since-14:00-utc', { nowMs, offsetMinutes: 120 }), { sinceMs: 2 * 3_600_000 });
  assert.deepEqual(spanOf('since-14:00', { nowMs, offsetMinutes: 120 }), { sinceMs: 4 * 3_600_000 });
});

test('a length of time is past only where a word says so; else the answer names it [TS-7a]', () => {
  allRead([
    ['measure delay from pe1 to pe3 for 5 minutes', 'delay from pe1 to pe3; not used: for 5 minutes'],
    ['ping pe3 from pe1 once', 'reachability from pe1 to pe3; not used: once'],
    ['monitor p2 for 10 minutes', 'what is wrong on p2; not used: for 10 minutes'],
    ['p2 has been down for 10 minutes', 'what is wrong on p2 in the last 10 minutes'],
    ['errors on p2 in the last 10 minutes', 'errors on p2 in the last 10 minutes'],
  ]);
});

test('whether something is to be done is an order; what will be or would be is refused [TS-7a]', () => {
  allRead([
    ['should I reboot p2', 'order'],
    ['is it safe to reboot p2', 'order'],
    ['do I have to restart pe3', 'order'],
    ['can p2 be rebooted', 'order'],
    ['must eth1 be disabled on p2', 'order'],
    ['p2 needs a restart', 'order'],
    ['how do I reboot p2', 'order'],
    ['did p2 reboot', 'uptime on p2 as far back as is remembered'],
    ['what if p2 fails', 'unclear'],
    ['if pe1 is ok', 'unclear'],
    ['in case p2 fails is pe1 ok', 'unclear'],
    ['tell me if there is loss from pe1 to pe3', 'packet loss from pe1 to pe3'],
    ['will the link between pe1 and p2 break', 'unsupported'],
    ['would pe1 reach pe3', 'unsupported'],
    ["p2'll break", 'unsupported'],
    ['is p2 going to crash', 'unsupported'],
    ['can p2 fail', 'unsupported'],
    ['would you check p2', 'what is wrong on p2'],
    ["I'll check p2", 'what is wrong on p2'],
  ]);
});

test('an address without an agent begins no way [TS-7a]', () => {
  allRead([
    ['loss from 192.0.2.7 to pe3', 'unclear'],
    ['loss 198.51.100.7 -> pe3', 'unclear'],
    ['can 198.51.100.7 reach pe3', 'unclear'],
    ['why is 198.51.100.7 not answering pe1', 'reachability from pe1 to 198.51.100.7'],
    ['no answer from 198.51.100.7 on p2', 'reachability from p2 to 198.51.100.7'],
    ['is 198.51.100.7 reachable from p2', 'reachability from p2 to 198.51.100.7'],
  ]);
});

test('a way has two ends in the order that was said, or there is no answer [TS-7a]', () => {
  allRead([
    ['what can p2 reach', 'unsupported'],
    ['which nodes can p2 not reach', 'unsupported'],
    ['does p2 reach everything', 'unsupported'],
    ['no router reaches pe3', 'unsupported'],
    ['packet loss pe1 <- pe3', 'unclear'],
    ['packet loss pe1 <-> pe3', 'packet loss from pe1 to pe3'],
    ['loss in direction pe3 to pe1', 'packet loss from pe3 to pe1'],
    ['packet loss from everywhere to pe3', 'unsupported'],
    ['packet loss from pe1 to all nodes', 'unsupported'],
    ['loss over every path from pe1 to pe3', 'unsupported'],
    ['loss from pe1 to p2 and pe3', 'unsupported'],
    ['traffic on p2 in direction pe3', 'unsupported'],
    ['can p2 reach the network 198.51.100.0/24', 'reachability from p2 to 198.51.100.0/24'],
    ['loss from pe1 to pe3 across the network', 'packet loss from pe1 to pe3'],
  ]);
});

test('a time that is not understood refuses [TS-7a]', () => {
  allRead([
    ['what changed until yesterday', 'unclear'],
    ['what changed up to monday', 'unclear'],
    ['what changed by monday', 'unclear'],
    ['what happened tonight', 'unclear'],
    ['loss on p2 on the 25th', 'unclear'],
    ['errors on p2 in november', 'unclear'],
    ['loss on p2 every night at 3am', 'unclear'],
    ['loss on p2 daily', 'unclear'],
    ['is the delay from pe1 to pe3 the same as yesterday', 'unclear'],
    ['is pe1 as slow as last night', 'unclear'],
    ['what changed in the last month', 'changes in the last 30 days'],
    ['loss on p2 over the past month', 'packet loss on p2 in the last 30 days'],
    ['what changed last month', 'changes last month'],
    ['errors on p2 in the last 1.5h', 'errors on p2 in the last 90 minutes'],
    ['what happened on p2 last friday', 'what is wrong on p2 last friday'],
  ]);
});

test('said on a Friday, "last Friday" is a week ago and "on Friday" is today', () => {
  const local = { nowMs: Date.UTC(2026, 10, 27, 12, 0), offsetMinutes: 0 };
  const dayMs = 86_400_000;
  assert.deepEqual(spanOf('last-friday', local), { sinceMs: 7.5 * dayMs, untilMs: 6.5 * dayMs });
  assert.deepEqual(spanOf('friday', local), { sinceMs: dayMs / 2 });
  assert.deepEqual(spanOf('last-thursday', local), spanOf('thursday', local));
});

test('"but" behind a whole of nodes leaves them out; behind what was said of it another part begins [TS-7a]', () => {
  allRead([
    ['all nodes but p2 ok?', 'what is wrong except p2'],
    ['are all nodes but p2 and pe3 healthy', 'what is wrong except p2 and pe3'],
    ['what is wrong on all of our routers but p2', 'what is wrong except p2'],
    ['is anything but p2 down', 'what is wrong except p2'],
    ['is everything today but p2 ok', 'what is wrong except p2 today'],
    ['loss on all links but pe1-p2', 'unclear'],
    ['are all bgp sessions but those of p2 up', 'unclear'],
    ['everything is fine but p2 is down', 'what is wrong on p2'],
    ['all is fine, but p2 is slow', 'delay on p2'],
    ['what is wrong on nodes but p2', 'unclear'],
  ]);
});

test('a class of traffic, or a state that no table is told apart by, is named in the answer [TS-7a]', () => {
  allRead([
    ['udp loss from pe1 to pe3', 'packet loss from pe1 to pe3; not used: udp'],
    ['is tcp dropped from pe1 to pe3', 'packet loss from pe1 to pe3; not used: tcp'],
    ['packet loss for voip between pe1 and pe3', 'packet loss from pe1 to pe3; not used: voip'],
    ['voice calls between pe1 and pe3 are choppy', 'delay from pe1 to pe3'],
    ['which interfaces of pe1 are down', 'list interfaces on pe1; not used: down'],
    ['show established bgp neighbours of p2', 'show BGP neighbours on p2; not used: established'],
    ['how much traffic is lost on p2', 'unclear'],
    ['how many bgp neighbours of p2 are down', 'unsupported'],
    ['how many calls are up right now', 'unsupported'],
    ['how many errors on p2', 'errors on p2'],
  ]);
});

test('a node that is called like a place of a network is that node, but in a longer phrase', () => {
  for (const node of ['core', 'edge', 'gateway', 'server'])
    readingsIn({ nodes: [node, 'pe3'] }).allRead([
      [`Why can ${node} not reach pe3?`, `reachability from ${node} to pe3`],
      [`can ${node} reach http://198.51.100.10/`, `reachability from ${node} to 198.51.100.10 port 80`],
      [`packet loss between ${node} and pe3`, `packet loss from ${node} to pe3`],
    ]);
  readingsIn({ nodes: ['edge', 'pe3'] }).allRead([['Is the core ok?', 'what is wrong']]);
});
