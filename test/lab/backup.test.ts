// A backup with its secrets on real FRR: an admin agrees at the shell, the sealed file opens with its key only, and brings a BGP session with
// a password back after the password was lost. The agent's own way to the helper gets nothing. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { signDecision } from '#sign/decision.ts';
import { recipientOf } from '#sign/sealed-text.ts';
import { createSigner } from '#sign/signer.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONFIG_SOCKET, CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { runParley } from '../agent/agent-bed.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const PASSWORD = 'tcp-md5-of-these-two';
const dir = mkdtempSync(join(tmpdir(), 'parley-backup-lab-'));
const file = (name: string) => join(dir, name);
let lab: RunningLab;

before(async () => {
  const prefix = `cd${randomBytes(2).toString('hex')}`;
  lab = await upLab({ topologyFile: TOPOLOGY, name: prefix, prefix, dir, configuration: true });
  await peer(0, 65_001, '198.18.12.1', 65_002);
  await peer(1, 65_002, '198.18.12.0', 65_001);
  const ca = join(lab.record.folder, 'pki/ca');
  for (const role of ['admin', 'operator']) {
    const who = ['ca', 'issue', role, '--kind', 'operator', '--role', role, '--dir', ca, '--out', file(role)];
    assert.equal((await runParley(who)).exitCode, 0);
  }
  for (const name of ['safe', 'other']) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(file(`${name}.pub`), publicKey.export({ format: 'pem', type: 'spki' }));
    writeFileSync(file(`${name}.pem`), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  }
});

after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

async function shell(node: number, script: string): Promise<string> {
  const said = await runInNode(lab.record.nodes[node]!, ['bash', '-c', script]);
  assert.equal(said.exitCode, 0, said.stderr);
  return said.stdout;
}

const vtysh = (node: number, ...lines: readonly string[]) =>
  shell(node, `vtysh ${lines.map((line) => `-c '${line}'`).join(' ')}`);

async function peer(node: number, as: number, neighbour: string, theirs: number): Promise<void> {
  await shell(node, '/usr/lib/frr/bgpd -d -F traditional -A 127.0.0.1');
  const session = [`neighbor ${neighbour} remote-as ${theirs}`, `neighbor ${neighbour} password ${PASSWORD}`];
  await vtysh(node, 'conf t', `router bgp ${as}`, 'no bgp ebgp-requires-policy', ...session, 'do write');
}

async function parley(...args: readonly string[]) {
  const socket = pathInNode(lab.record.nodes[0]!, CONTROL_SOCKET);
  const { exitCode, stdout } = await runParley([...args, '--socket', socket, '--json']);
  assert.doesNotMatch(stdout, new RegExp(PASSWORD));
  return { exitCode, said: JSON.parse(stdout) as JsonObject };
}

const running = () => vtysh(0, 'show running-config');

function session(wanted: 'Established' | 'not'): Promise<number> {
  const state = async () => {
    const all = JSON.parse(await vtysh(0, 'show bgp neighbors json')) as Record<string, { bgpState: string }>;
    const is = all['198.18.12.1']!.bgpState;
    return (is === 'Established') === (wanted === 'Established') ? undefined : is;
  };
  return waitUntil(`the session to be ${wanted} there`, state, { timeoutMs: 90_000, intervalMs: 500 });
}

test('a backup with secrets is agreed to, sealed, and brings back a BGP session whose password was lost [TS-32, NET-18]', async () => {
  await session('Established');
  const save = ['backup', 'save', '--recipient', file('safe.pub'), '--out', file('a.backup')] as const;
  const waits = await parley(...save);
  const { code, data } = waits.said['error'] as { code: string; data: { consent: string } };
  assert.deepEqual([waits.exitCode, code], [4, 'caller/no-consent']);
  const approve = ['approve', data.consent, '--identity', file('admin')] as const;
  assert.equal((await parley(...approve)).exitCode, 2, 'the key must be named');
  assert.equal((await parley(...approve, '--recipient', file('other.pub'))).exitCode, 2, 'and be the one');
  assert.equal((await parley(...approve, '--recipient', file('safe.pub'))).exitCode, 0);
  assert.equal((await parley(...save)).exitCode, 0);
  assert.equal(statSync(file('a.backup')).mode & 0o777, 0o600);
  assert.doesNotMatch(readFileSync(file('a.backup'), 'utf8'), new RegExp(PASSWORD));

  await vtysh(0, 'conf t', 'router bgp 65001', 'no neighbor 198.18.12.1 password', 'do clear bgp *');
  await session('not');
  const restore = ['backup', 'restore', file('a.backup'), '--key'] as const;
  assert.deepEqual((await parley(...restore, file('other.pem'))).exitCode, 2);
  const { said } = await parley(...restore, file('safe.pem'));
  const context = 'router bgp 65001';
  const line = 'neighbor 198.18.12.1 password <redacted>';
  assert.deepEqual([said['status'], said['changes']], ['candidate', [{ sign: '+', context, line }]]);
  assert.doesNotMatch(await running(), new RegExp(PASSWORD));
  await parley('call', 'network.commit', '{"confirmed": 120, "persist": "restoring"}');
  await session('Established');
  const confirmed = await parley('call', 'network.commit', '{"confirm": true, "persist-id": "restoring"}');
  assert.equal(confirmed.said['status'], 'confirmed');
  assert.match(await running(), new RegExp(`neighbor 198.18.12.1 password ${PASSWORD}`));
});

test('the secrets of a backup stand in no log, trail or report of the node [TS-32, NET-18]', async () => {
  const places = '/var/log/parley /var/log/parley-config.out /var/lib/parley';
  const asked = await shell(0, `grep -rl consent-used ${places}`);
  assert.notEqual(asked, '', 'the trail is where it is looked for');
  // The helper's own record, out of the agent's reach.
  assert.match(await shell(0, 'cat /var/log/parley-config.out'), /a backup was sealed.*"agreedBy":"admin"/);
  assert.equal(await shell(0, `grep -rl ${PASSWORD} ${places} || true`), '');
});

test('the helper gives nothing to the agent without an admin’s fresh signature about this node [TS-32, NET-18]', async () => {
  const helper = createHelperClient(pathInNode(lab.record.nodes[0]!, CONFIG_SOCKET));
  const recipient = recipientOf(readFileSync(file('safe.pub'), 'utf8'));
  assert.ok(recipient.ok);
  const sign = async (role: string, over: JsonObject = {}) => {
    const { party, chain, signingKey } = await loadIdentity(file(role), createSystemClock());
    const args = { file: 'backup', recipient: recipient.value };
    const consent = {
      id: randomBytes(16).toString('hex'),
      node: 'a',
      tool: 'network.file.pull',
      arguments: args,
      ...over,
    };
    const signer = createSigner({ node: party.name, privateKey: signingKey });
    return signDecision({ signer, chain, decision: 'approve', consent, nowMs: Date.now() }) as unknown as JsonObject;
  };
  const ask = (decision: JsonObject) => helper.call('backup', { decision }, { timeoutMs: 10_000 });
  const refused = (code: string) => (error: { code: string }) => error.code === code;
  await assert.rejects(ask({}), refused('caller/bad-consent'));
  await assert.rejects(ask(await sign('operator')), refused('caller/not-approver'));
  await assert.rejects(ask(await sign('admin', { node: 'b' })), refused('caller/bad-consent'));
  const fresh = await sign('admin');
  assert.match(JSON.stringify(await ask(fresh)), /^\{"sealed":"eyJ[\w-]+\.\.[\w.-]+"\}$/);
  await assert.rejects(ask(fresh), refused('caller/bad-consent'));
});

test('the payload of a packet leaves a node of a lab on the signature of an admin, which its helper verifies [TS-32, TS-28]', async () => {
  const asked = { interface: 'eth1', protocol: 'udp', port: 5_353, count: 1, seconds: 10, payload: true };
  const capture = ['call', 'tcpdump', JSON.stringify(asked)] as const;
  const waits = await parley(...capture);
  const { code, data } = waits.said['error'] as { code: string; data: { consent: string } };
  assert.deepEqual([waits.exitCode, code], [4, 'caller/no-consent']);
  assert.equal((await parley('approve', data.consent, '--identity', file('admin'))).exitCode, 0);
  const sending = shell(
    1,
    'for i in $(seq 40); do echo a-customer-s-data > /dev/udp/198.18.12.0/5353; sleep 0.25; done',
  );
  const captured = await parley(...capture);
  await sending;
  assert.equal(captured.exitCode, 0, JSON.stringify(captured.said));
  assert.match(Buffer.from(String(captured.said['pcap']), 'base64').toString('latin1'), /a-customer-s-data/);
});
