// The reader of a report's signed payload and of the file around it: each member that is missing, unknown or of another type is refused by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { readReport } from '#report/read-report.ts';
import { isChain, parseSealedReport, readCountersignature, sealedReportText, sealReport } from '#report/seal.ts';
import { controller, pe1, smallReport } from './fixture.ts';

const REPORT = JSON.parse(JSON.stringify(smallReport())) as JsonObject;

function reasonOf(changed: JsonObject): string {
  const read = readReport({ ...REPORT, ...changed });
  return read.ok ? 'read' : read.reason;
}

/** A report whose list `name` has this change in its first entry. */
function withFirst(name: string, change: JsonObject): string {
  const [first, ...others] = REPORT[name] as JsonObject[];
  return reasonOf({ [name]: [{ ...first, ...change }, ...others] });
}

/** The same without one member of the first entry. */
function withoutFirst(name: string, member: string): string {
  const [first, ...others] = REPORT[name] as JsonObject[];
  const { [member]: _, ...rest } = first!;
  return reasonOf({ [name]: [rest, ...others] });
}

test('a report is read, with and without links [TS-18]', () => {
  assert.deepEqual(readReport(REPORT), { ok: true, value: REPORT });
  const { links: _, ...earlier } = REPORT;
  assert.equal(readReport(earlier).ok, true);
  assert.equal(reasonOf({ links: {} }), 'links: expected array');
});

test('remarks and changes may be there, and are of their form [TS-18]', () => {
  const remark = { kind: 'link_down', why: 'policy', text: 'odd', resource: 'node/r1', evidence: [] };
  assert.equal(reasonOf({ remarks: [remark, { ...remark, resource: undefined as never }] }), 'read');
  for (const bad of [{ ...remark, text: 1 }, { ...remark, evidence: [1] }, { ...remark, resource: 1 }, 'odd'])
    assert.equal(reasonOf({ remarks: [bad] }), 'remarks: expected their texts and evidence ids');
  assert.equal(reasonOf({ remarks: {} }), 'remarks: expected array');
  const change = { node: 'r1', kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs: 1 };
  const told = { sinceMs: 1, untilMs: 0, left: 0, notKnown: [], changes: [change] };
  assert.equal(reasonOf({ changes: told }), 'read');
  for (const bad of [
    { ...told, changes: [{ ...change, agoMs: '1' }] },
    { ...told, notKnown: [1] },
    { ...told, changes: 1 },
  ])
    assert.equal(reasonOf({ changes: bad }), 'changes: expected their list');
});

const KINDS: Readonly<Record<string, string>> = {
  id: 'string',
  uri: 'string',
  creator: 'string',
  created: 'string',
  hypothesis: 'string',
  evidence: 'strings',
  signatures: 'texts',
  'session-id': 'string',
  intent: 'object',
  verdict: 'object',
  sentence: 'string',
  sentenceSource: 'string',
  findings: 'array',
  candidates: 'array',
  segments: 'array',
  outcomes: 'array',
  untrusted: 'texts',
  items: 'array',
  envelopes: 'array',
  chains: 'object',
  peerNotes: 'array',
  timeline: 'array',
};
const WRONG: Readonly<Record<string, readonly JsonValue[]>> = {
  string: [1, null, ['a'], {}],
  object: ['a', null, []],
  array: ['a', null, {}],
  strings: ['a', {}, [1], ['a', null]],
  texts: ['a', [], { a: 1 }, { a: 'b', c: null }],
};

test('a member that is missing or of another type is refused by name [TS-18]', () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    const { [name]: _, ...without } = REPORT;
    const missing = readReport(without);
    assert.equal(missing.ok ? 'read' : missing.reason, `${name}: expected ${kind}`);
    for (const value of WRONG[kind]!) assert.equal(reasonOf({ [name]: value }), `${name}: expected ${kind}`);
  }
  assert.equal(reasonOf({ more: 1 }), 'unknown member more');
  assert.equal(reasonOf({ schemaVersion: 2 }), 'expected schemaVersion 1');
});

test('identifiers that contradict each other are refused [TS-18]', () => {
  const urn = String(REPORT['uri']).slice(0, -String(REPORT['id']).length);
  assert.equal(reasonOf({ id: 'other' }), 'uri and id do not agree');
  assert.equal(reasonOf({ id: 'a b', uri: `${urn}a b` }), 'uri and id do not agree');
  assert.equal(reasonOf({ id: 'a'.repeat(65), uri: `${urn}${'a'.repeat(65)}` }), 'uri and id do not agree');
  assert.equal(reasonOf({ id: 'a'.repeat(64), uri: `${urn}${'a'.repeat(64)}` }), 'read');
  assert.equal(reasonOf({ creator: 'a b' }), 'creator: expected a node name');
  assert.equal(reasonOf({ created: 'today' }), 'created: expected an RFC 3339 time');
  assert.equal(reasonOf({ evidence: ['e30='] }), 'evidence and items differ in length');
});

test('an item has exactly its texts, a printable id and the name of a node', () => {
  const refused = 'items: expected their texts';
  for (const name of ['id', 'node', 'kind', 'phase', 'mediaType', 'sha256']) {
    assert.equal(withFirst('items', { [name]: 1 }), refused, name);
    assert.equal(withoutFirst('items', name), refused, name);
  }
  for (const change of [{ id: 'a b' }, { id: '' }, { id: 'a'.repeat(257) }, { node: 'a b' }, { more: 'x' }])
    assert.equal(withFirst('items', change), refused, JSON.stringify(change));
  assert.equal(withFirst('items', { answer: 'x' }), refused);
  assert.equal(withFirst('items', { answer: {} }), 'read');
  assert.equal(withFirst('items', { id: 'a'.repeat(256) }), 'read');
});

test('an envelope has a request with method and parameters, and two envelopes', () => {
  const refused = 'envelopes: expected a request and two envelopes each';
  for (const name of ['evidenceId', 'request', 'requestEnvelope', 'resultEnvelope']) {
    assert.equal(withFirst('envelopes', { [name]: 1 }), refused, name);
    assert.equal(withoutFirst('envelopes', name), refused, name);
  }
  assert.equal(withFirst('envelopes', { request: { method: 1, params: {} } }), refused);
  assert.equal(withFirst('envelopes', { request: { method: 'a', params: [] } }), refused);
  assert.equal(withFirst('envelopes', { request: { method: 'a', params: {} } }), 'read');
});

test('outcomes, findings and chains have what verification reads of them', () => {
  for (const name of ['callId', 'node', 'status'])
    assert.equal(withFirst('outcomes', { [name]: 1 }), 'outcomes: expected their texts', name);
  assert.equal(reasonOf({ outcomes: [1] }), 'outcomes: expected their texts');
  for (const evidence of ['a', [1], null])
    assert.equal(withFirst('findings', { evidence }), 'findings: expected evidence ids');
  assert.equal(reasonOf({ findings: [null] }), 'findings: expected evidence ids');
  assert.equal(reasonOf({ chains: { pe1: ['a'], p2: 'a' } }), 'chains: expected certificates of p2');
});

const sealed = sealReport(smallReport(), pe1.signer);
const SEALED = JSON.parse(JSON.stringify(sealed)) as JsonObject;
const SIGNED = {
  by: 'noc',
  role: 'controller',
  chain: [...controller.chain],
  envelope: SEALED['report']!,
} as const satisfies JsonObject;

function fileReason(value: JsonValue): string {
  const read = parseSealedReport(Buffer.from(`${canonicalJsonText(value)}\n`));
  return read.ok ? 'read' : read.reason;
}

test('a report file has exactly its members [CARD-6]', () => {
  assert.equal(sealedReportText(sealed), `${canonicalJsonText(SEALED)}\n`);
  assert.equal(fileReason(SEALED), 'read');
  assert.equal(fileReason([]), 'expected an object, got another type');
  assert.equal(fileReason({ ...SEALED, more: 1 }), 'expected exactly the members of a report file');
  const { creatorChain: _, ...less } = SEALED;
  assert.equal(fileReason(less), 'expected exactly the members of a report file');
  assert.equal(fileReason({ ...SEALED, schemaVersion: 2 }), 'expected schemaVersion 1');
  assert.match(fileReason({ ...SEALED, report: 'x' }), /^report: /);
  assert.equal(fileReason({ ...SEALED, creatorChain: 'x' }), 'creatorChain: expected certificates in base64');
  assert.equal(fileReason({ ...SEALED, countersignatures: {} }), 'countersignatures: expected a bounded array');
  const list = (count: number) => fileReason({ ...SEALED, countersignatures: Array(count).fill(SIGNED) });
  assert.equal(list(256), 'read');
  assert.equal(list(257), 'countersignatures: expected a bounded array');
  assert.match(
    fileReason({ ...SEALED, countersignatures: [SIGNED, { ...SIGNED, by: 1 }] }),
    /^countersignatures\[1\]: expected by and role$/,
  );
});

test('a report file ends with a line feed', () => {
  const parsed = (bytes: Uint8Array) => {
    const read = parseSealedReport(bytes);
    return read.ok ? 'read' : [read.reason, read.offset];
  };
  const text = canonicalJsonText(SEALED);
  assert.deepEqual(parsed(Buffer.from(text)), ['expected a line feed at the end, got something else', text.length]);
  assert.deepEqual(parsed(new Uint8Array(0)), ['expected a line feed at the end, got something else', 0]);
});

test('a report file of more than 64 MiB is refused before it is parsed', () => {
  const reason = (bytes: number) => {
    const read = parseSealedReport(Buffer.alloc(bytes));
    return read.ok ? 'read' : read.reason;
  };
  assert.equal(reason(67_108_864), 'expected a line feed at the end, got something else');
  assert.equal(reason(67_108_865), 'expected at most 67108864 bytes, got 67108865');
});

test('a countersignature has exactly its members [CARD-8]', () => {
  const reason = (value: unknown) => {
    const read = readCountersignature(value);
    return read.ok ? read.value : read.reason;
  };
  assert.deepEqual(reason(SIGNED), SIGNED);
  assert.deepEqual(reason({ ...SIGNED, role: 'participant' }), { ...SIGNED, role: 'participant' });
  assert.equal(reason(null), 'expected an object, got another type');
  assert.equal(reason({ ...SIGNED, more: 1 }), 'expected exactly by, chain, envelope and role');
  for (const change of [{ by: 1 }, { by: 'a b' }, { role: 'admin' }, { role: 1 }])
    assert.equal(reason({ ...SIGNED, ...change }), 'expected by and role', JSON.stringify(change));
  assert.equal(reason({ ...SIGNED, chain: [1] }), 'expected certificates in base64');
  assert.equal(typeof reason({ ...SIGNED, envelope: {} }), 'string');
});

test('a chain is a list of at most four texts', () => {
  const chains: readonly unknown[] = [[], ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd', 'e'], 'a', ['a', 1], null];
  assert.deepEqual(chains.map(isChain), [true, true, false, false, false, false]);
});
