// Walks over equally good next hops: each node once, however many ways lead there; loops are told by where they are entered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { echoesOver, walk } from '../../../src/correlate/network/forwarding.ts';
import type { World, WorldLink } from '../../../src/correlate/network/world.ts';
import { processorMsOf } from '../../processor-time.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const DESTINATION = '198.51.100.1';

/** Nodes and where each forwards to; `owner` has the destination. */
function worldOf(onward: Readonly<Record<string, readonly string[]>>, owner?: string): World {
  const links: WorldLink[] = [];
  const lookups = new Map<string, Map<string, RouteAnswer>>();
  for (const [node, others] of Object.entries(onward)) {
    const ifnames = others.map((other) => `to-${other}`);
    for (const other of others) {
      const key = `link/${node}:to-${other}--${other}:from-${node}` as const;
      links.push({ key, from: { node, ifname: `to-${other}` }, to: { node: other, ifname: `from-${node}` } } as never);
    }
    const answer = { destination: DESTINATION, kind: ifnames.length === 0 ? 'none' : 'unicast', ifnames };
    lookups.set(node, new Map([[DESTINATION, answer as unknown as RouteAnswer]]));
  }
  const owners = new Map(owner === undefined ? [] : [[DESTINATION, [{ node: owner, ifname: 'lo' }]]]);
  return { links, lookups, owners, views: new Map() } as never;
}

const told = (world: World, from: string) =>
  walk(world, from, DESTINATION)
    .endings.map(({ kind, at }) => `${kind} ${at}`)
    .sort();

test('a grid of equally good ways is walked node by node', () => {
  const size = 30;
  const onward: Record<string, string[]> = {};
  for (let x = 0; x < size; x++)
    for (let y = 0; y < size; y++)
      onward[`${x}.${y}`] = [...(x + 1 < size ? [`${x + 1}.${y}`] : []), ...(y + 1 < size ? [`${x}.${y + 1}`] : [])];
  const tookMs = processorMsOf(() => {
    const { endings, nodes, links } = walk(worldOf(onward, '29.29'), '0.0', DESTINATION);
    assert.deepEqual(endings, [{ kind: 'delivered', at: '29.29' }]);
    assert.deepEqual([nodes.length, links.length], [900, 1_740]);
  });
  assert.ok(tookMs < 5_000);
});

test('all endings of ways that part are told once each', () => {
  const world = worldOf({ a: ['b', 'c'], b: ['d', 'e'], c: ['d', 'e'], e: [] }, 'd');
  assert.deepEqual(told(world, 'a'), ['delivered d', 'none e']);
});

test('a loop is told by each node at which a way enters it', () => {
  const world = worldOf({ a: ['b', 'c'], b: ['c'], c: ['b'] });
  assert.deepEqual(told(world, 'a'), ['loop b', 'loop c']);
});

test('where a loop makes ways without number, the walk ends and says that it does not know', () => {
  const names = Array.from({ length: 14 }, (_, index) => `n${index}`);
  const mesh = Object.fromEntries(names.map((name) => [name, names.filter((other) => other !== name)]));
  const endings = told(worldOf(mesh), 'n0');
  assert.ok(endings.some((ending) => ending.startsWith('unknown')));
});

test('on a segment of several nodes the next hop names the next node, and without one the destination does', () => {
  const lan = ['a', 'b', 'c'].map((node) => ({ node, ifname: 'eth1' }));
  const links = [
    [0, 1],
    [0, 2],
    [1, 2],
  ].map(([one, other]) => {
    const [from, to] = [lan[one!]!, lan[other!]!];
    return { key: `link/${from.node}:eth1--${to.node}:eth1`, from, to };
  });
  const owners = new Map([
    ['192.0.2.1', [lan[0]!]],
    ['192.0.2.2', [lan[1]!]],
    ['192.0.2.3', [lan[2]!]],
    [DESTINATION, [{ node: 'c', ifname: 'lo' }]],
  ]);
  const answer = (destination: string, nextHop?: string) => [
    destination,
    { destination, kind: 'unicast', ifname: 'eth1', ...(nextHop === undefined ? {} : { nextHop }) },
  ];
  const endings = (nextHop: string | undefined, destination = DESTINATION) => {
    const lookups = new Map(['a', 'b'].map((node) => [node, new Map([answer(destination, nextHop)] as never)]));
    return walk({ links, lookups, owners, views: new Map() } as never, 'a', destination).endings;
  };
  assert.deepEqual(endings('192.0.2.3'), [{ kind: 'delivered', at: 'c' }]);
  assert.deepEqual(endings(undefined, '192.0.2.3'), [{ kind: 'delivered', at: 'c' }]);
  // b sends back what a sends to it.
  assert.deepEqual(endings('192.0.2.2'), [{ kind: 'unknown', at: 'b' }]);
  assert.deepEqual(endings('198.18.0.9'), [{ kind: 'unknown', at: 'a' }]);
});

test('of two equal ways, one over a segment whose next node is not known, the other is walked and the first stays unknown', () => {
  const end = (node: string, ifname: string) => ({ node, ifname });
  const link = (from: ReturnType<typeof end>, to: ReturnType<typeof end>) => ({
    key: `link/${from.node}:${from.ifname}--${to.node}:${to.ifname}`,
    from,
    to,
  });
  const links = [
    link(end('a', 'eth1'), end('b', 'eth1')),
    link(end('a', 'eth1'), end('c', 'eth1')),
    link(end('a', 'eth2'), end('d', 'eth1')),
  ];
  const answer = { destination: DESTINATION, kind: 'unicast', ifname: 'eth1', ifnames: ['eth1', 'eth2'] };
  const owners = new Map([[DESTINATION, [end('d', 'lo')]]]);
  const lookups = new Map([['a', new Map([[DESTINATION, answer]])]]);
  const of = (views: Map<string, unknown>, nextHop?: string) => {
    const known =
      nextHop === undefined
        ? lookups
        : new Map([['a', new Map([[DESTINATION, { ...answer, nextHop, ifnames: ['eth1'] }]])]]);
    return told({ links, lookups: known, owners, views } as never, 'a');
  };
  assert.deepEqual(of(new Map()), ['delivered d', 'unknown a']);
  // A link-local next hop is that of the interface which has it.
  const view = { state: { inventory: { interfaces: [{ name: 'eth1', addresses: ['fe80::c/64'] }] } } };
  assert.deepEqual(of(new Map([['c', view]]), 'fe80::c'), ['unknown c']);
});

test('echoes between loopbacks count for a link without addresses where both nodes send to each other over it alone', () => {
  const [A, B] = ['198.18.9.1', '198.18.9.2'];
  const over = ({ back = ['to-a'], addresses = undefined as object | undefined, far = B, sender = A } = {}) => {
    const link = linkOf('a-b');
    const way = (destination: string, ifnames: readonly string[]) =>
      new Map([[destination, { destination, kind: 'unicast', ifnames }]]);
    const loopback = (address: string) => ({ now: { inventory: { interfaces: [], loopbacks: [`${address}/32`] } } });
    const world = pairWorld([], { a: loopback(A), b: loopback(far) }, {
      lookups: new Map([
        ['a', way(far, ['to-b'])],
        ['b', way(A, back)],
      ]),
      owners: new Map([
        [A, [{ node: 'a', ifname: 'lo' }]],
        [far, [{ node: 'b', ifname: 'lo' }]],
      ]),
      reach: [{ from: 'a', destination: far, sender, sent: 100, received: 80, source: 'r' }],
    } as never);
    return echoesOver(world, {
      ...link,
      link: { ...link.link, ...(addresses === undefined ? {} : { addresses }) },
    } as never);
  };
  assert.deepEqual(over(), { sent: 100, lost: 20 });
  const none = { sent: 0, lost: 0 };
  assert.deepEqual(over({ back: ['to-a', 'to-c'] }), none, 'one of two ways back');
  assert.deepEqual(over({ addresses: { from: '198.18.1.1', to: '198.18.1.2' } }), none, 'its own addresses are probed');
  assert.deepEqual(over({ sender: '198.18.9.7' }), none, 'the way back to where they were sent from is not known');
  assert.deepEqual(over({ far: 'fd00::9' }), none, 'a lookup of IPv6 does not tell all equal ways');
});
