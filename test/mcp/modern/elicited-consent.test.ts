// A client that offers elicitation is told where an admin decides, in both eras; what it answers agrees to nothing. Real consents, the published client.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { CallContext } from '#model/definition.ts';
import type { CallHandler } from '#model/ports.ts';
import type { Identity } from '#mtls/identity.ts';
import { askAdmin } from '#network/configuration/ask-admin.ts';
import { consentBed, REQUEST } from '../../consent/consent-bed.ts';
import { createDomain, type Domain } from '../../mtls/domain.ts';
import { OPERATOR, openBench, toolDefinition } from '../harness.ts';
import { type Mode, REVISION } from './modern-bench.ts';

const PAGE = 'https://pe1.lab.example:9514/console/approvals#';
const ERAS: readonly Mode[] = ['legacy', { pin: REVISION }];

let domain: Domain;
let ann: Identity;
before(async () => {
  domain = await createDomain();
  ann = await domain.identity('ann', { kind: 'operator', role: 'admin' });
});
after(() => domain.remove());

type Elicited = { readonly params: JsonObject };

async function bed(t: TestContext, mode: Mode, elicitation: JsonObject | undefined) {
  const { consents, sign } = consentBed(domain, ann, { page: (id) => `${PAGE}${id}` });
  // The wait for an admin ends when the client has answered: what follows is what the signature says.
  const gate = { ask: consents.ask, decided: async () => {} };
  const handler: CallHandler = async (call) => {
    const { answer, waited } = await askAdmin(gate, call as unknown as CallContext, REQUEST);
    return { status: 'answered', body: { granted: answer.granted, waited } };
  };
  const catalog = createCatalog({ tools: [toolDefinition({ name: 'change' })], resources: [] });
  const bench = await openBench({ catalog, handler });
  t.after(() => bench.close());
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, OPERATOR));
  const capabilities = (elicitation === undefined ? {} : { elicitation }) as ClientCapabilities;
  const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode } });
  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  const heard: JsonObject[] = [];
  const answerWith = (action: 'accept' | 'decline', first: () => Promise<unknown> = async () => {}) =>
    client.setRequestHandler('elicitation/create', async (request) => {
      heard.push((request as unknown as Elicited).params);
      await first();
      return { action, ...(action === 'accept' ? { content: {} } : {}) };
    });
  const call = async () => (await client.callTool({ name: 'change', arguments: {} })).structuredContent;
  return { consents, sign, heard, answerWith, call };
}

for (const mode of ERAS) {
  const era = mode === 'legacy' ? 'sessions' : REVISION;

  test(`${era}: a client that opens pages is given the page, and its own yes agrees to nothing [TS-28]`, async (t) => {
    const { consents, heard, answerWith, call } = await bed(t, mode, { url: {} });
    answerWith('accept');
    assert.deepEqual(await call(), { granted: false, waited: true });
    const { mode: kind, url, elicitationId, message } = heard[0]!;
    const { id } = consents.pending()[0]!;
    // The new revision has no notification that a page is done with, and so no id to name it by.
    assert.deepEqual([kind, url, elicitationId], ['url', `${PAGE}${id}`, mode === 'legacy' ? id : undefined]);
    assert.match(String(message), /nothing that is answered here agrees to it/);
  });

  test(`${era}: the same call goes on once an admin has signed [TS-28]`, async (t) => {
    const { consents, sign, answerWith, call } = await bed(t, mode, { url: {} });
    answerWith('accept', () => consents.decide(sign('approve', consents.pending()[0])));
    assert.deepEqual(await call(), { granted: true, waited: true });
  });

  test(`${era}: a client with forms alone is shown the change and the address; no field asks for a yes [TS-28]`, async (t) => {
    const { heard, answerWith, call } = await bed(t, mode, {});
    answerWith('accept');
    assert.deepEqual(await call(), { granted: false, waited: true });
    const { message, requestedSchema } = heard[0]!;
    assert.ok(String(message).includes(REQUEST.summary));
    assert.ok(String(message).includes(PAGE));
    assert.deepEqual(requestedSchema, { type: 'object', properties: {} });
  });

  test(`${era}: a declined question, and a client that cannot be asked, leave the change waiting [TS-28]`, async (t) => {
    const declining = await bed(t, mode, { url: {} });
    declining.answerWith('decline');
    assert.deepEqual(await declining.call(), { granted: false, waited: true });
    assert.equal(declining.consents.pending().length, 1);
    const unasked = await bed(t, mode, undefined);
    assert.deepEqual(await unasked.call(), { granted: false, waited: false });
    assert.equal(unasked.heard.length, 0);
  });
}
