// Three agents as processes of their own: asked by both doors, seen away and back, ended cleanly and killed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { until } from '../fakes/clock.ts';
import { dialTo } from '../mtls/domain.ts';
import { type AgentBed, type NodeName, runParley, upAgents } from './agent-bed.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const URN = 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/';

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
  await bed.domain.identity('ann', { kind: 'operator' });
  await bed.domain.identity('noc', { kind: 'controller' });
});
after(() => bed?.down());

type Answer = {
  readonly verdict: { readonly kind: string; readonly reasons: readonly string[] };
  readonly findings: readonly { readonly resource: string; readonly fault: string }[];
  readonly outcomes: readonly { readonly node: string; readonly status: string; readonly untrusted?: string }[];
  readonly uri: string;
};

const overSocket = (...more: readonly string[]) =>
  runParley(['ask', INTENT, '--json', '--socket', bed.socketOf('pe1'), ...more]);
const answerOf = (stdout: string) => JSON.parse(stdout) as Answer;
const found = (answer: Answer) => answer.findings.map(({ resource, fault }) => `${resource} ${fault}`);
const statuses = (answer: Answer, node: string) =>
  [...new Set(answer.outcomes.filter((each) => each.node === node).map((each) => each.status))].join();
const verify = (file: string) => runParley(['report', 'verify', file, '--ca', join(bed.dir, 'ca/ca.pem'), '--json']);

test('names the fault over the Unix socket; its report verifies until a byte is changed [CARD-7, CARD-6, TS-11]', async () => {
  const file = join(bed.dir, 'loss.json');
  bed.network.apply({ kind: 'loss', node: 'pe1', ifname: 'eth1', percent: 10 });
  const asked = await overSocket('--save', file, '--progress');
  bed.network.apply({ kind: 'repair' });
  assert.equal(asked.exitCode, 1, asked.stdout + asked.stderr);
  assert.deepEqual(found(answerOf(asked.stdout)), ['interface/pe1/eth1 packet_loss']);
  assert.match(asked.stderr, /intent: understood as packet loss .* along SID list \{PE-1, P-2, PE-3\}/);
  const authorised =
    'ietf-interface-counters, ietf-srv6-ping, parley-capture, parley-dhcp, parley-host-scan, parley-lookups, parley-peers, parley-reach, parley-relay, parley-renew, parley-service-probe, parley-trust-list';
  assert.ok(asked.stderr.includes(`session: p2: authorised for ${authorised}\n`), asked.stderr);

  const changed = join(bed.dir, 'changed.json');
  const text = await readFile(file, 'utf8');
  const place = text.indexOf('"payload":"') + 400;
  await writeFile(changed, `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`);
  const [whole, broken] = await Promise.all([verify(file), verify(changed)]);
  assert.equal(whole.exitCode, 0, whole.stdout);
  assert.equal(JSON.parse(whole.stdout).ok, true);
  assert.equal(broken.exitCode, 5);
  const failed = JSON.parse(broken.stdout).checks.filter((check: { readonly ok: boolean }) => !check.ok);
  assert.notDeepEqual(failed, []);
});

test('answers an operator with a certificate over mutual TLS: a healthy network is healthy [CARD-7, CARD-3]', async () => {
  const reach = ['--connect', `127.0.0.1:${bed.portOf('pe1')}`, '--node', 'pe1', '--identity', join(bed.dir, 'ann')];
  const asked = await runParley(['ask', INTENT, '--json', ...reach]);
  assert.equal(asked.exitCode, 0, asked.stdout + asked.stderr);
  assert.deepEqual(found(answerOf(asked.stdout)), []);
  assert.equal(answerOf(asked.stdout).verdict.kind, 'healthy');
});

test('an agent ends cleanly on SIGTERM: exit code 0 and no socket left', async () => {
  assert.equal(await bed.stop('pe1'), 0);
  assert.equal(existsSync(bed.socketOf('pe1')), false);
  await bed.start('pe1');
  assert.equal(existsSync(bed.socketOf('pe1')), true);
});

test('a controller that was away lists, reads and acknowledges every report by its certificate [CARD-8, TS-20]', async () => {
  await withController(async (client) => {
    const listed = (await client.callTool('parley-report-list', { unacknowledged: true })) as unknown as {
      readonly reports: readonly { readonly id: string; readonly verdict: string }[];
    };
    assert.deepEqual(
      listed.reports.map((report) => report.verdict),
      ['healthy', 'fault'],
    );
    const { id } = listed.reports[1]!;
    const body = (await client.readResource(`${URN}${id}`)) as Record<string, unknown>;
    assert.equal(body['creator'], 'pe1');
    assert.match(String(body['hypothesis']), /^PE-1/);
    assert.deepEqual(await client.callTool('parley-report-acknowledge', { id }), { id, acknowledged: true });
    const left = await client.callTool('parley-report-list', { unacknowledged: true });
    assert.equal((left['reports'] as readonly unknown[]).length, 1);
  });
});

async function withController(work: (client: OperatorClient) => Promise<void>): Promise<void> {
  const identity = await loadIdentity(join(bed.dir, 'noc'));
  const dialled = await dialTo({ port: bed.portOf('pe1') }, identity, { expectedNode: 'pe1' });
  const client = await openOperatorClient(dialled.socket);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

test('an agent that is killed is told by its outcomes, and nobody is accused for it [TS-21, TS-18]', async () => {
  await bed.stop('p2', 'SIGKILL');
  const file = join(bed.dir, 'killed.json');
  const asked = await overSocket('--save', file);
  assert.equal(asked.exitCode, 3, asked.stdout + asked.stderr);
  const answer = answerOf(asked.stdout);
  assert.equal(answer.verdict.kind, 'inconclusive');
  assert.deepEqual(found(answer), []);
  assert.equal(statuses(answer, 'p2'), 'unreachable');
  assert.equal(statuses(answer, 'pe3'), 'answered');
  const [verified] = await Promise.all([verify(file), bed.start('p2')]);
  assert.equal(verified.exitCode, 0, verified.stdout);
});

test('an agent that hangs is untrusted in the sealed report, and the others are still used [TS-21, CARD-4]', async () => {
  bed.processOf('pe3').kill('SIGSTOP');
  const asked = await overSocket();
  bed.processOf('pe3').kill('SIGCONT');
  assert.equal(asked.exitCode, 3, asked.stdout + asked.stderr);
  const answer = answerOf(asked.stdout);
  assert.deepEqual(found(answer), []);
  assert.equal(statuses(answer, 'pe3'), 'timed-out');
  assert.equal(statuses(answer, 'p2'), 'answered');
  const report = await readReport('pe1', answer.uri);
  assert.deepEqual(Object.keys(report.untrusted), ['pe3']);
  assert.match(report.untrusted['pe3']!, /within \d+ ms/);
});

test('an agent that was killed comes back over its stale socket, with its reports and its audit trail whole', async () => {
  assert.equal(await bed.stop('pe1', 'SIGKILL'), 'SIGKILL');
  assert.equal(existsSync(bed.socketOf('pe1')), true);
  await bed.start('pe1');
  const [asked, audit] = await Promise.all([
    overSocket(),
    runParley(['audit', 'verify', bed.auditOf('pe1'), '--json']),
  ]);
  assert.equal(asked.exitCode, 0, asked.stdout + asked.stderr);
  assert.equal(audit.exitCode, 0, audit.stdout);
  const listed = await runParley(['report', 'list', '--json', '--socket', bed.socketOf('pe1')]);
  assert.deepEqual(
    JSON.parse(listed.stdout).reports.map((report: { readonly verdict: string }) => report.verdict),
    ['healthy', 'inconclusive', 'inconclusive', 'healthy', 'fault'],
  );
});

test('every call of a question stands in the audit trails of all nodes under one session id [TS-31]', async () => {
  const client = await bed.local('pe1');
  const answer = (await client.callTool('parley-ask', { intent: INTENT }, { timeoutMs: 30_000 })) as unknown as Answer;
  await client.close();
  const session = (await readReport('pe1', answer.uri))['session-id'];
  for (const node of ['pe1', 'p2', 'pe3'] as const) {
    const own = (await bed.audit(node)).filter((record) => record['sessionId'] === session);
    const events = own.map(({ event, direction, party }) => `${event} ${direction} ${party}`);
    assert.ok(events.includes('request in node/pe1'), `${node}: ${events.join('; ')}`);
    assert.ok(events.includes('response out node/pe1'), `${node}: ${events.join('; ')}`);
    if (node === 'pe1') assert.ok(events.includes('request out node/p2') && events.includes('response in node/p2'));
  }
});

test('the trail names the user of this machine who asked, and has one record of what the session asked beside it [TS-31]', async () => {
  const user = new RegExp(`\\(?uid ${process.getuid!()}\\)?$`);
  const client = await bed.local('p2');
  await client.listTools();
  await client.listTools();
  await client.callTool('parley-report-list', { limit: 1 });
  const seen = (await bed.audit('p2')).length;
  await client.close();
  const last = async () => (await bed.audit('p2')).slice(seen).find(({ event }) => event === 'session');
  await until(async () => (await last()) !== undefined, 'the record of the session');
  const { party, asker, detail } = (await last())!;
  assert.equal(party, 'operator/local');
  assert.match(asker!, user);
  const { requests, transport } = detail as unknown as { requests: Record<string, number>; transport: string };
  assert.equal(transport, 'frames');
  assert.deepEqual([requests['initialize'], requests['calls']], [1, 1]);
  assert.ok(requests['tools/list']! >= 2);
  const records = await bed.audit('p2');
  assert.equal(records.filter(({ method }) => method?.startsWith('tools/list')).length, 0);
  const call = records.findLast(({ method }) => method === 'tools/call parley-report-list')!;
  assert.match(call['asker']!, user);
});

test('an agent that is ended in the middle of a question still ends cleanly, and at once', async () => {
  bed.processOf('pe3').kill('SIGSTOP');
  const waiting = async () =>
    (await bed.audit('pe1')).filter((record) => record['direction'] === 'out' && record['event'] === 'request').length;
  const before = await waiting();
  const asked = overSocket();
  await until(async () => (await waiting()) > before, 'the question is under way');
  assert.equal(await bed.stop('pe1'), 0);
  bed.processOf('pe3').kill('SIGCONT');
  // It waited for no answer of pe3: then there would be a report.
  const { exitCode, stdout } = await asked;
  assert.deepEqual([exitCode, JSON.parse(stdout).error?.code], [3, 'peer/unreachable']);
  assert.equal(existsSync(bed.socketOf('pe1')), false);
  assert.equal((await runParley(['audit', 'verify', bed.auditOf('pe1')])).exitCode, 0);
});

type ReadReport = { readonly untrusted: Readonly<Record<string, string>>; readonly 'session-id': string };

async function readReport(node: NodeName, uri: string): Promise<ReadReport> {
  const client = await bed.local(node);
  try {
    return (await client.readResource(uri)) as unknown as ReadReport;
  } finally {
    await client.close();
  }
}
