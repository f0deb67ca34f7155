// The privileged helper's parts that need no privilege: messages, packets, pacing, bookkeeping, the reflector's memory, and the
// socket with its closed set of operations.
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { costOfProbe, costOfReach, costOfScan } from '#model/links/probe-cost.ts';
import { captureCommand, filterExpression, wholePackets } from '#router/helper/device/capture.ts';
import { askFrr, FRR_COMMANDS, takeReply } from '#router/helper/device/frr.ts';
import { isOwnOui } from '#router/helper/device/lldp.ts';
import { parseHelperOptions } from '#router/helper/main.ts';
import { createOperations } from '#router/helper/operations.ts';
import { createProbeKeys } from '#router/helper/probe/probe-keys.ts';
import { createProbeRates } from '#router/helper/probe/probe-rates.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { type HelperServer, listenHelper } from '#router/protocol/server.ts';
import { settle } from '../contracts/router-port.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';

test('captures have closed filters and a command that dies with its parent [TS-9] [TS-22]', () => {
  assert.deepEqual(
    [
      filterExpression({ kind: 'srv6' }, 9515),
      filterExpression({ kind: 'udp-port', port: 53 }, 9515),
      filterExpression({ kind: 'tcp-port', port: 9514 }, 9515),
      filterExpression({ kind: 'handshake', port: 179 }, 9515),
      filterExpression({ kind: 'probe' }, 9515),
    ],
    [
      'ip6 proto 43',
      'udp port 53',
      'tcp port 9514',
      'tcp port 179 and ((ip and tcp[13] & 6 != 0) or (ip6 and ip6[6] = 6 and ip6[53] & 6 != 0))',
      '(ip6 and udp port 9515) or (ip6 proto 43 and ip6[40] = 41 and ip6[(ip6[41] + 1) * 8 + 46] = 17 and ip6[(ip6[41] + 1) * 8 + 82 : 2] = 9515)',
    ],
  );
  const request = { ifname: 'eth1', packetCount: 7, timeoutMs: 1 };
  const narrow = captureCommand({ ...request, filter: { kind: 'probe' } }, 9515);
  assert.equal(narrow[narrow.indexOf('-s') + 1], '160');
  const command = captureCommand({ ...request, filter: { kind: 'srv6' } }, 9515);
  assert.deepEqual(command.slice(0, 3), ['--pdeathsig', 'KILL', 'tcpdump']);
  assert.deepEqual(command.slice(-5), ['-c', '7', '-i', 'eth1', 'ip6 proto 43']);
});

test('what libpcap takes for more than one interface is none, and neither is a name that this node has not', async () => {
  const capture = (ifname: string) =>
    call('capture', { ifname, filter: { kind: 'probe' }, packetCount: 1, timeoutMs: 1 });
  for (const ifname of ['nfqueue:0', 'nfqueue', 'nflog:5', 'any', '1', 'dbus-system', 'bluetooth0', 'usbmon1'])
    await assert.rejects(capture(ifname), coded('caller/bad-argument', /expected an interface name/), ifname);
  await assert.rejects(capture('eth4093'), coded('caller/bad-argument', /an interface of this node, got eth4093/));
});

test('probes go to nodes only, and all runs of a node share one rate [TS-22]', async () => {
  const probe = { segments: [], count: 1, intervalMs: 1, payloadBytes: 32, lingerMs: 0 };
  for (const destination of ['ff02::1', '::', '::1', 'fe80::1', '::ffff:192.0.2.1', '::192.0.2.1']) {
    await assert.rejects(
      call('probe', { ...probe, destination }),
      coded('caller/bad-argument', /an address of a node/),
    );
    const segments = [destination];
    await assert.rejects(
      call('probe', { ...probe, destination: 'fd00::1', segments }),
      coded('caller/bad-argument', /an address of a node/),
    );
  }
  const rates = createProbeRates(createFakeClock());
  const run = { destination: 'fd00::1', count: 10_000, lingerMs: 0, segments: ['fd00::2'], intervalMs: 0.2 };
  const busy = coded('node/helper-busy', /at most 20000 probes and 10000000 bytes a second over all runs/);
  assert.throws(() => rates.take(costOfProbe({ ...run, payloadBytes: 8_192 })), busy);
  rates.take(costOfProbe({ ...run, count: 8, payloadBytes: 8_192 }))();
  const small = costOfProbe({ ...run, payloadBytes: 32 });
  const releases = Array.from({ length: 4 }, () => rates.take(small));
  assert.throws(() => rates.take(small), busy);
  releases[0]?.();
  rates.take(small);
});

test('a probe’s bytes count for each SID of its list, as each takes it over further links [TS-22]', () => {
  const rates = createProbeRates(createFakeClock());
  const run = { destination: 'fd00::1', count: 1_000, lingerMs: 0, intervalMs: 1, payloadBytes: 1_400 };
  const sids = (count: number) => Array.from({ length: count }, (_, index) => `fd00::${index + 2}`);
  for (const count of [0, 1, 5]) rates.take(costOfProbe({ ...run, segments: sids(count) }))();
  assert.throws(() => rates.take(costOfProbe({ ...run, segments: sids(7) })), { code: 'node/helper-busy' });
});

test('probes to many addresses and host scans count beside all others, for a second at least [TS-22]', async () => {
  const clock = createFakeClock();
  const rates = createProbeRates(clock);
  const addresses = Array.from({ length: 256 }, (_, index) => `198.18.0.${index}`);
  const many = costOfReach({ destinations: addresses, count: 100 });
  const scan = costOfScan({
    ports: Array.from({ length: 4 }, (_, index) => ({ ifname: `eth${index}`, addresses })),
  });
  const run = { destination: 'fd00::1', count: 3_000, lingerMs: 0, segments: [], intervalMs: 0.2, payloadBytes: 64 };
  const releases = [scan, many, many, many, many].map((cost) => rates.take(cost));
  for (const cost of [many, scan, costOfProbe(run)])
    assert.throws(() => rates.take(cost), { code: 'node/helper-busy' });
  releases[0]?.();
  assert.throws(() => rates.take(many), { code: 'node/helper-busy' });
  await clock.advance(1_000);
  rates.take(costOfProbe(run))();
  rates.take(costOfReach({ destinations: ['198.18.0.1'], count: 5 }))();
});

test('trains count with all their packets for a second, whatever their interval and however soon they are over', async () => {
  const clock = createFakeClock();
  const rates = createProbeRates(clock);
  const train = {
    destination: 'fd00::1',
    count: 44,
    lingerMs: 0,
    segments: [],
    intervalMs: 1_000,
    payloadBytes: 1_452,
  };
  const most = Math.floor(10_000_000 / (44 * 1_500));
  for (let turn = 0; turn < most; turn++) rates.take(costOfProbe({ ...train, train: true }))();
  assert.throws(() => rates.take(costOfProbe({ ...train, train: true })), { code: 'node/helper-busy' });
  await clock.advance(1_000);
  rates.take(costOfProbe({ ...train, train: true }))();
});

test('a PCAP file is cut behind its last whole packet', () => {
  const pcap = Buffer.alloc(24 + 16 + 4 + 16 + 2);
  pcap.writeUInt32LE(0xa1b2c3d4, 0);
  pcap.writeUInt32LE(4, 24 + 8);
  pcap.writeUInt32LE(4, 24 + 16 + 4 + 8);
  const cut = wholePackets(pcap, 1_000);
  assert.deepEqual([cut.packets, cut.pcap.length, cut.truncated], [1, 44, true]);
  assert.deepEqual(wholePackets(new Uint8Array(3), 1_000), { pcap: new Uint8Array(0), packets: 0, truncated: false });
});

test('only literal show commands without a route table can be sent to FRR', () => {
  const routeFree =
    /^show (?:yang|isis hostname|running-config|bgp (?:neighbors|(?:ipv[46] (?:unicast|vpn)|l2vpn evpn) summary) json$|bfd peers|ip ospf|ipv6 ospf6 (?:interface |neighbor (?:detail )?)?json$|interface description|version)/;
  for (const { command } of Object.values(FRR_COMMANDS)) assert.match(command, routeFree);
  assert.equal(takeReply(Buffer.from('text')), undefined);
  assert.deepEqual(takeReply(Buffer.from('text\0\0\0\x02')), { text: 'text', status: 2 });
});

test('locally administered OUIs are ours, those of IEEE and vendors are not', () => {
  assert.deepEqual(['02504c', '024e41', '0080c2', '00120f', '0012bb'].map(isOwnOui), [true, true, false, false, false]);
});

test('the command line of the helper has defaults and refuses what it does not know', () => {
  assert.deepEqual(parseHelperOptions(['--socket', '/run/x', '--node', 'pe1']), {
    socket: '/run/x',
    frrFolder: '/var/run/frr',
    lldpSocket: '/run/lldpd.socket',
    reflectPort: 9515,
    state: '/var/lib/parley-helper',
    node: 'pe1',
  });
  assert.throws(
    () => parseHelperOptions(['--socket', '/run/x', '--reflect-port', '70000']),
    /expected a port, got 70000/,
  );
  assert.throws(() => parseHelperOptions(['--socket', '/run/x', '--exec', 'sh']));
  assert.throws(() => parseHelperOptions([]), /expected --socket PATH/);
});

let folder = '';
let server: HelperServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-helper-'));
  const parts = {
    clock: createSystemClock(),
    random: systemRandom,
    reflectPort: 9515,
    frrFolder: folder,
    lldpSocket: join(folder, 'lldp'),
    keys: createProbeKeys(createSystemClock()),
    onMonitored: () => {},
  };
  server = await listenHelper({
    path: join(folder, 'helper.sock'),
    operations: createOperations(parts),
    log: silentLog,
  });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
const call = (operation: string, args: Record<string, never> | object = {}) =>
  createHelperClient(join(folder, 'helper.sock')).call(operation, args as never);
const coded = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof ParleyError && error.code === code && text.test(error.message);

test('the socket is open to its group only, and a second helper does not take it over', async () => {
  assert.equal((await stat(join(folder, 'helper.sock'))).mode & 0o777, 0o660);
  const again = listenHelper({ path: join(folder, 'helper.sock'), operations: new Map(), log: silentLog });
  await assert.rejects(again, coded('caller/helper-running', /got an answer/));
});

test('an unknown operation lists the valid ones, and arguments that could be options never pass', async () => {
  await assert.rejects(
    call('shell'),
    coded(
      'caller/bad-argument',
      /expected one of the operations frr, bgp-prefix, bgp-neighbours, rib-routes, bgp-origins, daemons, filters, offloads, probe, reach, probe-key, host-scan, watch-hosts, service-probe, watch-services, served, heard, dhcp, watch-dhcp, link-watch, capture/,
    ),
  );
  await assert.rejects(
    call('frr', { query: 'configure terminal' }),
    coded('caller/bad-argument', /expected one of isis-interfaces/),
  );
  await assert.rejects(
    call('frr', { query: 'version', more: 1 }),
    coded('caller/bad-argument', /expected only the members query/),
  );
  await assert.rejects(
    call('offloads', { interfaces: ['eth1; reboot'] }),
    coded('caller/bad-argument', /expected an interface name/),
  );
  await assert.rejects(
    call('capture', { ifname: '--help', filter: { kind: 'srv6' }, packetCount: 1, timeoutMs: 1 }),
    coded('caller/bad-argument', /interface name/),
  );
  await assert.rejects(
    call('capture', { ifname: 'eth1', filter: { kind: 'host ::1' }, packetCount: 1, timeoutMs: 1 }),
    coded('caller/bad-argument', /expected one of probe, handshake, srv6/),
  );
  await assert.rejects(
    call('lldp-announce', { oui: '0080c2', subtype: 1, information: '' }),
    coded('caller/bad-argument', /locally administered/),
  );
  await assert.rejects(
    call('lldp-announce', { oui: '02504c', subtype: 1, information: 'ab'.repeat(201) }),
    coded('caller/bad-argument', /0 to 200 bytes/),
  );
  await assert.rejects(
    call('probe', {
      destination: 'fd00::1',
      segments: [],
      count: 10_000,
      intervalMs: 100,
      payloadBytes: 32,
      lingerMs: 0,
    }),
    coded('caller/bad-argument', /at most 60000 ms/),
  );
});

test('a request that is no frame, too large, or not alone ends the connection', async () => {
  const sent = async (bytes: Uint8Array) => {
    const socket = createConnection(join(folder, 'helper.sock'));
    const answer: Buffer[] = [];
    socket.on('data', (chunk) => answer.push(chunk));
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(bytes);
    await closed;
    return Buffer.concat(answer).subarray(4).toString();
  };
  const frame = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]);
  assert.equal(await sent(Buffer.from([0, 1, 0, 0])), '');
  assert.match(await sent(frame('[]')), /caller\/bad-argument/);
  assert.equal(await sent(Buffer.concat([frame('{"operation":"x","arguments":{}}'), frame('{}')])), '');
});

test('FRR is asked over its socket, and its absence, refusal or flood is named', async () => {
  await assert.rejects(call('frr', { query: 'version' }), coded('node/frr-absent', /expected zebra to run/));
  const heard: string[] = [];
  const daemon = (name: string, reply: (command: string) => Buffer) =>
    new Promise<() => void>((resolve) => {
      const listener = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (chunk) => {
          heard.push(chunk.toString());
          socket.write(reply(chunk.toString()));
        });
      });
      listener.listen(join(folder, `${name}.vty`), () => resolve(() => listener.close()));
    });
  const stopZebra = await daemon('zebra', (command) =>
    Buffer.from(command === 'enable\0' ? '\0\0\0\0' : 'FRR 8\0\0\0\0'),
  );
  assert.equal(await call('frr', { query: 'version' }), 'FRR 8');
  assert.deepEqual(heard, ['enable\0', 'show version\0']);
  stopZebra();
  const stopIsis = await daemon('isisd', (command) =>
    command === 'enable\0' ? Buffer.from('\0\0\0\0') : Buffer.from('% Unknown\0\0\0\x02'),
  );
  await assert.rejects(call('frr', { query: 'isis-hostnames' }), coded('node/frr-unavailable', /status 2/));
  stopIsis();
  const stopFlood = await daemon('isisd', () => Buffer.alloc(1_000_001, 'x'));
  await assert.rejects(
    askFrr(folder, 'isis-hostnames', AbortSignal.timeout(HANG_MS)),
    coded('node/frr-unavailable', /more than 1000000 bytes/),
  );
  stopFlood();
});

test('closing the connection ends the operation, and a helper that is away is named [TS-22]', async () => {
  let ended = false;
  const path = join(folder, 'slow.sock');
  const slow = await listenHelper({
    path,
    operations: new Map([
      [
        'wait',
        (_args, { signal, emit }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended = true;
              reject(signal.reason);
            });
            emit('started');
          }),
      ],
    ]),
    log: silentLog,
  });
  const abort = new AbortController();
  const onEvent = () => abort.abort(new Error('operator left'));
  const waiting = createHelperClient(path).call('wait', {}, { signal: abort.signal, onEvent });
  await assert.rejects(waiting, /operator left/);
  await settle(async () => ended, 'the operation to end');
  await assert.rejects(
    createHelperClient(path).call('wait', {}, { timeoutMs: 20 }),
    coded('node/timeout', /got nothing in time/),
  );
  await slow.close();
  await assert.rejects(
    createHelperClient(path).call('wait', {}),
    coded('node/helper-unreachable', /expected a helper/),
  );
});
