// One link that lost probes among others that lost some at the same time: with a quarter of them it is the link, with more it is the machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World, WorldLink } from '#correlate/network/world.ts';
import { monitoredLosses } from '#correlate/observe/monitored-loss.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { WatchRound } from '#model/router/link-monitor.ts';

const SIZE = 5;

/** 75 rounds of 20 IPv6 and 20 IPv4 probes; for ten seconds each round loses two of either family on the way out. */
function rounds(isLosing: boolean): readonly WatchRound[] {
  return Array.from({ length: 75 }, (_, index): WatchRound => {
    const agoMs = 151_000 - index * 2_000;
    const reflected = isLosing && agoMs <= 30_000 && agoMs > 20_000 ? 18 : 20;
    return [agoMs, 20, reflected, reflected, 20, reflected, reflected, 500, 0];
  });
}

/** A ring n0 – n1 – … – n4 – n0, each node's eth2 to eth1 of the next; these links lost probes at the same time. */
function ring(losing: readonly number[]): World {
  const numbers = Array.from({ length: SIZE }, (_, index) => index);
  const end = (index: number, ifname: string): LinkEnd => ({ node: `n${index % SIZE}`, ifname });
  const links = numbers.map((index) => {
    const [from, to] = [end(index, 'eth2'), end(index + 1, 'eth1')];
    return { key: `link/${from.node}--${to.node}`, from, to } as unknown as WorldLink;
  });
  const address = (index: number) => `fd00:1:${index % SIZE}::1`;
  const views = numbers.map((index) => {
    const watch = [{ ifname: 'eth2', far: [address(index)], rounds: rounds(losing.includes(index)) }];
    return [
      `n${index}`,
      { node: `n${index}`, sources: [], state: { inventory: { interfaces: [] }, history: { watch } } },
    ] as const;
  });
  const owners = new Map(numbers.map((index) => [address(index), [end(index + 1, 'eth1')]]));
  return { sinceMs: 120_000, views: new Map(views), links, owners } as unknown as World;
}

const accused = (losing: readonly number[]) => monitoredLosses(ring(losing)).map(({ from }) => interfaceResource(from));

test('one link of five that lost probes is accused alone', () => {
  assert.deepEqual(accused([0]), [interfaceResource({ node: 'n0', ifname: 'eth2' })]);
});

test('two links apart, where each has a quarter of the others losing, are both accused', () => {
  assert.deepEqual(accused([0, 2]), ['interface/n0/eth2', 'interface/n2/eth2']);
});

test('a link is not accused when half of the others lose at the same time', () => {
  assert.deepEqual(
    accused([0, 2, 3]).filter((resource) => resource === 'interface/n0/eth2'),
    [],
  );
});
