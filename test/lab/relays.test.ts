// Four routers in a row whose static routes lead to two networks of hosts alone: none has a route to a loopback, or to a link that is not
// its own. Asked at one end, the far one answers through both between, and all is well.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ForeignRun, runForeign } from '../../simulations/lab/foreign/run.ts';
import { downLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode } from '../../simulations/lab/node-processes.ts';
import { createRegistry, type LabRecord } from '../../simulations/lab/registry.ts';

const ROUTERS = [1, 2, 3, 4] as const;
const [WEST, EAST] = ['203.0.113.0/25', '203.0.113.128/25'];

const TOPOLOGY = `
name: relays
topology:
  defaults: { kind: linux, image: parley-node:dev }
  nodes:
${ROUTERS.map((router) => `    r${router}: { binds: ['r${router}.conf:/etc/frr/frr.conf'] }`).join('\n')}
    h1:
      env: { NODE_ROLE: host }
      exec: ['ip address add 203.0.113.10/25 dev eth1', 'ip route add default via 203.0.113.1']
    h4:
      env: { NODE_ROLE: host }
      exec: ['ip address add 203.0.113.140/25 dev eth1', 'ip route add default via 203.0.113.129']
  links:
    - endpoints: ['r1:eth2', 'r2:eth1']
    - endpoints: ['r2:eth2', 'r3:eth1']
    - endpoints: ['r3:eth2', 'r4:eth1']
    - endpoints: ['r1:eth3', 'h1:eth1']
    - endpoints: ['r4:eth3', 'h4:eth1']
`;

/** Its link to the left is eth1, that to the right eth2; hosts are behind eth3 at both ends. */
function frrOf(router: number): string {
  const port = (name: string, address: string) => `interface ${name}\n ip address ${address}\n`;
  const left = `198.51.100.${2 * (router - 1)}`;
  const right = `198.51.100.${2 * router + 1}`;
  return [
    port('lo', `192.0.2.${router}/32`),
    ...(router === 1 ? [port('eth3', '203.0.113.1/25')] : [port('eth1', `198.51.100.${2 * router - 1}/31`)]),
    ...(router === 4 ? [port('eth3', '203.0.113.129/25')] : [port('eth2', `198.51.100.${2 * router}/31`)]),
    ...(router === 1 ? [] : [`ip route ${WEST} ${left}\n`]),
    ...(router === 4 ? [] : [`ip route ${EAST} ${right}\n`]),
  ].join('');
}

const PLAN = {
  about: 'static routes to networks of hosts alone',
  checks: [{ node: 'h1', sh: 'ping -n -c 1 -W 2 203.0.113.140 > /dev/null' }],
  questions: [{ node: 'r1', q: 'What is wrong?' }],
};

const folder = mkdtempSync(join(tmpdir(), 'lr-network-'));
const registry = createRegistry(join(folder, 'labs'));
let run: ForeignRun;
let lab: LabRecord;

before(async () => {
  mkdirSync(join(folder, 'labs'));
  const files = { topologyFile: join(folder, 'net.clab.yml'), planFile: join(folder, 'net.plan.json') };
  writeFileSync(files.topologyFile, TOPOLOGY);
  for (const router of ROUTERS) writeFileSync(join(folder, `r${router}.conf`), frrOf(router));
  writeFileSync(files.planFile, JSON.stringify(PLAN));
  const prefix = `lr${randomBytes(2).toString('hex')}-`;
  run = await runForeign({ ...files, prefix, dir: join(folder, 'labs'), seed: 1, say: () => {}, keep: true });
  lab = (await registry.find('relays'))!;
});
after(async () => {
  const left = await registry.find('relays');
  if (left) await downLab(registry, left);
  rmSync(folder, { recursive: true, force: true });
});

type Told = { readonly node: string; readonly status: string; readonly through?: readonly string[] };

test('a network in which no loopback is routed is healthy, asked at its end', () => {
  assert.deepEqual([run.failedBefore, run.failedAfter], [[], []]);
  const [answer] = run.answers;
  assert.deepEqual(answer?.findings, []);
  assert.equal(answer?.verdict, 'healthy', answer?.reasons.join('\n'));
});

test('the far routers answered through those between, in their own names [TS-14]', () => {
  const outcomes = run.answers[0]!.printed!['outcomes'] as readonly Told[];
  const ways = (node: string) =>
    new Set(
      outcomes.filter((each) => each.node === node && each.status === 'answered').map(({ through }) => through?.join()),
    );
  assert.deepEqual([ways('r2'), ways('r3'), ways('r4')], [new Set(['']), new Set(['r2']), new Set(['r2,r3'])]);
});

test('each router between has the asked one in its trail, and what it passed on', () => {
  for (const [router, far] of [
    ['r2', 'r3'],
    ['r3', 'r4'],
  ] as const) {
    const node = lab.nodes.find(({ name }) => name === router)!;
    const trail = pathInNode(node, '/var/lib/parley/audit');
    const text = readdirSync(trail)
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => readFileSync(join(trail, file), 'utf8'))
      .join('\n');
    const records = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const ended = records.filter(({ event, party }) => event === 'relay-ended' && party === 'node/r1');
    assert.ok(
      ended.some(({ detail }) => (typeof detail === 'string' ? detail : JSON.stringify(detail)).includes(far)),
      router,
    );
  }
});
