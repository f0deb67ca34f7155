// Reports over MCP: the draft's resource, a list with a cursor, and the acknowledgement of controllers.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { makeCountersignature, reportDigest } from '#report/countersign.ts';
import { createReportDefinitions, reportBody } from '#report/definitions.ts';
import { sealedReportText, sealReport, summaryOf } from '#report/seal.ts';
import { openReportStore } from '#report/store.ts';
import { verifySealedReport } from '#report/verify.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { fakeClock, fakeParty, fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { controller, pe1, ROOMY, smallReport } from './fixture.ts';

const URN = 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/';
const URI = 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/00000000000074e8';
const as = (caller: Party): CallContext => ({ caller, signal: new AbortController().signal, progress: () => {} });
const noc = as(controller.party);

const setUp = async (t: { after(fn: () => Promise<void>): void }) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-definitions-'));
  const store = await openReportStore({ dir, clock: fakeClock, limits: ROOMY });
  t.after(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  const report = smallReport();
  const sealed = sealReport(report, pe1.signer);
  await store.put(report.id, sealed, summaryOf(report));
  const { resources, tools } = createReportDefinitions({ store, verifyChain: fakeVerifyChain, clock: fakeClock });
  const tool = (name: string): ToolDefinition => tools.find((each) => each.name === name)!;
  return {
    store,
    sealed,
    resource: resources[0]!,
    list: tool('parley-report-list'),
    fetch: tool('parley-report-fetch'),
    acknowledge: tool('parley-report-acknowledge'),
    remove: tool('parley-report-delete'),
  };
};

test('serves a report under the URN of the draft with its members and the file [CARD-6] [TS-18]', async (t) => {
  const { resource } = await setUp(t);
  assert.equal(resource.serves(URI), true);
  assert.equal(resource.serves('urn:ietf:params:xml:ns:yang:ietf-mcp/report/'), false);
  assert.equal(resource.serves('urn:ietf:params:xml:ns:yang:ietf-mcp/report/../x'), false);
  const body = (await resource.read(URI, noc)) as Record<string, unknown>;
  assert.equal(body['creator'], 'pe1');
  assert.equal(body['created'], '2026-01-01T00:00:00.000Z');
  assert.equal(body['hypothesis'], 'PE-1 eth1 loses packets towards P-2');
  assert.equal((body['evidence'] as string[]).length, 3);
  assert.deepEqual(Object.keys(body['signatures'] as object).sort(), ['p2', 'pe1']);
  const file = Buffer.from(body['sealed'] as string);
  assert.equal((await verifySealedReport(file, { verifyChain: fakeVerifyChain })).ok, true);
  assert.equal(await resource.read(`${URI}0`, noc), undefined);
  assert.deepEqual(await resource.list?.(noc), [
    {
      uri: URI,
      name: '00000000000074e8',
      description: '2026-01-01T00:00:00.000Z PE-1 eth1 loses packets towards P-2',
      mimeType: 'application/json',
    },
  ]);
});

test('leaves out what would not fit into a message, and never the way to the file [TS-18]', () => {
  const draft = ['created', 'creator', 'evidence', 'hypothesis', 'id', 'signatures', 'uri'];
  const short = reportBody(sealReport(smallReport({ sentence: 'x'.repeat(500_000) }), pe1.signer));
  assert.deepEqual(Object.keys(short).sort(), [...draft.slice(0, 5), 'sealed', 'signatures', 'uri']);
  assert.ok(Buffer.byteLength(JSON.stringify(short)) < 1_048_576);
  const large = sealReport(smallReport({ sentence: 'x'.repeat(900_000) }), pe1.signer);
  const shortest = reportBody(large);
  assert.deepEqual(Object.keys(shortest).sort(), [...draft.slice(0, 5), 'sealedBytes', 'signatures', 'uri']);
  assert.equal(shortest['sealedBytes'], sealedReportText(large).length);
});

test('brings a report file of any size piece by piece [CARD-8]', async (t) => {
  const { store, fetch } = await setUp(t);
  const report = smallReport({ id: 'large', uri: `${URN}large`, sentence: 'x'.repeat(600_000) });
  const sealed = sealReport(report, pe1.signer);
  await store.put('large', sealed, summaryOf(report));
  const pieces: string[] = [];
  for (let offset: unknown = 0; offset !== undefined; ) {
    const piece = await fetch.call({ id: 'large', offset: offset as number }, noc);
    pieces.push(String(piece['text']));
    offset = piece['nextOffset'];
  }
  assert.equal(pieces.length, 4);
  assert.equal(pieces.join(''), sealedReportText(sealed));
  await assert.rejects(fetch.call({ id: 'none' }, noc), { code: 'caller/unknown-report', data: { wireCode: -32002 } });
});

test('a controller that comes back lists what it has not seen and acknowledges it with a receipt [CARD-8] [TS-20]', async (t) => {
  const { store, sealed, list, acknowledge } = await setUp(t);
  const page = await list.call({ unacknowledged: true, limit: 10 }, noc);
  const reports = page['reports'] as readonly { id: string }[];
  assert.deepEqual(
    reports.map((each) => each.id),
    ['00000000000074e8'],
  );
  const receipt = makeCountersignature({
    signer: controller.signer,
    role: 'controller',
    chain: controller.chain,
    reportSha256: reportDigest(sealed) ?? '',
    nowMs: fakeClock.nowMs() + 1_000,
  });
  const done = await acknowledge.call({ id: '00000000000074e8', receipt: JSON.parse(JSON.stringify(receipt)) }, noc);
  assert.deepEqual(done, { id: '00000000000074e8', acknowledged: true });
  assert.deepEqual((await list.call({ unacknowledged: true }, noc))['reports'], []);
  assert.deepEqual((await store.get('00000000000074e8'))?.countersignatures, [receipt]);
});

test("refuses receipts that are another's, for another report, or dated back [CARD-8]", async (t) => {
  const { sealed, acknowledge } = await setUp(t);
  const other = fakeParty('noc2', 'controller');
  const reportSha256 = reportDigest(sealed) ?? '';
  const good = {
    signer: controller.signer,
    role: 'controller' as const,
    chain: controller.chain,
    reportSha256,
    nowMs: fakeClock.nowMs(),
  };
  const cases = [
    [{ ...good, signer: other.signer, chain: other.chain }, 'receipt: expected that of the calling controller'],
    [{ ...good, role: 'participant' as const }, 'receipt: expected that of the calling controller'],
    [{ ...good, reportSha256: '0'.repeat(64) }, 'receipt: the signed payload names another report'],
    [{ ...good, nowMs: fakeClock.nowMs() - 300_001 }, "receipt: expected a time near this node's own"],
  ] as const;
  for (const [init, message] of cases) {
    const receipt = JSON.parse(JSON.stringify(makeCountersignature(init)));
    await assert.rejects(acknowledge.call({ id: '00000000000074e8', receipt }, noc), {
      code: 'caller/bad-receipt',
      message,
      data: { wireCode: -32602 },
    });
  }
  await assert.rejects(acknowledge.call({ id: '00000000000074e8', receipt: { by: 'noc' } }, noc), {
    code: 'caller/bad-receipt',
  });
  await assert.rejects(acknowledge.call({ id: 'none' }, noc), {
    code: 'caller/unknown-report',
    data: { wireCode: -32002 },
  });
});

test("a bad cursor is the caller's fault [CARD-8]", async (t) => {
  const { list } = await setUp(t);
  await assert.rejects(list.call({ cursor: 'x' }, noc), { code: 'caller/report-cursor', data: { wireCode: -32602 } });
});

test('only controllers acknowledge, and peers see no reports [CARD-8]', async (t) => {
  const { resource, list, acknowledge } = await setUp(t);
  assert.deepEqual(acknowledge.callers, ['controller']);
  assert.deepEqual(list.callers, ['operator', 'controller']);
  assert.deepEqual(resource.callers, ['operator', 'controller']);
});

test('a report that was deleted says so, on every way to it, and by whom; one that never was does not [CARD-6] [TS-31]', async (t) => {
  const { store, resource, list, fetch, acknowledge, remove } = await setUp(t);
  const id = '00000000000074e8';
  const alice = as({ kind: 'operator', domain: 'lab', name: 'alice', role: 'admin' });
  const done = await remove.call({ ids: [id] }, alice);
  assert.deepEqual([(done['removed'] as { id: string }[]).map((each) => each.id), done['more']], [[id], false]);
  const gone = {
    code: 'caller/report-removed',
    message: `report ${id} was removed on 2026-01-01T00:00:00.000Z because operator/alice deleted it; no controller had acknowledged it`,
    data: { wireCode: -32002 },
  };
  await assert.rejects(resource.read(URI, noc), gone);
  await assert.rejects(fetch.call({ id }, noc), gone);
  await assert.rejects(acknowledge.call({ id }, noc), gone);
  await assert.rejects(remove.call({ ids: [id] }, alice), gone);
  assert.equal(await resource.read(`${URI}0`, noc), undefined);
  await assert.rejects(remove.call({ ids: ['none'] }, alice), { code: 'caller/unknown-report' });
  assert.deepEqual(await resource.list?.(noc), []);
  const page = await list.call({}, noc);
  assert.deepEqual(page['reports'], []);
  assert.equal((page['store'] as { count: number }).count, 0);
  assert.deepEqual((await store.status()).lost, []);
});

test('a report that went for room or for its age says so, and whether a controller has it [CARD-8]', async (t) => {
  const { acknowledge, fetch, resource } = await setUp(t);
  const dir = await mkdtemp(join(tmpdir(), 'parley-gone-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const clock = createFakeClock();
  const keepMs = { healthy: 1_000, inconclusive: 1_000, fault: 1_000, acknowledged: 1_000 };
  const small = await openReportStore({ dir, clock, limits: { count: 1, bytes: 1_000_000, keepMs } });
  t.after(() => small.close());
  const { tools } = createReportDefinitions({ store: small, verifyChain: fakeVerifyChain, clock });
  const put = async (id: string) => {
    const report = smallReport({ id, uri: `${URN}${id}` });
    await small.put(id, sealReport(report, pe1.signer), summaryOf(report));
  };
  const said = (id: string) =>
    tools
      .find(({ name }) => name === 'parley-report-fetch')!
      .call({ id }, noc)
      .then(
        () => 'there',
        (error: Error) => error.message,
      );
  await put('r1');
  await small.acknowledge('r1', 'noc', null);
  await put('r2');
  clock.setWall(clock.nowMs() + 1_001);
  await small.sweep();
  assert.equal(
    await said('r1'),
    'report r1 was removed on 2026-01-01T00:00:00.000Z because the store was full; a controller has it',
  );
  assert.equal(
    await said('r2'),
    'report r2 was removed on 2026-01-01T00:00:01.001Z because it was older than its kind is kept; no controller had acknowledged it',
  );
  assert.equal((await acknowledge.call({ id: '00000000000074e8' }, noc))['acknowledged'], true);
  assert.equal((await fetch.call({ id: '00000000000074e8' }, noc))['id'], '00000000000074e8');
  assert.notEqual(await resource.read(URI, noc), undefined);
});

test('deletes by verdict and age, and not by ids and age at once; nothing is deleted without a word on what', async (t) => {
  const { remove, store } = await setUp(t);
  const admin = as({ kind: 'operator', domain: 'lab', name: 'alice', role: 'admin' });
  const ids = async () => (await store.list()).map(({ id }) => id);
  assert.deepEqual(await remove.call({ verdict: 'healthy' }, admin), { removed: [], more: false });
  assert.deepEqual(await remove.call({ olderThanMs: 60_000 }, admin), { removed: [], more: false });
  await assert.rejects(remove.call({ ids: ['a'], verdict: 'fault' }, admin), { code: 'caller/bad-selection' });
  assert.deepEqual(await ids(), ['00000000000074e8']);
  assert.equal(remove.inputSchema['minProperties'], 1);
  assert.deepEqual(remove.callers, ['operator']);
  assert.equal(remove.mutability, 'write');
  const done = await remove.call({ verdict: 'fault' }, admin);
  assert.equal((done['removed'] as unknown[]).length, 1);
  assert.deepEqual(await ids(), []);
});
