// policy_route_misconfig, and blackhole_route behind a policy rule: hosts of r1 whose packets a rule takes, by r1's own lookups for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ForwardingState, PolicyRule } from '#model/router/forwarding.ts';
import type { InputRoute, NodeState } from '#model/router/router-port.ts';
import { policyRuleWords } from '#model/settings/forwarding-settings.ts';
import { remarksTold } from '../../remarks.ts';
import { named, type Scene, sceneOf } from '../../scope-scene.ts';
import { forwardingOf, inputsAtR1, ipv4Off, rule, withForwarding } from '../forwarding/forwarding-scope.ts';

type History = Partial<NonNullable<NodeState['history']>>;
type Input = Parameters<typeof inputsAtR1>[0];

/** As r1 remembers: each rule came a minute ago. */
const come = (rules: readonly PolicyRule[]): History => ({
  settings: rules.map((each) => ({
    kind: 'policy-rule',
    subject: `${each.family} ${each.priority}`,
    is: policyRuleWords(each),
    agoMs: 60_000,
  })),
});
const ruled = (
  rules: readonly PolicyRule[],
  input: Input,
  change: (state: NodeState) => NodeState['forwarding'] = forwardingOf,
  history: History = come(rules),
) =>
  withForwarding(
    { r1: (state) => ({ ...change(state)!, policyRules: rules }) },
    {
      lookups: { r1: inputsAtR1(input) },
      states: { r1: (state) => ({ ...state, history: { ...state.history!, ...history } }) },
    },
  );
const all =
  (kind: InputRoute['kind']): Input =>
  () => ({ kind });
const WHOLE = rule({ from: '198.19.1.0/24', iif: 'eth3' });

test('a rule that leads all packets of a network to a route that throws them away is a black hole of the node', () => {
  const scene = ruled([WHOLE], all('blackhole'));
  assert.deepEqual(named(scene), ['blackhole_route node/r1']);
  const [finding] = diagnose(sceneOf(scene)).findings;
  assert.equal(finding?.confidence, 'likely');
  assert.equal(
    finding?.details['what'],
    'r1: its rule “priority 100 from 198.19.1.0/24 iif eth3 lookup 100” leads all packets of the hosts of 198.19.1.1/24 to a blackhole route; its own packets arrive',
  );
  assert.equal(finding?.remedy?.command, 'ip rule del priority 100 from 198.19.1.0/24 iif eth3 lookup 100');
  assert.equal(finding?.remedy?.change, undefined);
  assert.deepEqual(named(ruled([WHOLE], all('prohibit'))), ['blackhole_route node/r1']);
});

test('a rule that itself discards, a table without a way and a next hop that sends packets back are misconfigured rules', () => {
  const discarding = rule({ iif: 'eth3', action: 'blackhole' });
  assert.deepEqual(named(ruled([discarding], all('blackhole'))), ['policy_route_misconfig node/r1']);
  assert.deepEqual(named(ruled([WHOLE], all('none'))), ['policy_route_misconfig node/r1']);
  const [finding] = diagnose(sceneOf(ruled([discarding], all('blackhole')))).findings;
  assert.equal(
    finding?.details['what'],
    'r1: by its rule “priority 100 iif eth3 blackhole” packets of hosts on eth3 (198.19.1.1/24) are thrown away, to all 3 addresses that its own packets reach',
  );
});

test('a route without a next hop is misconfigured where no neighbour answers for what it leads to', () => {
  const onLink: Input = () => ({ kind: 'unicast', out: 'eth2' });
  const asking = (...rows: NonNullable<NodeState['neighbourTable']>) => ({
    ...ruled([WHOLE], onLink),
    states: {
      r1: (state: NodeState) => ({
        ...state,
        neighbourTable: rows,
        history: { ...state.history!, ...come([WHOLE]) },
        forwarding: { ...forwardingOf(state), policyRules: [WHOLE] },
      }),
    },
  });
  const failed = { address: '198.19.3.10', ifname: 'eth2', state: 'FAILED' };
  assert.deepEqual(named(asking(failed)), ['policy_route_misconfig node/r1']);
  const answered = { address: '198.19.3.11', ifname: 'eth2', state: 'REACHABLE', mac: '02:00:00:00:02:01' };
  assert.deepEqual(named(asking(failed, answered)), [], 'a proxy answers for some');
  assert.deepEqual(named(asking({ ...failed, address: '198.18.1.1' })), [], 'the neighbour itself, which is down');
  assert.deepEqual(named(asking()), [], 'none was asked for');
});

test('policies are no fault', () => {
  const some =
    (kind: InputRoute['kind']): Input =>
    (destination) => ({ kind: destination === '198.19.3.1' ? kind : 'unicast', out: 'eth2' });
  const strict = (state: NodeState) =>
    forwardingOf(state, {
      interfaces: forwardingOf(state).interfaces.map((row) => ({ ...row, reversePath: 'strict' as const })),
    });
  const policies: readonly (readonly [string, Parameters<typeof ruled>])[] = [
    ['another next hop that delivers', [[WHOLE], () => ({ kind: 'unicast', out: 'eth2' })]],
    ['one network is out of bounds for these hosts', [[WHOLE], some('blackhole')]],
    ['one host alone is shut off', [[rule({ from: '198.19.1.10/32' })], all('blackhole')]],
    ['packets to one network alone', [[rule({ from: '198.19.1.0/24', to: '198.19.3.0/24' })], all('blackhole')]],
    ['all but these hosts', [[rule({ from: '198.19.1.0/24', negated: true })], all('blackhole')]],
    ['marked packets alone', [[rule({ from: '198.19.1.0/24', rest: true })], all('blackhole')]],
    ['hosts of another port', [[rule({ from: '198.19.1.0/24', iif: 'eth9' })], all('blackhole')]],
    ['a table that has no route: the next rule decides', [[WHOLE], () => ({ kind: 'unicast', out: 'eth2' })]],
    ['a way that is not known', [[WHOLE], () => ({ kind: 'unicast', out: 'tun0' })]],
    ['no lookup was made', [[WHOLE], () => undefined]],
    ['no rule', [[], all('blackhole')]],
    ['a source that a strict reverse path filter refuses', [[WHOLE], all('blackhole'), strict]],
  ];
  for (const [name, args] of policies) assert.deepEqual(named(ruled(...args)), [], name);
});

test('a source that is not refused by its reverse path is judged where that is checked too', () => {
  const strict = (state: NodeState) =>
    forwardingOf(state, {
      interfaces: forwardingOf(state).interfaces.map((row) => ({ ...row, reversePath: 'strict' as const })),
    });
  assert.deepEqual(named(ruled([WHOLE], all('prohibit'), strict)), ['blackhole_route node/r1']);
});

test('rules of each family are judged where the node forwards that family, and by rules of their own', () => {
  const scene = (change: Partial<ForwardingState>, family: PolicyRule['family'] = 'ipv6') => {
    const discarding = rule({ family, iif: 'eth3', action: 'prohibit' });
    const base = ruled(
      [discarding],
      () => ({ kind: 'prohibit', source: 'fd00:c:1::10' }),
      (state) => forwardingOf(state, change),
    );
    const ofR1 = base.states!.r1!;
    const addressed: Scene['states'] = {
      ...base.states,
      r1: (state, phase) => {
        const now = ofR1(state, phase);
        const interfaces = now.inventory.interfaces.map((port) =>
          port.name === 'eth3' ? { ...port, addresses: [...port.addresses, 'fd00:c:1::1/64'] } : port,
        );
        return { ...now, inventory: { ...now.inventory, interfaces } };
      },
    };
    return diagnose(sceneOf({ ...base, states: addressed }))
      .findings.filter(({ fault }) => fault === 'policy_route_misconfig')
      .map(({ details }) => details['network']);
  };
  assert.deepEqual(scene({ ipv4: false, ipv6: true }), ['fd00:c:1::1/64']);
  assert.deepEqual(scene({ ipv4: true, ipv6: false }), []);
  assert.deepEqual(scene({ ipv4: false, ipv6: true }, 'ipv4'), []);
});

test('of a node that does not forward, the rules are not the cause', () => {
  assert.deepEqual(named(ruled([WHOLE], all('unreachable'), ipv4Off)), []);
});

test('a rule that stood for as long as its node remembers is a remark, unless its hosts are heard asking beyond', () => {
  const quarantine = rule({ from: '198.19.1.0/24', action: 'prohibit' });
  const stood = (history: History) => ruled([quarantine], all('prohibit'), forwardingOf, history);
  const told = diagnose(sceneOf(stood({})));
  assert.deepEqual(told.findings, []);
  assert.ok(told.verdict.kind !== 'fault');
  assert.match(
    remarksTold(told).join(),
    /from 198\.19\.1\.0\/24 prohibit”.*and always did as far as the agents remember$/,
  );
  assert.deepEqual(named(stood(come([rule({ from: '198.19.9.0/24', action: 'prohibit' })]))), [], 'another one came');
  assert.deepEqual(named(stood(come([quarantine]))), ['policy_route_misconfig node/r1']);
  const ask = { ifname: 'eth3', what: 'dns-query' as const, from: '198.19.1.10', agoMs: 5_000 };
  assert.deepEqual(named(stood({ heard: [{ ...ask, to: '198.19.3.10' }] })), ['policy_route_misconfig node/r1']);
  assert.deepEqual(named(stood({ heard: [{ ...ask, to: '198.19.1.1' }] })), [], 'the router itself');
});
