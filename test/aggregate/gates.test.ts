// Gates (AX-16): what cannot be undone waits for an approval, and an approval opens exactly one call.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createGates } from '#aggregate/gates/gates.ts';
import { createDemand, loadDemand, parseDemands, sealDemands } from '#aggregate/gates/tool-registry.ts';
import { META } from '#aggregate/names/capability.ts';
import { isoTime } from '#base/clock.ts';
import { writeFileDurably } from '#base/files.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import type { CertificateChain } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { consentIdOver, signDecision } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { createSigner } from '#sign/signer.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import { createDomain } from '../mtls/domain.ts';
import {
  ALICE,
  CUT_TOOL,
  connectClient,
  createFakeServer,
  createTestAggregator,
  leafOf,
  linkPair,
  OPEN,
  READ_TOOL,
  startedWith,
  type TestClient,
} from './harness.ts';

const clock = createFakeClock();
const domain = await createDomain('lab.example', clock);
after(() => domain.remove());
const boss = await domain.identity('boss', { kind: 'operator', role: 'admin' });
const carl = await domain.identity('carl', { kind: 'operator', role: 'operator' });
const verify = (chain: CertificateChain, atMs: number) => verifyChain(chain, domain.caPem, atMs);

const CALL = { name: 's.cut', arguments: { link: 'eth1' } };

function sign(consent: JsonObject, identity: Identity = boss, at: FakeClock = clock): JsonObject {
  const signer = createSigner({ node: identity.party.name, privateKey: identity.signingKey });
  return signDecision({
    signer,
    chain: identity.chain,
    decision: 'approve',
    consent,
    nowMs: at.nowMs(),
  }) as unknown as JsonObject;
}

async function gated() {
  const server = createFakeServer(clock, [READ_TOOL, CUT_TOOL]);
  const started = await startedWith([leafOf('s', server)], clock, { verifyChain: verify });
  return { ...started, server, pending: async () => pendingOf(started.client) };
}

async function pendingOf(client: TestClient): Promise<readonly JsonObject[]> {
  const { structuredContent } = await client.ask('tools/call', { name: 'parley-approvals' });
  return (structuredContent as JsonObject)['pending'] as readonly JsonObject[];
}

const decide = (client: TestClient, signed: JsonObject) =>
  client.codeOf('tools/call', { name: 'parley-decide', arguments: signed });

function isWaiting(result: JsonObject): boolean {
  const confirmation = (result['_meta'] as JsonObject)[META.confirmation] as JsonObject | undefined;
  return result['isError'] === true && confirmation?.['status'] === 'confirmation_required';
}

test('a call that cannot be undone waits, and is made once after an admin has signed it [AX-16]', async () => {
  const { client, server, pending } = await gated();
  const first = await client.ask('tools/call', CALL);
  const { token, tool, arguments: args, route } = (first['_meta'] as JsonObject)[META.confirmation] as JsonObject;
  assert.deepEqual({ tool, args, route }, { tool: 's.cut', args: CALL.arguments, route: ['s', 'cut'] });
  assert.equal(isWaiting(await client.ask('tools/call', CALL)), true);
  const [consent, ...others] = await pending();
  assert.equal(others.length, 0);
  assert.equal(consent!['id'], token);
  assert.equal(server.calls.length, 0);
  assert.equal(await decide(client, sign(consent!)), undefined);
  assert.equal(isWaiting(await client.ask('tools/call', { ...CALL, arguments: { link: 'eth2' } })), true);
  assert.equal((await client.ask('tools/call', CALL))['isError'], undefined);
  assert.deepEqual(server.calls, [{ name: 'cut', arguments: { link: 'eth1' } }]);
  assert.equal(isWaiting(await client.ask('tools/call', CALL)), true);
  assert.equal(server.calls.length, 1);
});

test('neither an operator nor the client itself opens a gate [AX-16]', async () => {
  const { client, server, pending } = await gated();
  await client.ask('tools/call', CALL);
  const [consent] = await pending();
  assert.equal(await decide(client, sign(consent!, carl)), -32083);
  assert.equal(await decide(client, { consent: consent!, decision: 'approve' }), -32083);
  for (const _meta of [
    { [META.confirmation]: consent!['id']! },
    { [META.proof]: { decision: 'approve' } },
    { [META.proof]: sign(consent!, carl) },
  ]) {
    const result = await client.text('tools/call', { ...CALL, _meta });
    assert.ok(result.includes('confirmation_'), result);
  }
  assert.equal(server.calls.length, 0);
});

test('a proof that was used, cut, changed, made for another call or has ended opens nothing [AX-16]', async () => {
  const { aggregator, client, server, pending } = await gated();
  await client.ask('tools/call', CALL);
  const [consent] = await pending();
  const proof = sign(consent!);
  const withProof = (given: JsonObject, call: JsonObject = CALL, by = client) =>
    by.codeOf('tools/call', { ...call, _meta: { [META.proof]: given } });
  const envelope = proof['envelope'] as JsonObject;
  assert.equal(
    await withProof({ ...proof, envelope: { ...envelope, payload: String(envelope['payload']).slice(0, -4) } }),
    -32013,
  );
  assert.equal(await withProof({ ...proof, chain: [] }), -32013);
  assert.equal(
    await withProof(sign({ ...consent!, arguments: { link: 'eth9' } }), { ...CALL, arguments: { link: 'eth9' } }),
    -32013,
  );
  assert.equal(await withProof(proof, { ...CALL, arguments: { link: 'eth2' } }), -32013);
  assert.equal(await withProof(proof, CALL, connectClient(aggregator, clock, { ...ALICE, name: 'mallory' })), -32013);
  assert.equal(server.calls.length, 0);
  assert.equal(await withProof(proof), undefined);
  assert.equal(await withProof(proof), -32013);
  assert.equal(server.calls.length, 1);
  await client.ask('tools/call', CALL);
  const [next] = await pending();
  const late = sign(next!);
  await clock.advance(300_000 + 60_000);
  assert.equal(await withProof(late), -32013);
  assert.deepEqual(await pending(), []);
  assert.equal(server.calls.length, 1);
});

test('an approval opens one call at one gate: not at another one over the same server, and not after a restart [AX-16]', async () => {
  const server = createFakeServer(clock, [READ_TOOL, CUT_TOOL]);
  const started = (node: string) => startedWith([leafOf('s', server)], clock, { verifyChain: verify, node });
  const [one, other] = [await started('root1'), await started('root2')];
  assert.ok(isWaiting(await one.client.ask('tools/call', CALL)));
  const [consent] = await pendingOf(one.client);
  const call = { ...CALL, _meta: { [META.proof]: sign(consent!) } };
  assert.equal(await other.client.codeOf('tools/call', call), -32013);
  assert.equal(server.calls.length, 0);
  assert.equal(await one.client.codeOf('tools/call', call), undefined);
  await clock.advance(1_000);
  const again = await started('root1');
  assert.equal(await again.client.codeOf('tools/call', call), -32013);
  assert.equal(server.calls.length, 1);
});

test('a gate that began while the clock was ahead takes approvals when it has been set right [AX-16]', () => {
  let aheadMs = 3_600_000;
  const set = { nowMs: () => clock.nowMs() + aheadMs, monotonicMs: () => clock.monotonicMs() };
  const gates = createGates({ node: 'west', clock: set, random: systemRandom, verifyChain: verify, path: () => [] });
  aheadMs = 0;
  const call = {
    account: 'operator/alice',
    caller: ALICE,
    route: ['s', 'cut'],
    arguments: { link: 'eth1' },
    capability: {},
    definition: CUT_TOOL,
    isChanged: false,
    proof: undefined,
  };
  assert.equal(gates.pass(call).passes, false);
  const [consent] = gates.pending();
  assert.equal(gates.pass({ ...call, proof: sign(consent!) }).passes, true);
});

test('an approval opens what its admin has read, whatever else stands in it [AX-16]', () => {
  const gates = createGates({ node: 'west', clock, random: systemRandom, verifyChain: verify, path: () => ['west'] });
  const call = {
    account: 'operator/alice',
    caller: ALICE,
    route: ['s', 'cut'],
    arguments: { link: 'eth1' },
    capability: {},
    definition: CUT_TOOL,
    isChanged: false,
  };
  // As the gate above asks for it.
  const honest = {
    node: 'root1',
    tool: 'west.s.cut',
    arguments: call.arguments as JsonObject,
    summary: 'calls west.s.cut, which cannot be undone',
    path: [] as readonly string[],
    route: ['west', 's', 'cut'],
    argumentsSha256: canonicalSha256(call.arguments),
    user: { kind: 'operator', name: 'bob', role: 'operator' },
    impact: { rollbackSeconds: 0 },
    created: isoTime(clock.nowMs()),
    expires: isoTime(clock.nowMs() + 60_000),
  };
  const opens = (consent: JsonObject) => {
    const id = consentIdOver('00'.repeat(8), consent as unknown as Parameters<typeof consentIdOver>[1]);
    return gates.pass({ ...call, proof: sign({ id, ...consent }) }).passes;
  };
  // An agent that was taken over shows its admin these; `path`, `route` and digests are not what a person reads.
  assert.equal(opens({ ...honest, tool: 'network.tcpdump' }), false);
  assert.equal(opens({ ...honest, arguments: { link: 'lo' } }), false);
  assert.equal(opens({ ...honest, summary: 'captures 10 packets at eth1' }), false);
  assert.equal(opens(honest), true);
});

test('numbers that only parse alike do not slip past what was approved [AX-16]', async () => {
  const { client, server, pending } = await gated();
  const text = (digits: string) => `{"name":"s.cut","arguments":{"n":${digits}}}`;
  const call = (digits: string) =>
    client.peer.call({ method: 'tools/call', paramsText: text(digits), timeoutMs: undefined }).answer;
  await call('9007199254740992');
  const [consent] = await pending();
  await decide(client, sign(consent!));
  let sent = '';
  server.onCall = (_, request) => {
    sent = request.text;
    return { kind: 'result', text: '{"content":[]}' };
  };
  await call('9007199254740993');
  assert.ok(sent.includes('{"n":9007199254740992}'), sent);
});

test('a gate below is kept by every aggregator above, and the proof is verified at both [AX-16]', async () => {
  const server = createFakeServer(clock, [CUT_TOOL]);
  const root = createTestAggregator(clock, {
    verifyChain: verify,
    demand: createDemand([{ tool: 'edge.*', demand: 'open' }]),
  });
  const edge = createTestAggregator(clock, {
    node: 'edge',
    verifyChain: verify,
    leaves: [leafOf('s', server)],
    parents: [{ node: 'root', segment: 'edge', heartbeatMs: 1_000, dial: async () => dialTo(root) }],
  });
  await clock.advance(1_000);
  const client = connectClient(root, clock);
  const call = { name: 'edge.s.cut', arguments: {} };
  assert.equal(isWaiting(await client.ask('tools/call', call)), true);
  const [consent] = await pendingOf(client);
  assert.deepEqual(consent!['route'], ['edge', 's', 'cut']);
  assert.equal(await decide(client, sign(consent!)), undefined);
  assert.equal((await client.ask('tools/call', call))['isError'], undefined);
  assert.deepEqual(server.calls, [{ name: 'cut', arguments: {} }]);
  // An aggregator above that lies about the approval gets no further than the gate below.
  const forged = sign({ ...consent!, route: ['other', 's', 'cut'] });
  const below = connectClient(edge, clock, ALICE);
  assert.equal(
    await below.codeOf('tools/call', { name: 's.cut', arguments: {}, _meta: { [META.proof]: forged } }),
    -32013,
  );
  assert.equal(server.calls.length, 1);
  await edge.stop();
});

function dialTo(aggregator: Awaited<ReturnType<typeof startedWith>>['aggregator']) {
  const [own, theirs] = linkPair();
  aggregator.serve(theirs, { kind: 'node', domain: 'lab.example', name: 'edge' });
  return own;
}

test('a tool that says nothing is gated, and what an admin has signed decides over its own word [AX-16]', async () => {
  const tools = [
    READ_TOOL,
    { name: 'silent', inputSchema: {} },
    { name: 'soft', inputSchema: {}, annotations: { destructiveHint: false } },
  ];
  const demand = createDemand(
    parseDemands({
      tools: [
        { tool: 's.silent', demand: 'open' },
        { tool: 's.l*', demand: 'gate' },
        { tool: '*', demand: 'open' },
        { tool: 't.silent', demand: 'gate' },
      ],
    }),
  );
  const servers = ['s', 't', 'u'].map((segment) =>
    leafOf(segment, createFakeServer(clock, tools), segment === 'u' ? { ...OPEN, trust: 'none' } : OPEN),
  );
  const plain = await startedWith(servers, clock, { verifyChain: verify });
  const waiting = async (client: TestClient, name: string) => isWaiting(await client.ask('tools/call', { name }));
  assert.equal(await waiting(plain.client, 's.silent'), true);
  assert.equal(await waiting(plain.client, 's.soft'), false);
  assert.equal(await waiting(plain.client, 'u.look'), true);
  const ruled = await startedWith(servers, clock, { verifyChain: verify, demand });
  assert.equal(await waiting(ruled.client, 's.silent'), false);
  assert.equal(await waiting(ruled.client, 's.look'), true);
  assert.equal(await waiting(ruled.client, 't.silent'), true);
  await settle();
});

test('a registry of tools counts with the signature of an admin alone [AX-16]', async () => {
  const demands = parseDemands({ tools: [{ tool: 's.*', demand: 'open' }] });
  const seal = (identity: Identity) =>
    sealDemands(
      createSigner({ node: identity.party.name, privateKey: identity.signingKey }),
      identity.chain,
      demands,
      clock.nowMs(),
    );
  const file = `${domain.dir}/tools.json`;
  const load = async (content: JsonObject) => {
    await writeFileDurably(file, JSON.stringify(content));
    return loadDemand(file, verify, clock);
  };
  assert.equal((await load(seal(boss)))('s.cut'), 'open');
  await assert.rejects(load(seal(carl)), { code: 'caller/bad-tool-registry' });
  const envelope = seal(boss)['envelope'] as JsonObject;
  await assert.rejects(
    load({ ...seal(boss), envelope: { ...envelope, payload: Buffer.from('{}').toString('base64') } }),
    { code: 'caller/bad-tool-registry' },
  );
  await assert.rejects(load({ ...seal(carl), envelope }), { code: 'caller/bad-tool-registry' });
});

test('mcpax/confirm with the proof makes the call that waits, once, and only for whose it is [AX-16]', async () => {
  const { aggregator, client, server, pending } = await gated();
  await client.ask('tools/call', CALL);
  const [consent] = await pending();
  const params = { token: consent!['id']!, proof: sign(consent!) };
  const mallory = connectClient(aggregator, clock, { ...ALICE, name: 'mallory' });
  assert.equal(await mallory.codeOf('mcpax/confirm', params), -32602);
  assert.equal(await client.codeOf('mcpax/confirm', { ...params, proof: sign(consent!, carl) }), -32013);
  assert.equal(await client.codeOf('mcpax/confirm', params), undefined);
  assert.deepEqual(server.calls, [{ name: 'cut', arguments: { link: 'eth1' } }]);
  assert.equal(await client.codeOf('mcpax/confirm', params), -32602);
  assert.equal(server.calls.length, 1);
});

test('a tool whose description changes after its approval needs another one [AX-16]', async () => {
  const { client, server, pending } = await gated();
  await client.ask('tools/call', CALL);
  const [consent] = await pending();
  assert.equal(await decide(client, sign(consent!)), undefined);
  server.tools = [{ ...CUT_TOOL, description: 'cuts everything' }];
  for (const peer of server.peers) peer.notify('notifications/tools/list_changed');
  await settle();
  await settle();
  assert.equal(isWaiting(await client.ask('tools/call', CALL)), true);
  assert.equal(server.calls.length, 0);
});

test('what may change something is recorded before it happens, or does not happen [AX-16]', async () => {
  const server = createFakeServer(clock, [
    READ_TOOL,
    { name: 'set', inputSchema: {}, annotations: { destructiveHint: false } },
  ]);
  const records: AuditRecord[] = [];
  let isFull = false;
  const record = async (each: AuditRecord) => {
    if (isFull) throw new Error('no room');
    records.push(each);
  };
  const { client } = await startedWith([leafOf('s', server)], clock, { record });
  await client.ask('tools/call', { name: 's.set', _meta: { traceparent: '00-1' } });
  assert.deepEqual(records, [
    {
      event: 'request',
      party: 'operator/alice',
      direction: 'in',
      method: 'tools/call s.set',
      detail: { traceparent: '00-1' },
    },
  ]);
  isFull = true;
  assert.equal(await client.codeOf('tools/call', { name: 's.set' }), -32603);
  assert.equal(await client.codeOf('tools/call', { name: 's.look' }), undefined);
  assert.deepEqual(
    server.calls.map(({ name }) => name),
    ['set', 'look'],
  );
});
