// Where prefixes come from, asked of a bgpd with a thousand sessions, which a server stands for: its answers have the form of FRR 8.4's.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encodeTextFrame } from '#codec/frame.ts';
import { parseOrigin } from '#router/drivers/linux-frr/routing-table/origins.ts';
import { askBgpOrigins } from '#router/helper/device/bgp-origins.ts';

const folders: string[] = [];
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const CONNECTED = 'Connected to group 1\nrpki tcp cache 192.0.2.9 8282 pref 1 (connected)\n';

/** Answers `commands` as bgpd does, and notes them. */
async function bgpd(answer: (command: string) => string): Promise<{ folder: string; commands: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'origins-'));
  const commands: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const command = chunk.toString().replace(/\0$/, '');
      if (command !== 'enable') commands.push(command);
      socket.write(`${command === 'enable' ? '' : answer(command)}\0\0\0\0`);
    });
  });
  folders.push(folder);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(join(folder, 'bgpd.vty'), resolve));
  return { folder, commands };
}

const sessions = (number: number) =>
  Object.fromEntries(
    Array.from({ length: number }, (_, index) => [
      `198.18.${Math.floor(index / 250)}.${index % 250}`,
      { hostname: `customer-router-${index}.example.net` },
    ]),
  );
const route = (address: string, number = 1_000) =>
  JSON.stringify(
    {
      ...{ prefix: `${address}/32`, version: 7, advertisedTo: sessions(number) },
      paths: [
        {
          aspath: { string: '65002', segments: [{ type: 'as-sequence', list: [65_002] }], length: 1 },
          ...{ bestpath: { overall: true }, rpkiValidationState: 'invalid', peer: { peerId: '198.18.0.1' } },
        },
      ],
    },
    undefined,
    2,
  );
const addressIn = (command: string) => /unicast (\S+) /.exec(command)?.[1] ?? '';
const ADDRESSES = Array.from({ length: 32 }, (_, index) => `203.0.113.${index + 1}`);
const signal = () => new AbortController().signal;

test('all addresses of one call get an answer from a bgpd with a thousand sessions, and the answers fit into one', async () => {
  const { folder, commands } = await bgpd((command) => (/rpki/.test(command) ? CONNECTED : route(addressIn(command))));
  const texts = await askBgpOrigins(folder, ADDRESSES, signal());
  assert.deepEqual(
    texts.map((text) => parseOrigin(text)),
    ADDRESSES.map((address) => ({ prefix: `${address}/32`, asPath: [65_002], validity: 'invalid' })),
  );
  assert.equal(commands[1], 'show bgp ipv4 unicast 203.0.113.1 bestpath json', 'not of all its paths');
  assert.ok(encodeTextFrame(JSON.stringify({ value: texts })).length < 10_000);
});

test('an answer that is longer than one read takes is left out alone', async () => {
  const long = route('203.0.113.2', 20_000);
  const { folder } = await bgpd((command) => {
    if (/rpki/.test(command)) return CONNECTED;
    return addressIn(command) === '203.0.113.2' ? long : route(addressIn(command), 1);
  });
  const texts = await askBgpOrigins(folder, ADDRESSES.slice(0, 3), signal());
  assert.deepEqual(
    texts.map((text) => parseOrigin(text)?.prefix),
    ['203.0.113.1/32', undefined, '203.0.113.3/32'],
  );
  assert.equal(texts[1], '');
});

test('what bgpd has no route to is an answer, and without a cache nothing is asked', async () => {
  const none = await bgpd((command) => (/rpki/.test(command) ? CONNECTED : '{\n}\n'));
  const [text] = await askBgpOrigins(none.folder, ['203.0.113.1'], signal());
  assert.notEqual(text, '');
  assert.equal(parseOrigin(text!), undefined);
  const unchecked = await bgpd(() => 'No connection to RPKI cache server.\n');
  assert.deepEqual(await askBgpOrigins(unchecked.folder, ['203.0.113.1'], signal()), []);
  assert.deepEqual(unchecked.commands, ['show rpki cache-connection']);
});
