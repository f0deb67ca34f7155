// Changes of the configuration on two real routers: what is not confirmed is undone by its deadline, after a death at a named point, and
// after a restart of the node; what is confirmed stays, and only then stands in the start-up configuration. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FailpointName } from '#router/config/failpoint.ts';
import { fingerprint } from '#router/config/text.ts';
import { createNodeUnderTest, type NodeUnderTest } from '../../bench/crash/node-under-test.ts';
import { planRuns } from '../../bench/crash/plan.ts';
import { playRun } from '../../bench/crash/run.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { HANG_MS } from '../until-written.ts';

const BENCH = join(import.meta.dirname, '../../bench/crash');
const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const BOOT_ID = '/var/lib/parley-config/boot-id';
const HOLDER = 'operator/test';
const dir = mkdtempSync(join(tmpdir(), 'parley-config-lab-'));
let lab: RunningLab;
let node: NodeUnderTest;

before(async () => {
  const prefix = `cc${randomBytes(2).toString('hex')}`.slice(0, 6);
  const rollback = `node --conditions=parley-source /opt/extra/rollback.ts --boot-id ${BOOT_ID}`;
  lab = await upLab({
    topologyFile: TOPOLOGY,
    name: prefix,
    prefix,
    dir,
    agents: false,
    extra: BENCH,
    configuration: { helper: '', rollback },
  });
  const [a, b] = lab.record.nodes;
  setBootId('boot-1');
  node = createNodeUnderTest(a!, b!, ['--boot-id', BOOT_ID]);
  await node.startHelper();
});

after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

function setBootId(id: string): void {
  writeFileSync(pathInNode(lab.record.nodes[0]!, BOOT_ID), `${id}\n`);
}

async function change(metric: number, options: { readonly timeoutMs: number; readonly persist?: string }) {
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ` isis metric ${metric}`] });
  const commit = await node.ask('commit', { holder: HOLDER, ...options });
  node.hold(commit['id']);
  return commit;
}

async function settled(): Promise<void> {
  await waitUntil('the change to be settled', () => node.openRecord()?.state, { timeoutMs: HANG_MS, intervalMs: 20 });
}

async function lastCommit(): Promise<{ readonly reason?: string } | undefined> {
  const { commits } = (await node.ask('history', {})) as { commits: readonly { reason?: string }[] };
  return commits.at(-1);
}

/** The connection ends while the change is in `state`, as at the death of whoever asked. */
async function leaveWhile(state: string, options: { readonly timeoutMs: number; readonly persist?: string }) {
  const asking = new AbortController();
  const asked = node.ask('commit', { holder: HOLDER, ...options }, asking.signal);
  const seen = () => (node.openRecord()?.state === state ? undefined : (node.openRecord()?.state ?? 'nothing'));
  await waitUntil(`the change to be ${state}`, seen, { timeoutMs: HANG_MS, intervalMs: 5 });
  asking.abort(new Error('killed'));
  // Its answer may have come just before.
  await asked.catch(() => {});
}

test('an unconfirmed change is undone by deadline + 5 s and never stood in the start-up configuration [NET-15]', async () => {
  const [ran, starts] = [await node.running(), node.startup()];
  const commit = await change(31, { timeoutMs: 2_000 });
  assert.match(await node.running(), /isis metric 31/);
  assert.equal(node.startup(), starts);
  await settled();
  const lateMs = Date.now() - Number(commit['deadlineMs']);
  assert.ok(lateMs >= 0 && lateMs <= 5_000, `undone ${lateMs} ms after the deadline`);
  assert.equal(fingerprint(await node.running()), fingerprint(ran));
  assert.equal(node.startup(), starts);
});

test('a confirmed change stays and reaches the start-up configuration; its history can be brought back [NET-15]', async () => {
  const commit = await change(32, { timeoutMs: 20_000 });
  await assert.rejects(node.ask('confirm', { holder: HOLDER }), { code: 'caller/wrong-commit-state' });
  await node.ask('verified', { commit: String(commit['id']) });
  await assert.rejects(node.ask('confirm', { holder: 'operator/other' }), { code: 'caller/not-yours' });
  assert.equal((await node.ask('confirm', { holder: HOLDER }))['state'], 'CONFIRMED');
  assert.match(node.startup(), /isis metric 32/);
  await node.ask('restore', { holder: HOLDER, commit: String(commit['id']) });
  const back = await node.ask('commit', { holder: HOLDER, timeoutMs: 20_000 });
  node.hold(back['id']);
  await node.ask('verified', { commit: String(back['id']) });
  await node.ask('confirm', { holder: HOLDER });
  assert.doesNotMatch(node.startup(), /isis metric/);
});

test('with persist any session that knows the token may confirm, and no other [NET-15]', async () => {
  const commit = await change(33, { timeoutMs: 20_000, persist: 'token-1' });
  await node.ask('verified', { commit: String(commit['id']) });
  await assert.rejects(node.ask('confirm', { holder: HOLDER }), { code: 'caller/wrong-persist-id' });
  await assert.rejects(node.ask('confirm', { holder: HOLDER, persistId: 'token-2' }), {
    code: 'caller/wrong-persist-id',
  });
  await node.killHelper();
  await node.startHelper();
  assert.equal((await node.ask('confirm', { holder: 'operator/second', persistId: 'token-1' }))['state'], 'CONFIRMED');
  assert.match(await node.running(), /isis metric 33/);
});

test('where no gate has spoken, the token confirms a persistent change, and the history says so [NET-15]', async () => {
  const commit = await change(36, { timeoutMs: 20_000, persist: 'token-4' });
  await node.killHelper();
  await node.startHelper();
  await assert.rejects(node.ask('confirm', { holder: HOLDER }), { code: 'caller/wrong-persist-id' });
  const confirmed = await node.ask('confirm', { holder: 'operator/second', persistId: 'token-4' });
  const reason = 'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed';
  assert.deepEqual([confirmed['id'], confirmed['state'], confirmed['reason']], [commit['id'], 'CONFIRMED', reason]);
  assert.match(node.startup(), /isis metric 36/);
  assert.equal((await lastCommit())?.reason, reason);
});

test('after a restart of the node an unconfirmed change is gone, persistent or not [NET-15]', async () => {
  const [ran, starts] = [await node.running(), node.startup()];
  await change(34, { timeoutMs: 600_000, persist: 'token-3' });
  await node.killHelper();
  setBootId('boot-2');
  await settled();
  assert.equal(fingerprint(await node.running()), fingerprint(ran));
  assert.equal(node.startup(), starts);
  await node.startHelper();
  const { commits } = (await node.ask('history', {})) as { commits: readonly { reason?: string }[] };
  assert.equal(commits.at(-1)?.reason, 'the node was started anew');
});

test('one candidate, one open change, and edits on what no longer runs are refused', async () => {
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', 'isis metric 35'] });
  await assert.rejects(node.ask('edit', { holder: 'operator/second', lines: ['interface eth1', 'isis metric 36'] }), {
    code: 'caller/candidate-held',
  });
  await runInNode(lab.record.nodes[0]!, ['vtysh', '-c', 'configure', '-c', 'ipv6 route fd00:88::/48 blackhole']);
  await assert.rejects(node.ask('commit', { holder: HOLDER, timeoutMs: 5_000 }), { code: 'caller/config-changed' });
  await node.ask('discard', { holder: HOLDER });
  await change(37, { timeoutMs: 20_000 });
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', 'isis metric 38'] });
  await assert.rejects(node.ask('commit', { holder: HOLDER, timeoutMs: 5_000 }), { code: 'caller/commit-open' });
  await node.ask('discard', { holder: HOLDER });
  await node.ask('cancel', { holder: HOLDER });
  assert.match(await node.running(), /ipv6 route fd00:88::\/48 blackhole/);
});

test('a change that nobody holds is undone within seconds of its answer, not at its deadline [NET-15]', async () => {
  const ran = await node.running();
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 41'] });
  await node.ask('commit', { holder: HOLDER, timeoutMs: 600_000 });
  const answeredAt = performance.now();
  await settled();
  assert.ok(performance.now() - answeredAt < 10_000, 'it ran on');
  assert.equal(fingerprint(await node.running()), fingerprint(ran));
  assert.equal((await lastCommit())?.reason, 'the session was lost');
});

for (const state of ['PREPARED', 'APPLIED'] as const) {
  test(`whoever asks is gone while the change is ${state}: it is undone at once, and stays with persist [NET-15]`, async () => {
    const ran = await node.running();
    await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 42'] });
    await leaveWhile(state, { timeoutMs: 600_000 });
    await settled();
    assert.equal(fingerprint(await node.running()), fingerprint(ran));
    assert.equal((await lastCommit())?.reason, 'the session was lost');
    await node.ask('discard', { holder: HOLDER });
    await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 43'] });
    await leaveWhile(state, { timeoutMs: 600_000, persist: 'token-4' });
    const applied = () => (node.openRecord()?.state === 'APPLIED' ? undefined : node.openRecord()?.state);
    await waitUntil('the persistent change to run', applied, { timeoutMs: HANG_MS });
    await node.ask('cancel', { holder: HOLDER, persistId: 'token-4' });
  });
}

test('a confirmation removes nothing that somebody typed meanwhile, and what an undoing takes along is told [NET-15]', async () => {
  const a = lab.record.nodes[0]!;
  const commit = await change(44, { timeoutMs: 60_000 });
  await node.ask('verified', { commit: String(commit['id']) });
  await runInNode(a, ['vtysh', '-c', 'configure', '-c', 'ipv6 route fd00:89::/48 blackhole']);
  await assert.rejects(node.ask('confirm', { holder: HOLDER }), { code: 'caller/config-changed' });
  assert.match(await node.running(), /ipv6 route fd00:89::\/48 blackhole/);
  assert.doesNotMatch(node.startup(), /isis metric 44/);
  const undone = await node.ask('cancel', { holder: HOLDER, reason: 'enough' });
  assert.equal(undone['reason'], 'enough; changes made beside it went with it');
  assert.doesNotMatch(await node.running(), /fd00:89::|isis metric 44/);
});

test('what runs is what was consented to: a candidate that was edited since is not committed', async () => {
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 45'] });
  const { tag } = await node.ask('validate', { holder: HOLDER });
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 46'] });
  await assert.rejects(node.ask('commit', { holder: HOLDER, timeoutMs: 20_000, tag: String(tag) }), {
    code: 'caller/candidate-changed',
  });
  assert.equal(node.openRecord(), undefined);
  await node.ask('discard', { holder: HOLDER });
});

test('what would be an argument or a command elsewhere is refused by form', async () => {
  for (const [operation, args] of [
    ['shell', {}],
    ['read', { source: '/etc/passwd' }],
    ['restore', { holder: HOLDER, commit: '../../../etc/frr' }],
    ['commit', { holder: '--help', timeoutMs: 5_000 }],
    ['commit', { holder: HOLDER, timeoutMs: 1 }],
    ['edit', { holder: HOLDER, lines: ['interface eth1', 'do write'] }],
    ['edit', { holder: HOLDER, lines: ['log file /tmp/x'] }],
    ['edit', { holder: HOLDER, lines: ['interface eth1'], extra: 1 }],
  ] as const) {
    await assert.rejects(node.ask(operation, args), { code: /^caller\// }, operation);
  }
  await node.ask('discard', { holder: HOLDER });
});

const POINTS: readonly FailpointName[] = [
  'prepared.renamed',
  'apply.second-line',
  'applied.synced',
  'confirmed.renamed',
  'startup.written',
  'rollback.first-line',
  'live.applied',
  'live.undone',
];

for (const run of planRuns(2, POINTS)) {
  test(`killed at ${run.point}, ${run.restarted ? 'started again' : 'never again'}: the ${run.expected} configuration as a whole [NET-15]`, async () => {
    const { reached, faults } = await playRun(node, run);
    assert.deepEqual({ reached, faults }, { reached: true, faults: [] });
  });
}
