// Timers of frr.conf, clocks of agents, snapshots and waiting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf, withDefaultTimers } from '../../simulations/lab/node-files.ts';
import { quoted } from '../../simulations/lab/shell.ts';
import { changedSections, normalized } from '../../simulations/lab/snapshot.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';

test('default timers leave out exactly the lines that make protocols fast', () => {
  const conf =
    'interface eth1\n isis hello-interval 1\n isis hello-multiplier 3\n isis metric 10\n!\nrouter isis core\n spf-interval 1\n lsp-gen-interval 1\n net 49\n';
  assert.equal(withDefaultTimers(conf), 'interface eth1\n isis metric 10\n!\nrouter isis core\n net 49\n');
});

test('clocks repeat with the seed, differ between nodes and stay within half a second', () => {
  assert.deepEqual(clockOf(7, 0), clockOf(7, 0));
  assert.notDeepEqual(clockOf(7, 0), clockOf(7, 1));
  assert.notDeepEqual(clockOf(7, 0), clockOf(8, 0));
  for (let seed = 1; seed <= 200; seed++) {
    const { offsetMs, driftPpm } = clockOf(seed, seed % 5);
    assert.ok(Math.abs(offsetMs) <= 500 && Math.abs(driftPpm) <= 50);
  }
});

test('a snapshot ignores learned routes and carrier, and sees a static route and an MTU', () => {
  const link = (mtu: number, flags: string[]) =>
    JSON.stringify([{ ifname: 'eth1', flags, mtu, address: '02:00:00:00:00:01' }]);
  const routes = (...rows: object[]) => JSON.stringify(rows);
  const before = normalized({ links: link(9000, ['UP', 'LOWER_UP']), routes6: routes() });
  const learned = { dst: 'fd00:2::/64', dev: 'eth1', protocol: 'isis' };
  const same = normalized({ links: link(9000, ['UP']), routes6: routes(learned) });
  assert.deepEqual(changedSections(before, same), []);
  const changed = normalized({ links: link(1400, ['UP']), routes6: routes({ ...learned, protocol: 'static' }) });
  assert.deepEqual(changedSections(before, changed), ['links', 'routes6']);
  assert.deepEqual(changedSections(before, normalized({ links: link(9000, []), routes6: routes() })), ['links']);
});

test('waiting ends when the condition holds and says what was missing when it does not', async () => {
  let polls = 0;
  await waitUntil('three polls', () => (++polls < 3 ? 'more' : undefined), { timeoutMs: 1_000, intervalMs: 1 });
  assert.equal(polls, 3);
  await assert.rejects(
    waitUntil('never', () => 'the moon', { timeoutMs: 5, intervalMs: 1 }),
    {
      code: 'node/lab-timeout',
      message: 'expected never within 5 ms, still missing: the moon',
    },
  );
});

test('a quoted word stays one word in bash', () => {
  assert.equal(quoted(`it's $HOME`), `'it'\\''s $HOME'`);
});
