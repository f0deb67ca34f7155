// Questions that name no path: which kind each is, and which nodes, neighbours and interfaces it names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';

const SENTENCES: readonly (readonly [string, string])[] = [
  ['What is wrong?', 'fault'],
  ['is the network healthy?', 'fault'],
  ['something is broken', 'fault'],
  ['what is wrong with PE-1?', 'fault PE-1'],
  ['troubleshoot r2', 'fault r2'],
  ['any problems on spine1?', 'fault spine1'],
  ['What is wrong on the path from r1 to r3?', 'fault r1 r3'],
  ['Why is BGP neighbor 192.0.2.1 down?', 'neighbour-down bgp 192.0.2.1'],
  ['why is BGP neighbour 192.0.2.1 down on r1', 'neighbour-down r1 bgp 192.0.2.1'],
  ['Why is IS-IS neighbour P-2 down on PE-1?', 'neighbour-down PE-1 isis P-2'],
  ['why did PE-1 lose its IS-IS adjacency with P-2?', 'neighbour-down PE-1 isis P-2'],
  ['bgp session between r1 and r2 is down', 'neighbour-down r1 r2 bgp'],
  ['What is wrong with interface eth1 on PE-1?', 'interface-fault PE-1 eth1'],
  ['check the link between PE-1 and P-2', 'interface-fault PE-1 P-2'],
  ['r1 eth1 is down', 'interface-fault r1 eth1'],
  ['Why can PE-1 not reach PE-3?', 'reachability PE-1 PE-3'],
  ['no connectivity between r1 and r3', 'reachability r1 r3'],
  ['cant ping 198.51.100.7 from r1', 'reachability r1 198.51.100.7'],
  ['{kind: fault}', 'fault'],
  ['kind: reachability\nnodes: [a, b]', 'reachability a b'],
  ['{kind: neighbour-down, protocol: bgp, neighbour: 192.0.2.1, nodes: [PE-1]}', 'neighbour-down PE-1 bgp 192.0.2.1'],
];

for (const [sentence, expected] of SENTENCES) {
  test(`reads "${expected}" from ${JSON.stringify(sentence)} [TS-7a]`, () => {
    const parsed = parseIntent(sentence);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { kind, path, protocol, neighbour, ifname, destination } = parsed.intent;
    const words = [kind, ...path.map((node) => node.as), protocol, neighbour, ifname, destination];
    assert.equal(words.filter((word) => word !== undefined).join(' '), expected);
  });
}

for (const [text, reason] of [
  ['{kind: fault, nodes: [PE-1], colour: red}', /unknown member colour/],
  ['{kind: fault, nodes: PE-1}', /expected a list of node names/],
  ['{kind: neighbour-down, protocol: rip}', /expected isis, bgp, ospf or bfd/],
  ['{kind: reachability, nodes: [PE-1]}', /expected two nodes, or a node and a destination/],
] as const) {
  test(`refuses ${text} [TS-7a]`, () => {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok);
    assert.match(parsed.understood, reason);
  });
}
