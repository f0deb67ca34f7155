// Reports as files: complete, verifiable offline, and spoiled by the change of any byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report, SealedReport } from '#model/report.ts';
import { assembleReport } from '#report/assemble.ts';
import { makeCountersignature, reportDigest } from '#report/countersign.ts';
import { parseSealedReport, sealReport, summaryOf } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { fakeParty, fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { controller, fileOf, PCAP, p2, pe1, reportParts, sealedFile, smallReport } from './fixture.ts';

const options = { verifyChain: fakeVerifyChain };
const failures = async (bytes: Uint8Array, over = {}) => {
  const verification = await verifySealedReport(bytes, { ...options, ...over });
  return verification.checks.filter((each) => !each.ok).map((each) => `${each.part}: ${each.detail}`);
};
const countersigned = (over: Partial<Parameters<typeof makeCountersignature>[0]> = {}): SealedReport => {
  const sealed = sealReport(smallReport(), pe1.signer);
  const reportSha256 = reportDigest(sealed) ?? '';
  const init = {
    signer: controller.signer,
    role: 'controller' as const,
    chain: controller.chain,
    reportSha256,
    nowMs: 1_767_225_700_000,
  };
  return { ...sealed, countersignatures: [makeCountersignature({ ...init, ...over })] };
};

test('has the members of the draft in the shapes of the draft [TS-18]', () => {
  const report = smallReport();
  assert.equal(report.uri, 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/00000000000074e8');
  assert.equal(report.creator, 'pe1');
  assert.equal(report.created, '2026-01-01T00:00:00.000Z');
  assert.equal(report.hypothesis, 'PE-1 eth1 loses packets towards P-2');
  assert.deepEqual(report.evidence, [
    'eyJpbnRlcmZhY2VzIjpbXX0=',
    'eyJpbnRlcmZhY2VzIjpbeyJuYW1lIjoiZXRoMSIsInJ4UGFja2V0cyI6Ijk3In1dfQ==',
    PCAP,
  ]);
  assert.deepEqual(Object.keys(report.signatures), ['pe1', 'p2']);
  assert.equal(report.signatures['p2'], report.envelopes[2]?.resultEnvelope.signature);
  assert.deepEqual(
    report.items.map((item) => [item.id, item.mediaType]),
    [
      ['before/pe1/state', 'application/json'],
      ['before/p2/state', 'application/json'],
      ['before/p2/capture', 'application/vnd.tcpdump.pcap'],
    ],
  );
  assert.deepEqual(report.items[2]?.answer, { packets: 0, truncated: false });
  assert.deepEqual(report.untrusted, { pe3: 'no answer within 1000 ms' });
  const parts = reportParts();
  const later = { ...parts.outcomes[3]!, untrusted: 'a later reason' };
  assert.deepEqual(assembleReport({ ...parts, outcomes: [...parts.outcomes, later] }).untrusted, {
    pe3: 'no answer within 1000 ms',
  });
  assert.equal(summaryOf(report).verdict, 'fault');
});

test('verifies part by part and says what it does not prove [CARD-6] [TS-16]', async () => {
  const verification = await verifySealedReport(sealedFile(), options);
  assert.deepEqual(
    verification.checks.map((each) => [each.part, each.ok]),
    [
      ['file', true],
      ['creatorChain', true],
      ['report signature', true],
      ['report', true],
      ['chain p2', true],
      ['chain pe1', true],
      ['evidence before/pe1/state', true],
      ['call before/pe1/state', true],
      ['evidence before/p2/state', true],
      ['call before/p2/state', true],
      ['evidence before/p2/capture', true],
      ['call before/p2/capture', true],
      ['envelopes', true],
      ['outcomes', true],
      ['findings', true],
      ['signatures p2', true],
      ['signatures pe1', true],
      ['second opinion', true],
    ],
  );
  assert.equal(verification.ok, true);
  assert.equal(verification.report?.hypothesis, 'PE-1 eth1 loses packets towards P-2');
  assert.deepEqual(verification.notProven, [
    'that a node told the truth: a signature shows who said it',
    'that the findings follow from the evidence: rules were not run again',
    "when it happened: all times are the nodes' own clocks, and no controller has countersigned",
    'that no certificate was withdrawn: they were checked for 2026-01-01T00:00:00.000Z against the given CA only',
    'anything about calls without an answer: pe3',
  ]);
});

test('the second implementation verifies every signature, a countersignature among them', async () => {
  const counted = async (file: Uint8Array) => {
    const { checks } = await verifySealedReport(file, options);
    return Number.parseInt(checks.find(({ part }) => part === 'second opinion')?.detail ?? '', 10);
  };
  const without = await counted(sealedFile());
  assert.ok(without > 1);
  assert.equal(await counted(fileOf(countersigned())), without + 1);
});

test('a change of any byte of the file is found and its part is named [CARD-6] [TS-18]', async () => {
  const good = fileOf(countersigned());
  assert.deepEqual(await failures(good), []);
  for (const { mask, step } of [
    { mask: 0x01, step: 1 },
    { mask: 0x20, step: 5 },
  ]) {
    for (let offset = 0; offset < good.length; offset += step) {
      const changed = Buffer.from(good);
      changed[offset] = (changed[offset] ?? 0) ^ mask;
      const found = await failures(changed);
      assert.ok(found.length > 0 && found.every((each) => each.length > 5), `offset ${offset}, mask ${mask}`);
    }
  }
});

test('names the part that was changed [CARD-6]', async () => {
  const good = JSON.parse(fileOf(countersigned()).toString()) as SealedReport;
  const other = fakeParty('pe1');
  const file = (over: Partial<SealedReport>) => fileOf({ ...good, ...over });
  const swap = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
  const signature = swap(good.report.signature);
  assert.deepEqual(await failures(file({ report: { ...good.report, signature } })), [
    'report signature: expected a valid signature, got an invalid one',
  ]);
  assert.deepEqual(await failures(file({ creatorChain: other.chain })), [
    'report signature: expected a valid signature, got an invalid one',
  ]);
  assert.deepEqual(await failures(file({ creatorChain: ['AAAA'] })), ['creatorChain: expected a chain of this domain']);
  const [receipt] = good.countersignatures;
  const forged = { ...receipt!, envelope: { ...receipt!.envelope, signature } };
  assert.deepEqual(await failures(file({ countersignatures: [forged] })), [
    'countersignature 1 (noc): expected a valid signature, got an invalid one',
  ]);
});

test('refuses other spellings of the same file and of its base64 [CARD-6]', async () => {
  const text = sealedFile().toString();
  const cases: readonly (readonly [string, RegExp])[] = [
    [text.trimEnd(), /^file: expected a line feed/],
    [`${text}\n`, /^file: /],
    [` ${text}`, /^file: /],
    [text.replace('{"countersignatures":[],', '{"countersignatures": [],'), /^file: expected RFC 8785 JSON/],
    [text.replace('"schemaVersion":1', '"schemaVersion":1.0'), /^file: expected RFC 8785 JSON/],
    [text.replace('"schemaVersion":1', '"schemaVersion":2'), /^file: expected schemaVersion 1/],
    [text.replace('"schemaVersion":1', '"schemaVersion":1,"z":0'), /^file: expected exactly the members/],
    [text.replace(/"signature":"(.{86})==/, '"signature":"$1'), /^report signature: signature: expected base64/],
    ['', /^file: /],
    ['[]\n', /^file: expected an object/],
  ];
  for (const [spelling, expected] of cases)
    assert.match((await failures(Buffer.from(spelling)))[0] ?? 'none', expected);
});

/** What a creator that lies about what others said would write: sealed correctly, but with other content. */
const lies = async (change: (report: Report) => Partial<Report>) => {
  const report = smallReport();
  return failures(fileOf(sealReport({ ...report, ...change(report) }, pe1.signer)));
};

test('a creator cannot change, exchange or reuse what others signed [TS-16]', async () => {
  assert.deepEqual(
    await lies(({ evidence: [first, , third] }) => ({ evidence: [first!, 'eyJpbnRlcmZhY2VzIjpbXX0=', third!] })),
    [
      'evidence before/p2/state: the SHA-256 of the bytes is another',
      'call before/p2/state: result: expected the resultSha256 of this exchange, got another',
    ],
  );
  const asJson = Buffer.from('{"interfaces": []}');
  assert.deepEqual(
    await lies(({ evidence, items }) => ({
      evidence: [asJson.toString('base64'), ...evidence.slice(1)],
      items: [
        { ...items[0]!, sha256: '5ff49cd60b8dc92ef2b26eb2fd23bc1b78d1ad1a1a8bbf8b7c8b0ad8d2d5b7d1' },
        ...items.slice(1),
      ],
    })),
    [
      'evidence before/pe1/state: the SHA-256 of the bytes is another',
      'call before/pe1/state: the evidence is not RFC 8785 JSON',
    ],
  );
  assert.deepEqual(await lies(() => ({ 'session-id': 'another' })), [
    'call before/pe1/state: request: expected the session of this exchange, got another',
    'call before/p2/state: request: expected the session of this exchange, got another',
    'call before/p2/capture: request: expected the session of this exchange, got another',
  ]);
  assert.deepEqual(await lies(({ items }) => ({ items: [{ ...items[0]!, node: 'p2' }, ...items.slice(1)] })), [
    'call before/pe1/state: result: expected a valid signature, got an invalid one',
    'outcomes: evidence before/pe1/state without an answered call',
    'signatures pe1: not the signature of the last result of this node',
  ]);
  assert.deepEqual(
    await lies(({ items }) => ({
      items: [...items.slice(0, 2), { ...items[2]!, answer: { packets: 1, truncated: false } }],
    })),
    ['call before/p2/capture: result: expected the resultSha256 of this exchange, got another'],
  );
  assert.deepEqual(await lies(({ signatures }) => ({ signatures: { ...signatures, pe3: signatures['p2']! } })), [
    'signatures pe3: not the signature of the last result of this node',
  ]);
  assert.deepEqual(await lies(({ envelopes }) => ({ envelopes: envelopes.slice(0, 2) })), [
    'call before/p2/capture: expected one signed call for this evidence',
    'signatures p2: not the signature of the last result of this node',
  ]);
  assert.deepEqual(await lies(({ findings }) => ({ findings: [{ ...findings[0]!, evidence: ['made-up'] }] })), [
    'findings: a finding stands on made-up, which is not in the report',
  ]);
  const remark = { kind: 'link_down', why: 'policy', text: 'odd', evidence: ['made-up'] } as const;
  assert.deepEqual(await lies(() => ({ remarks: [remark] })), [
    'findings: a remark stands on made-up, which is not in the report',
  ]);
});

test('one answer cannot stand for two [TS-16]', async () => {
  const twice = await lies(({ items, evidence, envelopes, outcomes }) => ({
    items: [...items, { ...items[0]!, id: 'again' }],
    evidence: [...evidence, evidence[0]!],
    envelopes: [...envelopes, { ...envelopes[0]!, evidenceId: 'again' }],
    outcomes: [...outcomes, { ...outcomes[0]!, callId: 'again' }],
  }));
  assert.deepEqual(twice.slice(0, 1), ['call again: a nonce is used twice']);
});

test('refuses a report whose identifiers disagree or whose members are not those of a report [TS-18]', async () => {
  assert.deepEqual(await lies(() => ({ id: 'other' })), ['report: uri and id do not agree']);
  assert.deepEqual(await lies(() => ({ creator: 'p2', chains: { p2: pe1.chain } })), [
    'report: expected the certificate of node p2, got that of node pe1',
  ]);
  const sealed = sealReport(smallReport({ chains: { pe1: [...pe1.chain, 'AAAA'], p2: p2.chain } }), pe1.signer);
  assert.deepEqual(await failures(fileOf({ ...sealed, creatorChain: pe1.chain })), [
    'report: creatorChain is not the signed one',
  ]);
  assert.deepEqual(await lies(() => ({ more: 1 }) as Partial<Report>), ['report: unknown member more']);
  assert.deepEqual(await lies(() => ({ items: [] })), ['report: evidence and items differ in length']);
  assert.deepEqual(await lies(() => ({ created: 'yesterday' })), ['report: expected a payload with a time']);
  const operator = fakeParty('pe1', 'operator');
  const byOperator = sealReport(smallReport({ chains: { pe1: operator.chain, p2: p2.chain } }), operator.signer);
  assert.deepEqual(await failures(fileOf(byOperator)), [
    'report: expected the certificate of node pe1, got that of operator pe1',
  ]);
});

test('refuses a node of another domain [TS-16]', async () => {
  const foreign = fakeParty('p2', 'node', 'elsewhere');
  const found = await failures(sealedFile({ chains: { pe1: pe1.chain, p2: foreign.chain } }));
  assert.equal(found[0], 'chain p2: expected domain lab, got elsewhere');
});

test('checks certificates for the time of the report unless told otherwise [CARD-6]', async () => {
  assert.deepEqual(await failures(sealedFile(), { atMs: 4_102_444_800_000 }), [
    'creatorChain: the certificate has ended',
  ]);
});

test("a controller's receipt dates the report, and counts only for this report, role and chain [CARD-8]", async () => {
  const verification = await verifySealedReport(fileOf(countersigned()), options);
  assert.equal(
    verification.notProven[2],
    "when it happened: times are the nodes' own clocks; it existed when countersigned by noc at 2026-01-01T00:01:40.000Z",
  );
  const part = 'countersignature 1 (noc)';
  assert.deepEqual(await failures(fileOf(countersigned({ reportSha256: '0'.repeat(64) }))), [
    `${part}: the signed payload names another report`,
  ]);
  const node = fakeParty('noc');
  assert.deepEqual(await failures(fileOf(countersigned({ signer: node.signer, chain: node.chain }))), [
    `${part}: expected the certificate of controller noc, got that of node noc`,
  ]);
  const other = countersigned({ chain: [...controller.chain, 'AAAA'] });
  const rechained = { ...other, countersignatures: [{ ...other.countersignatures[0]!, chain: controller.chain }] };
  assert.deepEqual(await failures(fileOf(rechained)), [`${part}: the signed payload names another chain`]);
});

test('the reader of files never throws, whatever the bytes', () => {
  const good = sealedFile();
  for (let size = 0; size < good.length; size += 97) {
    assert.equal(parseSealedReport(Buffer.concat([good.subarray(0, size), Buffer.from('\n')])).ok, false);
  }
});

test('each evidence has one id, one signed call and bytes in base64, and each call its evidence [TS-16]', async () => {
  const id = 'before/pe1/state';
  assert.deepEqual((await lies(({ envelopes }) => ({ envelopes: [...envelopes, envelopes[0]!] }))).slice(0, 1), [
    `call ${id}: expected one signed call for this evidence`,
  ]);
  assert.deepEqual(
    await lies(({ envelopes }) => ({ envelopes: [...envelopes, { ...envelopes[0]!, evidenceId: 'loose' }] })),
    ['envelopes: a signed call without evidence'],
  );
  const twice = await lies(({ items, evidence }) => ({
    items: [...items, items[0]!],
    evidence: [...evidence, evidence[0]!],
  }));
  assert.equal(twice[0], `evidence ${id}: the id is used twice`);
  const bad = await lies(({ evidence }) => ({ evidence: ['!', ...evidence.slice(1)] }));
  assert.deepEqual(
    bad.map((line) => line.split(':')[0]),
    [`evidence ${id}`, `call ${id}`],
  );
  assert.match(bad[1]!, /base64/);
  const notJson = await lies(({ evidence }) => ({ evidence: ['eA==', ...evidence.slice(1)] }));
  assert.equal(notJson[0], `evidence ${id}: the SHA-256 of the bytes is another`);
  assert.match(notJson[1]!, new RegExp(`^call ${id}: (?!result|request)`));
});

test('bytes, media type and answer of an item fit together [TS-18]', async () => {
  const third = (over: object) =>
    lies(({ items }) => ({ items: [...items.slice(0, 2), { ...items[2]!, ...over } as never] }));
  const unfit = ['call before/p2/capture: media type and content do not fit'];
  assert.deepEqual(await third({ mediaType: 'application/json' }), unfit);
  assert.deepEqual(await third({ mediaType: 'text/plain' }), unfit);
  assert.deepEqual(await third({ answer: { packets: 0, truncated: false, pcap: 'x' } }), unfit);
  const report = smallReport();
  const { answer: _, ...plain } = report.items[2]!;
  assert.deepEqual(await lies(({ items }) => ({ items: [...items.slice(0, 2), plain] })), unfit);
});

test('an outcome answers for an evidence only as that call of that node [TS-21]', async () => {
  const missing = ['outcomes: evidence before/pe1/state without an answered call'];
  for (const over of [{ callId: 'x' }, { node: 'p2' }, { status: 'refused' }])
    assert.deepEqual(
      await lies(({ outcomes }) => ({ outcomes: [{ ...outcomes[0]!, ...over } as never, ...outcomes.slice(1)] })),
      missing,
      JSON.stringify(over),
    );
});

test('a chain that does not verify is told before the calls that stand on it [TS-16]', async () => {
  const found = await lies(({ chains }) => ({ chains: { pe1: chains['pe1']!, p2: ['AAAA'] } }));
  assert.deepEqual(found, [
    'chain p2: expected a chain of this domain',
    'call before/p2/state: result: the chain of the signer did not verify',
    'call before/p2/capture: result: the chain of the signer did not verify',
  ]);
});

test("a participant's countersignature is verified, and dates nothing [CARD-8]", async () => {
  const file = fileOf(countersigned({ signer: p2.signer, chain: p2.chain, role: 'participant' }));
  const verification = await verifySealedReport(file, options);
  assert.equal(verification.ok, true);
  assert.match(verification.notProven[2]!, /no controller has countersigned$/);
  const part = 'countersignature 1 (noc)';
  const turned = countersigned();
  const [first] = turned.countersignatures;
  const named = { ...turned, countersignatures: [{ ...first!, by: 'other' }] };
  assert.deepEqual(await failures(fileOf(named)), [
    'countersignature 1 (other): expected the certificate of controller other, got that of controller noc',
  ]);
  const payload = Buffer.from(JSON.stringify({ time: 'today' })).toString('base64');
  const timeless = { ...turned, countersignatures: [{ ...first!, envelope: { ...first!.envelope, payload } }] };
  assert.deepEqual(await failures(fileOf(timeless)), [`${part}: expected a time in the payload`]);
});

test('a payload that says another signer, role or type than the countersignature is refused [CARD-8]', async () => {
  const turned = countersigned();
  const [first] = turned.countersignatures;
  const payload = JSON.parse(Buffer.from(first!.envelope.payload, 'base64').toString());
  for (const over of [{ signer: 'x' }, { role: 'participant' }, { type: 'parley/report/v1' }]) {
    const envelope = controller.signer.seal('parley/countersignature/v1', { ...payload, ...over });
    assert.deepEqual(
      await failures(fileOf({ ...turned, countersignatures: [{ ...first!, envelope }] })),
      ['countersignature 1 (noc): the signed payload names another signer or role'],
      JSON.stringify(over),
    );
  }
});
