// Consent on real FRR with the real helper process: an admin's approval at the shell makes exactly one change, and a caller that reaches the helper without
// it changes nothing: neither the operators' group, which cannot even open the socket, nor an agent that lies. Names carry a prefix of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { type CandidateChanges, summaryOf } from '#model/router/configuration.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { changesSha256, signDecision } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { createSigner } from '#sign/signer.ts';
import { createNodeUnderTest, type NodeUnderTest } from '../../bench/crash/node-under-test.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONFIG_SOCKET, CONTROL_SOCKET, HELPER_AUTHORITY, HELPER_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { runParley } from '../agent/agent-bed.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const HOLDER = 'operator/local';
const SECONDS = 60;
const dir = mkdtempSync(join(tmpdir(), 'parley-consent-lab-'));
const file = (name: string) => join(dir, name);
let lab: RunningLab;
let node: NodeUnderTest;

before(async () => {
  const prefix = `ce${randomBytes(2).toString('hex')}`;
  const rollback = 'node --conditions=parley-source /opt/parley/src/router/rollback/main.ts';
  const configuration = { helper: '', rollback };
  lab = await upLab({ topologyFile: TOPOLOGY, name: prefix, prefix, dir, consent: 'required', configuration });
  const [a, b] = lab.record.nodes;
  node = createNodeUnderTest(a!, b!, ['--authority', HELPER_AUTHORITY], '/opt/parley/src/agent/config-helper.ts');
  await node.startHelper();
  const ca = join(lab.record.folder, 'pki/ca');
  for (const role of ['admin', 'operator']) {
    const who = ['ca', 'issue', role, '--kind', 'operator', '--role', role, '--dir', ca, '--out', file(role)];
    assert.equal((await runParley(who)).exitCode, 0);
  }
});

after(async () => {
  if (node?.helperLives()) await node.killHelper();
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

async function parley(...args: readonly string[]) {
  const socket = pathInNode(lab.record.nodes[0]!, CONTROL_SOCKET);
  const { exitCode, stdout } = await runParley([...args, '--socket', socket, '--json']);
  return { exitCode, said: JSON.parse(stdout) as JsonObject };
}

/** The consent that a refused call waits for. */
function consentOf(said: JsonObject): string {
  const [, id] = /"consent":"([0-9a-f]+)".*"caller\/no-consent"/.exec(JSON.stringify(said)) ?? [];
  assert.ok(id, JSON.stringify(said));
  return id;
}

/** Without their ages, which grow. */
const history = async () =>
  ((await node.ask('history', {}))['commits'] as readonly JsonObject[]).map(({ startedAgoMs: _, ...commit }) => commit);
const lastCommit = async () => (await history()).at(-1);

async function mtu(): Promise<number> {
  const { stdout } = await runInNode(lab.record.nodes[0]!, ['ip', '-json', 'link', 'show', 'dev', 'eth1']);
  return (JSON.parse(stdout) as readonly { readonly mtu: number }[])[0]!.mtu;
}

/** A consent to the candidate that the helper holds now, as an admin would sign it, and what an attacker makes of it. */
async function consentTo(seconds = SECONDS) {
  const shown = (await node.ask('validate', { holder: HOLDER })) as unknown as CandidateChanges;
  const summary = summaryOf(shown.changes);
  const nowMs = Date.now();
  const consent: JsonObject = {
    id: randomBytes(16).toString('hex'),
    node: 'a',
    tool: 'network.commit',
    arguments: {},
    requestSha256: canonicalSha256({ tool: 'network.commit', arguments: {} }),
    summary,
    changesSha256: changesSha256(shown.tag, summary),
    impact: { rollbackSeconds: seconds },
    user: { kind: 'operator', name: 'local', role: 'admin' },
    created: new Date(nowMs).toISOString(),
    expires: new Date(nowMs + 900_000).toISOString(),
  };
  return async (over: JsonObject = {}, role = 'admin') => {
    const { party, chain, signingKey } = await loadIdentity(file(role), createSystemClock());
    const signer = createSigner({ node: party.name, privateKey: signingKey });
    return signDecision({
      signer,
      chain,
      decision: 'approve',
      consent: { ...consent, ...over },
      nowMs,
    }) as unknown as JsonObject;
  };
}

const commit = (decision?: JsonObject, over: JsonObject = {}) =>
  node.ask('commit', {
    holder: HOLDER,
    timeoutMs: SECONDS * 1_000,
    ...(decision === undefined ? {} : { decision }),
    ...over,
  });

test('a change is proposed, approved at the shell, made, and confirmed; the helper’s journal names the admin [TS-28, NET-15]', async () => {
  const lines = '{"commands": ["interface eth1", " description agreed"]}';
  assert.equal((await parley('call', 'network.cli.configure', lines)).exitCode, 0);
  const change = ['call', 'network.commit', '{"confirmed": 60, "persist": "word"}'] as const;
  const waits = await parley(...change);
  assert.equal(waits.exitCode, 4);
  assert.doesNotMatch(await node.running(), /description agreed/);
  assert.equal((await parley('approve', consentOf(waits.said), '--identity', file('admin'))).exitCode, 0);
  assert.equal((await parley(...change)).said['status'], 'committed');
  assert.match(await node.running(), /description agreed/);
  const confirmed = await parley('call', 'network.commit', '{"confirm": true, "persist-id": "word"}');
  assert.equal(confirmed.said['status'], 'confirmed');
  const last = await lastCommit();
  assert.deepEqual([last?.['state'], last?.['by'], last?.['basis']], ['CONFIRMED', 'operator/admin', 'consent']);
});

test('a change that confirms itself, and one that brings an earlier state back, need consents of their own [TS-28, NET-15]', async () => {
  const { id } = (await lastCommit())!;
  const back = ['call', 'network.rollback', `{"commit-id": "${String(id)}"}`] as const;
  const waits = await parley(...back);
  assert.equal(waits.exitCode, 4, JSON.stringify(waits.said));
  assert.equal((await parley('approve', consentOf(waits.said), '--identity', file('admin'))).exitCode, 0);
  const done = await parley(...back);
  assert.equal(done.said['status'], 'rolled-back', JSON.stringify(done.said));
  assert.doesNotMatch(await node.running(), /description agreed/);
  assert.deepEqual([(await lastCommit())?.['by'], (await lastCommit())?.['basis']], ['operator/admin', 'consent']);
});

test('a user of the operators’ group opens the agent’s socket and no helper’s, and the read helper’s user not the configuration helper’s [TS-28]', async () => {
  const dial = `const socket = require('node:net').connect(process.argv[1]);
    socket.on('connect', () => { console.log('connected'); socket.destroy(); });
    socket.on('error', (error) => console.log(error.code));`;
  const node = ['/opt/node/bin/node', '-e', dial];
  const operator = ['setpriv', '--reuid', 'nobody', '--regid', 'parley', '--clear-groups', ...node];
  const said = async (as: readonly string[], socket: string) =>
    (await runInNode(lab.record.nodes[0]!, [...as, socket])).stdout.trim();
  assert.equal(await said(operator, CONTROL_SOCKET), 'connected');
  assert.deepEqual([await said(operator, CONFIG_SOCKET), await said(operator, HELPER_SOCKET)], ['EACCES', 'EACCES']);
  // The read helper parses packets: with its user and groups the configuration helper cannot be asked.
  const groups = 'parley-agent,frr,frrvty,_lldpd';
  const reader = ['setpriv', '--reuid', 'parley-helper', '--regid', 'parley-agent', '--groups', groups, ...node];
  assert.deepEqual([await said(reader, CONFIG_SOCKET), await said(reader, HELPER_SOCKET)], ['EACCES', 'connected']);
  const agent = [
    'setpriv',
    '--reuid',
    'parley',
    '--regid',
    'parley',
    '--groups',
    'parley-agent,parley-config',
    ...node,
  ];
  assert.equal(await said(agent, CONFIG_SOCKET), 'connected');
});

test('an agent that lies to the helper proposes, and changes nothing [TS-28]', async () => {
  const [ran, commits] = [await node.running(), await history()];
  await node.ask('edit', { holder: HOLDER, lines: ['interface eth1', ' isis metric 77'] });
  const sign = await consentTo();
  const refused = (code: string) => (error: { code: string; message: string }) => {
    assert.equal(error.code, code, error.message);
    return true;
  };
  await assert.rejects(commit(), refused('caller/no-consent'));
  await assert.rejects(commit(await sign({}, 'operator')), refused('caller/not-approver'));
  for (const over of [
    { node: 'b' },
    { tool: 'network.file.pull' },
    { impact: { rollbackSeconds: 600 } },
    { summary: '+ interface eth1: description harmless' },
    { user: { kind: 'operator', name: 'somebody', role: 'admin' } },
    { expires: '2020-01-01T00:00:00.000Z' },
  ])
    await assert.rejects(commit(await sign(over)), refused('caller/bad-consent'), JSON.stringify(over));
  await assert.rejects(commit(await sign(), { timeoutMs: 86_400_000 }), refused('caller/bad-consent'));
  await assert.rejects(commit(await sign(), { persist: 'agents-own' }), refused('caller/bad-consent'));
  await assert.rejects(commit(await sign(), { by: 'operator/root' }), refused('caller/bad-argument'));
  await node.ask('discard', { holder: HOLDER });
  const was = await mtu();
  await node.ask('edit', {
    holder: HOLDER,
    lines: [],
    live: [{ kind: 'link-mtu', ifname: 'eth1', mtu: 1_280, now: was }],
  });
  await assert.rejects(commit(), refused('caller/no-consent'));
  await assert.rejects(commit(await sign()), refused('caller/bad-consent'), 'that of the other change');
  assert.equal(await mtu(), was);
  assert.equal(await node.running(), ran);
  assert.deepEqual(await history(), commits);
  await node.ask('discard', { holder: HOLDER });
});

test('a consent that was used is refused, also by a helper that was started again [TS-28]', async () => {
  const lines = ['interface eth1', ' isis metric 78'];
  await node.ask('edit', { holder: HOLDER, lines });
  const signed = await (await consentTo())();
  const made = await commit(signed);
  assert.deepEqual([made['by'], made['basis']], ['operator/admin', 'consent']);
  node.hold(made['id']);
  // Undoing needs no consent.
  await node.ask('cancel', { holder: HOLDER });
  const refused = { code: 'caller/bad-consent' };
  await node.ask('edit', { holder: HOLDER, lines });
  await assert.rejects(commit(signed), { ...refused, message: 'expected a consent that was not used before, it was' });
  await node.killHelper();
  await node.startHelper();
  await node.ask('edit', { holder: HOLDER, lines });
  await assert.rejects(commit(signed), refused);
  // The same id under another signature, to what this process holds.
  const { consent } = JSON.parse(
    Buffer.from(String((signed['envelope'] as JsonObject)['payload']), 'base64').toString(),
  );
  const again = await (await consentTo())({ id: consent.id });
  await assert.rejects(commit(again), { ...refused, message: 'expected a consent that was not used before, it was' });
  assert.doesNotMatch(await node.running(), /isis metric 78/);
});
