// Filters of traffic control, as iproute2 6.1 prints them: which take packets away, and what of them is known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Qdisc } from '#model/router/control-plane.ts';
import { parseTcFilters, readTcFilters } from '#router/drivers/linux-frr/kernel/tc-filters.ts';

const PORTS = [
  { name: 'eth1', operUp: true, kind: 'physical' as const },
  { name: 'eth2', operUp: false, kind: 'physical' as const },
  { name: 'ifb0', operUp: true, kind: 'other' as const },
  { name: 'void0', operUp: true, kind: 'other' as const },
  { name: 'lo', operUp: true, kind: 'loopback' as const },
];
const INGRESS = { ifname: 'eth1', hook: 'ingress' as const, dropped: '7' };
const EGRESS = { ...INGRESS, hook: 'egress' as const };
const stats = (packets: number, drops = 0) => ({ bytes: 0, packets, drops, overlimits: 0 });
const gact = (type: string) => ({ order: 1, kind: 'gact', control_action: { type }, stats: stats(9, 9) });
const redirect = (to: string, action = 'redirect') => ({
  ...{ order: 1, kind: 'mirred', mirred_action: action, direction: 'egress', to_dev: to },
  ...{ control_action: { type: 'stolen' }, stats: stats(5) },
});
const filter = (kind: string, options: object, protocol = 'ip') => ({ protocol, pref: 10, kind, chain: 0, options });
const parsed = (...args: Parameters<typeof parseTcFilters>) => parseTcFilters(...args) ?? [];
const parse = (...rows: readonly object[]) =>
  parseTcFilters([INGRESS], `${JSON.stringify(rows)}\n`, PORTS, ['void0'])?.map(
    ({ handle, verdict, matches, matchesRest, packets, comment }) => ({
      handle,
      verdict,
      matches,
      matchesRest,
      packets,
      comment,
    }),
  );
const dropped = (comment: string, packets: string, matchesRest: boolean, matches: readonly object[]) => [
  { handle: 1, verdict: 'drop', matches, matchesRest, packets, comment },
];
const IP = { field: 'network', values: ['ip'] };

test('a filter that drops is a rule of its hook, with what flower says of it', () => {
  const keys = { eth_type: 'ipv4', ip_proto: 'tcp', dst_ip: '198.19.1.0/24', dst_port: 80 };
  const [rule] = parsed([EGRESS], JSON.stringify([filter('flower', { keys, actions: [gact('drop')] })]), PORTS, []);
  assert.deepEqual(rule, {
    ...{ family: 'netdev', table: 'tc', chain: 'eth1 egress', path: ['eth1 egress'], hook: 'egress', handle: 1 },
    ...{
      verdict: 'drop',
      outInterfaces: ['eth1'],
      inInterfaces: [],
      matchesRest: false,
      packets: '9',
      comment: 'drop',
    },
    matches: [
      IP,
      { field: 'protocol', values: ['tcp'] },
      { field: 'destination', values: ['198.19.1.0/24'] },
      { field: 'destination-port', values: ['80'] },
    ],
    acl: 'tc filter 1 of eth1 egress',
  });
  assert.deepEqual(
    parse(filter('flower', { keys: { vlan_id: 4 }, actions: [gact('drop')] })),
    dropped('drop', '9', true, [IP]),
  );
});

test('all packets, words of u32 that are not read, policers and programs are each said as they are', () => {
  assert.deepEqual(parse(filter('matchall', { actions: [gact('drop')] }, 'all')), dropped('drop', '9', false, []));
  assert.deepEqual(parse(filter('u32', { match: {}, actions: [gact('drop')] })), dropped('drop', '9', true, [IP]));
  const police = { order: 1, kind: 'police', control_action: { type: 'drop' }, stats: stats(900, 30) };
  assert.deepEqual(parse(filter('matchall', { actions: [police] }, 'all')), dropped('police', '30', true, []));
  assert.deepEqual(parse(filter('bpf', { 'direct-action': true }, 'all')), dropped('bpf', '7', true, []));
});

test('a redirect takes packets away where nothing is behind the interface', () => {
  for (const to of ['eth2', 'void0', 'lo', 'gone0'])
    assert.deepEqual(
      parse(filter('matchall', { actions: [redirect(to)] })),
      dropped(`redirect to ${to}`, '5', false, [IP]),
    );
  assert.deepEqual(parse(filter('matchall', { actions: [redirect('ifb0')] })), []);
  assert.deepEqual(parse(filter('matchall', { actions: [redirect('void0', 'mirror')] })), [], 'a copy');
});

test('filters that classify, pass or mark take nothing, and neither do rows of another form', () => {
  assert.deepEqual(parse(filter('u32', { ht_divisor: 1 }), filter('matchall', { actions: [gact('pass')] }), {}), []);
  assert.deepEqual(parseTcFilters([INGRESS, EGRESS], '[]\n', PORTS, []), undefined, 'an answer for each hook, or none');
});

test('a filter that lets packets go on, or of which that is not known, is told where one after it takes packets away', () => {
  const keys = { eth_type: 'ipv4', src_ip: '198.19.1.0/24' };
  const rows = [
    { protocol: 'ip', pref: 10, kind: 'flower', chain: 0 },
    filter('flower', { keys, actions: [gact('pass')] }),
    filter('u32', { ht_divisor: 1 }),
    filter('flower', { keys, actions: [redirect('void0', 'mirror')] }),
    filter('matchall', { actions: [gact('drop')] }),
    filter('matchall', { actions: [gact('pass')] }),
  ];
  const told = parsed([INGRESS], JSON.stringify(rows), PORTS, ['void0']);
  assert.deepEqual(
    told.map(({ handle, verdict, ends, matches = [] }) => [handle, verdict, ends, matches.length]),
    [
      [2, 'accept', undefined, 2],
      [4, 'other', 'unknown', 2],
      [5, 'drop', undefined, 1],
    ],
  );
});

test('without a hook no program is started', async () => {
  const queue = { ifname: 'eth1', kind: 'fq_codel', drops: '0', overlimits: '0' };
  assert.deepEqual(await readTcFilters([queue], PORTS, [], AbortSignal.abort()), { rules: [] });
});

test('hooks that could not be read, and those beyond the limit, are told of', async () => {
  const queue = { kind: 'ingress', drops: '0', ifname: 'none9' } as Qdisc;
  const { rules, unread } = await readTcFilters([queue], PORTS, []);
  assert.deepEqual(rules, []);
  assert.match(unread!, /^expected tc to list the filters of 1 hooks, got exit code \d+$/);
});
