// What operators said must hold: what does not is accused once and at its node; what has a name keeps it; what could not be looked at is
// lacking in the proof of health; what holds changes nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { planExpectedServices } from '#measure/hosts/services.ts';
import { planLookups } from '#measure/nodes/lookups.ts';
import type { Evidence } from '#model/evidence.ts';
import { addressIn } from '#model/expectations.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';

const healthy = recorded('healthy');
const expect = (what: ExpectLine['what'], subject: string, at?: string): ExpectLine => ({
  ...{ kind: 'expect', what, subject },
  ...(at === undefined ? {} : { at }),
});
const asked = (lines: readonly ExpectLine[], input: DiagnoseInput = healthy, node = 'r1') =>
  diagnose({ ...input, said: { node, at: '2026-06-01T12:00:00.000Z', lines } });
const named = (lines: readonly ExpectLine[], input?: DiagnoseInput) =>
  asked(lines, input).findings.map(({ fault, resource }) => `${fault} ${resource}`);

function changed(node: string, change: (state: NodeState) => NodeState, input = healthy): DiagnoseInput {
  const touch = (entry: Evidence): Evidence =>
    entry.node === node && entry.kind === 'state'
      ? { ...entry, body: change(structuredClone(entry.body) as unknown as NodeState) as unknown as JsonValue }
      : entry;
  return { ...input, evidence: input.evidence.map(touch) };
}

test('what holds changes nothing', () => {
  const lines = [
    expect('link', 'r2:eth1--r1:eth1'),
    expect('session', '198.18.1.1', 'r1'),
    expect('route', '198.18.255.2/32', 'r1'),
    expect('link', 'x1:eth1--x2:eth1'),
    expect('session', '198.18.1.1', 'x1'),
  ];
  assert.deepEqual(asked(lines), diagnose(healthy));
});

test('a session that is not configured has a name, and is said with who expects it', () => {
  const line = { ...expect('session', '198.18.9.9', 'r2'), owner: 'netops', reason: 'the way out' };
  const { findings, verdict } = asked([line]);
  assert.deepEqual(
    findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]),
    [['bgp_session_missing', 'node/r2', 'certain']],
  );
  const what =
    'the BGP session of r2 with 198.18.9.9 is expected by netops (the way out): it is not configured (expectations of r1)';
  assert.equal(findings[0]!.details['what'], what);
  assert.equal(verdict.kind, 'fault');
});

test('a link that is shut at both ends is meant unless it must hold', () => {
  const shut = (ifname: string) => (state: NodeState) => ({
    ...state,
    adjacencies: state.adjacencies.filter((each) => each.ifname !== ifname),
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((each) =>
        each.name === ifname ? { ...each, adminUp: false, operUp: false } : each,
      ),
    },
  });
  const input = changed('r2', shut('eth1'), changed('r1', shut('eth1')));
  const without = diagnose(input).findings.map(({ fault }) => fault);
  assert.ok(!without.includes('expectation_unmet') && !without.includes('link_down'), without.join());
  const found = asked([expect('link', 'r1:eth1--r2:eth1')], input).findings;
  assert.ok(
    found.some(
      ({ fault, details }) => fault === 'expectation_unmet' && /r1 eth1 is shut down/.test(String(details['what'])),
    ),
    JSON.stringify(found),
  );
});

test('a link that was shut before anything remembers is a remark, and the fault of its name where it must hold', () => {
  const forgetful = ({ history: _history, past: _past, ...state }: NodeState) => state;
  const input = changed(
    'r2',
    forgetful,
    changed('r1', (was) => {
      const state = forgetful(was);
      return {
        ...state,
        adjacencies: state.adjacencies.filter((each) => each.ifname !== 'eth1'),
        neighbours: state.neighbours.filter((each) => each.ifname !== 'eth1'),
        inventory: {
          ...state.inventory,
          interfaces: state.inventory.interfaces.map((each) =>
            each.name === 'eth1' ? { ...each, adminUp: false, operUp: false } : each,
          ),
        },
      };
    }),
  );
  const without = diagnose(input);
  assert.ok(!without.findings.some(({ fault }) => fault === 'link_down'), JSON.stringify(without.findings));
  const found = asked([{ ...expect('link', 'r1:eth1--r2:eth1'), owner: 'netops' }], input).findings;
  const down = found.find(({ fault }) => fault === 'link_down');
  assert.match(
    String(down?.details['expected']),
    /^link r1 eth1 – r2 eth1 is expected by netops: r1 eth1 is shut down /,
  );
  assert.ok(!found.some(({ fault }) => fault === 'expectation_unmet'));
});

test('two links that are up and not connected to each other are no link', () => {
  const { findings, verdict, sentence } = asked([expect('link', 'r1:lan0--r3:lan0')]);
  assert.deepEqual(
    findings.map(({ fault, resource }) => [fault, resource]),
    [['expectation_unmet', 'node/r1']],
  );
  const what =
    'link r1 lan0 – r3 lan0 is expected: both interfaces are up, and no link is seen between them (expectations of r1)';
  assert.deepEqual(verdict.reasons[0], what);
  assert.ok(sentence.includes('find out on r1 why it does not hold'), sentence);
  assert.deepEqual(named([expect('link', 'r1:eth9--r3:lan0')]), ['expectation_unmet node/r1']);
});

test('what has a name is accused by its name alone', () => {
  for (const name of ['bgpasn', 'bgpnbr', 'frr', 'mtu']) {
    const input = recorded(name);
    const before = diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);
    const sessions = input.evidence
      .filter(({ kind }) => kind === 'state')
      .flatMap(({ node, body }) =>
        ((body as unknown as NodeState).bgp?.sessions ?? []).map(({ peer }) => expect('session', peer, node)),
      );
    assert.ok(sessions.length > 0);
    assert.deepEqual(named(sessions, input), before);
  }
});

test('a less specific route is not the expected one; a missing lookup is lacking in the proof', () => {
  const lookup = (answer: object): DiagnoseInput => ({
    ...healthy,
    evidence: healthy.evidence.map((entry) => {
      if (entry.kind !== 'lookups' || entry.node !== 'r1') return entry;
      const body = entry.body as unknown as { readonly answers: readonly object[] };
      const answers = [...body.answers, { destination: '198.18.77.1', ...answer }];
      return { ...entry, body: { ...body, answers } as unknown as JsonValue };
    }),
  });
  const line = expect('route', '198.18.77.0/24', 'r1');
  const why = (answer: object) =>
    asked([line], lookup(answer)).findings.map(({ details }) => String(details['what']).split(': ')[1]);
  assert.deepEqual(why({ kind: 'unicast', matched: '198.18.77.0/24', ifname: 'eth1' }), []);
  assert.deepEqual(why({ kind: 'unicast', matched: '198.18.77.0/25', ifname: 'eth1' }), []);
  assert.deepEqual(why({ kind: 'unicast', matched: 'default', ifname: 'eth1' }), [
    'only default matches (expectations of r1)',
  ]);
  assert.deepEqual(why({ kind: 'unicast', matched: '198.18.0.0/16', ifname: 'eth1' }), [
    'only 198.18.0.0/16 matches (expectations of r1)',
  ]);
  assert.deepEqual(why({ kind: 'none' }), ['it has none (expectations of r1)']);
  assert.deepEqual(why({ kind: 'blackhole', matched: '198.18.77.0/24' }), [
    'what matches is blackhole (expectations of r1)',
  ]);
  const { verdict } = asked([line]);
  assert.deepEqual(verdict, {
    kind: 'inconclusive',
    reasons: [
      'a route for 198.18.77.0/24 at r1 is expected, and was not looked at: r1 gave no route',
      ...verdict.reasons.slice(1),
    ],
  });
});

test('an expectation can be allowed to be unmet', () => {
  const line = expect('link', 'r1:lan0--r3:lan0');
  const until = '2026-12-31T23:59:59.999Z';
  const allow = {
    kind: 'allow',
    fault: 'expectation_unmet',
    resource: 'node/r1',
    until,
    reason: 'r',
    owner: 'o',
  } as const;
  const { verdict, silenced } = diagnose({
    ...healthy,
    said: { node: 'r1', at: '2026-06-01T12:00:00.000Z', lines: [line, allow] },
  });
  assert.deepEqual([verdict.kind, silenced?.length], ['healthy', 1]);
});

const states = new Map(
  healthy.evidence
    .filter(({ kind, phase }) => kind === 'state' && phase === 'before')
    .map(({ node, body }) => [node, body as unknown as NodeState] as const),
);

test('expected routes are looked up at their node, by an address that is no broadcast address', () => {
  const calls = planLookups(states, 'first', [expect('route', '198.18.77.0/24', 'r1')]);
  const asking = (node: string) =>
    calls
      .filter((call) => call.node === node)
      .some((call) => (call.arguments['destinations'] as readonly string[]).includes('198.18.77.1'));
  assert.deepEqual([asking('r1'), asking('r2')], [true, false]);
  assert.deepEqual(['198.18.77.9/24', '198.18.0.0/31', '198.18.0.7/32', 'fd00::/64', '198.18.0.0/15'].map(addressIn), [
    '198.18.77.1',
    '198.18.0.0',
    '198.18.0.7',
    'fd00::',
    '198.18.0.1',
  ]);
});

test('expected services are tried by the router that has their network', () => {
  const lan = [...states.get('r3')!.inventory.interfaces].find(({ name }) => name === 'lan0')!;
  const own = lan.addresses.find((address) => !address.includes(':'))!.split('/')[0]!;
  const host = own.replace(/\.\d+$/, '.77');
  const calls = planExpectedServices(states, [
    expect('service', 'tcp/80', host),
    expect('service', 'udp/53', '203.0.113.9'),
  ]);
  assert.deepEqual(
    calls.map(({ node, purpose, arguments: args }) => [node, purpose, args['serviceProbes']]),
    [
      [
        'r3',
        { kind: 'service-probe', reason: 'expected', round: 'first' },
        [{ destination: host, service: 'tcp', port: 80 }],
      ],
    ],
  );
});
