// The operators' page, server side: who gets it, what it says to browsers, and that every question is one call of the handler.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { test } from 'node:test';
import type { Party } from '#model/identity.ts';
import type { CallGate, HandledCall, IncomingCall } from '#model/ports.ts';
import { until } from '../fakes/clock.ts';
import { NODE } from '../mcp/harness.ts';
import { openConsoleBed, question } from './bed.ts';

const CONTROLLER: Party = { kind: 'controller', domain: 'lab', name: 'noc' };
const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const nothing: CallGate = async () => ({ status: 'answered', body: {} });

test('serves the page and its parts to an operator, with a policy that lets nothing in from elsewhere [TS-12]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const page = await bed.send({ path: '/' });
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  assert.equal(page.headers['x-frame-options'], 'DENY');
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  assert.equal(page.headers['cross-origin-resource-policy'], 'same-origin');
  assert.equal(page.headers['cache-control'], 'no-store');
  const style = await bed.sendHttp2({ path: '/console/console.css' });
  assert.deepEqual([style.status, style.headers['content-type']], [200, 'text/css; charset=utf-8']);
  const script = await bed.send({ path: '/console/sign/portable/ed25519.js' });
  assert.deepEqual([script.status, script.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
  assert.equal(bed.calls.length, 0);
});

test('serves no file that is not on the list, however it is spelled', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  for (const path of ['/console/', '/console/../agent/serve.ts', '/console/%2e%2e/main.ts', '/console/toString'])
    assert.equal((await bed.send({ path })).status, 404, path);
  assert.equal((await bed.send({ path: '/', method: 'POST', body: '{}' })).status, 405);
});

for (const party of [NODE, CONTROLLER]) {
  test(`refuses a ${party.kind} on every path and notes it [TS-12]`, async (t) => {
    const bed = await openConsoleBed(nothing, party);
    t.after(bed.close);
    for (const path of ['/', '/console/main.js', '/console/peers', '/console/reports', '/console/reports/a'])
      assert.equal((await bed.send({ path })).status, 403, path);
    assert.equal((await bed.send(question(bed.port, INTENT))).status, 403);
    assert.equal(bed.calls.length, 0);
    assert.equal(bed.refused.length, 6);
    assert.equal(bed.refused[0]?.reason, 'expected the certificate of an operator, got another');
  });
}

test('takes a question from its own page only: another origin, none, or a form could ask in an operator’s name [TS-12]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await bed.send(question(bed.port, INTENT, headers))).status;
  assert.equal(await status({ origin: 'https://elsewhere.example' }), 403);
  assert.equal(await status({ origin: `http://127.0.0.1:${bed.port}` }), 403);
  assert.equal(await status({ origin: 'null' }), 403);
  assert.equal(await status({ 'sec-fetch-site': 'same-site' }), 403);
  assert.equal(await status({ 'content-type': 'text/plain' }), 415);
  const { origin: _origin, ...without } = question(bed.port, INTENT).headers!;
  assert.equal((await bed.send({ ...question(bed.port, INTENT), headers: without })).status, 403);
  assert.equal((await bed.send({ path: '/console/ask' })).status, 405);
  assert.equal(bed.calls.length, 0);
  assert.equal(await status({}), 200);
  assert.equal(bed.calls.length, 1);
});

test('a name that another party has led to this node gets nothing, although its Origin equals its Host', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const asked = (host: string) => question(bed.port, INTENT, { host, origin: `https://${host}` });
  for (const host of [`rebound.example:${bed.port}`, 'pe1.example.net.evil.example', 'pe2', '127.0.0.1.evil.example'])
    for (const init of [asked(host), ...['/', '/console/peers'].map((path) => ({ path, headers: { host } }))])
      assert.equal((await bed.send(init)).status, 403, `${host} ${init.path}`);
  assert.equal(bed.calls.length, 0);
  for (const host of [`127.0.0.1:${bed.port}`, `[::1]:${bed.port}`, 'localhost', 'PE1:9514', 'pe1.example.net'])
    assert.equal((await bed.send(asked(host))).status, 200, host);
});

test('tells another site’s page nothing of peers and reports', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  for (const path of ['/console/peers', '/console/reports', '/console/reports/a']) {
    assert.equal((await bed.send({ path, headers: { 'sec-fetch-site': 'cross-site' } })).status, 403, path);
    assert.equal((await bed.send({ path, headers: { 'sec-fetch-site': 'none' } })).status, 200, path);
  }
  assert.equal(bed.calls.length, 3);
});

test('writes progress as it happens, then the answer, a JSON line each [TS-12]', async (t) => {
  let finish = (_handled: HandledCall) => {};
  const bed = await openConsoleBed((call) => {
    call.progress(1, undefined, 'intent: path-loss', { step: 'intent' });
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  t.after(bed.close);
  const response = await bed.open(question(bed.port, INTENT));
  assert.equal(response.headers['content-type'], 'application/x-ndjson');
  const [first] = (await once(response, 'data')) as [Buffer];
  assert.equal(
    first.toString(),
    '{"type":"progress","step":1,"message":"intent: path-loss","data":{"step":"intent"}}\n',
  );
  let rest = '';
  response.on('data', (chunk: Buffer) => {
    rest += chunk.toString();
  });
  finish({ status: 'answered', body: { sentence: 'two\nlines' } });
  await once(response, 'end');
  assert.equal(rest, '{"type":"answer","answer":{"sentence":"two\\nlines"}}\n');
});

test('asks by the call that MCP makes: the operator’s name, no capabilities of its own, no envelope [TS-12]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const reply = await bed.sendHttp2({
    ...question(1, INTENT),
    headers: { ':authority': 'pe1:9514', origin: 'https://pe1:9514', 'content-type': 'application/json' },
  });
  assert.deepEqual([reply.status, reply.body], [200, '{"type":"answer","answer":{}}\n']);
  const { caller, authorised, content, envelope } = bed.calls[0]!;
  assert.deepEqual(
    { caller: caller.name, kind: caller.kind, authorised, envelope },
    {
      caller: 'ann',
      kind: 'operator',
      authorised: undefined,
      envelope: undefined,
    },
  );
  assert.deepEqual(content, { method: 'tools/call', params: { name: 'parley-ask', arguments: { intent: INTENT } } });
});

test('ends with the refusal when the agent refuses, and with one of its own when the agent fails', async (t) => {
  const forms = ['check loss between PE-1 and P-2'];
  const data = { detail: 'expected a question this agent knows', forms };
  let handler: CallGate = async () => ({ status: 'refused', code: -32602, message: 'no', data });
  const bed = await openConsoleBed((call) => handler(call));
  t.after(bed.close);
  const refused = JSON.parse((await bed.send(question(bed.port, 'the weather'))).body);
  assert.deepEqual(refused, {
    type: 'error',
    error: { code: -32602, reason: 'expected a question this agent knows', data },
  });
  handler = () => Promise.reject(new Error('secret'));
  const failed = JSON.parse((await bed.send(question(bed.port, INTENT))).body);
  assert.deepEqual(failed, {
    type: 'error',
    error: { code: -32603, reason: 'the agent could not answer', data: {} },
  });
});

test('refuses a question that is no JSON object before anything is asked', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  assert.equal((await bed.send({ ...question(bed.port, INTENT), body: '{"intent":' })).status, 400);
  assert.equal((await bed.send({ ...question(bed.port, INTENT), body: '[]' })).status, 400);
  assert.equal(bed.calls.length, 0);
});

test('cancels the question when the browser goes away [TS-12]', async (t) => {
  let call: IncomingCall | undefined;
  const bed = await openConsoleBed((incoming) => {
    call = incoming;
    incoming.progress(1, undefined, 'intent', {});
    return new Promise((_resolve, reject) =>
      incoming.signal.addEventListener('abort', () => reject(incoming.signal.reason)),
    );
  });
  t.after(bed.close);
  const response = await bed.open(question(bed.port, INTENT));
  assert.equal(call?.signal.aborted, false);
  response.destroy();
  await until(() => call?.signal.aborted === true, 'the question is cancelled');
});

test('cancels the question when a browser resets its HTTP/2 stream [TS-12]', async (t) => {
  let call: IncomingCall | undefined;
  const bed = await openConsoleBed((incoming) => {
    call = incoming;
    incoming.progress(1, undefined, 'intent', {});
    return new Promise((_resolve, reject) => {
      incoming.signal.addEventListener('abort', () => reject(incoming.signal.reason));
    });
  });
  t.after(bed.close);
  const session = connect(`http://127.0.0.1:${bed.port2}`);
  t.after(() => session.destroy());
  const { body } = question(1, INTENT);
  const stream = session.request({
    ':path': '/console/ask',
    ':method': 'POST',
    ':authority': 'pe1:9514',
    origin: 'https://pe1:9514',
    'content-type': 'application/json',
  });
  stream.end(body);
  await once(stream, 'data');
  assert.equal(call?.signal.aborted, false);
  stream.close(constants.NGHTTP2_CANCEL);
  await until(() => call?.signal.aborted === true, 'the question is cancelled');
});

test('shows peers and reports through the definitions that MCP has', async (t) => {
  const bed = await openConsoleBed(async (call) => ({
    status: 'answered',
    body: { of: call.content.params['name']! },
  }));
  t.after(bed.close);
  const peers = await bed.send({ path: '/console/peers' });
  assert.deepEqual(JSON.parse(peers.body), { of: 'parley-peers', node: 'pe1', operator: 'ann' });
  const reports = await bed.send({ path: '/console/reports' });
  assert.deepEqual(JSON.parse(reports.body), { of: 'parley-report-list' });
});

test('hands out a report file whole, however many pieces it comes in [TS-12]', async (t) => {
  const text = `${'a'.repeat(70_000)}${'b'.repeat(70_000)}c\n`;
  const bed = await openConsoleBed(async ({ content }) => {
    const { offset = 0 } = content.params['arguments'] as { offset?: number };
    const end = offset + 70_000;
    const piece = { id: 'r1', totalChars: text.length, text: text.slice(offset, end) };
    return { status: 'answered', body: end < text.length ? { ...piece, nextOffset: end } : piece };
  });
  t.after(bed.close);
  const reply = await bed.send({ path: '/console/reports/r1' });
  assert.equal(reply.headers['content-disposition'], 'attachment; filename="parley-report-r1.json"');
  assert.equal(reply.body, text);
  assert.equal(bed.calls.length, 3);
});

test('says so when there is no such report', async (t) => {
  const data = { detail: 'expected the id of a report of this node' };
  const bed = await openConsoleBed(async () => ({ status: 'refused', code: -32002, message: 'no', data }));
  t.after(bed.close);
  const reply = await bed.send({ path: '/console/reports/none' });
  assert.equal(reply.status, 404);
  assert.equal(JSON.parse(reply.body).error.reason, 'expected the id of a report of this node');
});

test('browsers stay refused on the paths of MCP', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const origin = `https://127.0.0.1:${bed.port}`;
  assert.equal((await bed.send({ path: '/.well-known/mcp', headers: { origin } })).status, 403);
  assert.equal((await bed.send({ path: '/mcp', method: 'POST', headers: { origin }, body: '{}' })).status, 403);
});
