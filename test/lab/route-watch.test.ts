// What the kernel says of routes, and of ways that are gone, in an empty namespace: routes set by hand and those that throw packets away
// are heard, a thousand of a routing protocol are not, and others hear what they heard without us; a default stands in for a route that is gone.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

const NAMESPACE = `rw-${randomBytes(2).toString('hex')}`;
const HOST = join(import.meta.dirname, 'route-watch-host.ts');
const [PREFIX, SID] = ['fd00:c:3::/64', 'fd00:5a:3::d6'];

const ip = (args: readonly string[], input = '') => execFileSync('ip', args, { input, encoding: 'utf8' });
const inside = (...words: readonly string[]) => ip(['-n', NAMESPACE, ...words]);

before(() => {
  ip(['netns', 'add', NAMESPACE]);
  for (const line of [
    'link set lo up',
    'link add eth1 type veth peer name eth2',
    'link set eth1 up',
    'link set eth2 up',
    'address add fd00:1::/127 dev eth1 nodad',
  ])
    inside(...line.split(' '));
});
after(() => ip(['netns', 'del', NAMESPACE]));

test('routes set by hand and default routes are heard, others of protocols are not, and what has no way is told', async () => {
  const run = [process.execPath, '--conditions=parley-source', HOST, PREFIX, SID];
  // It listens before we do, as zebra does.
  const other = spawn('ip', ['-n', NAMESPACE, 'monitor', 'route'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const heard = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
  const child = spawn('ip', ['netns', 'exec', NAMESPACE, ...run], { stdio: ['pipe', 'pipe', 'inherit'] });
  const told = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => String((await told.next()).value);
  const look = async (...change: readonly string[]) => {
    if (change.length > 0) inside(...change);
    child.stdin.write('\n');
    return said();
  };
  try {
    assert.equal(await said(), 'ready');
    assert.equal(await look(), '[false,"fd00:5a:3::d6","fd00:c:3::"]');
    const steer = `-6 route add ${PREFIX} encap seg6 mode encap segs ${SID} dev eth1`;
    assert.equal(await look(...steer.split(' ')), '[true,"fd00:5a:3::d6"]');
    assert.equal(await look(), '[false,"fd00:5a:3::d6"]');
    inside(...'-6 route add fd00:e::/64 dev eth1 proto bgp'.split(' '));
    // Of both the whole message, not only as much as we read.
    const lines = [String((await heard.next()).value), String((await heard.next()).value)];
    assert.deepEqual(
      lines.map((line) => line.split(/\s+/).slice(0, 2).join(' ')),
      [`${PREFIX} encap`, 'fd00:e::/64 dev'],
    );
    const many = Array.from({ length: 1_000 }, (_, index) => `route add fd00:f:${index}::/64 dev eth1 proto bgp`);
    ip(['-n', NAMESPACE, '-6', '-batch', '-'], `${many.join('\n')}\n`);
    assert.equal(await look(), '[false,"fd00:5a:3::d6"]');
    assert.equal(await look('-6', 'route', 'del', PREFIX), '[true,"fd00:5a:3::d6","fd00:c:3::"]');
    const throwing = 'route add blackhole 198.18.9.0/24 proto bgp';
    assert.equal(await look(...throwing.split(' ')), '[true,"fd00:5a:3::d6","fd00:c:3::"]');
    const standIn = '-6 route add default via fd00:1::1 dev eth1 proto isis';
    assert.equal(await look(...standIn.split(' ')), '[true]');
    assert.equal(await look(), '[false]');
  } finally {
    child.kill();
    other.kill();
  }
});
