// Every error code of the MCP-NET draft that can be sent, on a real cause, as it stands on the wire; and the one that never is.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCallHandler } from '#agent/serving/serve.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createGate } from '#mcp/catalog/gate.ts';
import { createAccess } from '#model/access.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { IncomingCall } from '#model/ports.ts';
import { absentConfigureTools } from '#network/configuration/not-configurable.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { listenHelper } from '#router/protocol/server.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { fakeAskers } from '../fakes/asker.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeConfiguration } from '../fakes/configuration.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { OPERATOR, toolDefinition } from '../mcp/harness.ts';
import { openDeviceBench, openSession } from './device-bench.ts';

const ADMIN = { ...OPERATOR, role: 'admin' as const };

/** What a call of `tool` is answered with, by the agent's own handler. */
async function refusal(tool: ToolDefinition): Promise<readonly [number, string, unknown]> {
  const catalog = () => served;
  const served = createCatalog({ tools: [tool], resources: [] });
  const handler = createCallHandler({
    catalog,
    signer: { node: 'a', keyId: '00', seal: (payloadType) => ({ payloadType, payload: '', signature: '' }) },
    nonces: { boot: '1-0000000000000000', next: () => '1' },
    window: createNonceWindow(),
    clock: createFakeClock(),
    audit: { append: async () => {} },
    log: silentLog,
    askers: fakeAskers({ kind: 'node', domain: 'lab', name: 'a' }, createFakeClock()),
  });
  const gate = createGate({ catalog, handler, onRefused: () => {}, log: silentLog });
  const call: IncomingCall = {
    caller: ADMIN,
    authorised: undefined,
    content: { method: 'tools/call', params: { name: tool.name, arguments: {} } },
    envelope: undefined,
    sessionId: undefined,
    signal: new AbortController().signal,
    progress: () => {},
  };
  const handled = await gate(call, 'local');
  assert.equal(handled.status, 'refused');
  return handled.status === 'refused'
    ? [handled.code, handled.message, handled.data['retryPossible']]
    : [0, '', undefined];
}

/** A helper whose one operation does `work`, asked over its socket. */
async function throughHelper(t: TestContext, work: () => Promise<never>): Promise<readonly [number, string, unknown]> {
  const dir = mkdtempSync(join(tmpdir(), 'parley-codes-'));
  const path = join(dir, 'helper.sock');
  const helper = await listenHelper({ path, operations: new Map([['work', work]]), log: silentLog });
  t.after(async () => {
    await helper.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const call = async () => (await createHelperClient(path).call('work', {})) as JsonObject;
  return refusal(toolDefinition({ name: 'work', call }));
}

test('−32089: the kernel answers EIO to a read, in the helper [NET-13]', async (t) => {
  // Address 0 of a process is not mapped: the kernel itself says EIO.
  const answered = await throughHelper(t, async () => {
    await readFile('/proc/self/mem');
    throw new Error('expected EIO');
  });
  assert.deepEqual(answered, [-32089, 'Network.HardwareFailure', false]);
});

test('−32082: nobody listens on the helper’s socket; −32081: the helper says nothing in time [NET-13]', async (t) => {
  const gone = createHelperClient('/nonexistent/helper.sock');
  const call = async () => (await gone.call('work', {})) as JsonObject;
  assert.deepEqual(await refusal(toolDefinition({ name: 'gone', call })), [-32082, 'Network.Unreachable', true]);
  const dir = mkdtempSync(join(tmpdir(), 'parley-codes-'));
  const path = join(dir, 'helper.sock');
  const never = new Map([['work', () => new Promise<never>(() => {})]]);
  const helper = await listenHelper({ path, operations: never, log: silentLog });
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const silent = async () => (await createHelperClient(path).call('work', {}, { timeoutMs: 20 })) as JsonObject;
  assert.deepEqual(await refusal(toolDefinition({ name: 'silent', call: silent })), [-32081, 'Network.Timeout', true]);
  void helper.close();
});

test('−32085: what was undone does not run again, and the journal’s owner says so through its socket [NET-13]', async (t) => {
  const answered = await throughHelper(t, async () => {
    throw new ParleyError('node/rollback-failed', 'expected the configuration of before the change to run again');
  });
  assert.deepEqual(answered, [-32085, 'Network.RollbackFailed', false]);
});

test('−32087 and −32084: a device that cannot be configured lists the tools as not available [NET-13] [NET-2] [NET-3]', async (t) => {
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', createAccess(), {
    configuration: createFakeConfiguration(),
  });
  assert.equal(bench.catalog.findTool('network.rollback')?.available?.() ?? true, true);
  const absent = absentConfigureTools();
  const catalog = createCatalog({ tools: absent, resources: [] });
  const scope = { caller: ADMIN, authorised: undefined };
  assert.deepEqual(
    catalog.tools(scope).map((tool) => [tool.name, tool.available?.()]),
    [
      'network.cli.configure',
      'network.yang.edit',
      'network.commit',
      'network.rollback',
      'rollback-config',
      'network.file.pull',
      'network.file.push',
    ].map((name) => [name, false]),
  );
  const codes = absent.map(({ name }) => {
    const admitted = catalog.admit({ method: 'tools/call', params: { name, arguments: {} } }, scope);
    return admitted.kind === 'refused' ? `${name} ${admitted.refusal.code} ${admitted.refusal.message}` : name;
  });
  assert.equal(codes[3], 'network.rollback -32087 Network.RollbackNotSupported');
  assert.equal(codes[2], 'network.commit -32084 Network.ConfigIncompatible');
});

test('−32083, −32084, −32088 over a session; −32086 stands in change.test.ts [NET-13]', async (t) => {
  const session = await openSession(await openDeviceBench(t), false, { ...OPERATOR, role: 'observer' });
  const codeOf = async (name: string, args: JsonObject) => {
    const { code, message } = (await session.ask('tools/call', { name, arguments: args }))['error'] as JsonObject;
    return [code, message];
  };
  assert.deepEqual(await codeOf('network.cli.exec', { cmd: 'show version' }), [-32083, 'Network.AccessDenied']);
  assert.deepEqual(await codeOf('network.yang.get', { path: '/no-module' }), [-32088, 'Network.YangSyntaxError']);
  assert.deepEqual(await codeOf('network.yang.get', { path: '/no-such-module:x' }), [
    -32084,
    'Network.ConfigIncompatible',
  ]);
});

test('−32090: SNMP is not spoken, and nothing in the source sends its code [NET-13]', () => {
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const using = files.filter((name) => /WIRE_CODES\.snmpFailure/.test(readFileSync(join(root, name), 'utf8')));
  // Its name for readers of the table, and no more.
  assert.deepEqual(using, ['mcp/protocol/rpc.ts']);
});
