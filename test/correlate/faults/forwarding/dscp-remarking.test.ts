// dscp_remarking: a router that changes the DSCP towards another router, as marked probes met it now and as its own counter says of a rule
// that is gone; policy at the edge and rules that met nothing accuse nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { CaseFile, Fact } from '#correlate/engine/facts.ts';
import type { Slice } from '#correlate/engine/fault-definition.ts';
import { dscpRemarking } from '#correlate/faults/forwarding/dscp-remarking.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { sceneOf } from '../../scope-scene.ts';
import { marked, remembered, rule, worldWith } from './forwarding-scene.ts';

const places = (slice: Slice) => dscpRemarking.detect!(slice).map(({ subject }) => subject);
const now = (filters: readonly FilterRule[], facts: readonly Fact[] = []) =>
  places({ world: worldWith(filters), facts });
const HERE = ['interface/r1/eth1'];

test('a mark that marked probes lose towards another router is named, whatever it becomes', () => {
  const moved = (text: string, packets: string, dscp = 46, ifname = 'eth1') =>
    now([rule('egress', [text], [ifname], packets)], [marked(dscp)]);
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49'), HERE);
  assert.deepEqual(moved('ip6 dscp ef = af11', '49'), HERE);
  assert.deepEqual(moved('ip6 dscp af11 = cs1', '49', 10), HERE);
  assert.deepEqual(moved('ip6 dscp ef = af11', '12'), []);
  assert.deepEqual(moved('ip6 dscp ef = ef', '49'), []);
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49', 10), []);
  assert.deepEqual(moved('ip6 dscp ef = cs0', '49', 46, 'eth9'), []);
  assert.deepEqual(now([rule('egress', ['ip6 dscp ef = af11'], ['eth1'], '49')]), []);
});

test('the finding says how many packets and probes met the rule, for certain, and what to do', () => {
  const slice = { world: worldWith([rule('egress', ['ip6 dscp ef = cs0'], ['eth1'], '49')]), facts: [marked(46)] };
  const file = { ...slice, symptoms: dscpRemarking.detect!(slice) } as unknown as CaseFile;
  const [found, ...rest] = dscpRemarking.propose(file, []);
  assert.deepEqual(rest, []);
  assert.deepEqual([found?.fault, found?.confidence, found?.remedy?.node], ['dscp_remarking', 'certain', 'r1']);
  assert.equal(found?.details['rewrites'], 'ip6 dscp ef = cs0');
  assert.match(
    String(found?.details['what']),
    /\{r1\} eth1: .*\(ip6 dscp ef = cs0\) of 40 packets, 40 probes among them/,
  );
});

test('of a rule that is gone its own counter tells, without probes; one that stands is judged by probes alone', () => {
  const REMARKS = rule('egress', ['ip6 dscp ef = cs0'], ['eth1'], '3');
  assert.deepEqual(places(remembered([REMARKS])), HERE);
  assert.deepEqual(places(remembered([{ ...REMARKS, packets: '0' }])), []);
  assert.deepEqual(places(remembered([REMARKS], [{ ...REMARKS, handle: 7 }])), []);
});

/** r1 had this rule 40 to 20 seconds ago. */
function over(text: string, ifname: string) {
  const past = (state: NodeState): NodeState['past'] & {} => [
    { fromAgoMs: 40_000, untilAgoMs: 20_000, state: { ...state, filters: [rule('egress', [text], [ifname])] } },
  ];
  const input = sceneOf({ states: { r1: (state) => ({ ...state, filters: [], past: past(state) }) } });
  return diagnose({ ...input, intent: { ...input.intent, sinceMs: 120_000 } }).findings.map(
    ({ fault, resource, confidence, details, remedy }) => [
      ...[fault, resource, confidence, details['over'], details['agoSeconds']],
      ...[remedy],
    ],
  );
}

test('what is over is likely, says when it ended, and has no remedy; towards hosts it is everyday work', () => {
  assert.deepEqual(over('ip6 dscp ef = cs0', 'eth2'), [
    ['dscp_remarking', 'interface/r1/eth2', 'likely', true, 20, undefined],
  ]);
  assert.deepEqual(over('ip6 dscp ef = cs0', 'eth3'), []);
  assert.deepEqual(over('ip dscp = ef', 'eth2'), []);
});

test('half of the marked probes must show in the counter, and those of the same mark, node and port alone', () => {
  const of = (packets: number, facts: readonly Fact[] = [marked(46)]) =>
    now([rule('egress', ['ip6 dscp ef = cs0'], ['eth1'], String(9 + packets))], facts);
  assert.deepEqual([of(20), of(19)], [HERE, []]);
  assert.deepEqual(of(39, [marked(46), marked(46)]), []);
  assert.deepEqual(of(40, [marked(46), marked(46)]), HERE);
  const elsewhere = (change: object) => ({ ...marked(46), value: { ...marked(46).value, ...change } }) as Fact;
  assert.deepEqual(of(20, [elsewhere({ node: 'r2' })]), []);
  assert.deepEqual(of(20, [elsewhere({ ifname: 'eth2' })]), []);
  assert.deepEqual(now([rule('egress', ['udp checksum = 1'], ['eth1'], '49')], [marked(46)]), []);
});

test('the other end must route, or be adjacent where it gives no state', () => {
  const of = (far: object | undefined, adjacencies: readonly object[] = []) => {
    const world = worldWith([rule('egress', ['ip6 dscp ef = cs0'], ['eth1'], '49')]);
    const views = new Map(world.views);
    if (far === undefined) views.delete('r2');
    else views.set('r2', { ...views.get('r2')!, state: { ...views.get('r2')!.state, ...far } as never });
    const own = views.get('r1')!;
    views.set('r1', { ...own, state: { ...own.state, adjacencies } as never });
    return places({ world: { ...world, views }, facts: [marked(46)] });
  };
  assert.deepEqual(of({}), HERE);
  assert.deepEqual(of({ daemons: [] }), []);
  assert.deepEqual(of(undefined), []);
  assert.deepEqual(of(undefined, [{ ifname: 'eth1', state: 'up' }]), HERE);
  assert.deepEqual(of(undefined, [{ ifname: 'eth1', state: 'down' }]), []);
  assert.deepEqual(of(undefined, [{ ifname: 'eth2', state: 'up' }]), []);
});
