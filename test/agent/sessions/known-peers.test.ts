// Names and places of peers outlive the agent: after a restart, a node that is dead is lacking, and no node without an agent.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createKnownPeers, KNOWN_PEERS_FILE } from '#agent/sessions/known-peers.ts';
import { targetsOf } from '#agent/sessions/sessions.ts';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { NO_AGENT } from '#model/call.ts';
import { createFakeClock, type FakeClock, until } from '../../fakes/clock.ts';
import { createTestDomain, sessionsOf } from '../in-process.ts';

const DAY_MS = 86_400_000;
const dirs: string[] = [];
after(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))));

async function stateDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-known-peers-'));
  dirs.push(dir);
  return dir;
}

const started = async (
  state: string,
  clock: FakeClock,
  { peers = createPeerTable({ node: 'pe1', clock }), isOpen = (_: string): boolean => false } = {},
) => {
  const part = createKnownPeers({ config: { state }, peers, sessions: { isOpen }, clock, log: silentLog });
  await part.start();
  return { peers, part };
};
const verifiedAt = (atMs: number) => ({ thumbprint: 'aa'.repeat(32), address: 'fd00::2', port: 9514, atMs });
const fileOf = async (state: string) => JSON.parse(await readFile(join(state, KNOWN_PEERS_FILE), 'utf8'));

test('a peer whose agent was verified is known after a restart, for seven days', async () => {
  const [state, clock] = [await stateDir(), createFakeClock()];
  const first = await started(state, clock);
  first.peers.verified('p2', verifiedAt(clock.nowMs()));
  first.peers.remark('sw1', { kind: 'silent', detail: 'eth1: announces no agent', atMs: 0 });
  await first.part.stop();
  const peer = { address: 'fd00::2', port: 9514, atMs: clock.nowMs() };
  assert.deepEqual(await fileOf(state), { schemaVersion: 1, peers: [{ node: 'p2', ...peer }] });

  const second = await started(state, clock);
  assert.deepEqual(second.peers.find('p2')?.remembered, peer);
  assert.deepEqual(targetsOf(second.peers.find('p2')!), [{ node: 'p2', addresses: ['fd00::2'], port: 9514 }]);
  await second.part.stop();
  await clock.advance(7 * DAY_MS);
  const third = await started(state, clock);
  assert.equal(third.peers.find('p2')?.remembered?.port, 9514);
  await clock.advance(120_000);
  assert.equal(third.peers.find('p2'), undefined, 'forgotten while the agent runs');
  await third.part.stop();
  const fourth = await started(state, clock);
  assert.equal(fourth.peers.find('p2'), undefined);
  await fourth.part.stop();
});

test('a node that was verified before the restart is not without an agent, though its neighbours hear none', async () => {
  const domain = createTestDomain();
  const { peers } = domain.node('pe1');
  const { sessions } = sessionsOf(domain, 'pe1', async () => {
    throw new ParleyError('peer/unreachable', 'no session with fd00::2: EHOSTUNREACH');
  });
  const codeAt = (node: string) =>
    sessions.open(node, new AbortController().signal).catch((error: ParleyError) => error.code);
  for (const node of ['sw1', 'p2']) peers.remark(node, { kind: 'silent', detail: 'eth1: announces no agent', atMs: 0 });
  assert.deepEqual([await codeAt('sw1'), await codeAt('p2')], [NO_AGENT, NO_AGENT]);
  peers.remember('p2', { address: 'fd00::2', port: 9514, atMs: 0 });
  assert.deepEqual([await codeAt('sw1'), await codeAt('p2')], [NO_AGENT, 'peer/unreachable']);
});

test('as long as a session is open its peer does not grow old, and new peers are on disk within a minute', async () => {
  const [state, clock] = [await stateDir(), createFakeClock()];
  const beganMs = clock.nowMs();
  const { peers, part } = await started(state, clock, { isOpen: (node) => node === 'p2' });
  peers.verified('p2', verifiedAt(beganMs));
  peers.verified('p3', verifiedAt(beganMs));
  const wait = async () => {
    await clock.advance(60_000);
    const isThere = () =>
      fileOf(state).then(
        ({ peers: rows }) => rows.length === 2,
        () => false,
      );
    await until(isThere, 'the peers are on disk');
  };
  await wait();
  await part.stop();
  const rows = (await fileOf(state)).peers as readonly { readonly node: string; readonly atMs: number }[];
  assert.deepEqual(
    rows.map(({ node, atMs }) => [node, atMs - beganMs]),
    [
      ['p2', 60_000],
      ['p3', 0],
    ],
  );
});

test('a file that cannot be read is replaced, and a time of the future is none', async () => {
  const [state, clock] = [await stateDir(), createFakeClock()];
  await writeFile(join(state, KNOWN_PEERS_FILE), '{"schemaVersion":1,"peers":[{"node":"../p2"}]}');
  const broken = await started(state, clock);
  assert.deepEqual(broken.peers.list(), []);
  broken.peers.verified('p2', verifiedAt(clock.nowMs() + 30 * DAY_MS));
  await broken.part.stop();
  const next = await started(state, clock);
  assert.equal(next.peers.find('p2')?.remembered?.atMs, clock.nowMs());
  await next.part.stop();
});
