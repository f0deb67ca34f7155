// Agents on real routers when somebody lies, hangs or dies: three FRR nodes, hidden cables, and a capture of port 9514.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeDescriptor } from '#discovery/lldp/descriptor.ts';
import { summarizeTls, type TlsSummary } from '../../simulations/demo/tls-capture.ts';
import { type Answer, askNode } from '../../simulations/lab/ask.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { commandInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { changedSections, type Snapshot, snapshotNode } from '../../simulations/lab/snapshot.ts';
import { until } from '../fakes/clock.ts';
import { TOPOLOGY } from './stand-in.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const PARLEY = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
const dir = mkdtempSync(join(tmpdir(), 'ag-labs-'));
const beside: ChildProcess[] = [];
let lab: RunningLab;

before(async () => {
  const prefix = `ag-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile: TOPOLOGY, name: 'agents', prefix, dir, seed: 3 });
  for (const name of ['pe1', 'p2', 'pe3']) {
    const listen = ['tcpdump', '-i', 'any', '-U', '-w', pcapOf(name), '-Z', 'root', 'tcp port 9514'];
    beside.push(spawn('ip', ['netns', 'exec', node(name).namespace, ...listen], { stdio: 'ignore' }));
  }
});
after(async () => {
  for (const child of beside) child.kill('SIGKILL');
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const pcapOf = (name: string) => join(dir, `${name}.pcap`);

function node(name: string) {
  return lab.record.nodes.find((entry) => entry.name === name)!;
}

type Outcome = {
  readonly callId: string;
  readonly node: string;
  readonly status: string;
  readonly untrusted?: string;
  readonly reason?: string;
};

const ask = (mutualTls = false) => askNode(node('pe1'), lab.record, INTENT, { mutualTls });
const outcomesOf = (answer: Answer, name: string) =>
  (answer.printed['outcomes'] as readonly Outcome[]).filter((outcome) => outcome.node === name);
const statusesOf = (answer: Answer, name: string) =>
  [...new Set(outcomesOf(answer, name).map((outcome) => outcome.status))].sort().join();

/** Numbers of the node's own processes whose command line matches. */
async function processesOf(name: string, pattern: string): Promise<readonly string[]> {
  const said = await runInNode(node(name), ['pgrep', '-f', pattern]);
  return said.stdout.split('\n').filter((line) => line !== '');
}

async function signal(name: string, pattern: string, how: string): Promise<void> {
  const found = await processesOf(name, pattern);
  assert.equal(found.length, 1, `${pattern} on ${name}: ${found.join()}`);
  const said = await runInNode(node(name), ['kill', `-${how}`, ...found]);
  assert.equal(said.exitCode, 0, said.stderr);
}

const OUR_TLV = /02,50,4C/i;

/** What pe1 hears from that neighbour. */
async function announcedBy(name: string): Promise<string> {
  const said = await runInNode(node('pe1'), ['lldpcli', '-f', 'keyvalue', 'show', 'neighbors', 'details']);
  assert.equal(said.exitCode, 0, said.stderr);
  const lines = said.stdout.split('\n');
  const [interfaceOf] = lines.flatMap((line) =>
    line.match(/^(lldp\.[^.]+)\.chassis\.name=/) && line.endsWith(`=${name}`) ? [line.split('.chassis')[0]!] : [],
  );
  return interfaceOf === undefined ? '' : lines.filter((line) => line.startsWith(`${interfaceOf}.`)).join('\n');
}

const AGENT = '^node .*main[.]ts agent';
const HELPER = '^node .*privileged-helper[.]ts';

/** The report of an answer, as the asked node keeps it. */
async function reportOf(answer: Answer): Promise<Readonly<Record<string, unknown>>> {
  const said = await runInNode(node('pe1'), [
    ...PARLEY,
    'report',
    'show',
    answer.report!,
    '--json',
    '--socket',
    CONTROL_SOCKET,
  ]);
  assert.equal(said.exitCode, 0, said.stdout + said.stderr);
  return JSON.parse(said.stdout).report;
}

test('names the wire that loses, asked over the Unix socket and over mutual TLS [CARD-7, CARD-2]', async () => {
  const landed = await inject(lab.record, [
    {
      where: 'fault',
      fault: 'packet_loss',
      parameters: { cable: 'p2:eth2--pe3:eth1', from: 'p2:eth2', percent: 4 },
    },
  ]);
  const [local, distant] = [await ask(), await ask(true)];
  assert.deepEqual(await landed.problems(), []);
  assert.deepEqual(await landed.undo(), []);
  for (const answer of [local, distant])
    assert.deepEqual(answer.findings, [{ resource: 'interface/p2/eth2', fault: 'packet_loss' }]);
});

test('a forged neighbour with a false thumbprint stops nothing and is reported [TS-13]', async () => {
  const forged = encodeDescriptor({
    node: 'pe3',
    port: 9514,
    thumbprint: 'ba'.repeat(32),
    capabilitiesHash: '00'.repeat(16),
    addresses: ['2001:db8:bad::1'],
  });
  assert.ok(forged.ok);
  const octets = [...forged.value].map((octet) => octet.toString(16).padStart(2, '0')).join(',');
  const tlv = ['oui', '02,50,4c', 'subtype', '1', 'oui-info', octets];
  const said = await runInNode(node('p2'), ['lldpcli', 'configure', 'lldp', 'custom-tlv', 'replace', ...tlv]);
  assert.equal(said.exitCode, 0, said.stderr);
  const peers = async () => (await runInNode(node('pe1'), [...PARLEY, 'peers', '--socket', CONTROL_SOCKET])).stdout;
  await until(
    async () => /^lying {2}pe3: eth1: thumbprint babababababababa/m.test(await peers()),
    'pe1 reports the lie',
    15_000,
  );
  const answer = await ask();
  assert.equal(answer.verdict, 'healthy', JSON.stringify(answer.printed['verdict']));
  const notes = (await reportOf(answer))['peerNotes'] as readonly { readonly node: string; readonly kind: string }[];
  assert.ok(
    notes.some((note) => note.node === 'pe3' && note.kind === 'lying'),
    JSON.stringify(notes),
  );
});

test('an agent that hangs is untrusted, one that is killed unreachable; neither makes a false accusation [TS-21] [TS-22]', async () => {
  await signal('pe3', AGENT, 'STOP');
  const hung = await ask().finally(() => signal('pe3', AGENT, 'CONT'));
  assert.equal(hung.verdict, 'inconclusive');
  assert.deepEqual(hung.findings, []);
  assert.equal(statusesOf(hung, 'pe3'), 'timed-out');
  assert.equal(statusesOf(hung, 'p2'), 'answered');
  assert.deepEqual(Object.keys((await reportOf(hung))['untrusted'] as object), ['pe3']);

  assert.match(await announcedBy('p2'), OUR_TLV);
  await signal('p2', AGENT, 'KILL');
  // Nobody asks lldpd to forget the TLV: the helper does, because the agent's connection is gone.
  await until(async () => !OUR_TLV.test(await announcedBy('p2')), 'the TLV of the killed agent to be gone');
  const killed = await ask();
  assert.equal(killed.verdict, 'inconclusive');
  assert.deepEqual(killed.findings, []);
  assert.equal(statusesOf(killed, 'p2'), 'unreachable');
  assert.equal(statusesOf(killed, 'pe3'), 'answered');
});

test('an agent that was killed comes back by its own state, and the network is healthy again', async () => {
  const [program, ...args] = commandInNode(node('p2'), [...PARLEY, 'agent', '--config', '/etc/parley/agent.yml'], {
    asAgent: true,
  });
  beside.push(spawn(program!, args, { stdio: 'ignore' }));
  let last: Answer | undefined;
  const well = async () => {
    last = await ask();
    return last.verdict === 'healthy';
  };
  await until(well, 'a healthy verdict after the restart').catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(last?.printed['verdict'])}`);
  });
});

test('on port 9514 there is nothing but TLS 1.3 [TS-23]', async () => {
  const seen = ['pe1', 'p2', 'pe3'].map((name) => summarizeTls(readFileSync(pcapOf(name))));
  const versions = new Set(seen.flatMap((summary: TlsSummary) => Object.keys(summary.versions)));
  assert.deepEqual([...versions], ['1.3']);
  assert.deepEqual(
    seen.map((summary) => summary.plainText),
    [0, 0, 0],
  );
  assert.ok(seen[0]!.packets > 50, `${seen[0]!.packets} packets`);
});

test('a helper that is killed while it probes leaves nothing behind, and the report says what is missing [TS-22]', async () => {
  const pe1 = node('pe1');
  const before = await stateOf('pe1');
  const rawSockets = async () => (await runInNode(pe1, ['cat', '/proc/net/raw6'])).stdout.trim().split('\n').length;
  const rawBefore = await rawSockets();
  const [helper] = await processesOf('pe1', HELPER);
  const sentBefore = transmitted();
  const asked = ask();
  await until(() => transmitted() - sentBefore > 200, 'probes leave pe1');
  const kill = await runInNode(pe1, ['kill', '-KILL', helper!]);
  assert.equal(kill.exitCode, 0, kill.stderr);
  const answer = await asked;
  assert.notEqual(answer.verdict, 'healthy');
  assert.deepEqual(answer.findings, []);
  const failed = outcomesOf(answer, 'pe1').filter((outcome) => outcome.status !== 'answered');
  assert.ok(
    failed.some((outcome) => outcome.callId.startsWith('probe/')),
    JSON.stringify(outcomesOf(answer, 'pe1')),
  );
  for (const outcome of failed) assert.notEqual(outcome.reason ?? '', '');
  assert.deepEqual(changedSections(before, await stateOf('pe1')), []);
  assert.deepEqual(await processesOf('pe1', 'tcpdump|lldpcli'), []);
  assert.ok((await rawSockets()) <= rawBefore, 'a raw socket is left');
  // A second of probes is a thousand packets; hellos and sessions are a few.
  const settled = transmitted();
  const since = performance.now();
  await until(() => performance.now() - since > 300, 'a moment of listening');
  assert.ok(transmitted() - settled < 100, 'probes went on after the helper was gone');
});

/** A node's routes, filters, links and daemons; agent and helper, whose threads are called so, are left out. */
async function stateOf(name: string): Promise<Snapshot> {
  const snapshot = await snapshotNode(node(name));
  const daemons = snapshot['daemons']!.split(' ').filter((comm) => comm !== 'MainThread');
  return { ...snapshot, daemons: daemons.join(' ') };
}

/** Packets that pe1 has sent on eth1. */
function transmitted(): number {
  const line = readFileSync(`/proc/${node('pe1').init!.pid}/net/dev`, 'utf8')
    .split('\n')
    .find((entry) => entry.trim().startsWith('eth1:'));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9]);
}
