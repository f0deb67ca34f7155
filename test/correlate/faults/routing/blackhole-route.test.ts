// blackhole_route: a real router throws away packets for a network of another by a route set by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { blackholeRoute } from '#correlate/faults/routing/blackhole-route.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import { changed, recorded } from '../../recording.ts';
import { drawn, named } from '../../ring.ts';
import { caseOf, ringWorld, symptom } from '../proposing.ts';

const routed = (change: (route: StaticRoute) => StaticRoute) =>
  changed(recorded('blackhole'), {
    state: (state) =>
      state.staticRoutes === undefined ? state : { ...state, staticRoutes: state.staticRoutes.map(change) },
  });
const command = (input: ReturnType<typeof routed>) => diagnose(input).findings[0]?.remedy?.command;

test('a route of the configuration is taken out in either of FRR’s words for it', () => {
  const [found] = drawn(recorded('blackhole'));
  assert.equal(found?.[0], 'blackhole_route node/r2');
  assert.match(JSON.stringify(found), /"lines":\["no ip route (\S+) Null0","no ip route \1 blackhole"\]/);
});

test('a route of the kernel alone must be taken away by the operator that set it', () => {
  assert.deepEqual(drawn(routed((route) => ({ ...route, protocol: 'boot' }))), [
    [
      'blackhole_route node/r2',
      undefined,
      'the route is not of the configuration: the operator or program that set it must remove it',
    ],
  ]);
});

test('a route that answers is taken out by FRR’s word for it, one that is silent by the other', () => {
  const silent = command(recorded('blackhole'));
  assert.match(silent ?? '', /^no ip route \S+ Null0$/);
  assert.equal(command(routed((route) => ({ ...route, kind: 'unreachable' }))), silent?.replace('Null0', 'reject'));
});

test('a node that throws away the unused part of a prefix that it has an address of is not accused', () => {
  const own = routed((route) => ({ ...route, prefix: '198.18.0.0/15' }));
  assert.deepEqual(named(own), []);
});

const FRR = { driver: 'linux-frr', interfaces: [] as readonly object[], sids: [] as readonly object[] };
const thrown = (how: string, at: string, destination: string) =>
  symptom('route', { id: `${how} at ${at}`, detail: { how, at, destination } });
function proposed(route: object, symptoms: readonly ReturnType<typeof symptom>[], inventory: object = {}) {
  const staticRoutes = [{ prefix: '198.19.3.0/24', kind: 'blackhole', protocol: 'static', ...route }];
  const world = ringWorld({}, { b: { inventory: { ...FRR, ...inventory }, staticRoutes } });
  return blackholeRoute.propose(caseOf(symptoms, world), []);
}
const explains = (symptoms: readonly ReturnType<typeof symptom>[], route: object = {}) =>
  proposed(route, symptoms).map(({ score, confidence, explains: shares }) => [
    ...[score, confidence, shares.map((share) => share.symptom).join()],
  ]);
const HERE = thrown('blackhole', 'b', '198.19.3.10');

test('it explains packets that end at the node for its prefix, and echoes that cross the node', () => {
  const refused = thrown('unreachable', 'b', '198.19.3.11');
  const others = [
    thrown('none', 'b', '198.19.3.10'),
    thrown('loop', 'b', '198.19.3.10'),
    thrown('blackhole', 'c', '198.19.3.10'),
    { ...thrown('blackhole', 'b', '198.19.4.10'), id: 'elsewhere' },
  ];
  assert.deepEqual(explains([HERE, refused, ...others]), [[4, 'certain', 'blackhole at b,unreachable at b']]);
  assert.deepEqual(explains(others), []);
  const echo = (nodes: readonly string[] | undefined, destination: string) =>
    symptom('reach', { ...(nodes === undefined ? {} : { way: { nodes, links: [] } }), detail: { destination } });
  assert.deepEqual(explains([echo(['a', 'b'], '198.19.3.10')]), [[4, 'certain', 'reach']]);
  assert.deepEqual(explains([echo(['a', 'c'], '198.19.3.10')]), []);
  assert.deepEqual(explains([echo(['a', 'b'], '198.19.4.10')]), []);
  assert.deepEqual(explains([echo(undefined, '198.19.3.10')]), []);
});

test('a default route, a route that forwards, and one for a part of its own networks are not accused', () => {
  assert.deepEqual(explains([HERE], { prefix: '0.0.0.0/0' }), []);
  assert.deepEqual(explains([HERE], { kind: 'unicast' }), []);
  const own = (inventory: object) => proposed({}, [HERE], inventory).length;
  assert.equal(own({}), 1);
  assert.equal(own({ interfaces: [{ name: 'x', addresses: ['198.19.3.1/24'] }] }), 0);
  assert.equal(own({ interfaces: [{ name: 'x', addresses: ['198.19.4.1/24'] }] }), 1);
  assert.equal(own({ sids: [{ sid: '198.19.3.7/32' }] }), 0);
});

test('command and lines are in FRR’s words for the kind and the family', () => {
  const told = (route: object, destination: string) => {
    const [found] = proposed(route, [thrown('blackhole', 'b', destination)]);
    const { command, change, decide } = found!.remedy!;
    return [command, change?.lines, decide?.split(':')[0]];
  };
  const [four, six] = ['no ip route 198.19.3.0/24', 'no ipv6 route fd00:3::/64'];
  assert.deepEqual(told({}, '198.19.3.10'), [`${four} Null0`, [`${four} Null0`, `${four} blackhole`], undefined]);
  assert.deepEqual(told({ kind: 'unreachable' }, '198.19.3.10'), [`${four} reject`, [`${four} reject`], undefined]);
  assert.deepEqual(told({ prefix: 'fd00:3::/64' }, 'fd00:3::10'), [
    ...[`${six} blackhole`, [`${six} Null0`, `${six} blackhole`], undefined],
  ]);
  assert.deepEqual(told({ protocol: 'boot' }, '198.19.3.10'), [
    ...[
      'ip route del blackhole 198.19.3.0/24 proto boot table main',
      undefined,
      'the route is not of the configuration',
    ],
  ]);
  const six4 = { protocol: '4', prefix: 'fd00:3::/64', kind: 'prohibit', ifname: 'lo', metric: 1_024 };
  assert.deepEqual(told(six4, 'fd00:3::10'), [
    ...[
      'ip -6 route del prohibit fd00:3::/64 proto 4 metric 1024 table main',
      undefined,
      'the route is not of the configuration',
    ],
  ]);
});
