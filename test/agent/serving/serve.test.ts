// What a node answers: who must sign, what is written down first, and that refusals are signed like answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallHandler, createRefusalSigner } from '#agent/serving/serve.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import { type AccessRule, createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import type { Party } from '#model/identity.ts';
import type { HandledCall } from '#model/ports.ts';
import { promptDefinition } from '#network/prompts/flow.ts';
import { parseTemplate } from '#network/prompts/template.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { fakeAskers } from '../../fakes/asker.ts';
import { fakeClock } from '../../fakes/signed-exchange.ts';
import { toolDefinition } from '../../mcp/harness.ts';
import { bench, content, incoming, operator, p2, pe1, refusalOf, signed, verified } from './serve-bed.ts';

test('answers a signed call of a node with a signature over exactly this answer [TS-16]', async () => {
  const { handle } = bench();
  const handled = await handle();
  assert.equal(handled.status, 'answered');
  assert.deepEqual(handled.status === 'answered' && handled.body, { value: 42 });
  assert.equal(verified(handled).ok, true);
  assert.equal(verified(handled, { challenge: '0'.repeat(32) }).ok, false);
});

test('refuses an unsigned call of a node, and signs the refusal [TS-16]', async () => {
  const { handle, order, records } = bench();
  const handled = await handle({ envelope: undefined });
  assert.deepEqual(refusalOf(handled), [-32083, 'expected a signed call from a node, got an unsigned one']);
  assert.equal(verified(handled, { challenge: '0'.repeat(32) }).ok, true);
  assert.deepEqual(order, ['out response refused']);
  assert.equal(records[0]?.reason, 'expected a signed call from a node, got an unsigned one');
  assert.equal(records[0]?.party, 'node/pe1');
});

test('a node that may send unsigned calls reads and probes by them, changes nothing, and its signatures must hold [TS-15] [TS-16]', async () => {
  const unsigned = ['pe1'];
  for (const mutability of ['read', 'probe'] as const) {
    const { handle, records } = bench({ unsigned, tool: { mutability } });
    const handled = await handle({ envelope: undefined });
    assert.equal(handled.status, 'answered');
    assert.equal(verified(handled, { challenge: '0'.repeat(32) }).ok, true);
    assert.deepEqual([records[0]?.party, records[0]?.asker], ['node/pe1', 'not named']);
  }
  const refused = [
    await bench({ unsigned, tool: { changesState: true } }).handle({ envelope: undefined }),
    await bench({ unsigned: ['pe3'] }).handle({ envelope: undefined }),
    await bench({ unsigned, askers: { rules: { absent: 'refused', local: 'operator', vouched: 'operator' } } }).handle({
      envelope: undefined,
    }),
    await bench({ unsigned }).handle({ envelope: signed(p2, 'dom-1') }),
  ].map(refusalOf);
  assert.deepEqual(
    refused.map(([code]) => code),
    [-32083, -32083, -32083, -32083],
  );
  assert.match(String(refused[0]![1]), /more than reads and probes/);
  assert.match(String(refused[2]![1]), /says who asked/);
});

test('refuses a call that was sent before [TS-16]', async () => {
  const { handle, order } = bench();
  const envelope = signed(pe1, 'dom-1');
  assert.equal((await handle({ envelope })).status, 'answered');
  const again = await handle({ envelope });
  assert.equal(again.status, 'refused');
  assert.equal(again.status === 'refused' && again.code, -32083);
  assert.equal(verified(again).ok, true, 'whoever asked can tell that this refusal is honest');
  assert.equal(order.filter((step) => step === 'effect').length, 1);
});

test('refuses a call that was signed for another session, by another node, or over other words [TS-16, TS-31]', async () => {
  const { handle, order } = bench();
  const other = { method: 'tools/call', params: { name: 'read', arguments: { all: true } } };
  const refused = [
    await handle({ envelope: signed(pe1, 'dom-2') }),
    await handle({ envelope: signed(p2, 'dom-1') }),
    await handle({ content: other }),
  ];
  assert.deepEqual(
    refused.map((handled) => handled.status === 'refused' && handled.code),
    [-32083, -32083, -32083],
  );
  assert.equal(order.includes('effect'), false);
});

test('operators need no signature, but one that they send must hold', async () => {
  const { handle } = bench();
  assert.equal((await handle({ caller: operator, authorised: undefined, envelope: undefined })).status, 'answered');
  const handled = await handle({ caller: operator, authorised: undefined });
  assert.deepEqual(refusalOf(handled), [-32083, 'expected a caller with a signing key, got one without']);
});

test('the request is in the audit trail before its effect, the answer after it [TS-31]', async () => {
  const { handle, order, records } = bench();
  await handle();
  assert.deepEqual(order, ['in request', 'effect', 'out response answered']);
  assert.deepEqual(
    records.map(({ party, method, sessionId }) => ({ party, method, sessionId })),
    [
      { party: 'node/pe1', method: 'tools/call read', sessionId: 'dom-1' },
      { party: 'node/pe1', method: 'tools/call read', sessionId: 'dom-1' },
    ],
  );
});

test('the trail tells who asked what, and shows that no call was accepted twice [TS-31, TS-16]', async () => {
  const { handle, records } = bench();
  await handle();
  assert.deepEqual(
    [records[0]?.requestSha256?.length, records[0]?.boot, /^\d+$/.test(records[0]?.nonce ?? '')],
    [64, '1-0011223344556677', true],
  );
  const asked = { method: 'tools/call', params: { name: 'read', arguments: { intent: 'Verify packet loss' } } };
  await handle({ caller: operator, authorised: undefined, envelope: undefined, content: asked });
  assert.equal(records.findLast((record) => record.event === 'request')?.intent, 'Verify packet loss');
});

test('a session that is only named in the signature is the session of the records [TS-31]', async () => {
  const { handle, records } = bench();
  await handle({ sessionId: undefined });
  assert.deepEqual(
    records.map((record) => record.sessionId),
    ['dom-1', 'dom-1'],
  );
});

test('a node whose audit trail cannot be written does nothing and says so, signed [TS-31, TS-16]', async () => {
  const { handle, order } = bench({
    audit: async () => {
      throw new ParleyError('us/audit-unwritable', 'no space left on /dev/sda1');
    },
  });
  const handled = await handle();
  assert.deepEqual(refusalOf(handled), [-32603, 'the agent could not answer']);
  assert.equal(verified(handled).ok, true);
  assert.deepEqual(order, []);
});

test('an asker whose probes are used up is refused, and learns when to try again; another is not [TS-22]', async () => {
  const { handle, order } = bench({
    tool: { probes: () => ({ packets: 100_000, bytes: 1, perSecond: { packets: 1, bytes: 1 } }) },
  });
  const ask = (caller: Party) => handle({ caller, envelope: undefined });
  assert.equal((await ask(operator)).status, 'answered');
  const refused = await ask(operator);
  assert.deepEqual(refusalOf(refused), [
    -32000,
    'expected at most 150000 packets of probes a minute for users of p2 at this node, got more: try again in 20 s',
  ]);
  assert.equal(refused.status === 'refused' && refused.data['retryAfterSeconds'], 20);
  assert.equal((await ask({ ...operator, name: 'ann', thumbprint: 'ab' })).status, 'answered');
  assert.equal((await handle()).status, 'answered');
  assert.equal(order.filter((each) => each === 'effect').length, 3);
});

test('a call that the helper had no room for costs its asker nothing [TS-22]', async () => {
  const probes = () => ({ packets: 100_000, bytes: 1, perSecond: { packets: 1, bytes: 1 } });
  const busy = bench({ tool: { probes }, fail: new ParleyError('node/helper-busy', 'expected room, got none') });
  const reasons = [];
  for (let turn = 0; turn < 3; turn++) reasons.push(refusalOf(await busy.handle())[1]);
  assert.deepEqual(reasons, Array(3).fill('expected room, got none'));
  assert.equal(busy.order.filter((each) => each === 'effect').length, 3);
});

test('callers learn their own faults and those of the node; of ours only that there was one', async () => {
  const faults: [Error, number, unknown][] = [
    [new ParleyError('caller/bad-argument', 'expected an address, got ::zz'), -32602, 'expected an address, got ::zz'],
    [new ParleyError('node/timeout', 'zebra did not answer'), -32081, 'zebra did not answer'],
    [new ParleyError('node/helper', 'no helper'), -32082, 'no helper'],
    [new ParleyError('caller/too-many', 'busy', { data: { wireCode: -32000 } }), -32000, 'busy'],
    [new ParleyError('us/defect', 'secret /etc/shadow'), -32603, 'the agent could not answer'],
    [new TypeError('secret'), -32603, 'the agent could not answer'],
  ];
  for (const [fail, code, detail] of faults) {
    const handled = await bench({ fail }).handle();
    assert.deepEqual(refusalOf(handled), [code, detail]);
    assert.equal(verified(handled).ok, true);
  }
});

test('an operator, who can mend it, learns what is wrong with this agent', async () => {
  const fail = new ParleyError(
    'us/report-store-full',
    'expected room for a report, got 10000 that nobody acknowledged',
  );
  const asked = { caller: operator, authorised: undefined, envelope: undefined };
  const handled = await bench({ fail }).handle(asked);
  assert.deepEqual(refusalOf(handled), [-32603, 'expected room for a report, got 10000 that nobody acknowledged']);
  const defect = await bench({ fail: new TypeError('secret') }).handle(asked);
  assert.deepEqual(refusalOf(defect), [-32603, 'the agent could not answer']);
});

test('a call outside the intersection is refused at the gate, signed, without an effect [TS-14, TS-16]', async () => {
  const { handle, order } = bench();
  const handled = await handle({ authorised: ['something-else'] });
  assert.equal(handled.status === 'refused' && handled.code, -32083);
  assert.equal(verified(handled).ok, true);
  assert.deepEqual(order, ['refused: capability read is not authorised for this session']);
});

test('the handler runs nothing without the admission of its catalog for this call and this caller [TS-14, NET-16]', async () => {
  const { handler, catalog, order } = bench();
  const call = incoming();
  const admission = catalog.admit(call.content, call);
  assert.ok(admission.kind === 'tool');
  const borrowed = [
    { ...call, admission: { ...admission } },
    { ...incoming({ content: { ...content } }), admission },
    { ...incoming({ caller: { ...pe1.party } }), admission },
    { ...incoming({ authorised: ['read'] }), admission },
    { ...call, admission: bench().catalog.admit(call.content, call) as typeof admission },
  ];
  for (const forged of borrowed) {
    const handled = await handler({ ...forged, envelope: signed(pe1, 'dom-1') });
    assert.deepEqual(refusalOf(handled), [-32603, 'the agent could not answer']);
  }
  assert.deepEqual(order, Array(borrowed.length).fill('out response refused'));
  assert.equal((await handler({ ...call, admission })).status, 'answered');
});

test('a refusal before any handler is signed over its own words [TS-16]', () => {
  const refusal = { code: -32602, message: 'invalid params', data: { detail: 'no' } };
  const envelope = createRefusalSigner({ ...p2, clock: fakeClock })(incoming(), refusal);
  const handled: HandledCall = { status: 'refused', ...refusal, envelope };
  assert.equal(verified(handled).ok, true);
  assert.equal(verified({ ...handled, message: 'other' }).ok, false);
});

const TEMPLATE = `name: site.check
title: C
description: C
heading: Check
arguments: [{ name: who, description: W, required: true }]
steps:
  - { title: Probe, tool: probe, arguments: { to: "{{who}}" }, outcomes: [{ match: "^(?<said>.*)$", say: "{{said}}" }] }
conclusion: Done.
`;

/** The steps of a prompt, made by the node for \`role\`: what reached the tool, what was said, and what the trail holds. */
async function promptSteps(role: 'operator' | 'observer', rules: readonly AccessRule[], who = '192.0.2.1') {
  const effects: unknown[] = [];
  const records: string[] = [];
  const probe = toolDefinition({
    name: 'probe',
    mutability: 'probe',
    inputSchema: { type: 'object', properties: { to: { type: 'string', maxLength: 15 } } },
    call: async (args) => {
      effects.push(args);
      return { stdout: 'reached' };
    },
  });
  const template = parseTemplate(TEMPLATE);
  assert.ok(template.ok);
  const prompt = promptDefinition(template.value, {
    clock: fakeClock,
    newId: () => 'c1',
    findTool: (name) => catalog.findTool(name),
    cliDialect: () => undefined,
    completeInterface: async () => [],
  });
  const access = createAccess({ ...DEFAULT_ACCESS, lists: [{ name: 'noc', groups: ['*'], rules }] });
  const catalog = createCatalog({ tools: [probe], resources: [], prompts: [prompt], access });
  const handler = createCallHandler({
    ...p2,
    askers: fakeAskers(p2.party, fakeClock),
    catalog: () => catalog,
    window: createNonceWindow(),
    clock: fakeClock,
    audit: {
      append: async ({ party, method, event, status }) => {
        records.push([party, method, event, status].filter((part) => part !== undefined).join(' '));
      },
    },
    log: silentLog,
  });
  const gate = createGate({ catalog: () => catalog, handler, onRefused: () => {}, log: silentLog });
  const ask = (params: JsonObject) => {
    const call = incoming({ caller: { ...operator, role }, authorised: undefined, envelope: undefined });
    const asked = { method: 'prompts/get', params: { name: 'site.check', ...params } };
    return gate({ ...call, content: asked }, 'frames');
  };
  await ask({ arguments: { who } });
  records.length = 0;
  const last = await ask({ arguments: { who }, previousContextId: 'c1' });
  const markdown = last.status === 'answered' ? String((last.body as JsonObject)['markdown']) : last.message;
  return { effects, records, said: markdown.match(/^- (.*)$/m)?.[1] };
}

test('a step that a prompt makes is a call of its caller: allowed, and in the audit trail [NET-16, TS-31]', async () => {
  assert.deepEqual(await promptSteps('operator', []), {
    effects: [{ to: '192.0.2.1' }],
    said: 'reached',
    records: [
      'operator/local prompts/get site.check request',
      'operator/local tools/call probe request',
      'operator/local tools/call probe response answered',
      'operator/local prompts/get site.check response answered',
    ],
  });
});

test('a step that its caller may not make is not made for it, and its refusal is in the audit trail [NET-16, TS-31]', async () => {
  const hides: AccessRule = { name: 'h', action: 'deny', operations: ['read'], module: 'ietf-interfaces' };
  const denies: AccessRule = { name: 'd', action: 'deny', operations: ['exec'], tool: 'probe' };
  const runs = [
    await promptSteps('observer', []),
    await promptSteps('operator', [denies]),
    await promptSteps('operator', [hides]),
    await promptSteps('operator', [], 'longer than fifteen characters'),
  ];
  for (const { effects, records } of runs) {
    assert.deepEqual(effects, []);
    assert.equal(records[2], 'operator/local tools/call probe response refused');
  }
  assert.match(runs[0]!.said!, /^error: observer may not exec this, by the default for exec$/);
});
