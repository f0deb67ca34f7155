// The definitions by which reports are offered, as others see them: names, schemas, callers; and the bounds of what they bring.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import { makeCountersignature, reportDigest } from '#report/countersign.ts';
import { createReportDefinitions, reportBody } from '#report/definitions.ts';
import { sealedReportText, sealReport } from '#report/seal.ts';
import type { PagedReportStore } from '#report/store.ts';
import { fakeClock, fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { controller, pe1, smallReport } from './fixture.ts';

const CONTEXT: CallContext = { caller: controller.party, signal: new AbortController().signal, progress: () => {} };
const ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' };

const STATUS = { count: 1, bytes: 9, mostCount: 10, mostBytes: 100, lost: [] };

/** Definitions over a store that knows one report, and answers pages with what it was asked for. */
function definitions(over: Partial<PagedReportStore> = {}) {
  const sealed = sealReport(smallReport(), pe1.signer);
  const asked: unknown[] = [];
  const store = {
    get: async (id: string) => (id === 'r1' ? sealed : undefined),
    removalOf: async () => undefined,
    status: async () => STATUS,
    page: async (query: unknown) => {
      asked.push(query);
      return { reports: [{ id: 'r1', uri: 'urn:r1', created: 'then', hypothesis: 'it' }], nextCursor: '7' };
    },
    ...over,
  } as unknown as PagedReportStore;
  const { tools, resources } = createReportDefinitions({ store, verifyChain: fakeVerifyChain, clock: fakeClock });
  const tool = (name: string): ToolDefinition => tools.find((each) => each.name === name)!;
  return { sealed, asked, tools, resource: resources[0]!, tool };
}

test('four tools and one resource, with these schemas [CARD-8]', () => {
  const { tools, resource } = definitions();
  const seen = tools.map(({ title: _, description: __, call: ___, ...rest }) => rest);
  const common = { capability: 'parley-reports', mutability: 'read' };
  assert.deepEqual(JSON.parse(JSON.stringify(seen)), [
    {
      ...common,
      name: 'parley-report-list',
      inputSchema: {
        type: 'object',
        properties: {
          cursor: { type: 'string', maxLength: 15, description: 'nextCursor of the page before' },
          limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Most summaries' },
          unacknowledged: { type: 'boolean', description: 'Only those that the caller has not acknowledged.' },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        required: ['reports'],
        properties: {
          reports: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                id: { type: 'string' },
                uri: { type: 'string', description: 'To read it' },
                created: { type: 'string' },
                hypothesis: { type: 'string' },
              },
            },
          },
          nextCursor: { type: 'string' },
          store: { type: 'object', description: 'With the first page: how full the store is, and what it lost.' },
        },
      },
      callers: ['operator', 'controller'],
    },
    {
      ...common,
      name: 'parley-report-fetch',
      inputSchema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { ...ID, description: 'Of the report' },
          offset: {
            type: 'integer',
            minimum: 0,
            maximum: 67_108_864,
            description: 'nextOffset of the piece before',
          },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        required: ['id', 'totalChars', 'text'],
        properties: {
          id: ID,
          totalChars: { type: 'integer' },
          text: { type: 'string' },
          nextOffset: { type: 'integer' },
        },
      },
      callers: ['operator', 'controller'],
      listing: 'extended',
    },
    {
      ...common,
      name: 'parley-report-acknowledge',
      inputSchema: {
        type: 'object',
        required: ['id'],
        properties: { id: ID, receipt: { type: 'object', description: 'Countersignature over the report digest.' } },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        required: ['id', 'acknowledged'],
        properties: { id: ID, acknowledged: { type: 'boolean' } },
      },
      callers: ['controller'],
    },
    {
      ...common,
      mutability: 'write',
      honoursPaths: true,
      idempotent: true,
      name: 'parley-report-delete',
      inputSchema: {
        type: 'object',
        minProperties: 1,
        properties: {
          ids: {
            type: 'array',
            items: ID,
            minItems: 1,
            maxItems: 200,
            description: 'These reports, and no others',
          },
          verdict: { enum: ['healthy', 'inconclusive', 'fault'], description: 'All of this verdict' },
          olderThanMs: {
            type: 'integer',
            minimum: 0,
            maximum: 315_360_000_000,
            description: "By this node's clock.",
          },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        required: ['removed', 'more'],
        properties: { removed: { type: 'array', items: { type: 'object' } }, more: { type: 'boolean' } },
      },
      callers: ['operator'],
      listing: 'extended',
    },
  ]);
  const { title: _, description: __, serves: ___, read: ____, list: _____, ...rest } = resource;
  assert.deepEqual(rest, {
    name: 'report',
    uriTemplate: 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/{id}',
    mimeType: 'application/json',
    capability: 'parley-reports',
    callers: ['operator', 'controller'],
  });
});

test('the list passes on what was asked for, and a cursor only where there is more [CARD-8]', async () => {
  const { tool, asked } = definitions();
  const list = tool('parley-report-list');
  const reports = [{ id: 'r1', uri: 'urn:r1', created: 'then', hypothesis: 'it' }];
  assert.deepEqual(await list.call({}, CONTEXT), { reports, nextCursor: '7', store: STATUS });
  await list.call({ cursor: '3', limit: 2, unacknowledged: true }, CONTEXT);
  await list.call({ cursor: 3, limit: 'x', unacknowledged: false }, CONTEXT);
  assert.deepEqual(asked, [{}, { cursor: '3', limit: 2, notAcknowledgedBy: 'noc' }, {}]);
  const last = definitions({ page: async () => ({ reports: [] }) });
  assert.deepEqual(await last.tool('parley-report-list').call({ cursor: '7' }, CONTEXT), { reports: [] });
});

test("what the store refuses is the caller's fault, what breaks is ours [CARD-8]", async () => {
  const failing = (error: Error) =>
    definitions({ page: () => Promise.reject(error) })
      .tool('parley-report-list')
      .call({}, CONTEXT);
  await assert.rejects(failing(new ParleyError('caller/report-cursor', 'bad')), {
    code: 'caller/report-cursor',
    message: 'bad',
    data: { wireCode: -32602 },
  });
  const ours = new ParleyError('us/report-store', 'broken');
  await assert.rejects(failing(ours), ours);
  const other = new Error('broken');
  await assert.rejects(failing(other), other);
});

test('the fetch tool brings the text from an offset on [CARD-8]', async () => {
  const { tool, sealed } = definitions();
  const fetch = tool('parley-report-fetch');
  const text = sealedReportText(sealed);
  assert.deepEqual(await fetch.call({ id: 'r1' }, CONTEXT), { id: 'r1', totalChars: text.length, text });
  assert.deepEqual(await fetch.call({ id: 'r1', offset: 10 }, CONTEXT), {
    id: 'r1',
    totalChars: text.length,
    text: text.slice(10),
  });
  await assert.rejects(fetch.call({ id: 'none' }, CONTEXT), {
    code: 'caller/unknown-report',
    data: { wireCode: -32002 },
  });
});

test('a report is whole as long as a message has room for it, then short, then only its size [TS-18]', () => {
  const LARGEST = 1_048_576 - 16_384;
  /** The length of the chain beside the payload stands in the file's text alone: one character more is one byte more. */
  const sealed = sealReport(smallReport(), pe1.signer);
  const withChain = (chars: number) => ({ ...sealed, creatorChain: ['A'.repeat(chars)] });
  const bytesOf = (body: object) => Buffer.byteLength(JSON.stringify(JSON.stringify(body)));
  const whole = reportBody(withChain(0));
  const most = LARGEST - bytesOf(whole);
  assert.equal(bytesOf(reportBody(withChain(most))), LARGEST);
  assert.deepEqual(Object.keys(reportBody(withChain(most))).sort(), Object.keys(whole).sort());
  const short = reportBody(withChain(most + 1));
  const draft = ['id', 'uri', 'creator', 'created', 'hypothesis', 'signatures', 'evidence'];
  assert.deepEqual(Object.keys(short), [...draft, 'sealed']);
  assert.deepEqual(short['evidence'], []);
  const mostShort = most + 1 + LARGEST - bytesOf(short);
  assert.deepEqual(Object.keys(reportBody(withChain(mostShort))), [...draft, 'sealed']);
  assert.deepEqual(Object.keys(reportBody(withChain(mostShort + 1))), [...draft, 'sealedBytes']);
});

test('a report of an earlier version without a member of the draft has none there [TS-18]', () => {
  const { hypothesis: _, ...earlier } = smallReport({ sentence: 'x'.repeat(900_000) });
  assert.equal(reportBody(sealReport(earlier as never, pe1.signer))['hypothesis'], null);
});

test('a receipt may be five minutes away from the clock of the node, either way [CARD-8]', async () => {
  const { tool, sealed } = definitions({ acknowledge: async () => true } as never);
  const acknowledge = (awayMs: number) => {
    const receipt = makeCountersignature({
      signer: controller.signer,
      role: 'controller',
      chain: controller.chain,
      reportSha256: reportDigest(sealed)!,
      nowMs: fakeClock.nowMs() + awayMs,
    });
    return tool('parley-report-acknowledge').call({ id: 'r1', receipt: JSON.parse(JSON.stringify(receipt)) }, CONTEXT);
  };
  for (const awayMs of [-300_000, 300_000])
    assert.deepEqual(await acknowledge(awayMs), { id: 'r1', acknowledged: true });
  for (const awayMs of [-300_001, 300_001])
    await assert.rejects(acknowledge(awayMs), { code: 'caller/bad-receipt', data: { wireCode: -32602 } });
});

test('a report comes in pieces of 262,144 characters, the last one without a next offset [CARD-8]', async () => {
  const sealed = sealReport(smallReport(), pe1.signer);
  const piecesOf = async (chars: number) => {
    const padding = chars - sealedReportText({ ...sealed, creatorChain: [''] }).length;
    const padded = { ...sealed, creatorChain: ['A'.repeat(padding)] };
    const { tool } = definitions({ get: async () => padded });
    const { text, ...rest } = await tool('parley-report-fetch').call({ id: 'r1' }, CONTEXT);
    return { chars: String(text).length, ...rest };
  };
  const piece = { chars: 262_144, id: 'r1' };
  assert.deepEqual(await piecesOf(262_144), { ...piece, totalChars: 262_144 });
  assert.deepEqual(await piecesOf(262_145), { ...piece, totalChars: 262_145, nextOffset: 262_144 });
});

test('a report that is damaged in the store is said to be', () => {
  const { sealed } = definitions();
  const damaged = { ...sealed, report: { ...sealed.report, payload: Buffer.from('[]').toString('base64') } };
  assert.throws(() => reportBody(damaged), { code: 'us/report-damaged' });
  assert.throws(() => reportBody({ ...sealed, report: { ...sealed.report, payload: '!' } }), {
    code: 'us/report-damaged',
  });
});

test('an acknowledgement without a receipt is kept as none [CARD-8]', async () => {
  const kept: unknown[] = [];
  const { tool } = definitions({
    acknowledge: async (...args: unknown[]) => {
      kept.push(args);
      return true;
    },
  } as never);
  const acknowledge = tool('parley-report-acknowledge');
  assert.deepEqual(await acknowledge.call({ id: 'r1' }, CONTEXT), { id: 'r1', acknowledged: true });
  assert.deepEqual(kept, [['r1', 'noc', null]]);
});
