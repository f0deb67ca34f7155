// Ports of hosts in questions: any TCP port of one address, named in the words that come back; what cannot be told of a port is refused with the
// reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { readingsIn } from './reading.ts';

const known = { here: 'border1', nodes: ['border1', 'leaf2', 'pe1'] };
const { allRead } = readingsIn(known);

test('a question may name any TCP port of an address, and the words that come back name it too [TS-7a]', () =>
  allRead([
    ['can leaf2 reach 198.51.100.60 on port 5060', 'reachability from leaf2 to 198.51.100.60 TCP port 5060'],
    ['Is 198.51.100.81:3389 reachable from border1?', 'reachability from border1 to 198.51.100.81 TCP port 3389'],
    ['why can pe1 not reach 198.51.100.9 port 2049', 'reachability from pe1 to 198.51.100.9 TCP port 2049'],
    ['is tcp port 22 on 198.51.100.7 reachable from pe1?', 'reachability from pe1 to 198.51.100.7 TCP port 22'],
    ['reachability from pe1 to 198.51.100.9 TCP port 3389', 'reachability from pe1 to 198.51.100.9 TCP port 3389'],
    ['can 198.19.1.10 reach 198.51.100.9 port 22', 'reachability from 198.19.1.10 to 198.51.100.9 TCP port 22'],
    ['is port 22 open on 198.51.100.9', 'reachability to 198.51.100.9 TCP port 22'],
  ]));

test('web pages and names are asked for as before on their own ports, and "TCP port 53" is a connection', () =>
  allRead([
    ['can pe1 reach 198.51.100.9 port 443', 'reachability from pe1 to 198.51.100.9 port 443'],
    ['can pe1 reach 198.51.100.9 tcp port 80', 'reachability from pe1 to 198.51.100.9 port 80'],
    ['can pe1 reach 198.51.100.9 udp port 53', 'reachability from pe1 to 198.51.100.9 port 53'],
    ['can pe1 reach 198.51.100.9 tcp port 53', 'reachability from pe1 to 198.51.100.9 TCP port 53'],
  ]));

test('a port of an address is asked about whose ever address it is: of a node, of a neighbour, of a session', () => {
  allRead([
    ['can pe1 reach 203.0.113.3 port 179', 'reachability from pe1 to 203.0.113.3 TCP port 179'],
    ['can pe1 reach its neighbour 203.0.113.3 port 179', 'reachability from pe1 to 203.0.113.3 TCP port 179'],
    ['can pe1 reach neighbor 203.0.113.3:179', 'reachability from pe1 to 203.0.113.3 TCP port 179'],
    [
      'why can pe1 not reach BGP neighbour 203.0.113.3 port 179',
      'reachability from pe1 to 203.0.113.3 TCP port 179; not used: bgp',
    ],
    ['can pe1 reach BGP port 179 at 203.0.113.3', 'reachability from pe1 to 203.0.113.3 TCP port 179; not used: bgp'],
    [
      'can pe1 reach its eBGP peer 203.0.113.3:179',
      'reachability from pe1 to 203.0.113.3 TCP port 179; not used: ebgp',
    ],
  ]);
});

for (const [port, read] of [
  ['port 53', 'port 53'],
  ['port 80', 'port 80'],
  ['tcp port 443', 'port 443'],
  ['tcp port 53', 'TCP port 53'],
])
  test(`of a service at a neighbour the protocol is named as not used, and asks for no session: ${port}`, () => {
    const question = `can pe1 reach its BGP neighbour 203.0.113.3 ${port}`;
    allRead([[question, `reachability from pe1 to 203.0.113.3 ${read}; not used: bgp`]]);
    const parsed = parseIntent(question, known);
    assert.equal(parsed.ok && parsed.intent.protocol, undefined);
  });

test('a host or a node that asks may be named by its address too, and its neighbour is no third end [TS-7a]', () => {
  const read = 'reachability from 203.0.113.1 to 203.0.113.3';
  allRead([
    ['can 203.0.113.1 reach its neighbour 203.0.113.3 port 179', `${read} TCP port 179`],
    ['can 203.0.113.1 reach its BGP neighbour 203.0.113.3 port 179', `${read} TCP port 179; not used: bgp`],
    ['can 203.0.113.1 reach BGP peer 203.0.113.3:179', `${read} TCP port 179; not used: bgp`],
    ['can 203.0.113.1 reach BGP port 179 of 203.0.113.3', `${read} TCP port 179; not used: bgp`],
    ['is BGP port 179 of 203.0.113.3 reachable from 203.0.113.1', `${read} TCP port 179; not used: bgp`],
    ['can 203.0.113.1 reach its BGP neighbour 203.0.113.3 port 80', `${read} port 80; not used: bgp`],
    ['can 203.0.113.1 reach its neighbours 203.0.113.3 port 179', 'unclear'],
    ['can 203.0.113.1 reach the neighbour of 203.0.113.3 port 179', 'unclear'],
    ['can 203.0.113.1 reach 203.0.113.3 bgp', 'unclear'],
    ['can 203.0.113.1 reach its BGP neighbour 203.0.113.3', 'unclear'],
  ]);
});

for (const question of [
  'can pe1 reach 203.0.113.3 port 179 over isis',
  'can pe1 reach 203.0.113.3 port 179 with bgp',
  'can pe1 reach 203.0.113.3 port 80 over isis',
  'is 203.0.113.3 port 179 reachable by BGP',
  'is 203.0.113.3 port 179 reachable from pe1 by BGP',
  'can bgp reach 203.0.113.3 port 179',
  'can bgp on pe1 reach 203.0.113.3 port 179',
  'can pe1 reach its neighbour 203.0.113.3 port 179 in bgp',
])
  test(`a protocol that may say how a packet goes, or who sends it, is refused by its name: ${question}`, () =>
    assert.match(why(question), /^unclear: (?:bgp|isis) and port \d+ in one question: ask about the port alone$/));

test('a protocol beside its port is named as not used, before it and behind it', () =>
  allRead([
    ['can pe1 reach 203.0.113.3 port 179 (BGP)', 'reachability from pe1 to 203.0.113.3 TCP port 179; not used: bgp'],
    [
      'can pe1 reach the bgp tcp port 179 of 203.0.113.3',
      'reachability from pe1 to 203.0.113.3 TCP port 179; not used: bgp',
    ],
  ]));

test('without a port, or where a session is judged, the session is asked about', () => {
  allRead([['can pe1 reach neighbour 203.0.113.3', 'sessions on pe1 with 203.0.113.3']]);
  assert.match(why('why is BGP neighbour 203.0.113.3 port 179 down'), /^unsupported: this of TCP port 179/);
  assert.match(why('why is the BGP session to 203.0.113.3 port 179 down'), /^unsupported: this of TCP port 179/);
});

const why = (question: string): string => {
  const parsed = parseIntent(question, known);
  assert.ok(!parsed.ok, question);
  return `${parsed.reason}: ${parsed.understood}`;
};

for (const question of [
  'can pe1 reach 198.51.100.9 udp 5060',
  'can pe1 reach 198.51.100.9 port 5060 udp',
  'can pe1 reach 198.51.100.9 udp port 443',
  'can pe1 reach 198.51.100.9 port 22 over udp',
])
  test(`a UDP port is refused with the reason, and what can be asked: ${question}`, () =>
    assert.match(
      why(question),
      /^unsupported: UDP port \d+: .*silent alike, so no answer can be told; DNS \(UDP port 53\) and any TCP port/,
    ));

for (const [question, reason] of [
  ['can pe1 reach 198.51.100.9 port 0', /^unclear: port 0; ports are 1 to 65535/],
  ['can pe1 reach 198.51.100.9:70000', /^unclear: port 70000; ports are 1 to 65535/],
  ['can pe1 reach 198.51.100.9 port 80 and 443', /^unclear: ports 80 and 443 in one question/],
  ['can pe1 reach 198.51.100.9 port 22 and 23', /^unclear: /],
  ['can pe1 reach 198.51.100.9 ports 1-1024', /^unclear: /],
  ['can pe1 reach 198.51.100.9 ports 1 to 1024', /^unclear: /],
  ['can pe1 reach 198.51.100.0/24 port 3389', /^unclear: port 3389 of a whole network/],
  ['can pe1 reach fd00::9 port 22', /^unsupported: port 22 of an IPv6 address/],
  ['can pe1 reach https://198.51.100.9:8443/', /^unsupported: a service on port 8443; .*"TCP port 8443"/],
  ['can pe1 reach the DNS server 198.51.100.9 port 5353', /^unsupported: a service on port 5353/],
  ['packet loss from pe1 to 198.51.100.9 port 3389', /^unsupported: this of TCP port 3389/],
  ['was 198.51.100.81:3389 reachable from pe1 yesterday', /^unsupported: TCP port 3389 at another time/],
  ['can pe1 reach 127.0.0.1 port 22', /^unclear: a service at 127\.0\.0\.1, which is the address of no single host/],
  ['can pe1 reach 224.0.0.5 port 22', /^unclear: a service at 224\.0\.0\.5, /],
  ['can pe1 reach 169.254.0.0 port 80', /^unclear: a service at 169\.254\.0\.0, /],
  ['can pe1 reach leaf2 port 22', /^unclear: a service, and no address/],
] as const)
  test(`${question} is refused`, () => assert.match(why(question), reason));

test('a structure names a TCP port of one IPv4 address', () => {
  const structure = (destination: string, service: string) =>
    parseIntent(`{ kind: reachability, nodes: [pe1], destination: ${destination}, service: ${service} }`, known);
  const parsed = structure('198.51.100.9', 'tcp/3389');
  assert.deepEqual(parsed.ok && parsed.intent.service, { name: 'tcp', port: 3_389 });
  for (const [destination, service] of [
    ['198.51.100.9', 'tcp/0'],
    ['198.51.100.9', 'tcp/65536'],
    ['198.51.100.9', 'udp/5060'],
    ['198.51.100.0/24', 'tcp/3389'],
    ['"fd00::9"', 'tcp/3389'],
    ['127.0.0.1', 'tcp/3389'],
    ['224.0.0.5', 'tcp/3389'],
    ['255.255.255.255/32', 'tcp/3389'],
    ['127.0.0.53', 'dns'],
    // A port is tried now.
    ['198.51.100.9', 'tcp/3389, since: 1h'],
  ] as const)
    assert.equal(structure(destination, service).ok, false, `${destination} ${service}`);
});

test('a service that is known by its TCP port is tried at an address [TS-7a]', () => {
  allRead([
    ['ssh to 198.51.100.9 times out from pe1', 'reachability from pe1 to 198.51.100.9 TCP port 22'],
    [
      'postgres on 198.51.100.52:5432 does not answer from leaf2',
      'reachability from leaf2 to 198.51.100.52 TCP port 5432',
    ],
    ['ssh from leaf2 to pe1 possible?', 'unsupported'],
  ]);
});
