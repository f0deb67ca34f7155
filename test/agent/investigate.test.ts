// The whole story in one process: intent, sessions, fan-out, evidence, findings, a sealed report; also when nodes are missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { consult, emptyGathered } from '#agent/investigation/collect.ts';
import { openJournal } from '#agent/parts/progress.ts';
import { createAskTool } from '#agent/tools/ask.ts';
import { ParleyError } from '#base/error.ts';
import { planScopeStates } from '#measure/nodes/node-state.ts';
import { planRelays } from '#measure/relays.ts';
import type { PeerSession, PlannedCall } from '#model/call.ts';
import type { CallContext } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { SealedReport } from '#model/report.ts';
import { sealedReportText } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { settle } from '../fakes/clock.ts';
import { fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { createTestDomain, hear, partsOf, sessionsOf, type TestDomain } from './in-process.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const never = new AbortController().signal;

function threeNodes(): TestDomain {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  return domain;
}

async function ask(domain: TestDomain, over: Parameters<typeof partsOf>[2] = {}, text = INTENT) {
  const parts = partsOf(domain, 'pe1', over);
  const told: string[] = [];
  const question = {
    ...LOCAL_ASKER,
    text,
    signal: never,
    onProgress: (event: { step: string; message: string }) => told.push(`${event.step}: ${event.message}`),
  };
  return { parts, told, investigation: investigate(question, parts) };
}

function operatorContext(tell: (message: string) => void): CallContext {
  const caller: Party = { kind: 'operator', domain: 'lab', name: 'ann' };
  return { caller, signal: never, progress: (_done, _total, message) => tell(message) };
}

const found = (of: {
  readonly diagnosis: { readonly findings: readonly { readonly resource: string; readonly fault: string }[] };
}) => of.diagnosis.findings.map(({ resource, fault }) => `${resource} ${fault}`);

async function reportOf(sealed: SealedReport) {
  const verified = await verifySealedReport(Buffer.from(sealedReportText(sealed)), { verifyChain: fakeVerifyChain });
  assert.equal(verified.ok, true, JSON.stringify(verified.checks));
  assert.deepEqual(verified.gaps, [], 'an honest report leaves nothing out');
  return JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8'));
}

test('a full disk costs the stored report, never the answer that was found [CARD-6]', async () => {
  const domain = threeNodes();
  const parts = partsOf(domain, 'pe1');
  const full = new ParleyError('us/report-store', 'no space left on device');
  const store = { ...parts.store, put: () => Promise.reject(full) };
  const asked = createAskTool({ ...parts, store });
  const told: string[] = [];
  const context = operatorContext((message) => told.push(message));
  const answer = await asked.call({ intent: INTENT }, context);
  assert.equal(answer['notStored'], 'no space left on device');
  assert.deepEqual((answer['verdict'] as { kind: string }).kind, 'healthy');
  assert.equal(told.at(-1), 'report: not stored, no space left on device');
});

test('an answer says what the full store lost to keep its report [CARD-8]', async () => {
  const domain = threeNodes();
  const parts = partsOf(domain, 'pe1');
  const asked = createAskTool({ ...parts, store: { ...parts.store, put: async () => ({ lost: 2 }) } });
  const told: string[] = [];
  const answer = await asked.call(
    { intent: INTENT },
    operatorContext((message) => told.push(message)),
  );
  assert.match(String(answer['storeFull']), /^the store was full: 2 older reports .* no controller had went for it/);
  assert.match(told.at(-1) ?? '', /^report: sealed and stored as urn:.*; the store was full: 2 older reports/);
  assert.equal('notStored' in answer, false);
});

test('one intent on one node ends in a sealed and stored report that names the fault [TS-11, TS-18, CARD-4, CARD-6]', async () => {
  const domain = threeNodes();
  domain.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
  const { parts, told, investigation } = await ask(domain);
  const done = await investigation;
  assert.deepEqual(found(done), ['interface/p2/eth2 packet_loss']);
  assert.equal(parts.store.summaries[0]?.verdict, 'fault');
  const report = await reportOf(parts.store.reports.get(done.id)!);
  assert.equal(report.creator, 'pe1');
  assert.equal(report.uri, `urn:ietf:params:xml:ns:yang:ietf-mcp/report/${done.id}`);
  assert.deepEqual(Object.keys(report.signatures).sort(), ['p2', 'pe1', 'pe3']);
  assert.deepEqual(report.untrusted, {});
  assert.deepEqual(
    [...new Set(told.map((line) => line.split(':')[0]))],
    ['intent', 'peers', 'session', 'signatures', 'fan-out', 'evidence', 'finding', 'report'],
  );
  // Both ends of every link, before and after, three probes, one of full size, those of many lengths, how each node forwards, the draft's statistics and a capture. No second
  // look: what small probes lost says where.
  const ofEach = (node: string) => [
    ...['after', 'before', 'probe'].map((phase) => `${phase}/${node}/parley-node-state`),
    `probe/${node}/parley-lookups`,
  ];
  const probes =
    'p2/pe3 p2/pe3/flows pe1/capture pe1/p2 pe1/p2/flows pe1/parley-reach pe1/pe3 pe1/pe3/full pe1/pe3/lengths pe3/parley-reach';
  const expected = [
    ...['p2', 'pe1', 'pe3'].flatMap(ofEach),
    ...`${probes} pe1:eth1/p2:eth1/lengths pe3:eth1/p2:eth2/lengths pe3/sid-statistics`
      .split(' ')
      .map((call) => `probe/${call}`),
  ];
  const calls = report.outcomes.map((outcome: { readonly callId: string }) => outcome.callId);
  assert.deepEqual(calls.sort(), expected.sort());
});

test('the timeline of what changed says that memories were read, and nothing of measurements', async () => {
  const { told, investigation } = await ask(threeNodes(), {}, 'what changed in the last hour?');
  await investigation;
  const lines = told.filter((line) => /^(?:fan-out|evidence): /.test(line));
  assert.deepEqual(lines, ['evidence: what the nodes remember was read; nothing was to be measured']);
});

test('a healthy network is healthy, with a proof [TS-11]', async () => {
  const { investigation } = await ask(threeNodes());
  const done = await investigation;
  assert.equal(done.diagnosis.verdict.kind, 'healthy');
  assert.ok(done.diagnosis.verdict.reasons.length > 0);
  assert.deepEqual(done.diagnosis.findings, []);
});

test('all calls of one question carry its session id, which is the one in the report [TS-31]', async () => {
  const domain = threeNodes();
  const { investigation } = await ask(domain);
  const report = await reportOf((await investigation).sealed);
  for (const node of domain.nodes.values()) {
    const sessions = new Set(node.audit.map((record) => record.sessionId));
    assert.deepEqual([...sessions], [report['session-id']]);
  }
  const asked = domain
    .node('pe1')
    .audit.map(({ event, direction, party, status }) => [event, direction, party, status].join(' '));
  for (const line of [
    'request out node/p2 ',
    'response in node/p2 answered',
    'request in node/pe1 ',
    'response out node/pe1 answered',
  ])
    assert.ok(asked.includes(line), `${line} is not in ${asked.join('; ')}`);
});

test('a node that cannot be reached is in the sealed report with its reason, dialled once [TS-21, TS-18]', async () => {
  const domain = threeNodes();
  const { sessions, dialled } = sessionsOf(domain, 'pe1', async (target) => {
    if (target.node === 'p2') throw new ParleyError('peer/unreachable', 'no session with fd00::2: ECONNREFUSED');
    return domain.session('pe1', target.node);
  });
  const { investigation } = await ask(domain, { sessions });
  const done = await investigation;
  assert.equal(done.diagnosis.verdict.kind, 'inconclusive');
  assert.deepEqual(found(done), []);
  const report = await reportOf(done.sealed);
  const missing = report.outcomes.filter((outcome: { readonly node: string }) => outcome.node === 'p2');
  assert.deepEqual(
    missing.map(
      (outcome: { readonly status: string; readonly reason: string }) => `${outcome.status}: ${outcome.reason}`,
    ),
    ['unreachable: no session with fd00::2: ECONNREFUSED', 'unreachable: no session with fd00::2: ECONNREFUSED'],
  );
  assert.deepEqual(Object.keys(report.signatures).sort(), ['pe1', 'pe3']);
  assert.equal(dialled.filter((target) => target.node === 'p2').length, 1);
});

test('a node that fails authentication is untrusted in the sealed report [TS-21]', async () => {
  const domain = threeNodes();
  const { sessions } = sessionsOf(domain, 'pe1', async (target) => {
    if (target.node === 'pe3')
      throw new ParleyError('peer/untrusted-certificate', 'peer at fd00::3: certificate has expired');
    return domain.session('pe1', target.node);
  });
  const { investigation } = await ask(domain, { sessions });
  const report = await reportOf((await investigation).sealed);
  assert.deepEqual(report.untrusted, { pe3: 'peer at fd00::3: certificate has expired' });
});

test('a node that hangs is asked over a second connection too, waited for once, then untrusted, and the rest is used [TS-21]', async () => {
  const domain = threeNodes();
  const asked: string[] = [];
  const hanging = (): PeerSession => ({
    ...domain.session('pe1', 'pe3'),
    call: (call) => {
      asked.push(call.name);
      return new Promise(() => {});
    },
  });
  const { sessions } = sessionsOf(domain, 'pe1', async (target) =>
    target.node === 'pe3' ? hanging() : domain.session('pe1', target.node),
  );
  const { investigation } = await ask(domain, { sessions });
  for (let turn = 0; turn < 40; turn++) await settle();
  await domain.clock.advance(5_000);
  const done = await investigation;
  const report = await reportOf(done.sealed);
  assert.deepEqual(report.untrusted, { pe3: 'no answer within 5000 ms' });
  assert.deepEqual(asked, ['parley-node-state', 'parley-node-state']);
  const answered = report.outcomes.filter((outcome: { readonly status: string }) => outcome.status === 'answered');
  assert.deepEqual([...new Set(answered.map((outcome: { readonly node: string }) => outcome.node))].sort(), [
    'p2',
    'pe1',
  ]);
  assert.deepEqual(found(done), []);
});

test('who asks a silent neighbour for us and waits for it is not the one that is silent, nor untrusted [TS-21]', async () => {
  const domain = threeNodes();
  const waiting = (): PeerSession => ({
    ...domain.session('pe1', 'p2'),
    authorised: ['parley-relay', 'ietf-interface-counters'],
    call: () => new Promise(() => {}),
  });
  const { sessions } = sessionsOf(domain, 'pe1', async () => waiting());
  const parts = partsOf(domain, 'pe1', { sessions });
  const journal = openJournal({ ...parts, ...LOCAL_ASKER, sessionId: '00'.repeat(16), onProgress: () => {} });
  const lostAfter = async (calls: readonly PlannedCall[]) => {
    const gathered = emptyGathered();
    const done = consult(parts, calls, gathered, journal, never);
    for (let turn = 0; turn < 40; turn++) await settle();
    await domain.clock.advance(3_000);
    await done;
    return [gathered.outcomes.map(({ status, untrusted }) => [status, untrusted]), [...gathered.lost.keys()]];
  };
  const asked = planRelays('before', new Map([['pe3', ['p2']]]));
  assert.deepEqual(await lostAfter(asked), [[['timed-out', undefined]], []]);
  const silent = [['timed-out', 'no answer within 3000 ms']];
  assert.deepEqual(await lostAfter(planScopeStates('before', ['p2'])), [silent, ['p2']]);
});

test('an answer whose signature does not hold is no evidence, and its node is untrusted [TS-16, TS-21]', async () => {
  const domain = threeNodes();
  const forging = (): PeerSession => {
    const session = domain.session('pe1', 'p2');
    return {
      ...session,
      call: async (call) => {
        const exchanged = await session.call(call);
        return {
          ...exchanged,
          answer: { ...exchanged.answer, body: { ...(exchanged.answer.body as object), extra: 1 } },
        };
      },
    };
  };
  const { sessions } = sessionsOf(domain, 'pe1', async (target) =>
    target.node === 'p2' ? forging() : domain.session('pe1', target.node),
  );
  const { investigation } = await ask(domain, { sessions });
  const done = await investigation;
  const report = await reportOf(done.sealed);
  assert.deepEqual(Object.keys(report.untrusted), ['p2']);
  assert.equal(
    done.gathered.evidence.some((each) => each.node === 'p2'),
    false,
  );
  assert.equal(done.diagnosis.verdict.kind, 'inconclusive');
});

test('remarks about peers are in the report and stop nothing [TS-13]', async () => {
  const domain = threeNodes();
  const { peers } = domain.node('pe1');
  peers.remark('p2', { kind: 'malformed', detail: 'eth1: version 9', atMs: 0 });
  peers.add({
    source: 'lldp',
    node: 'pe1',
    addresses: ['fd00::bad'],
    port: 9514,
    heardOn: 'eth7',
    hops: 0,
    heardAtMs: 0,
  });
  const { investigation } = await ask(domain);
  const done = await investigation;
  const report = await reportOf(done.sealed);
  assert.deepEqual(report.peerNotes, [
    { node: 'p2', kind: 'malformed', detail: 'eth1: version 9' },
    { node: 'pe1', kind: 'lying', detail: 'eth7: announces the name of this node' },
  ]);
  assert.equal(done.diagnosis.verdict.kind, 'healthy');
});

test('a question that is not understood is refused before anybody is asked', async () => {
  const domain = threeNodes();
  const parts = partsOf(domain, 'pe1');
  await assert.rejects(
    investigate({ ...LOCAL_ASKER, text: 'make coffee', signal: never, onProgress: () => {} }, parts),
    (error: ParleyError) => {
      assert.equal(error.code, 'caller/unknown-intent');
      assert.equal((error.data['forms'] as readonly string[]).length, 5);
      return true;
    },
  );
  assert.equal(parts.store.reports.size, 0);
});

test('nodes that are no neighbours are no path, with a hint where the way may lead', async () => {
  const domain = threeNodes();
  const parts = partsOf(domain, 'pe1');
  await assert.rejects(
    investigate(
      { ...LOCAL_ASKER, text: 'check loss between PE-1 and PE-3', signal: never, onProgress: () => {} },
      parts,
    ),
    (error: ParleyError) => {
      assert.equal(error.code, 'caller/no-path');
      assert.match(error.message, /PE-1 and PE-3 are not adjacent.*the way may lead over p2: name it with "via"$/);
      assert.deepEqual(error.data, { known: ['pe1', 'pe3', 'p2'] });
      return true;
    },
  );
});

const operator: Party = { kind: 'operator', domain: 'lab', name: 'ann' };

test('the tool answers an operator with findings and progress, step by step [CARD-7, TS-27]', async () => {
  const domain = threeNodes();
  const definition = createAskTool(partsOf(domain, 'pe1'));
  const progress: [number, string][] = [];
  const context: CallContext = {
    caller: operator,
    signal: never,
    progress: (done, _total, message) => progress.push([done, message]),
  };
  const answer = await definition.call({ intent: INTENT }, context);
  assert.deepEqual(definition.callers, ['operator', 'controller']);
  assert.deepEqual((answer['verdict'] as { readonly kind: string }).kind, 'healthy');
  assert.match(progress[0]?.[1] ?? '', /^intent: understood as packet loss .* along SID list \{PE-1, P-2, PE-3\}$/);
  assert.deepEqual(
    progress.map(([done]) => done),
    progress.map((_, index) => index + 1),
  );
});

test('a client that offers its model hears its sentence; the signed report keeps the template’s [TS-5] [TS-17]', async () => {
  const domain = threeNodes();
  domain.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
  const parts = partsOf(domain, 'pe1');
  const told: string[] = [];
  const ask = (text: string) =>
    createAskTool(parts).call(
      { intent: INTENT },
      {
        caller: operator,
        signal: never,
        progress: (_done, _total, message) => told.push(message),
        client: {
          offers: () => true,
          log: () => {},
          detach: () => {},
          request: async () => ({ role: 'assistant', content: { type: 'text', text }, model: 'theirs' }),
        },
      },
    );
  const heard = await ask('The measurements point to {F1}');
  assert.equal(heard['sentenceSource'], 'client-model');
  assert.match(String(heard['sentence']), /^The measurements point to P-2 eth2 .*packet loss/);
  const report = await reportOf(parts.store.reports.get(String(heard['id']))!);
  assert.doesNotMatch(JSON.stringify(report), /The measurements point to/);
  const other = await ask('Reboot everything now');
  assert.equal(other['sentenceSource'], 'template');
  assert.equal(
    told.at(-1),
    "finding: your client's model was not heard: its answer says more than the findings, or less",
  );
});

test('a fifth question at the same time is told to come back, and a place is free again after one ended', async () => {
  const domain = threeNodes();
  const { sessions } = sessionsOf(domain, 'pe1', () => new Promise(() => {}));
  const definition = createAskTool(partsOf(domain, 'pe1', { sessions }));
  const leave = new AbortController();
  const context: CallContext = { caller: operator, signal: leave.signal, progress: () => {} };
  const running = [1, 2, 3, 4].map(() => definition.call({ intent: INTENT }, context));
  await settle();
  await assert.rejects(definition.call({ intent: INTENT }, context), (error: ParleyError) => {
    assert.equal(error.code, 'caller/too-many-questions');
    assert.deepEqual(error.data, { wireCode: -32000 });
    return true;
  });
  leave.abort();
  await Promise.all(running);
  const next = definition.call({ intent: 'make coffee' }, { ...context, signal: never });
  await assert.rejects(next, (error: ParleyError) => error.code === 'caller/unknown-intent');
});
