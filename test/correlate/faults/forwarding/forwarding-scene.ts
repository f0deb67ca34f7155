// r0 – r1 – r2 where r1 forwards between the other two by filter rules, for tests of what a node does to packets that it forwards.
import type { Fact } from '#correlate/engine/facts.ts';
import type { Past, Slice } from '#correlate/engine/fault-definition.ts';
import type { World } from '#correlate/network/world.ts';
import type { FilterRule } from '#model/router/router-port.ts';

export const rule = (
  hook: string,
  rewrites: readonly string[],
  outInterfaces: readonly string[] = [],
  packets = '9',
): FilterRule => ({
  ...{ family: 'inet', table: 'filter', chain: hook, path: [hook], hook, handle: 2, verdict: 'other' as const },
  ...{ outInterfaces, inInterfaces: [], packets, rewrites },
});

/** `counted` is what every rule of r1 had counted before; `drops` what its queue dropped before and after. */
export function worldWith(
  filters: readonly FilterRule[],
  counted: string | null = '9',
  drops: readonly [string, string] = ['0', '0'],
): World {
  const state = (count: string, rules = filters) => ({
    ...{ filters: rules, qdiscs: [{ ifname: 'eth1', kind: 'tbf', drops: count, overlimits: '900' }] },
    ...{ inventory: { interfaces: [] }, daemons: [{ name: 'zebra', alive: true }] },
  });
  const earlier = filters.map((each) => ({ ...each, packets: counted ?? '0' }));
  const view = {
    ...{ node: 'r1', state: state(drops[1]), after: state(drops[1]), sources: ['s1'] },
    ...(counted === null ? {} : { before: state(drops[0], earlier) }),
  };
  const other = { ...state('0'), filters: [], qdiscs: [] };
  const [from, to] = [
    { node: 'r1', ifname: 'eth1' },
    { node: 'r2', ifname: 'eth1' },
  ];
  return {
    views: new Map<string, unknown>([
      ['r1', view],
      ['r2', { node: 'r2', state: other, before: other, after: other, sources: ['s2'] }],
    ]),
    links: [{ key: 'link/r1:eth1--r2:eth1', from, to, link: { from, to } }],
  } as unknown as World;
}

/** What r1 remembers of its filters; `today` are those that it has now. */
export function remembered(filters: readonly FilterRule[], today: readonly FilterRule[] = []): Slice {
  const past: Past = { agoMs: 20_000, now: worldWith(today), kept: { memory: 'filters', node: 'r1' } };
  return { world: worldWith(filters, null), facts: [], past };
}

const source = ['p1'];

export const crossing = (lost: number, from = 'r0', through = 'r1', to = 'r2'): Fact => ({
  ...{ subject: `path/${from}>${through}>${to}`, predicate: 'crossing', source },
  value: { from, through, to, sent: 250, lost },
});

export const wrongChecksums = (node: string, packets: number, counter = 'Udp6InCsumErrors'): Fact => ({
  ...{ subject: `node/${node}`, predicate: 'node-errors', source },
  value: { node, counter, packets },
});

export const lossOver = (from: string, to: string, lost: number): Fact => ({
  ...{ subject: `path/${from}>${to}`, predicate: 'probe-loss', source },
  value: {
    ...{ scope: 'segment', from, to, measuredBy: from, sent: 200, lost, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true },
  },
});

export const marked = (dscp: number): Fact => ({
  ...{ subject: 'interface/r1/eth1', predicate: 'marked', source },
  value: { node: 'r1', ifname: 'eth1', dscp, sent: 40 },
});
