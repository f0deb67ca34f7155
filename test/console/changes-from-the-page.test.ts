// What the page may have its agent do beside asking: a closed list of calls, from its own page alone, each through the same gate as MCP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallGate } from '#model/ports.ts';
import { NODE } from '../mcp/harness.ts';
import { openConsoleBed, question, type SendInit } from './bed.ts';

const nothing: CallGate = async () => ({ status: 'answered', body: { done: true } });
const CALLS = ['network.cli.configure', 'network.commit', 'network.rollback', 'network.file.pull', 'parley-decide'];

/** As the page itself sends it, with these headers changed. */
function sent(port: number, tool: string, headers: Readonly<Record<string, string>> = {}): SendInit {
  return { ...question(port, '', headers), path: `/console/call/${tool}`, body: '{"confirm":true}' };
}

test('each of five calls is one call of the gate, in the operator’s name, with its arguments as they came [TS-19, TS-28]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  for (const tool of CALLS) {
    const reply = await bed.send(sent(bed.port, tool));
    assert.deepEqual([reply.status, reply.body], [200, '{"done":true}'], tool);
    const { caller, content, envelope, authorised } = bed.calls.at(-1)!;
    assert.deepEqual(content, { method: 'tools/call', params: { name: tool, arguments: { confirm: true } } });
    assert.deepEqual([caller.name, envelope, authorised], ['ann', undefined, undefined]);
  }
});

test('no other tool has a path, however it is spelled [TS-28]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  for (const tool of [
    '',
    'network.yang.edit',
    'network.file.push',
    'parley-order',
    'tcpdump',
    '../ask',
    'toString',
    'network.commit/',
  ])
    assert.equal((await bed.send(sent(bed.port, tool))).status, 404, tool);
  assert.equal(bed.calls.length, 0);
});

test('a page of another origin, a form, a GET or a rebound name changes and decides nothing [TS-28]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  const rebound = `rebound.example:${bed.port}`;
  for (const tool of CALLS) {
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { host: rebound, origin: `https://${rebound}` },
    ] as Readonly<Record<string, string>>[])
      assert.equal((await bed.send(sent(bed.port, tool, headers))).status, 403, JSON.stringify([tool, headers]));
    const { origin: _, ...without } = sent(bed.port, tool).headers!;
    assert.equal((await bed.send({ ...sent(bed.port, tool), headers: without })).status, 403);
    assert.equal((await bed.send(sent(bed.port, tool, { 'content-type': 'text/plain' }))).status, 415);
    assert.equal((await bed.send({ path: `/console/call/${tool}` })).status, 405);
  }
  assert.equal(bed.calls.length, 0);
});

test('the page of approvals is an operator’s, and tells another site’s page nothing of what waits [TS-28]', async (t) => {
  const bed = await openConsoleBed(nothing);
  t.after(bed.close);
  assert.equal((await bed.send({ path: '/console/approvals' })).status, 200);
  for (const path of ['/console/waiting', '/console/links'])
    assert.equal((await bed.send({ path, headers: { 'sec-fetch-site': 'cross-site' } })).status, 403, path);
  assert.equal(bed.calls.length, 0);
  const node = await openConsoleBed(nothing, NODE);
  t.after(node.close);
  for (const path of ['/console/approvals', '/console/waiting', '/console/links'])
    assert.equal((await node.send({ path })).status, 403, path);
  assert.equal((await node.send(sent(node.port, 'parley-decide'))).status, 403);
  assert.equal(node.calls.length, 0);
});

test('a refusal keeps its code and what must happen before the same call can be made again [TS-19]', async (t) => {
  const data = { detail: 'expected consent: it waits for an admin', errorCode: 'caller/no-consent', consent: 'c1' };
  const bed = await openConsoleBed(async () => ({ status: 'refused', code: -32083, message: 'no', data }));
  t.after(bed.close);
  const reply = await bed.send(sent(bed.port, 'network.commit'));
  assert.equal(reply.status, 403);
  assert.deepEqual(JSON.parse(reply.body).error, { code: -32083, reason: data.detail, data });
});
