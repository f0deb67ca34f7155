// A small network that is not of the lab's own making, run by its plan: rebooted, without LLDP, its agents told of each other.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { type ForeignRun, foreignRunLines, runForeign } from '../../simulations/lab/foreign/run.ts';
import { namespaceNames } from '../../simulations/lab/namespaces.ts';
import { downLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { createRegistry, type LabRecord } from '../../simulations/lab/registry.ts';

const TOPOLOGY = `
name: foreign
topology:
  defaults: { kind: linux, image: parley-node:dev }
  nodes:
    r1:
      binds: ['r1.conf:/etc/frr/frr.conf']
    r2:
      binds: ['r2.conf:/etc/frr/frr.conf']
    h1:
      env: { NODE_ROLE: host }
      exec: ['ip address add 203.0.113.10/24 dev eth1', 'ip route add default via 203.0.113.1']
  links:
    - endpoints: ['r1:eth1', 'r2:eth1']
    - endpoints: ['r1:eth2', 'h1:eth1']
`;
const FRR = {
  r1: 'interface lo\n ip address 192.0.2.1/32\ninterface eth1\n ip address 198.51.100.0/31\ninterface eth2\n ip address 203.0.113.1/24\nip route 192.0.2.2/32 198.51.100.1\n',
  r2: 'interface lo\n ip address 192.0.2.2/32\ninterface eth1\n ip address 198.51.100.1/31\nip route 192.0.2.1/32 198.51.100.0\nip route 203.0.113.0/24 198.51.100.0\n',
};
const PLAN = {
  about: 'two routers with static routes',
  checks: [{ node: 'h1', sh: 'ping -n -c 1 -W 2 192.0.2.2 > /dev/null' }],
  after: [
    { node: 'r2', sh: 'touch /run/before-the-reboot' },
    { reboot: 'r2' },
    { lldp: 'off', static: { r1: '192.0.2.1', r2: '192.0.2.2' } },
  ],
  questions: [{ node: 'r1', q: 'What is wrong?' }],
};

const folder = mkdtempSync(join(tmpdir(), 'lf-network-'));
const registry = createRegistry(join(folder, 'labs'));
const prefix = `lf${randomBytes(2).toString('hex')}-`;
const said: string[] = [];
let run: ForeignRun;
let lab: LabRecord;

const files = { topologyFile: join(folder, 'net.clab.yml'), planFile: join(folder, 'net.plan.json') };
const labOptions = {
  ...files,
  prefix,
  dir: join(folder, 'labs'),
  seed: 1,
  say: (line: string) => void said.push(line),
};

before(async () => {
  mkdirSync(join(folder, 'labs'));
  writeFileSync(files.topologyFile, TOPOLOGY);
  for (const [node, text] of Object.entries(FRR)) writeFileSync(join(folder, `${node}.conf`), text);
  writeFileSync(files.planFile, JSON.stringify(PLAN));
  run = await runForeign({ ...labOptions, keep: true });
  lab = (await registry.find('foreign'))!;
});
after(async () => {
  const left = await registry.find('foreign');
  if (left) await downLab(registry, left);
  rmSync(folder, { recursive: true, force: true });
});

const inNode = (name: string, sh: string) =>
  runInNode(lab.nodes.find((node) => node.name === name)!, ['bash', '--norc', '-c', sh]);

test('the plan’s own checks are the baseline, and hold before and after the questions', () => {
  assert.deepEqual([run.failedBefore, run.failedAfter], [[], []]);
  assert.ok(said.some((line) => line.startsWith('h1: ping')));
});

test('a rebooted node is a new one: what its kernel and its memory held is gone', async () => {
  assert.equal((await inNode('r2', 'test -e /run/before-the-reboot')).exitCode, 1);
});

test('without LLDP, an agent asks the peers that its configuration names', async () => {
  assert.equal((await inNode('r1', 'pgrep -x lldpd')).exitCode, 1);
  const config = parse(readFileSync(pathInNode(lab.nodes[0]!, '/etc/parley/agent.yml'), 'utf8'));
  assert.deepEqual(config.discovery, { lldp: false, static: [{ node: 'r2', addresses: ['192.0.2.2'] }] });
  const [answer] = run.answers;
  assert.equal(answer?.failed, undefined);
  const outcomes = answer!.printed!['outcomes'] as readonly { readonly node: string; readonly status: string }[];
  assert.ok(outcomes.some(({ node, status }) => node === 'r2' && status === 'answered'));
});

test('the run is told in lines: the verdict, and a reason or a finding', () => {
  const lines = foreignRunLines(run);
  assert.match(lines[0]!, /^foreign: up after /);
  assert.match(lines[1]!, /^r1: What is wrong\? → (?:healthy|fault|inconclusive) after /);
  assert.ok(lines.some((line) => /^ {2}(?:reason|finding): /.test(line)));
});

test('a run that is interrupted while its checks do not hold leaves nothing', async () => {
  writeFileSync(files.planFile, JSON.stringify({ ...PLAN, checks: [{ node: 'h1', sh: 'false' }] }));
  await downLab(registry, lab);
  const interrupted = new AbortController();
  const say = (line: string) => void (line.startsWith('routers') && interrupted.abort(new Error('interrupted')));
  await assert.rejects(runForeign({ ...labOptions, say, signal: interrupted.signal }), /interrupted/);
  assert.deepEqual(await registry.list(), []);
  assert.deepEqual(
    namespaceNames().filter((name) => name.startsWith(prefix)),
    [],
  );
});
