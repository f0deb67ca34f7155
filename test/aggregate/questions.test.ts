// A question that is put to a root: two regions, three routers, each a process of its own, over mutual TLS and one embedded network.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { stringify } from 'yaml';
import { ROOT } from '../../scripts/source-files.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';
import { freePort } from '../free-port.ts';
import { untilShown, untilWritten } from '../until-written.ts';

const open: { bed?: AgentBed; readonly aggregators: ChildProcess[]; way: string[]; port: number } = {
  aggregators: [],
  way: [],
  port: 0,
};

before(async () => {
  const ports = { root: await freePort(), edge1: await freePort(), edge2: await freePort() };
  const under = (node: keyof typeof ports, segment: string) => ({
    // Long enough for a process that waits for a processor: a region that ends is seen by its connection.
    ...{ node, addresses: ['127.0.0.1'], port: ports[node], segment, heartbeatMs: 20_000 },
  });
  const bed = await upAgents(['pe1', 'p2', 'pe3'], {
    pe1: { parent: under('edge1', 'pe1') },
    p2: { parent: under('edge1', 'p2') },
    pe3: { parent: under('edge2', 'pe3') },
  });
  open.bed = bed;
  await bed.domain.identity('alice', { kind: 'operator', role: 'operator' });
  for (const node of ['root', 'edge1', 'edge2'] as const) {
    await bed.domain.identity(node);
    const config = {
      node,
      state: join(bed.dir, `${node}-state`),
      identity: { dir: join(bed.dir, node) },
      control: { socket: join(bed.dir, `${node}.sock`) },
      listen: { host: '127.0.0.1', port: ports[node] },
      ...(node === 'root' ? {} : { parents: [under('root', node)] }),
    };
    const file = join(bed.dir, `${node}.yaml`);
    await writeFile(file, stringify(config));
    const args = ['--conditions=parley-source', 'src/main.ts', 'aggregate', '--config', file];
    open.aggregators.push(spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'ignore'] }));
  }
  open.port = ports.root;
  open.way = ['--connect', `127.0.0.1:${ports.root}`, '--identity', join(bed.dir, 'alice')];
  await untilInTree(...['pe1', 'p2', 'pe3'].map((node) => new RegExp(`${node} {2}registered leaf, \\d\\d+ tools`)));
});

/** The root's tree shows each of these. */
function untilInTree(...shown: RegExp[]): Promise<void> {
  const args = ['aggregate', 'tree', '--watch', '--socket', join(open.bed!.dir, 'root.sock')];
  return untilShown(['--conditions=parley-source', join(ROOT, 'src/main.ts'), ...args], shown, open.aggregators[0]!);
}

after(async () => {
  for (const child of open.aggregators) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill()) await exited;
  }
  await open.bed?.down();
});

const PATH = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

type Told = {
  readonly verdict: { readonly kind: string; readonly reasons: readonly string[] };
  readonly findings: readonly { readonly resource: string; readonly fault: string }[];
  readonly enclosed: readonly { readonly segment: string; readonly from: string }[];
};

async function askRoot(question: string, more: readonly string[] = []): Promise<Told> {
  const asked = await runParley(['ask', question, ...open.way, '--json', ...more]);
  assert.ok(asked.stdout.includes('"verdict"'), asked.stdout + asked.stderr);
  return JSON.parse(asked.stdout) as Told;
}

async function trailOf(file: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(file, 'audit-000000000000001.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a path across the border of two regions is one signed report, with those of the region and the router in it', async () => {
  const bed = open.bed!;
  const file = join(bed.dir, 'answer.report');
  const { verdict, enclosed } = await askRoot(PATH, ['--save', file]);
  assert.equal(verdict.kind, 'healthy');
  assert.deepEqual(
    enclosed.map(({ segment, from }) => [segment, from]),
    [['edge1', 'edge1']],
  );
  const verified = await runParley(['report', 'verify', file, '--ca', join(bed.dir, 'root', 'ca.pem')]);
  assert.equal(verified.exitCode, 0, verified.stdout + verified.stderr);
  for (const line of [
    'ok    report of edge1: ',
    'ok    edge1: report of pe1: ',
    'ok    edge1: pe1: call before/pe3/parley-node-state: verified',
    'ok    what it says: follows from the reports inside it',
  ])
    assert.ok(verified.stdout.includes(line), `${line}\n${verified.stdout}`);
});

test('who asked stands in the trail of every hop, under one session id and one trace id [AX-15] [TS-31]', async () => {
  const bed = open.bed!;
  await askRoot(PATH);
  const asked = (record: Record<string, unknown>) => record['intent'] === PATH && record['direction'] === 'in';
  const rootTrail = () => trailOf(join(bed.dir, 'root-state/audit'));
  await untilWritten(join(bed.dir, 'root-state/audit'), async () => (await rootTrail()).some(asked));
  const { sessionId, detail } = (await rootTrail()).findLast(asked)!;
  const { traceparent } = detail as { traceparent: string };
  assert.match(String(sessionId), /^[0-9a-f]{32}$/);
  const trails = {
    root: join(bed.dir, 'root-state/audit'),
    edge1: join(bed.dir, 'edge1-state/audit'),
    pe1: bed.auditOf('pe1'),
    p2: bed.auditOf('p2'),
    pe3: bed.auditOf('pe3'),
  };
  for (const [node, dir] of Object.entries(trails)) {
    const ofQuestion = async () =>
      (await trailOf(dir)).filter((each) => each['sessionId'] === sessionId && each['direction'] === 'in');
    await untilWritten(dir, async () => (await ofQuestion()).length > 0);
    for (const { asker, event, detail: told } of await ofQuestion()) {
      if (event !== 'request') continue;
      assert.equal(asker, 'operator/alice (signed)', node);
      assert.equal((told as { traceparent: string }).traceparent, traceparent, node);
    }
  }
});

test('a question about one region goes to that region alone, and a fault there is the answer of the root', async () => {
  const bed = open.bed!;
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
  const { verdict, findings, enclosed } = await askRoot('What is wrong on PE-3?').finally(() =>
    bed.network.apply({ kind: 'repair' }),
  );
  assert.equal(verdict.kind, 'fault');
  assert.deepEqual(
    findings.map(({ resource, fault }) => [resource, fault]),
    [['interface/p2/eth2', 'packet_loss']],
  );
  assert.deepEqual(
    enclosed.map(({ segment }) => segment),
    ['edge2'],
  );
});

test('any MCP host at the root asks the same tool and gets the same answer', async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'host', version: '1' });
  const args = ['--conditions=parley-source', 'src/main.ts', 'mcp', ...open.way];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: ROOT, stderr: 'ignore' }));
  const steps: string[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void steps.push(String(message));
  const call = { name: 'parley-ask', arguments: { intent: PATH } };
  const result = await client.callTool(call, undefined, { onprogress, resetTimeoutOnProgress: true });
  await client.close();
  assert.equal(result.isError ?? false, false, JSON.stringify(result).slice(0, 2_000));
  assert.equal((result.structuredContent as unknown as Told).verdict.kind, 'healthy');
  assert.ok(
    steps.some((step) => step.includes('asking edge1')),
    steps.join('\n'),
  );
});

test('a question that no node below understands is refused with what the node says', async () => {
  const asked = await runParley(['ask', 'Sing me a song about PE-1', ...open.way, '--json']);
  assert.equal(JSON.parse(asked.stdout).error.code, 'caller/unknown-intent', asked.stdout);
});

test('a question that leaves a node out does not go to the region of that node alone', async () => {
  const { enclosed } = await askRoot('What is wrong except PE-3?');
  assert.equal(enclosed[0]?.segment, 'edge1');
});

test('while a region is lost, the network is not healthy, and the answer names the region', async () => {
  const edge2 = open.aggregators[2]!;
  const exited = new Promise((resolve) => edge2.once('exit', resolve));
  edge2.kill('SIGKILL');
  await exited;
  await untilInTree(/edge2.*degraded/);
  const { verdict } = await askRoot('What is wrong?');
  assert.equal(verdict.kind, 'inconclusive');
  assert.match(verdict.reasons[0]!, /^edge2 brought no report: edge2 has no session now/);
});
