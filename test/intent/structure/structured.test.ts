// Questions as YAML and JSON: what each member makes of its value, and that nothing which was asked for is left out in silence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';

const READ: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['{ kind: fault, since: 10m }', { kind: 'fault', sinceMs: 600_000 }],
  ['{ kind: fault, nodes: [r1], since: two minutes }', { kind: 'fault', sinceMs: 120_000 }],
  [
    '{"kind": "interface-fault", "nodes": ["r1"], "ifname": "eth1", "since": "90s"}',
    { ifname: 'eth1', sinceMs: 90_000 },
  ],
  ['{ kind: neighbour-down, protocol: bgp, neighbour: 2001:db8::1 }', { protocol: 'bgp', neighbour: '2001:db8::1' }],
  ['{ kind: reachability, nodes: [r1], destination: 198.51.100.0/24 }', { destination: '198.51.100.0/24' }],
  [
    'kind: reachability\nnodes: [r1]\ndestination: 198.51.100.7\nservice: https\n',
    { destination: '198.51.100.7', service: { name: 'http', port: 443 } },
  ],
  [
    '{ kind: reachability, destination: 198.51.100.53, service: dns, record: www.example.net }',
    { service: { name: 'dns', port: 53, record: 'www.example.net' } },
  ],
];

for (const [text, expected] of READ)
  test(`reads ${JSON.stringify(text)} [TS-7a]`, () => {
    const parsed = parseIntent(text);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(parsed.intent[name as keyof typeof parsed.intent], value, name);
  });

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['{"kind":"interface-fault","nodes":["r1"],"ifname":1}', /^kind interface-fault; ifname: expected text, got 1$/],
  ['{ kind: neighbour-down, neighbour: 17 }', /neighbour: expected text, got 17$/],
  ['{ kind: neighbour-down, neighbour: "r1; reboot" }', /neighbour: expected the name of a node, or an address/],
  ['{ kind: neighbour-down, neighbour: 300.1.1.1 }', /neighbour: expected a node or an address, got 300\.1\.1\.1$/],
  [
    '{ kind: reachability, nodes: [r1], destination: nonsense }',
    /destination: expected an address or a prefix, got nonsense$/,
  ],
  ['{ kind: reachability, nodes: [r1], destination: 5 }', /destination: expected text, got 5$/],
  ['{ kind: reachability, nodes: [r1, r2], service: dns }', /service: expected a destination as well/],
  [
    '{ kind: reachability, destination: 198.51.100.7, service: toString }',
    /service: expected dns, http, https, or a port such as tcp\/3389/,
  ],
  [
    '{ kind: reachability, destination: 198.51.100.7, service: http, record: www.example.net }',
    /record: expected service dns/,
  ],
  ['{ kind: fault, since: yesterday }', /since: expected how long ago/],
  ['{ kind: fault, since: 2 hours 30 minutes }', /since: expected how long ago/],
  ['{ kind: fault, since: 0m }', /since: expected how long ago/],
  ['{ kind: fault, colour: red }', /unknown member colour; known: nodes, since$/],
  // Half a structure is no structure: a parser that mends it would ask something else.
  ['{"kind":"fault"', /no whole YAML or JSON/],
  ['{ kind: path-loss, path: [r1, r2', /no whole YAML or JSON/],
  ['{ kind: fault, kind: reachability, nodes: [r1, r2] }', /no whole YAML or JSON/],
  ['kind: path-loss, path: [r1, r2]', /no whole YAML or JSON/],
  ['why can r1 not reach 300.1.1.1?', /300\.1\.1\.1, which is no address$/],
];

for (const [text, reason] of REFUSED)
  test(`refuses ${JSON.stringify(text)} [TS-7a]`, () => {
    const parsed = parseIntent(text);
    assert.ok(!parsed.ok, JSON.stringify(parsed));
    assert.match(parsed.understood, reason);
  });
