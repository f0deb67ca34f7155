// A question travels with who asked it: no one gets past a node's rules by asking another node, directly or over a relay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalCalls } from '#agent/serving/local-calls.ts';
import { createCallHandler } from '#agent/serving/serve.ts';
import { askForPeers } from '#agent/sessions/find-nodes.ts';
import type { OpenSession } from '#agent/sessions/sessions.ts';
import { createAskTool } from '#agent/tools/ask.ts';
import { createRelayTool } from '#agent/tools/relay.ts';
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import { ACCESS_OPERATIONS, type Access, type AccessRule, createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import { type AskerClaim, type AskerRules, DEFAULT_ASKER_RULES, OWN_UPKEEP } from '#model/asker.ts';
import type { ExchangedCall } from '#model/call.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord, CallGate, IncomingCall } from '#model/ports.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { sealAssertion } from '#sign/asker.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { fakeAskers } from '../fakes/asker.ts';
import { type FakeParty, fakeParty } from '../fakes/signed-exchange.ts';
import { CAPABILITIES, createTestDomain, hear, partsOf, type TestDomain, type TestKit } from './in-process.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const ASKED = { method: 'tools/call', params: { name: 'parley-ask', arguments: { intent: INTENT } } };
const never = new AbortController().signal;
const alice = fakeParty('alice', 'operator');
const local: Party = { kind: 'operator', domain: 'lab', name: 'local' };

const NOTHING: AccessRule = { name: 'nothing', action: 'deny', operations: ACCESS_OPERATIONS };

function denying(group: string, rule: AccessRule = NOTHING): Access {
  return createAccess({ ...DEFAULT_ACCESS, lists: [{ name: 'shut', groups: [group], rules: [rule] }] });
}

function domainWith(kit: Pick<TestKit, 'access' | 'askers'>): TestDomain {
  const domain = createTestDomain(undefined, { random: systemRandom, party: fakeParty, ...kit });
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  return domain;
}

const rulesOf = (over: Partial<AskerRules>) => ({ rules: { ...DEFAULT_ASKER_RULES, ...over } });

/** The way in to `tool` on a node, as a listener has it. `clock`: of the node that is asked. */
function doorOf(domain: TestDomain, node: string, tool: ToolDefinition, clock: Clock = domain.clock): CallGate {
  const { party, signer, nonces, audit } = domain.node(node);
  const catalog = createCatalog({ tools: [tool], resources: [] });
  const handler = createCallHandler({
    ...{ signer, nonces, clock, log: silentLog, window: createNonceWindow() },
    catalog: () => catalog,
    audit: { append: async (record) => void audit.push(record) },
    askers: fakeAskers(party, clock, {
      chainOf: (caller) => (caller === alice.party ? alice.chain : undefined),
    }),
  });
  const gate = createGate({ catalog: () => catalog, handler, onRefused: () => {}, log: silentLog });
  return (call) => gate(call, 'frames');
}

type Row = { readonly node: string; readonly name: string; readonly status: string; readonly reason?: string };

async function handledBy(
  domain: TestDomain,
  caller: Party,
  { asker, clock }: { readonly asker?: SignedEnvelope | undefined; readonly clock?: Clock },
) {
  const parts = partsOf(domain, 'pe1');
  const call: IncomingCall = {
    ...{ caller, content: ASKED, signal: never, progress: () => {} },
    ...{ authorised: undefined, envelope: undefined, sessionId: undefined },
    ...(asker === undefined ? {} : { asker }),
  };
  return { parts, handled: await doorOf(domain, 'pe1', createAskTool(parts), clock)(call) };
}

async function ask(domain: TestDomain, caller: Party, asker?: SignedEnvelope) {
  const { parts, handled } = await handledBy(domain, caller, { asker });
  assert.equal(handled.status, 'answered');
  const answer = (handled.status === 'answered' ? handled.body : {}) as JsonObject;
  const report = JSON.stringify(
    JSON.parse(Buffer.from([...parts.store.reports.values()][0]!.report.payload, 'base64').toString()),
  );
  const rows = answer['outcomes'] as unknown as readonly Row[];
  return { report, of: (node: string) => rows.filter((row) => row.node === node) };
}

const statusesOf = (rows: readonly Row[]) => [...new Set(rows.map(({ status }) => status))];
const reasonsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ reason }) => reason))];

/** What alice signs for a node. */
function signedBy(
  domain: TestDomain,
  by: FakeParty,
  over: { readonly node?: string; readonly content?: typeof ASKED } = {},
) {
  const { node = 'pe1', content = ASKED } = over;
  const challenge = '00112233445566778899aabbccddeeff';
  return sealAssertion(by.signer, domain.clock, { node, requestSha256: requestSha256Of(content), challenge });
}

const argumentsOf = (name: string): JsonObject => (name === 'parley-capture' ? { interface: 'eth1' } : {});

/** One call of pe1 to p2, for `asker`, as pe1's sessions make it. */
function reads(domain: TestDomain, asker: AskerClaim, name = 'parley-node-state'): Promise<ExchangedCall> {
  const call = { kind: 'tool', name, arguments: argumentsOf(name), sessionId: 's', timeoutMs: 1_000, asker } as const;
  return domain.session('pe1', 'p2').call(call);
}

async function told(domain: TestDomain, asker: AskerClaim, name?: string): Promise<string> {
  const { answer } = await reads(domain, asker, name);
  return answer.reason ?? answer.status;
}

const byCertificate: AskerClaim = { kind: 'certificate', via: [], chain: alice.chain };
const DENIED =
  'for operator/alice, who asks through another node: operator may not exec this, by rule nothing of list shut';

test('an operator who is denied everything at p2 learns nothing of p2 by asking pe1, and trails on both sides say who asked [TS-31]', async () => {
  const domain = domainWith({ access: { p2: denying('operator/alice') } });
  const { of, report } = await ask(domain, alice.party);
  assert.deepEqual(statusesOf(of('p2')), ['refused']);
  assert.deepEqual(reasonsOf(of('p2')), [`-32083 ${DENIED}`]);
  assert.deepEqual(statusesOf(of('pe3')), ['answered']);
  assert.match(report, /who asks through another node/);
  const atP2 = domain.node('p2').audit;
  assert.notEqual(atP2.length, 0);
  for (const { party, asker, status } of atP2)
    assert.deepEqual([party, asker, status], ['node/pe1', 'operator/alice (vouched for by pe1)', 'refused']);
  const sent = domain.node('pe1').audit.filter(({ direction, party }) => direction === 'out' && party === 'node/p2');
  assert.deepEqual([...new Set(sent.map(({ asker }) => asker))], ['operator/alice']);
});

test('others still learn of p2 by asking pe1, over the same session', async () => {
  const domain = domainWith({ access: { p2: denying('operator/alice') } });
  assert.deepEqual(statusesOf((await ask(domain, local)).of('p2')), ['answered']);
  const record = domain.node('p2').audit.find(({ direction }) => direction === 'in');
  assert.equal(record?.asker, 'operator/local@pe1 (vouched for by pe1)');
});

test('an asker that signed is known as such at the node that answers; one that did not has no more than the configured role', async () => {
  const strict = domainWith({ askers: { p2: rulesOf({ vouched: 'refused' }) } });
  const unsigned = await ask(strict, alice.party);
  assert.deepEqual(reasonsOf(unsigned.of('p2')), [
    '-32083 expected a question that its asker signed, got one that a node vouches for',
  ]);
  assert.deepEqual(statusesOf((await ask(strict, alice.party, signedBy(strict, alice))).of('p2')), ['answered']);
  assert.equal(strict.node('p2').audit.at(-1)?.asker, 'operator/alice (signed)');
  const bounded = domainWith({ askers: { p2: rulesOf({ vouched: 'observer' }) } });
  const rows = (await ask(bounded, alice.party)).of('p2');
  assert.deepEqual(statusesOf(rows.filter(({ name }) => name === 'parley-node-state')), ['answered']);
  assert.deepEqual(statusesOf(rows.filter(({ name }) => name === 'ietf-srv6-ping')), ['refused']);
});

test('an assertion of another key, for another node or another question is refused at once, and no other node is asked [TS-31]', async () => {
  const other = { ...ASKED, params: { name: 'parley-ask', arguments: { intent: 'What is wrong?' } } };
  const keyless = (({ signingKey: _, ...rest }) => rest)(alice.party);
  type Made = { readonly by?: FakeParty; readonly node?: string; readonly content?: typeof ASKED };
  const refusals: readonly (readonly [Party, Made, string])[] = [
    [alice.party, { by: fakeParty('alice', 'operator') }, 'expected a valid signature, got an invalid one'],
    [alice.party, { node: 'p2' }, "expected the node of this question in the asker's assertion, got another"],
    [alice.party, { content: other }, "expected this request in the asker's assertion, got another"],
    [keyless, {}, 'expected a caller with a signing key, got one without'],
  ];
  for (const [caller, { by = alice, ...over }, reason] of refusals) {
    const domain = domainWith({});
    const { handled } = await handledBy(domain, caller, { asker: signedBy(domain, by, over) });
    assert.deepEqual([handled.status, 'data' in handled && handled.data['detail']], ['refused', reason]);
    assert.deepEqual(domain.node('p2').audit, []);
    const [record] = domain.node('pe1').audit;
    assert.deepEqual([record?.party, record?.status, record?.reason], ['operator/alice', 'refused', reason]);
  }
});

test('an assertion whose time is off by the clock of the asked node is passed on: the other nodes judge it by their own', async () => {
  const askerAtP2 = async (lateMs: number, clockOff: number) => {
    const domain = domainWith({});
    const asker = signedBy(domain, alice);
    await domain.clock.advance(lateMs);
    const clock: Clock = { ...domain.clock, nowMs: () => domain.clock.nowMs() + clockOff };
    const { handled } = await handledBy(domain, alice.party, { asker, clock });
    assert.equal(handled.status, 'answered');
    return domain.node('p2').audit.at(-1)?.asker;
  };
  assert.equal(await askerAtP2(0, 86_400_000), 'operator/alice (signed)');
  assert.equal(await askerAtP2(0, -86_400_000), 'operator/alice (signed)');
  assert.equal(await askerAtP2(300_001, 0), 'operator/alice (vouched for by pe1)');
  assert.equal(await askerAtP2(300_001, -300_001), 'operator/alice (vouched for by pe1)');
});

test('an assertion that pe1 passes on for another node or of another key is refused; an old one only counts as vouched for', async () => {
  const domain = domainWith({});
  const forOther = { ...byCertificate, assertion: signedBy(domain, alice, { node: 'pe3' }) };
  assert.equal(
    await told(domain, forOther),
    "expected the node of this question in the asker's assertion, got another",
  );
  const forged = { ...byCertificate, assertion: signedBy(domain, fakeParty('alice', 'operator')) };
  assert.equal(await told(domain, forged), 'expected a valid signature, got an invalid one');
  const old = { ...byCertificate, assertion: signedBy(domain, alice) };
  assert.equal(await told(domain, old), 'answered');
  assert.equal(domain.node('p2').audit.at(-1)?.asker, 'operator/alice (signed)');
  await domain.clock.advance(300_001);
  assert.equal(await told(domain, old), 'answered');
  assert.equal(domain.node('p2').audit.at(-1)?.asker, 'operator/alice (vouched for by pe1)');
});

test('a certificate that is not of this domain, or has the name of a local entry, is refused', async () => {
  const domain = domainWith({});
  const foreign: AskerClaim = { kind: 'certificate', via: [], chain: ['bm90IG91cnM='] };
  assert.equal(await told(domain, foreign), 'certificate of who asked: expected a chain of this domain');
  const door: AskerClaim = { kind: 'certificate', via: [], chain: fakeParty('local', 'operator').chain };
  assert.match(await told(domain, door), /^expected a certificate of a party, got one with the name of a local entry$/);
});

test('a user of another node is not this node’s own, and has the role that this node grants', async () => {
  const claim: AskerClaim = { kind: 'local', via: [], name: 'local' };
  const own = domainWith({ access: { p2: denying('operator/local') } });
  assert.equal(await told(own, claim), 'answered');
  const named = domainWith({ access: { p2: denying('operator/local@pe1') } });
  assert.match(await told(named, claim), /^for operator\/local@pe1, who asks through another node: operator may not/);
  const reading = domainWith({ askers: { p2: rulesOf({ local: 'observer' }) } });
  assert.equal(await told(reading, claim), 'answered');
  assert.match(await told(reading, claim, 'parley-capture'), /observer may not exec this, by the default for exec$/);
  const shut = domainWith({ askers: { p2: rulesOf({ local: 'refused' }) } });
  assert.equal(await told(shut, claim), 'users of other nodes without a certificate may not ask here');
});

test('a call that names no asker is the calling node’s own, unless the configuration bounds or refuses it', async () => {
  const bare = async (domain: TestDomain, name = 'parley-node-state') => {
    const calls = createLocalCalls({
      ...domain.node('pe1'),
      capabilities: CAPABILITIES,
      // As an agent that knows of no asker sends it.
      gate: ({ asker: _, ...call }) => domain.node('p2').gate(call),
      random: domain.random,
      clock: domain.clock,
    });
    const args = argumentsOf(name);
    const call = { kind: 'tool', name, arguments: args, sessionId: 's', timeoutMs: 1_000, asker: OWN_UPKEEP } as const;
    const { answer } = await calls.call(call);
    return answer.reason ?? answer.status;
  };
  const usual = domainWith({});
  assert.equal(await bare(usual), 'answered');
  assert.equal(usual.node('p2').audit.at(-1)?.asker, 'not named');
  const bounded = domainWith({ askers: { p2: rulesOf({ absent: 'observer' }) } });
  assert.equal(await bare(bounded), 'answered');
  assert.match(await bare(bounded, 'parley-capture'), /^for operator\/unnamed@pe1, .* observer may not exec this/);
  const strict = domainWith({ askers: { p2: rulesOf({ absent: 'refused' }) } });
  assert.equal(await bare(strict), 'expected a call that says who asked, got one without');
  assert.equal(await told(strict, OWN_UPKEEP), 'answered');
  assert.equal(strict.node('p2').audit.at(-1)?.asker, 'node/pe1');
});

test('a statement holds for its own call alone', async () => {
  const domain = domainWith({ access: { p2: denying('operator/alice') } });
  const seen: IncomingCall[] = [];
  const calls = createLocalCalls({
    ...domain.node('pe1'),
    capabilities: CAPABILITIES,
    gate: (call) => {
      const first = seen[0];
      seen.push(call);
      // The statement of the first call, which named the node itself, beside the second one.
      return domain.node('p2').gate(first?.asker === undefined ? call : { ...call, asker: first.asker });
    },
    random: domain.random,
    clock: domain.clock,
  });
  const call = { kind: 'tool', name: 'parley-node-state', arguments: {}, sessionId: 's', timeoutMs: 1_000 } as const;
  assert.equal((await calls.call({ ...call, asker: OWN_UPKEEP })).answer.status, 'answered');
  const { answer } = await calls.call({ ...call, asker: byCertificate });
  assert.equal(answer.reason, 'expected the challenge of this call in the statement of who asked, got another');
});

test('what paths hide from the asker is kept back as a whole, since answers are filtered for the calling node alone', async () => {
  const path = [{ module: 'ietf-interfaces', name: 'interfaces', keys: {} }];
  const hidden: AccessRule = {
    name: 'no-interfaces',
    action: 'deny',
    operations: ['read'],
    module: 'ietf-interfaces',
    path,
  };
  const domain = domainWith({ access: { p2: denying('operator/alice', hidden) } });
  assert.match(await told(domain, byCertificate), /some data is hidden from this caller/);
  assert.equal(await told(domain, OWN_UPKEEP), 'answered');
});

test('the peers of p2 are kept from whom p2 tells nothing; upkeep still learns them', async () => {
  const domain = domainWith({ access: { p2: denying('operator/alice') } });
  const { peers } = domain.node('pe1');
  hear(domain.node('p2'), 'pe9', 'fd00::9');
  const question = { sessionId: 's', askedBy: 'operator/alice' };
  const parts = partsOf(domain, 'pe1');
  await askForPeers(parts, 'p2', { ...question, asker: byCertificate }, never);
  assert.equal(peers.find('pe9'), undefined);
  const sent = domain.node('pe1').audit.filter(({ method }) => method === 'tool parley-peers');
  assert.deepEqual(
    sent.map(({ party, asker }) => [party, asker]),
    [['node/p2', 'operator/alice']],
  );
  await askForPeers(parts, 'p2', { ...question, asker: OWN_UPKEEP }, never);
  assert.deepEqual(peers.find('pe9')?.hints[0]?.addresses, ['fd00::9']);
});

/** Beside p2 there is pe3 alone. */
const besidePe3 = {
  state: async () => ({
    neighbours: [{ ifname: 'eth2', systemName: 'pe3' }],
    neighbourTable: [],
    inventory: { interfaces: [{ name: 'eth2', operUp: true, addresses: ['198.18.0.0/31'] }] },
  }),
} as unknown as RouterPort;

/** pe1 asks p2 to relay a question to pe3. */
async function relayed(domain: TestDomain, asker: AskerClaim) {
  const open: OpenSession = async () => ({ session: domain.session('p2', 'pe3'), address: '198.18.0.1' });
  const records: AuditRecord[] = [];
  const relay = createRelayTool({
    ...{ router: besidePe3, open, port: 9514, newSessionId: () => 's', clock: domain.clock },
    record: (record) => void records.push(record),
  });
  const calls = createLocalCalls({
    ...domain.node('pe1'),
    capabilities: ['parley-relay'],
    gate: doorOf(domain, 'p2', relay),
    random: domain.random,
    clock: domain.clock,
  });
  const call = {
    kind: 'tool',
    name: 'parley-relay',
    arguments: { node: 'pe3' },
    sessionId: 's',
    timeoutMs: 1_000,
  } as const;
  const { answer } = await calls.call({ ...call, asker });
  return { told: answer.reason ?? answer.status, records };
}

test('a relay passes on who asked, and through whom', async () => {
  const shut = domainWith({ access: { pe3: denying('operator/alice') } });
  const { told: reason } = await relayed(shut, byCertificate);
  assert.equal(reason, `expected an answer from pe3, got ${DENIED}`);
  const open = domainWith({});
  const signed = { ...byCertificate, assertion: signedBy(open, alice) };
  assert.equal((await relayed(open, signed)).told, 'answered');
  const last = open.node('pe3').audit.at(-1);
  assert.deepEqual([last?.party, last?.asker], ['node/p2', 'operator/alice (signed)']);
  const { records } = await relayed(open, byCertificate);
  assert.deepEqual(
    records.map(({ party, asker }) => [party, asker]),
    [['node/pe3', 'operator/alice (vouched for by pe1)']],
  );
});

test('a node that may ask nothing at pe3 may not ask there over a relay either, for itself or a user', async () => {
  const domain = domainWith({ access: { pe3: denying('node/pe1') } });
  const denied = /for node\/pe1, who asks through another node: node may not exec this/;
  assert.match((await relayed(domain, OWN_UPKEEP)).told, denied);
  assert.match((await relayed(domain, { kind: 'local', via: [], name: 'local' })).told, denied);
  const far: AskerClaim = { kind: 'node', via: Array.from({ length: 10 }, (_, index) => `pe${index + 10}`) };
  assert.match((await relayed(domain, far)).told, /expected at most 10 nodes between, got one more/);
});
