// Three FRR routers in a row, LLDP off in the agents: the agents find each other through TLV 251 in the link-state database,
// gently, and forget each other's announcements when one leaves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { HANG_MS } from '../until-written.ts';
import { type IsisBed, type Name, upIsisBed } from './isis-bed.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
let bed: IsisBed;

before(async () => {
  bed = await upIsisBed();
});
after(() => bed?.down());

type Peer = {
  readonly node: string;
  readonly hops: number;
  readonly verified: boolean;
  readonly sources: readonly string[];
  readonly addresses: readonly string[];
};

async function peerOf(asked: Name, about: Name): Promise<Peer | undefined> {
  const { peers } = (await bed.parley(asked, 'peers')) as unknown as { readonly peers: readonly Peer[] };
  return peers.find(({ node }) => node === about);
}

async function until(what: string, probe: () => Promise<unknown>): Promise<void> {
  const look = async () => ((await probe()) ? undefined : `not yet; ${bed.log('pe1').slice(-1_500)}`);
  await waitUntil(what, look, { timeoutMs: HANG_MS, intervalMs: 200 });
}

/** LSPs of a router's database: name → sequence number and lifetime. */
async function database(
  name: Name,
): Promise<ReadonlyMap<string, { readonly sequence: number; readonly purged: boolean }>> {
  const text = await bed.isisd(name, 'show isis database');
  const rows = text.matchAll(/^(\S+)\.00-00 +\*? +\d+ +0x([0-9a-f]+) +0x[0-9a-f]+ +(\(\d+\)|\d+)/gm);
  return new Map(
    [...rows].map((row) => [row[1]!, { sequence: Number.parseInt(row[2]!, 16), purged: row[3]![0] === '(' }]),
  );
}

async function spfRuns(name: Name): Promise<number> {
  const runs = /run count +: (\d+)/.exec(await bed.isisd(name, 'show isis summary'));
  return Number(runs?.[1]);
}

const announces = async (node: Name) => (await database('p2')).get(`parley-${node}`);

test('PE-1 finds PE-3, three hops of flooding away, through TLV 251, with LLDP off [CARD-2]', async () => {
  await until('PE-3 in the table of PE-1', async () => (await peerOf('pe1', 'pe3'))?.sources.includes('isis'));
  const found = await peerOf('pe1', 'pe3');
  assert.deepEqual([found?.hops, found?.addresses.includes('fd00:0:0:3::1')], [0, true]);
  assert.equal(found?.sources.includes('lldp'), false);
});

test('what was found is dialled with mutual TLS, and the question is answered by all three [CARD-2]', async () => {
  await until(
    'sessions',
    async () => (await peerOf('pe1', 'p2')) !== undefined && (await peerOf('pe1', 'pe3'))?.verified,
  );
  const answer = (await bed.parley('pe1', 'ask', INTENT)) as {
    readonly verdict: { readonly kind: string };
    readonly findings: readonly unknown[];
    readonly outcomes: readonly { readonly node: string; readonly status: string }[];
  };
  assert.deepEqual([answer.verdict.kind, answer.findings], ['healthy', []]);
  const answered = answer.outcomes.filter(({ status }) => status === 'answered').map(({ node }) => node);
  assert.deepEqual([...new Set(answered)].sort(), ['p2', 'pe1', 'pe3']);
});

test('joining and leaving cost one LSP and a handful of SPF runs, and no route leads to a speaker', async () => {
  await until(
    'all three announcements',
    async () => (await announces('pe1')) && (await announces('p2')) && (await announces('pe3')),
  );
  const settled = async () => {
    const runs = await spfRuns('p2');
    await until('SPF to settle', async () => !/pending/.test(await bed.isisd('p2', 'show isis summary')));
    return (await spfRuns('p2')) === runs;
  };
  await until('a quiet network', settled);
  const before = { runs: await spfRuns('p2'), lsps: await database('p2') };
  await bed.stopAgent('pe1', 'TERM');
  await until('the purge', async () => (await announces('pe1'))?.purged);
  await bed.startAgent('pe1');
  await until('the announcement', async () => (await announces('pe1'))?.purged === false);
  await until('a quiet network', settled);
  const now = await database('p2');
  const changed = [...now].filter(([name, { sequence }]) => before.lsps.get(name)?.sequence !== sequence);
  assert.deepEqual(
    changed.map(([name]) => name).filter((name) => name !== 'pe1'),
    ['parley-pe1'],
  );
  assert.ok((await spfRuns('p2')) - before.runs <= 5, `${before.runs} to ${await spfRuns('p2')} SPF runs`);
  const routes = (await bed.inNode('p2', 'ip -6 route; ip route')).stdout;
  const learned = routes.split('\n').filter((route) => route.includes('proto isis'));
  assert.ok(learned.length >= 6);
  assert.deepEqual(
    learned.filter((route) => /isis0|agent0/.test(route)),
    [],
  );
});

test('an agent that stops purges its LSP, and its hint goes; so does one that is killed [CARD-2]', async () => {
  for (const signal of ['TERM', 'KILL'] as const) {
    await until('PE-3 heard', async () => (await peerOf('pe1', 'pe3'))?.sources.includes('isis'));
    await bed.stopAgent('pe3', signal);
    await until('the purge', async () => (await announces('pe3'))?.purged !== false);
    await until('the end of the hint', async () => !(await peerOf('pe1', 'pe3'))?.sources.includes('isis'));
    await bed.startAgent('pe3');
  }
});

test('a router that authenticates its LSPs: the speaker says so and leaves it alone', async () => {
  const configured = "vtysh -c 'configure terminal' -c 'router isis core' -c 'domain-password clear secret'";
  assert.equal((await bed.inNode('pe1', configured)).exitCode, 0);
  await until('the reason', async () => /without passwords, the router authenticates/.test(bed.log('pe1')));
  await until('a long pause', async () => /"againInMs":600000/.test(bed.log('pe1')));
});

test('a helper that is told to end purges first', async () => {
  await until('the announcement', async () => (await announces('pe3'))?.purged === false);
  await bed.inNode('pe3', 'kill -TERM $(cat /run/parley-helper/helper.pid)');
  await until('the purge', async () => (await announces('pe3'))?.purged);
});

test('the helper speaks only on a veth pair that is all its own, whatever an agent asks for', async () => {
  const ask = (ifname: string) => `
    const { createHelperClient } = await import('/opt/parley/src/router/protocol/client.ts');
    const args = { ifname: '${ifname}', node: 'p2', systemId: '02aabbccdd0f', information: '01' };
    const helper = createHelperClient('/run/parley-helper/helper.sock');
    await helper.call('isis-speak', args).catch((error) => console.log(error.code, error.message));`;
  await bed.stopAgent('p2', 'TERM');
  await until('the purge', async () => (await announces('p2'))?.purged);
  const expected = 'node/isis-interface expected IF to be one end of a veth pair with both ends on this node, got';
  for (const [ifname, came] of [
    ['eth1', 'an end whose other end is elsewhere'],
    ['none0', 'no veth of that name'],
  ] as const) {
    const argv = ['node', '--conditions=parley-source', '--input-type=module', '-e', ask(ifname)];
    let said = '';
    // The speaker that is just leaving still has the only place.
    await until('the place of the speaker', async () => {
      said = (await bed.asAgent('p2', argv)).stdout.trim();
      return !said.startsWith('node/helper-busy');
    });
    assert.equal(said, `${expected.replace('IF', ifname)} ${came}`);
  }
});
