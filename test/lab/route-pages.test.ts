// A real routing table of 20,000 routes, paged while it changes: every route that stayed is seen exactly once, also when the dump
// between two pages is gone and the cursor begins a new one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const NAMESPACE = `rp-${randomBytes(3).toString('hex')}`;
const READER = join(import.meta.dirname, 'route-pages.ts');
const COUNT = 20_000;

const ip = (args: readonly string[], input?: string) =>
  execFileSync('ip', [...args], { encoding: 'utf8', ...(input === undefined ? {} : { input }) });

before(() => {
  ip(['netns', 'add', NAMESPACE]);
  ip(['-n', NAMESPACE, 'link', 'add', 'd0', 'type', 'veth', 'peer', 'name', 'd1']);
  for (const device of ['d0', 'd1']) ip(['-n', NAMESPACE, 'link', 'set', device, 'up']);
  const numbers = Array.from({ length: COUNT }, (_, index) => index);
  const ipv4 = numbers.map((index) => `route add 10.${index >> 8}.${index & 255}.0/24 dev d0\n`).join('');
  const ipv6 = numbers.map((index) => `route add 2001:db8:${index.toString(16)}::/48 dev d0\n`).join('');
  ip(['-4', '-n', NAMESPACE, '-batch', '-'], ipv4);
  ip(['-6', '-n', NAMESPACE, '-batch', '-'], ipv6);
});

after(() => ip(['netns', 'del', NAMESPACE]));

for (const [family, way] of [
  ['ipv4', 'keep'],
  ['ipv4', 'forget'],
  ['ipv6', 'keep'],
  ['ipv6', 'forget'],
] as const) {
  test(`${family}, dumps that are ${way === 'keep' ? 'kept' : 'forgotten'} between pages: each route once [NET-6]`, () => {
    const inside = ['netns', 'exec', NAMESPACE, process.execPath, '--conditions=parley-source', READER, family, way];
    const { stable, distinct } = JSON.parse(ip(inside)) as { stable: number; distinct: number };
    assert.deepEqual([stable, distinct], [COUNT, COUNT]);
  });
}
