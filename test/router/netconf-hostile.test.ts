// NETCONF servers that mean harm, over a real SSH connection: what they send ends their own session or is refused by name, within bounds,
// and nothing of it is run, resolved or kept.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import ssh2, { type ServerChannel } from 'ssh2';
import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { parseYang } from '#codec/yang/statements.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createNetconfDecoder } from '#router/drivers/netconf/framing.ts';
import { openNetconf } from '#router/drivers/netconf/open.ts';
import { namespaceOfPrefix, parseXml } from '#router/drivers/netconf/xml.ts';

const MONITORING = 'urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring';
const HELLO = [
  '<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities>',
  '<capability>urn:ietf:params:netconf:base:1.0</capability>',
  `<capability>${MONITORING}?module=ietf-netconf-monitoring&amp;revision=2010-10-04</capability>`,
  '<capability>urn:example:box?module=box&amp;revision=2026-01-01</capability>',
  '<capability>urn:example:evil?module=..%2F..%2Fetc&amp;revision=1</capability>',
  '</capabilities><session-id>7</session-id></hello>]]>]]>',
].join('');
const dir = mkdtempSync(join(tmpdir(), 'parley-hostile-'));
const cleaning: (() => void)[] = [() => rmSync(dir, { recursive: true, force: true })];
after(() => {
  for (const clean of cleaning.toReversed()) clean();
});
writeFileSync(join(dir, 'password'), 'secret\n', { mode: 0o600 });

type Script = { readonly hello?: string; readonly reply?: (rpc: string, id: string, channel: ServerChannel) => string };

/** A device that answers by the script, and the driver on it. */
async function against({ hello = HELLO, reply = (_rpc, id) => wrap(id, '<ok/>') }: Script) {
  // Of ed25519 keys that ssh2 1.17 makes, one in a few hundred is malformed.
  const { private: key } = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => context.accept());
    client.on('ready', () =>
      client.on('session', (accept) =>
        accept().on('subsystem', (take) => {
          const channel = take();
          channel.on('error', () => {});
          channel.write(hello);
          let said = '';
          channel.on('data', (chunk: Buffer) => {
            said += chunk.toString();
            for (let end = said.indexOf(']]>]]>'); end >= 0; end = said.indexOf(']]>]]>')) {
              const message = said.slice(0, end);
              said = said.slice(end + 6);
              const id = /message-id="(\d+)"/.exec(message)?.[1];
              if (id !== undefined) channel.write(reply(message, id, channel));
            }
          });
        }),
      ),
    );
  }) as unknown as TcpServer;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const parsed = ssh2.utils.parseKey(key);
  assert.ok(!(parsed instanceof Error));
  const print = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '');
  const { device } = openNetconf({
    node: 'r1',
    host: '127.0.0.1',
    port: (server.address() as { port: number }).port,
    user: 'parley',
    hostKeys: [`SHA256:${print}`],
    passwordFile: join(dir, 'password'),
    clock: createSystemClock(),
    log: silentLog,
  });
  cleaning.push(
    () => server.close(),
    () => void device.close(),
  );
  return device;
}

const wrap = (id: string, body: string) =>
  `<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" message-id="${id}">${body}</rpc-reply>]]>]]>`;
const YANG =
  'module box { namespace "urn:example:box"; prefix b; container box { leaf size { type uint8; } leaf-list tag { type string; } } }';
const schemaReply = (rpc: string, id: string, yang = YANG) =>
  wrap(
    id,
    rpc.includes('<identifier>box<')
      ? `<data xmlns="${MONITORING}">${yang.replaceAll('"', '&quot;')}</data>`
      : '<data/>',
  );

test('a module name that is no name is not asked for, and does not stand in the facts', async () => {
  const device = await against({});
  const { nativeModules } = await device.facts();
  assert.deepEqual(
    nativeModules.map(({ module }) => module),
    ['ietf-netconf-monitoring', 'box'],
  );
});

test('an answer that never ends is cut off at its bound', async () => {
  const device = await against({
    reply: (_rpc, id) => `<rpc-reply message-id="${id}"><data>${'x'.repeat(DRIVER_LIMITS.netconfBytes + 1)}`,
  });
  await assert.rejects(device.configuration('running'), {
    code: 'node/netconf-unreachable',
    message: /at most 8388608 bytes, got more/,
  });
});

for (const [what, body] of [
  ['a document type with an entity of a file', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ['a processing instruction', '<?php echo 1 ?>'],
  ['elements without an end', '<a>'.repeat(70)],
  ['elements nested too deeply', '<a>'.repeat(70) + '</a>'.repeat(70)],
  ['an entity of its own', '<data>&bomb;</data>'],
] as const) {
  test(`${what} ends the session`, async () => {
    const device = await against({ reply: (_rpc, id) => wrap(id, body) });
    await assert.rejects(device.configuration('running'), { code: 'node/netconf-unreachable', message: /no XML/ });
  });
}

test('an answer to somebody else, and a second hello, end the session', async () => {
  const other = await against({ reply: () => wrap('77', '<ok/>') });
  await assert.rejects(other.configuration('running'), {
    code: 'node/netconf-unreachable',
    message: /a reply to nothing/,
  });
  const twice = await against({ reply: () => HELLO });
  await assert.rejects(twice.configuration('running'), { code: 'node/netconf-unreachable', message: /a second hello/ });
});

test('values that are not what the schema says stay text, names that it does not have are left out', async () => {
  const device = await against({
    reply: (rpc, id) =>
      rpc.includes('get-schema')
        ? schemaReply(rpc, id)
        : wrap(
            id,
            '<data><box xmlns="urn:example:box"><size>1e9</size><__proto__>x</__proto__><tag>a</tag><tag>b</tag></box></data>',
          ),
  });
  assert.deepEqual(await device.native!('box', 'running'), { 'box:box': { size: '1e9', tag: ['a', 'b'] } });
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('a module that is no YANG, or never ends, gives no schema and no data', async () => {
  for (const yang of ['not yang', 'module box {', `module box { ${'container a { '.repeat(70)}`]) {
    const device = await against({ reply: (rpc, id) => schemaReply(rpc, id, yang) });
    assert.deepEqual(await device.native!('box', 'running'), {});
  }
  assert.equal(parseYang(`module m { ${'container a { '.repeat(70)} ${'} '.repeat(71)}`).ok, false);
});

test('groupings that use each other end', async () => {
  const yang =
    'module box { namespace "urn:example:box"; prefix b; grouping a { container x { uses b; } } grouping b { container y { uses a; } } container box { uses a; } }';
  const device = await against({
    reply: (rpc, id) =>
      rpc.includes('get-schema')
        ? schemaReply(rpc, id, yang)
        : wrap(id, '<data><box xmlns="urn:example:box"><x/></box></data>'),
  });
  assert.deepEqual(await device.native!('box', 'running'), { 'box:box': { x: {} } });
});

test("a device's error text is cut, and its control characters do not reach the caller", async () => {
  const device = await against({
    reply: (_rpc, id) =>
      wrap(
        id,
        `<rpc-error><error-tag>operation-failed</error-tag><error-severity>error</error-severity><error-message>&#27;[31m${'y'.repeat(5_000)}</error-message></rpc-error>`,
      ),
  });
  await assert.rejects(device.configuration('running'), (error: Error) => {
    assert.ok(error.message.length < 300, String(error.message.length));
    assert.doesNotMatch(error.message, /\p{Cc}/u);
    return true;
  });
});

test('declarations above many elements cost no more than they are', () => {
  // One table of them for each element would be 4,000 times 4,000 entries.
  const declared = Array.from({ length: 4_000 }, (_, index) => ` xmlns:p${index}="urn:${index}"`).join('');
  const before = process.memoryUsage().heapUsed;
  const parsed = parseXml(`<a${declared}>${'<b xmlns:q="urn:q"><p7:c/></b>'.repeat(4_000)}<d/></a>`);
  assert.ok(parsed.ok);
  assert.ok(process.memoryUsage().heapUsed - before < 64_000_000);
  const [first] = parsed.value.children;
  assert.equal(first!.children[0]!.namespace, 'urn:7');
  assert.deepEqual(
    ['q', 'p3999', 'none'].map((prefix) => namespaceOfPrefix(first!, prefix)),
    ['urn:q', 'urn:3999', undefined],
  );
  assert.equal(namespaceOfPrefix(parsed.value.children.at(-1)!, 'q'), undefined);
});

test('a message in chunks of one octet is read, and costs no more than its octets', () => {
  const decoder = createNetconfDecoder(1_000_000);
  assert.deepEqual(decoder.push(Buffer.from('<hello/>]]>]]>')), { ok: true, value: ['<hello/>'] });
  decoder.useChunks();
  const before = process.memoryUsage().rss;
  // As they come in pieces that end within a chunk.
  const piece = Buffer.from('\n#1\nx'.repeat(10_000));
  for (let count = 0; count < 90; count++)
    for (const part of [piece.subarray(0, 12_344), piece.subarray(12_344)])
      assert.deepEqual(decoder.push(part), { ok: true, value: [] });
  assert.ok(process.memoryUsage().rss - before < 32_000_000);
  const whole = decoder.push(Buffer.from('\n##\n\n#2\nok\n##\n'));
  assert.deepEqual(whole, { ok: true, value: ['x'.repeat(900_000), 'ok'] });
  assert.equal(decoder.push(Buffer.from('\n#1000001\n')).ok, false);
});

test('the end of a hello that comes octet by octet is found', () => {
  const decoder = createNetconfDecoder(1_000);
  const got: string[] = [];
  for (const octet of Buffer.from('<a>]]>]]</a>]]>]]><b/>]]>]]>')) {
    const pushed = decoder.push(Uint8Array.of(octet));
    assert.ok(pushed.ok);
    got.push(...pushed.value);
  }
  assert.deepEqual(got, ['<a>]]>]]</a>', '<b/>']);
});
