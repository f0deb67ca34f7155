// The two use cases of the troubleshooting draft, §4.4, by a controller of another make: it opens the drafts' own session to real routers, calls the
// tools and reads the resources that the draft names, and correlates by itself. It shares no code with the agents. On Linux a capture sees a SYN before
// a filter drops it, so that the sign is a SYN without an answer.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { identityDir, LAB_ADMIN } from '../../simulations/lab/pki.ts';
import { segmentsIn } from '../drafts/client/capture.ts';
import { valueAt } from '../drafts/client/compare.ts';
import type { Json, JsonRecord } from '../drafts/client/frames.ts';
import { until } from '../fakes/clock.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/two-sites.clab.yml');
const IDENTITY = '/root/controller';
const CLIENT = '/root/drafts-client';
const ROUTERS = ['router1', 'router2'] as const;
type Router = (typeof ROUTERS)[number];
const dir = mkdtempSync(join(tmpdir(), 'cl-labs-'));
let lab: RunningLab;

before(async () => {
  const prefix = `cl-${randomBytes(2).toString('hex')}-`;
  lab = await upLab({ topologyFile: TOPOLOGY, name: 'drafts-controller', prefix, dir, seed: 6 });
  for (const router of ROUTERS) {
    cpSync(identityDir(lab.record, 'operator', LAB_ADMIN), pathInNode(node(router), IDENTITY), { recursive: true });
    cpSync(join(import.meta.dirname, '../drafts/client'), pathInNode(node(router), CLIENT), { recursive: true });
  }
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;

async function onRouter(name: Router, ...words: readonly string[]): Promise<string> {
  const said = await runInNode(node(name), words, { timeoutMs: 60_000 });
  assert.equal(said.exitCode, 0, said.stderr);
  return said.stdout;
}

type Call = { readonly method: string; readonly params: JsonRecord };

/** Answers of one session that begins as the draft prints it. */
async function asController(router: Router, ...calls: readonly Call[]): Promise<readonly Json[]> {
  const begin = { method: 'mcp/initialize', params: { protocolVersion: '2025-12', capabilities: [] } };
  const requests = [begin, ...calls].map((call, index) => ({ jsonrpc: '2.0', id: index + 1, ...call }));
  const said = await onRouter(router, 'node', `${CLIENT}/ask.ts`, IDENTITY, JSON.stringify(requests));
  const answers = JSON.parse(said) as readonly JsonRecord[];
  return answers.slice(1).map((answer) => {
    assert.notEqual(answer['result'], undefined, JSON.stringify(answer));
    return answer['result']!;
  });
}

const tool = (name: string, args: JsonRecord): Call => ({ method: 'tools/call', params: { name, arguments: args } });
const read = (uri: string): Call => ({ method: 'resources/read', params: { uri } });

/** `name` → MTU, as `show interfaces` of a router has it. */
async function mtusOf(router: Router): Promise<ReadonlyMap<string, Json | undefined>> {
  const [shown] = await asController(router, read(`mcp://${router}/ietf-interfaces:interfaces`));
  const list = (valueAt(shown!, 'ietf-interfaces:interfaces.interface') ?? []) as readonly JsonRecord[];
  return new Map(list.map((each) => [String(each['name']), valueAt(each, 'ietf-ip:ipv4.mtu')]));
}

test('§4.4.1: ping from router1 and the interfaces of router2 show no loss and an MTU that does not match [TS-1] [TS-3] [TS-8]', async () => {
  const ping = tool('ping', { destination: '198.18.255.12', count: 5 });
  const healthy = [(await mtusOf('router1')).get('eth2'), (await mtusOf('router2')).get('eth1')];
  assert.deepEqual(healthy, [9000, 9000]);
  await onRouter('router2', 'ip', 'link', 'set', 'eth1', 'mtu', '1400');
  const [echo] = await asController('router1', ping);
  assert.equal(valueAt(echo!, 'loss'), 0, JSON.stringify(echo));
  assert.deepEqual([(await mtusOf('router1')).get('eth2'), (await mtusOf('router2')).get('eth1')], [9000, 1400]);
  await onRouter('router2', 'ip', 'link', 'set', 'eth1', 'mtu', '9000');
});

test('§4.4.2: the neighbour is not established, the interface is up, and a capture on port 179 shows SYN without an answer [TS-1] [TS-3] [TS-9]', async () => {
  const neighbour = '198.18.255.12';
  const state = async () => {
    const path = `mcp://router1/openconfig-bgp:bgp/neighbors/neighbor=${neighbour}/state`;
    const [shown] = await asController('router1', read(path));
    return valueAt(shown!, 'openconfig-bgp:state.session-state');
  };
  assert.equal(await state(), 'ESTABLISHED');
  const rules = ['dport', 'sport'].map(
    (side) => `add rule inet foo input ip daddr ${neighbour} tcp ${side} 179 counter drop`,
  );
  const chain = 'add table inet foo; add chain inet foo input { type filter hook input priority 0; }';
  await onRouter('router2', 'nft', [chain, ...rules].join('; '));
  await until(async () => (await state()) !== 'ESTABLISHED', 'the session to be lost', 60_000);
  const [loopback] = await asController('router1', read('mcp://router1/ietf-interfaces:interfaces/interface=lo'));
  assert.equal(valueAt(loopback!, 'ietf-interfaces:interface.0.admin-status'), 'up', JSON.stringify(loopback));
  const capture = tool('tcpdump', { interface: 'eth1', protocol: 'tcp', port: 179, count: 40, seconds: 10 });
  const [captured] = await asController('router2', capture);
  const segments = segmentsIn(Buffer.from(String(valueAt(captured!, 'pcap')), 'base64'));
  const asked = segments.filter(
    ({ destination, to, isSyn, isAck }) => destination === neighbour && to === 179 && isSyn && !isAck,
  );
  const answered = segments.filter(({ source, from, isSyn }) => source === neighbour && from === 179 && isSyn);
  assert.ok(asked.length > 0, JSON.stringify(segments));
  assert.deepEqual(answered, []);
  await onRouter('router2', 'nft', 'delete', 'table', 'inet', 'foo');
  await until(async () => (await state()) === 'ESTABLISHED', 'the session to come back', 60_000);
});
