// What aggregators do to each other over their shared registration store: claims and notes here are in memory, in place of etcd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createEtcdClient, type EtcdClient, type EtcdPut } from '#aggregate/store/etcd-client.ts';
import { createEtcdStore } from '#aggregate/store/etcd-store.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import { answerAs, createFakeServer, createTestAggregator, linkPair, NODE, uuid } from './harness.ts';

type Memory = { readonly keys: Map<string, string>; readonly client: EtcdClient };

/** Hooks: what the test does before an answer. */
function createMemory(hooks: { beforeClaimed?: () => void; beforeRenewed?: () => Promise<void> } = {}): Memory {
  const keys = new Map<string, string>();
  const client: EtcdClient = {
    grantLease: async () => 'lease',
    async keepAlive() {
      await hooks.beforeRenewed?.();
      return true;
    },
    revoke: async () => {},
    range: async (prefix) => new Map([...keys].filter(([key]) => key.startsWith(prefix))),
    put: async ({ key, value }) => void keys.set(key, value),
    async putAllNew(puts: readonly EtcdPut[], removed: string) {
      const found = puts.flatMap(({ key }) => (keys.has(key) ? [[key, keys.get(key)!] as const] : []));
      if (found.length > 0) return new Map(found);
      for (const { key, value } of puts) keys.set(key, value);
      keys.delete(removed);
      hooks.beforeClaimed?.();
      return undefined;
    },
    remove: async (key) => void keys.delete(key),
    async deleteOwn(entries) {
      for (const { key, value } of entries) if (keys.get(key) === value) keys.delete(key);
    },
    close: async () => {},
  };
  return { keys, client };
}

async function aggregatorOn({ client }: Memory, clock: FakeClock): Promise<Aggregator> {
  const aggregatorId = uuid();
  const base = { client, aggregatorId, tree: 'lab', place: 'root', ttlSeconds: 8, clock, log: silentLog };
  const aggregator = createTestAggregator(clock, { aggregatorId, store: createEtcdStore(base) });
  await settle();
  return aggregator;
}

type Asked = { readonly id: string; readonly segment?: string; readonly name: string };

async function register(aggregator: Aggregator, clock: FakeClock, { id, segment = 'pe1', name }: Asked) {
  const [own, theirs] = linkPair();
  aggregator.serve(theirs, { ...NODE, name }, [name]);
  const peer = createPeer(own, clock);
  answerAs(createFakeServer(clock), peer);
  const params = { subserver_id: id, segment, heartbeat_interval_ms: 0, version: '2026-05-01' };
  const call = peer.call({ method: 'mcpax/register', paramsText: JSON.stringify(params), timeoutMs: undefined });
  const answer = await call.answer;
  await settle();
  return { peer, kind: answer.kind, value: JSON.parse(answer.text) as JsonObject };
}

test('a subserver goes to another aggregator for the node that it is of, and for no other that knows its id [AX-5] [AX-20]', async () => {
  const clock = createFakeClock();
  const memory = createMemory();
  const [one, two] = [await aggregatorOn(memory, clock), await aggregatorOn(memory, clock)];
  const id = uuid();
  assert.equal((await register(one, clock, { id, name: 'pe1' })).kind, 'result');
  const stranger = await register(two, clock, { id, segment: 'free', name: 'mallory' });
  assert.match(JSON.stringify(stranger.value), /only for the node or authority/);
  // A note that was written past our own code, and one of an earlier release.
  for (const note of [JSON.stringify({ aggregatorId: 'x', owner: 'node mallory' }), 'x', '{"aggregatorId":"x"}']) {
    memory.keys.set(`parley/mcpax/lab/wanted/${id}`, note);
    await clock.advance(2_000);
    assert.equal(one.core.slots.get('pe1')?.state, 'up', note);
  }
  const own = await register(two, clock, { id, name: 'pe1' });
  assert.match(JSON.stringify(own.value), /is asked to let it go/);
  await clock.advance(2_000);
  assert.equal(one.core.slots.get('pe1')?.state, 'degraded');
  assert.equal((await register(two, clock, { id, name: 'pe1' })).kind, 'result');
  await Promise.all([one.stop(), two.stop()]);
});

test('at one aggregator too, the id of a subserver takes nothing without the name in its certificate [AX-4] [AX-5]', async () => {
  const clock = createFakeClock();
  const root = createTestAggregator(clock);
  const id = uuid();
  assert.equal((await register(root, clock, { id, name: 'pe1' })).kind, 'result');
  const stranger = await register(root, clock, { id, name: 'mallory' });
  assert.equal(stranger.value['message'], 'namespace_conflict');
  assert.equal((await register(root, clock, { id, name: 'pe1' })).kind, 'result');
  await root.stop();
});

test('what was claimed for a connection that ended meanwhile is given back at once [AX-20]', async () => {
  const clock = createFakeClock();
  const hooks: { beforeClaimed?: () => void } = {};
  const memory = createMemory(hooks);
  const one = await aggregatorOn(memory, clock);
  const [own, theirs] = linkPair();
  one.serve(theirs, NODE, ['edge1']);
  const peer = createPeer(own, clock);
  hooks.beforeClaimed = () => theirs.close('cut');
  const params = { subserver_id: uuid(), segment: 'pe1', heartbeat_interval_ms: 0, version: '2026-05-01' };
  const call = peer.call({ method: 'mcpax/register', paramsText: JSON.stringify(params), timeoutMs: undefined });
  await call.answer;
  await settle();
  assert.deepEqual([...memory.keys], []);
  await one.stop();
});

test('a store that keeps a renewal waiting does not keep the claims: they are given up before the lease ends [AX-20]', async () => {
  const clock = createFakeClock();
  const hooks: { beforeRenewed?: () => Promise<void> } = {};
  const memory = createMemory(hooks);
  const one = await aggregatorOn(memory, clock);
  await register(one, clock, { id: uuid(), name: 'pe1' });
  hooks.beforeRenewed = () => new Promise(() => {});
  await clock.advance(8_000 * 0.75);
  assert.equal(one.core.slots.get('pe1')?.state, 'degraded');
  await one.stop();
});

test('members of the store that do not answer share the time of one request', async () => {
  const url = 'http://127.0.0.1:9';
  const asked: number[] = [];
  let nowMs = 0;
  const client = createEtcdClient({
    urls: [url, url, url, url],
    clock: { monotonicMs: () => nowMs },
    within(timeoutMs) {
      asked.push(timeoutMs);
      nowMs += timeoutMs;
      return AbortSignal.abort(new Error('no answer in time'));
    },
  });
  await assert.rejects(client.grantLease(8, 400), /expected an answer of the registration store/);
  assert.deepEqual(asked, [100, 100, 100, 100]);
  await client.close();
});
