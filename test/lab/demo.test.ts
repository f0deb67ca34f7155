// `npm run demo` as a user runs it: on real routers twice in a row, and over the embedded network; nothing is left behind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '#base/process.ts';
import { summarizeTls } from '../../simulations/demo/tls-capture.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEMO_MS = 150_000;

type Act = {
  readonly act: string;
  readonly door: string;
  readonly verdict: string;
  readonly found: readonly { readonly resource: string; readonly fault: string }[];
  readonly hypothesis: string;
  readonly reportVerifies: boolean;
  readonly tamperedFails: boolean;
};

async function demo(...flags: readonly string[]) {
  const ended = await run(
    process.execPath,
    ['--conditions=parley-source', join(ROOT, 'simulations/demo/demo.ts'), '--json', ...flags],
    { timeoutMs: DEMO_MS },
  );
  assert.equal(ended.exitCode, 0, ended.stderr.slice(-3_000));
  return {
    printed: JSON.parse(ended.stdout) as {
      network: string;
      namespaces: readonly string[];
      acts: Act[];
      tls: { versions: object; plainText: number } | null;
    },
    said: ended.stderr,
  };
}

/** Of these names, the network namespaces that this machine has: other tests make and remove their own meanwhile. */
function present(names: readonly string[]): readonly string[] {
  const all = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).split('\n');
  return all.map((line) => line.split(' ')[0]!).filter((name) => names.includes(name));
}

function assertActs(acts: readonly Act[]): void {
  assert.deepEqual(
    acts.map(({ act, door, verdict, found }) => [act, door, verdict, found]),
    [
      ['healthy', 'unix-socket', 'healthy', []],
      ['loss', 'unix-socket', 'fault', [{ resource: 'interface/pe1/eth1', fault: 'packet_loss' }]],
      ['acl', 'mutual-tls', 'fault', [{ resource: 'node/pe1', fault: 'acl_misconfig' }]],
    ],
  );
  assert.match(acts[2]!.hypothesis, /PE-1 .*ACL 2001 on eth1/);
  assert.ok(acts.every((act) => act.reportVerifies && act.tamperedFails));
}

test('the demo finds what it injects on real routers, shows its steps, and leaves nothing [CARD-1] [CARD-7] [TS-11] [TS-12] [TS-23]', async () => {
  const { printed, said } = await demo();
  assert.equal(printed.network, 'namespaces');
  assertActs(printed.acts);
  assert.deepEqual(Object.keys(printed.tls!.versions), ['1.3']);
  assert.equal(printed.tls!.plainText, 0);
  for (const step of ['intent:', 'peers:', 'session:', 'fan-out:', 'signatures:', 'evidence:', 'finding:', 'report:'])
    assert.ok(said.includes(`· ${step}`), step);
  assert.ok(printed.namespaces.length > 3);
  assert.deepEqual(present(printed.namespaces), []);
});

test('the demo runs the same agents over the embedded network where there is none of the kernel’s [CARD-10]', async () => {
  const { printed } = await demo('--embedded');
  assert.equal(printed.network, 'embedded');
  assertActs(printed.acts);
});

test('plain text and TLS 1.2 on the port are told from TLS 1.3 [TS-23]', () => {
  const serverHello = (version: number, extensions: string) =>
    Buffer.from(
      `16030300${(38 + 2 + extensions.length / 2 + 4).toString(16).padStart(2, '0')}020000${(38 + 2 + extensions.length / 2).toString(16).padStart(2, '0')}${version.toString(16).padStart(4, '0')}${'00'.repeat(32)}00130100${(extensions.length / 2).toString(16).padStart(4, '0')}${extensions}`,
      'hex',
    );
  const tls13 = serverHello(0x0303, '002b00020304');
  const tls12 = serverHello(0x0303, '');
  const pcap = Buffer.concat([
    Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex'),
    ...[frame(1, tls13), frame(2, tls12), frame(3, Buffer.from('GET / HTTP/1.1\r\n'))],
  ]);
  assert.deepEqual(summarizeTls(pcap), { versions: { '1.3': 1, '1.2': 1 }, plainText: 1, underWay: 0, packets: 3 });
});

/** One IPv4 TCP segment from port 9514 in an Ethernet frame with its PCAP header. */
function frame(client: number, payload: Buffer): Buffer {
  const tcp = Buffer.alloc(20);
  tcp.writeUInt16BE(9514, 0);
  tcp.writeUInt16BE(40_000 + client, 2);
  tcp[12] = 0x50;
  const ip = Buffer.alloc(20);
  ip[0] = 0x45;
  ip.writeUInt16BE(40 + payload.length, 2);
  ip[9] = 6;
  const packet = Buffer.concat([Buffer.alloc(12), Buffer.from([0x08, 0x00]), ip, tcp, payload]);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return Buffer.concat([header, packet]);
}
