// Where a host asks, by what it may be cut off although its router gets answers: each is lacking from the proof.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { askedProof } from '#correlate/health/proof-asked.ts';
import type { Intent } from '#model/intent.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { pairWorld } from '../pair-scene.ts';
import { dropping, HOST1, HOST3, type Scene, sceneOf, wellOn } from '../scope-scene.ts';

const INTENT: Intent = {
  ...{ kind: 'reachability', text: '', encapsulation: 'ip', path: [{ as: 'r1', key: 'r1' }] },
  ...{ destination: HOST3.address, fromHost: { address: HOST1.address, ifname: 'eth3' } },
};
const port = (name: string, addresses: readonly string[], operUp = true) => ({
  ...{ name, kind: 'physical', adminUp: true, operUp, mtu: 1_500, addresses, offloads: [] },
});
const rule = (values: readonly string[], more: Partial<FilterRule> = {}): FilterRule => ({
  ...{ family: 'inet', table: 'filter', chain: 'forward', path: ['forward'], hook: 'forward', handle: 4 },
  ...{ verdict: 'drop', outInterfaces: [], inInterfaces: [], matches: [{ field: 'source', values }] },
  ...{ matchesRest: false, ...more },
});

type Change = {
  readonly up?: boolean;
  readonly there?: boolean;
  readonly asked?: readonly string[];
  readonly sender?: string;
  readonly near?: readonly FilterRule[];
  readonly far?: readonly FilterRule[];
  readonly intent?: Partial<Intent>;
  /** An address of r3 itself, which the host is to reach instead of the other host. */
  readonly goal?: string;
};

/** r1 has the host that asks, r3 the one that it asks for; r1 gets answers from that. */
function proof({
  up = true,
  there = true,
  asked = [HOST1.address, '198.19.1.11'],
  sender = '198.19.1.1',
  near = [],
  far = [],
  intent = {},
  goal,
}: Change) {
  const destination = goal ?? HOST3.address;
  const answers = ['198.19.1.11', ...(there ? [HOST1.address] : [])].map((address) => ({ address, macs: ['m'] }));
  const inventories = [
    [port('to-r3', ['198.18.0.0/31']), port('eth3', ['198.19.1.1/24'], up)],
    [port('to-r1', ['198.18.0.1/31']), port('eth3', ['198.19.3.1/24'])],
  ].map((interfaces) => ({ interfaces, loopbacks: [] }));
  const unicast = { kind: 'unicast', protocol: 'isis' };
  const world = pairWorld(
    ['r1-r3'],
    {
      r1: { now: { inventory: inventories[0], filters: near } },
      r3: { now: { inventory: inventories[1], filters: far } },
    },
    {
      serviceProbes: [
        {
          from: 'r1',
          source: 'e',
          sender,
          destination,
          service: 'echo',
          sent: 5,
          answered: true,
          open: true,
        },
      ],
      hosts: [{ node: 'r1', evidence: 'e', ifname: 'eth3', asked, asks: [], answers }],
      lookups: new Map([
        ['r1', new Map([[destination, { ...unicast, destination, ifname: 'to-r3' }]])],
        ['r3', new Map([[HOST1.address, { ...unicast, destination: HOST1.address, ifname: 'to-r1' }]])],
      ]),
      ...(goal === undefined ? {} : { owners: new Map([[goal, [{ node: 'r3', ifname: 'eth3' }]]]) }),
    },
  );
  return askedProof({ ...INTENT, destination, ...intent }, world, []);
}

test('a host that is there, behind a port that is up, and that no filter is against lacks nothing; that it sent nothing is said', () => {
  const { proven, lacking } = proof({});
  assert.deepEqual(lacking, []);
  assert.ok(proven.includes('not tested: 198.19.1.10 behind {r1} eth3, which has no agent: what it sends itself'));
});

test('a host that did not answer its router, or that no router asked for, is lacking', () => {
  assert.deepEqual(proof({ there: false }).lacking, ['{r1} eth3: no host answered for 198.19.1.10, which is to ask']);
  assert.deepEqual(proof({ there: false, asked: [] }).lacking, [
    '{r1} eth3: no node saw whether 198.19.1.10, which is to ask, is there',
  ]);
});

test('the port of the host that is down is lacking', () => {
  assert.deepEqual(proof({ up: false }).lacking, ['{r1} eth3, behind which 198.19.1.10 is: is down']);
});

test('where its router sent from no address on the network of the host, that is lacking', () => {
  assert.deepEqual(proof({ sender: '198.19.255.1' }).lacking, [
    '{r1}: tried not from the network of 198.19.1.10, but from 198.19.255.1',
  ]);
});

test('a forwarding filter of its own router, which what that sends itself passes by, is lacking where it may take packets of the host', () => {
  const SAID =
    'what 198.19.1.10 sends to 198.19.3.10, or is answered, may be dropped by a filter of {r1} (source 198.19.1.10)';
  assert.deepEqual(proof({ near: [rule([HOST1.address])] }).lacking, [SAID]);
  assert.deepEqual(proof({ near: [rule([HOST1.address], { inInterfaces: ['eth3'] })] }).lacking, [SAID]);
  assert.deepEqual(proof({ near: [rule([HOST3.address])] }).lacking.length, 1, 'the way back');
  for (const innocent of [
    rule(['198.19.1.11']),
    rule([HOST1.address], { inInterfaces: ['eth9'] }),
    rule([HOST1.address], { hook: 'output' }),
    rule([HOST1.address], { verdict: 'accept' }),
    rule([], { matches: [], matchesRest: true, unread: ['ct state invalid'] }),
  ])
    assert.deepEqual(proof({ near: [innocent] }).lacking, [], JSON.stringify(innocent));
});

test('a filter of another router is lacking where it tells the host from the address that was tried from', () => {
  assert.match(proof({ far: [rule([HOST1.address])] }).lacking.join(), /may be dropped by a filter of \{r3\}/);
  assert.match(proof({ far: [rule(['198.19.1.8/29'])] }).lacking.join(), /\{r3\}/);
  assert.deepEqual(proof({ far: [rule(['198.19.1.0/24'])] }).lacking, [], 'the tries met it, and were answered');
});

test('of the router that the host is to reach itself, filters of what it receives and sends are lacking, and none of what it forwards', () => {
  const goal = '198.19.3.1';
  const said = (hook: string) => proof({ goal, far: [rule([HOST1.address], { hook })] }).lacking.join();
  for (const hook of ['input', 'output', 'prerouting']) assert.match(said(hook), /filter of \{r3\}/, hook);
  assert.equal(said('forward'), '');
});

test('a drop behind rules of its chain that surely let the host through, and what it is answered, is not lacking', () => {
  const accept = (more: Partial<FilterRule>) => rule([], { verdict: 'accept', matches: [], ...more });
  const fromPort = accept({ inInterfaces: ['eth3'], handle: 2 });
  const stated = (...unread: readonly string[]) => accept({ matchesRest: true, unread, handle: 3 });
  const established = stated('ct state established,related');
  const drop = rule([], { matches: [], handle: 9 });
  const count = (...near: readonly FilterRule[]) => proof({ near }).lacking.length;
  const source = accept({ matches: [{ field: 'source', values: ['198.19.1.0/24'] }] });
  const destination = accept({ matches: [{ field: 'destination', values: ['198.19.1.0/24'] }] });
  for (const open of [
    [fromPort, established, drop],
    [established, fromPort, drop],
    [source, destination, drop],
    [fromPort, accept({ outInterfaces: ['eth3'] }), drop],
    [fromPort, stated('ct state related,established'), drop],
    [fromPort, established, { ...drop, handle: 0 }],
    [fromPort, stated('xtables conntrack', 'xtables --ctstate RELATED,ESTABLISHED'), drop],
  ])
    assert.equal(count(...open), 0, JSON.stringify(open));
  for (const closed of [
    [drop, fromPort, established],
    [fromPort, drop],
    [source, drop],
    [established, drop],
    [accept({ inInterfaces: ['eth9'] }), established, drop],
    [accept({ inInterfaces: ['eth3'], outInterfaces: ['to-r3'] }), established, drop],
    [accept({ inInterfaces: ['eth3'], matchesRest: true, unread: ['limit rate 10/second'] }), established, drop],
    [accept({ matches: [{ field: 'protocol', values: ['tcp'] }] }), established, drop],
    [fromPort, stated('ct state new'), drop],
    [fromPort, stated('xtables conntrack'), drop],
    [fromPort, stated('xtables conntrack', 'xtables ! --ctstate ESTABLISHED'), drop],
    [fromPort, stated('ct state != established'), drop],
    [{ ...fromPort, path: ['forward', 'users'] }, established, drop],
    [{ ...fromPort, table: 'other' }, established, drop],
    [accept({ verdict: 'other' }), fromPort, established, { ...drop, handle: 0 }],
    [
      rule([], { path: ['forward', 'users'], verdict: 'other', matches: [] }),
      source,
      destination,
      { ...drop, handle: 0 },
    ],
  ])
    assert.equal(count(...closed), 1, JSON.stringify(closed));
  const far = [fromPort, established, drop];
  assert.deepEqual(proof({ far }).lacking, [], 'the tries met it, and were answered');
  assert.deepEqual(proof({ far: [source, destination, rule([HOST1.address])] }).lacking, []);
  assert.equal(proof({ far: [destination, established, rule([HOST1.address])] }).lacking.length, 1);
});

test('a rule for some ports is lacking where the service of that port is asked about, and only there', () => {
  const near = [
    rule([], {
      matches: [
        { field: 'protocol', values: ['tcp'] },
        { field: 'destination-port', values: ['80'] },
      ],
    }),
  ];
  assert.deepEqual(proof({ near }).lacking, []);
  const named = (number: 80 | 443) => proof({ near, intent: { service: { name: 'http', port: number } } }).lacking;
  assert.match(named(80).join(), /\{r1\} \(protocol tcp, destination-port 80\)/);
  assert.deepEqual(named(443), []);
});

test('the answer to the question names the absent host, and the rule of a router between', () => {
  const reasons = (scene: Scene) => {
    const echo = { destination: HOST3.address, service: 'echo', sent: 5, received: 5, answered: true, open: true };
    const purpose = { kind: 'service-probe', reason: 'asked-echo', round: 'first' } as const;
    const more = [{ node: 'r1', purpose, body: { results: [echo] }, args: { source: '198.19.1.1' } }];
    const { verdict, findings } = diagnose({ ...sceneOf({ ...scene, more }), intent: INTENT });
    assert.deepEqual(findings, []);
    return verdict.reasons.filter((each) => each.includes(HOST1.address));
  };
  assert.deepEqual(reasons({}), []);
  const ask = { mac: '', sender: '', target: HOST1.address };
  assert.match(
    reasons({ hosts: { r1: [wellOn('r1', { answers: [], echoed: [], asks: [ask] })] } }).join(),
    /no host answered/,
  );
  const r2 = dropping([{ field: 'source', values: [HOST1.address] }], 'forward', 0);
  assert.match(reasons({ states: { r2 } }).join(), /filter of r2 \(source 198\.19\.1\.10\)/);
});
