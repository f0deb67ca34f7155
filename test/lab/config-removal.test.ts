// What a commit made on a real router can be undone and removed: generated edits of the closed set, rolled back, and taken away by edits; and the
// draft's new loopback, which the kernel does not have. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { fingerprint } from '#router/config/text.ts';
import { createNodeUnderTest, type NodeUnderTest } from '../../bench/crash/node-under-test.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const BOOT_ID = '/var/lib/parley-config/boot-id';
const HOLDER = 'operator/test';
const dir = mkdtempSync(join(tmpdir(), 'parley-removal-lab-'));
let lab: RunningLab;
let node: NodeUnderTest;

before(async () => {
  const prefix = `cr${randomBytes(2).toString('hex')}`.slice(0, 6);
  const rollback = `node --conditions=parley-source /opt/extra/rollback.ts --boot-id ${BOOT_ID}`;
  const extra = join(import.meta.dirname, '../../bench/crash');
  const base = { topologyFile: TOPOLOGY, name: prefix, prefix, dir, agents: false };
  lab = await upLab({ ...base, extra, configuration: { helper: '', rollback } });
  const [a, b] = lab.record.nodes;
  writeFileSync(pathInNode(a!, BOOT_ID), 'boot-1\n');
  node = createNodeUnderTest(a!, b!, ['--boot-id', BOOT_ID]);
  await node.startHelper();
});

after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

async function running(): Promise<string> {
  const { stdout } = await runInNode(lab.record.nodes[0]!, ['vtysh', '-c', 'show running-config']);
  return fingerprint(stdout.slice(stdout.indexOf('frr version')));
}

/** Lines that this router has not; each may be added and removed by itself. */
const LINES: readonly (readonly [head: string, line: string])[] = [
  ['', 'ip route 192.0.2.0/24 blackhole'],
  ['', 'ipv6 route 2001:db8:7::/48 eth1'],
  ['interface eth1', 'description generated'],
  ['interface eth1', 'ip address 198.18.77.1/24'],
  ['interface eth1', 'ipv6 address fd00:77::1/64'],
  ['interface lo', 'ip address 198.18.78.1/32'],
  ['interface eth1', 'isis password md5 generated'],
  ['router isis core', 'set-overload-bit'],
  ['router isis core', 'redistribute ipv4 static level-2'],
];

function edited(chosen: typeof LINES, prefix: string): string[] {
  return chosen.flatMap(([head, line]) => (head === '' ? [`${prefix}${line}`] : [head, ` ${prefix}${line}`, 'exit']));
}

async function committed(lines: readonly string[]): Promise<string> {
  await node.ask('edit', { holder: HOLDER, lines: [...lines] });
  const { id } = await node.ask('commit', { holder: HOLDER, timeoutMs: 60_000 });
  node.hold(id);
  return String(id);
}

test('generated edits, committed and rolled back, leave what ran before; confirmed, they can be taken away by edits [NET-15]', {
  timeout: 600_000,
}, async () => {
  const first = await running();
  const samples = fc.sample(fc.subarray([...LINES], { minLength: 2 }), { numRuns: 3, seed: 2_026 });
  for (const chosen of [...samples, LINES]) {
    await committed(edited(chosen, ''));
    assert.notEqual(await running(), first);
    await node.ask('cancel', { holder: HOLDER, reason: 'a test' });
    assert.equal(await running(), first, JSON.stringify(chosen));
  }
  await node.ask('verified', { commit: await committed(edited(LINES, '')) });
  await node.ask('confirm', { holder: HOLDER });
  await node.ask('verified', { commit: await committed(edited(LINES, 'no ')) });
  await node.ask('confirm', { holder: HOLDER });
  assert.equal(await running(), first);
});

test('the loopback of the draft is refused before the commit, with the reason in plain text [NET-15]', async () => {
  await node.ask('edit', { holder: HOLDER, lines: ['interface Loopback100', ' ip address 100.100.100.100/32'] });
  const { wrong } = await node.ask('validate', { holder: HOLDER });
  assert.match(String(wrong), /^expected an interface of this node, got Loopback100: /);
  await assert.rejects(node.ask('commit', { holder: HOLDER, timeoutMs: 20_000 }), { code: 'caller/bad-config' });
  assert.equal(node.openRecord(), undefined);
  await node.ask('discard', { holder: HOLDER });
});
