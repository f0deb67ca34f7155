// Lookups for packets of neighbours: which neighbours a node's policy rules can take, and what the kernel's answers mean.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '#model/router/forwarding.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import {
  neighbourBatch,
  parseInputRoutes,
  sourcesFor,
  withInputsBy,
} from '#router/drivers/linux-frr/routing-table/input-routes.ts';

const neighbour = (dst: string, dev: string, lladdr: string | null = '02:00:00:00:00:01') => ({
  ...{ dst, dev, state: ['REACHABLE'] },
  ...(lladdr === null ? {} : { lladdr }),
});
const NEIGHBOURS = [
  neighbour('198.19.1.10', 'eth3'),
  neighbour('198.19.1.11', 'eth3'),
  neighbour('198.19.1.12', 'eth3'),
  neighbour('198.18.1.1', 'eth1'),
  neighbour('fd00:c:1::10', 'eth3'),
  neighbour('fe80::1', 'eth3'),
  neighbour('198.19.1.99', 'eth3', null),
];
const rule = (change: Partial<PolicyRule>): PolicyRule => ({
  ...{ family: 'ipv4', priority: 100, action: 'table', table: 100 },
  ...change,
});
const sources = (...rules: readonly PolicyRule[]) =>
  sourcesFor(rules, NEIGHBOURS).map(({ address, ifname }) => `${address} ${ifname}`);

test('a few neighbours are asked for that a rule takes by source and interface', () => {
  assert.deepEqual(sources(rule({ from: '198.19.1.0/24' })), ['198.19.1.10 eth3', '198.19.1.11 eth3']);
  assert.deepEqual(sources(rule({ iif: 'eth1' })), ['198.18.1.1 eth1']);
  assert.deepEqual(sources(rule({ family: 'ipv6', from: 'fd00:c:1::/64' })), ['fd00:c:1::10 eth3']);
  assert.deepEqual(sources(rule({ from: '198.19.1.0/24', iif: 'eth1' })), []);
  assert.deepEqual(sources(rule({ from: '198.19.1.10/32' }), rule({ from: '198.19.1.0/24' })), [
    '198.19.1.10 eth3',
    '198.19.1.11 eth3',
  ]);
});

test('rules that take packets for a mark, or all but some, are not asked about', () => {
  assert.deepEqual(
    sources(rule({ from: '198.19.1.0/24', rest: true }), rule({ from: '198.18.0.0/15', negated: true })),
    [],
  );
});

test('answers and refusals of a batch belong to their lines', () => {
  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(() => ({ address: '198.19.1.10', ifname: 'eth3' }));
  const stdout = [
    '[{"dst":"203.0.113.5","from":"198.19.1.10","gateway":"198.18.2.1","dev":"eth2","flags":[],"cache":[],"iif":"eth3"}]',
    '[{"type":"local","dst":"198.19.255.1","from":"198.19.1.10","dev":"lo","table":"local","flags":[],"cache":["local"],"iif":"eth3"}]',
  ].join('\n');
  const reasons = [
    'Invalid argument',
    'No route to host',
    'Permission denied',
    'Network is unreachable',
    'Out of memory',
  ];
  const stderr = reasons
    .map((reason, index) => `RTNETLINK answers: ${reason}\nCommand failed -:${index + 2}\n`)
    .join('');
  const own = { ifname: 'eth3', source: '198.19.1.10' };
  assert.deepEqual(parseInputRoutes(asked, stdout, stderr), [
    { ...own, kind: 'unicast', out: 'eth2', nextHop: '198.18.2.1' },
    { ...own, kind: 'blackhole' },
    { ...own, kind: 'unreachable' },
    { ...own, kind: 'prohibit' },
    { ...own, kind: 'none' },
    undefined,
    { ...own, kind: 'local', out: 'lo' },
  ]);
});

const ANSWERS: readonly RouteAnswer[] = [
  { destination: '203.0.113.5', kind: 'unicast', ifname: 'eth2', protocol: 'isis' },
];

test('of the neighbours only those are asked for that a rule can take', async () => {
  const rules = [
    rule({ from: '198.19.1.0/24' }),
    rule({ from: '198.19.1.0/24', priority: 101 }),
    rule({ from: 'fd00:c:1::/64', iif: 'eth3', family: 'ipv6' }),
    rule({ iif: 'eth1' }),
    rule({ iif: 'eth1', rest: true }),
  ];
  const lines = ['neigh show to 198.19.1.0/24\n', 'neigh show to fd00:c:1::/64\n', 'neigh show dev eth1\n'];
  assert.deepEqual(neighbourBatch(rules), lines);
});

test('rows are those of their commands: one that failed printed none, and those of one interface do not name it', async () => {
  const { dev: _, ...nameless } = neighbour('198.18.1.1', 'eth1');
  const run = (_args: readonly string[], input: string) =>
    Promise.resolve(
      input.startsWith('neigh')
        ? { stdout: `${JSON.stringify([nameless])}\n`, stderr: 'Cannot find device "gone"\nCommand failed -:1\n' }
        : { stdout: '[{"dst":"203.0.113.5","gateway":"198.18.2.1","dev":"eth2"}]\n', stderr: '' },
    );
  const found = await withInputsBy([rule({ iif: 'gone' }), rule({ iif: 'eth1' })], ANSWERS, run);
  assert.deepEqual(found[0]?.inputs, [
    { ifname: 'eth1', source: '198.18.1.1', kind: 'unicast', out: 'eth2', nextHop: '198.18.2.1' },
  ]);
});

test('where the neighbours cannot be read, the lookups of the node’s own packets stand', async () => {
  const fails = () => Promise.reject(new Error('more output than is taken'));
  assert.equal(await withInputsBy([rule({ from: '198.19.1.0/24' })], ANSWERS, fails), ANSWERS);
  const ended = AbortSignal.abort(new Error('ended'));
  await assert.rejects(withInputsBy([rule({ iif: 'eth1' })], ANSWERS, fails, ended), /ended/);
});
