// A real DHCP server, a real relay and a real client around one router: what the router is offered when it asks, what it hears pass, and that
// asking takes no lease. Namespaces (prefix `dh-`) are made here and removed; needs root, dnsmasq and udhcpc.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';

const mark = `dh-${randomBytes(2).toString('hex')}`;
const [router, client, server] = [`${mark}-r`, `${mark}-c`, `${mark}-s`];
const folder = mkdtempSync(join(tmpdir(), 'dh-'));
const ip = (...words: readonly string[]) => execFileSync('ip', words, { encoding: 'utf8' });
const inside = (namespace: string, ...words: readonly string[]) => ip('netns', 'exec', namespace, ...words);
const pids = new Set<number>();

function start(namespace: string, name: string, lines: readonly string[]): number {
  const file = join(folder, `${name}.conf`);
  const pidFile = join(folder, `${name}.pid`);
  const all = ['port=0', 'user=root', 'no-ping', `pid-file=${pidFile}`, ...lines];
  writeFileSync(file, `${all.join('\n')}\n`);
  inside(namespace, 'dnsmasq', '-C', file);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  pids.add(pid);
  return pid;
}

function stop(pid: number): void {
  pids.delete(pid);
  process.kill(pid, 'SIGKILL');
  // Its sockets are free when it has ended, or is nothing but a row of the process table.
  inside(
    router,
    'sh',
    '-c',
    `for try in $(seq 200); do grep -qs '^State:[^Z]*$' /proc/${pid}/status || exit 0; sleep 0.01; done; exit 1`,
  );
}

const leases = join(folder, 'leases');
const serve = (...options: readonly string[]) =>
  start(server, 'server', [
    `dhcp-leasefile=${leases}`,
    'dhcp-range=set:one,198.19.1.100,198.19.1.199,255.255.255.0,10m',
    ...options,
  ]);

before(() => {
  for (const namespace of [router, client, server]) {
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
  }
  inside(router, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  for (const [port, namespace, network] of [
    ['eth3', client, '198.19.1'],
    ['eth4', server, '198.19.3'],
  ] as const) {
    ip('-n', router, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth1', 'netns', namespace);
    ip('-n', router, 'address', 'add', `${network}.1/24`, 'dev', port);
    ip('-n', router, 'link', 'set', port, 'up');
    ip('-n', namespace, 'link', 'set', 'eth1', 'up');
  }
  ip('-n', router, 'address', 'add', '198.19.255.1/32', 'dev', 'lo');
  ip('-n', server, 'address', 'add', '198.19.3.10/24', 'dev', 'eth1');
  ip('-n', server, 'route', 'add', 'default', 'via', '198.19.3.1');
});

after(() => {
  for (const pid of pids) stop(pid);
  for (const namespace of [router, client, server]) ip('netns', 'del', namespace);
  rmSync(folder, { recursive: true });
});

function run<T>(args: object): T {
  const program = [process.execPath, '--conditions=parley-source', join(import.meta.dirname, 'dhcp-host.ts')];
  return JSON.parse(inside(router, ...program, JSON.stringify(args))) as T;
}

function ask(): DhcpAnswer {
  const asks = [{ ifname: 'eth3', gateway: '198.19.1.1', server: '198.19.3.10' }];
  return run<readonly DhcpAnswer[]>({ asks })[0]!;
}

test('a router is offered what its hosts would be, whoever relays for them, and takes no lease [TS-22]', () => {
  const pid = serve('dhcp-option=option:dns-server,198.19.3.53');
  const relay = start(router, 'relay', ['dhcp-relay=198.19.1.1,198.19.3.10']);
  for (const relayed of [true, false]) {
    const { offers, refused, present } = ask();
    assert.deepEqual([refused, present, offers.length], [false, [], 1], `relayed: ${relayed}`);
    const { address, ...rest } = offers[0]!;
    assert.match(address, /^198\.19\.1\.1\d\d$/);
    const said = { server: '198.19.3.10', mask: '255.255.255.0', routers: ['198.19.1.1'], names: ['198.19.3.53'] };
    assert.deepEqual(rest, said);
    if (relayed) stop(relay);
  }
  assert.equal(readFileSync(leases, 'utf8'), '');
  stop(pid);
});

test('an offered router that nobody is, is not present; one that a host answers for is', () => {
  const pid = serve('dhcp-option=option:router,198.19.1.254');
  assert.deepEqual([ask().offers[0]?.routers, ask().present], [['198.19.1.254'], []]);
  ip('-n', client, 'address', 'add', '198.19.1.254/24', 'dev', 'eth1');
  assert.deepEqual(ask().present, ['198.19.1.254']);
  ip('-n', client, 'address', 'del', '198.19.1.254/24', 'dev', 'eth1');
  stop(pid);
});

test('a server without a range for the network is silent while its host answers, and a dead one refuses', () => {
  const pid = start(server, 'server', ['dhcp-range=198.19.3.100,198.19.3.199,255.255.255.0,10m']);
  const { offers, sent, echoed, refused } = ask();
  assert.deepEqual([offers, sent, echoed, refused], [[], 6, 6, false]);
  stop(pid);
  assert.equal(ask().refused, true);
});

test('a silent server is asked from three ports, as a link may lose all packets of one flow', () => {
  const pid = start(server, 'server', ['dhcp-range=198.19.3.100,198.19.3.199,255.255.255.0,10m']);
  const counting = 'set inet z ports { type inet_service; flags dynamic; }';
  const chain = 'chain inet z c { type filter hook input priority 0; }';
  const rule = 'rule inet z c udp dport 67 add @ports { udp sport }';
  inside(server, 'nft', ['add table inet z', `add ${counting}`, `add ${chain}`, `add ${rule}`].join('; '));
  assert.deepEqual(ask().offers, []);
  const listed = JSON.parse(inside(server, 'nft', '-j', 'list', 'set', 'inet', 'z', 'ports')) as {
    readonly nftables: readonly { readonly set?: { readonly elem: readonly number[] } }[];
  };
  assert.equal(listed.nftables.find(({ set }) => set !== undefined)?.set?.elem.length, 3);
  inside(server, 'nft', 'delete', 'table', 'inet', 'z');
  stop(pid);
});

test('a server offers to somebody else while a network is missing; what a router asks for another network is for that one', () => {
  const pid = start(server, 'server', [
    `dhcp-leasefile=${leases}`,
    'dhcp-range=198.19.3.100,198.19.3.199,255.255.255.0,10m',
  ]);
  const asks = [
    { ifname: 'eth3', gateway: '198.19.1.1', server: '198.19.3.10' },
    { ifname: 'eth3', gateway: '198.19.1.1', server: '198.19.3.10', link: '198.19.3.10' },
  ];
  const [own, others] = run<readonly DhcpAnswer[]>({ asks });
  assert.deepEqual([own?.offers, own?.refused, own?.sent === own?.echoed], [[], false, true]);
  assert.match(others?.offers[0]?.address ?? '', /^198\.19\.3\.1\d\d$/);
  assert.equal(readFileSync(leases, 'utf8'), '');
  stop(pid);
});

type Signs = { readonly signs: readonly { readonly what: string; readonly transaction?: number }[] };

test('of a lease that passes it is heard what was offered, and whom the client took; of a dead server that its host refuses', () => {
  const pids = [
    serve('dhcp-option=option:dns-server,198.19.3.53'),
    start(router, 'relay', ['dhcp-relay=198.19.1.1,198.19.3.10']),
  ];
  const meanwhile = [
    'ip',
    'netns',
    'exec',
    client,
    'sh',
    '-c',
    'udhcpc -i eth1 -n -q -f -t 2 -T 1 -s /bin/true || true',
  ];
  const hear = () => run<Signs>({ ifnames: ['eth3', 'eth4'], meanwhile, both: true }).signs;
  const signs = hear();
  assert.deepEqual(
    signs.map(({ what }) => what),
    ['asked', 'chosen', 'offered', 'offered'],
  );
  const { address, ...offered } = signs[2] as unknown as Record<string, unknown>;
  assert.match(String(address), /^198\.19\.1\.1\d\d$/);
  assert.deepEqual(offered, {
    ...{ ifname: 'eth4', what: 'offered', from: '198.19.3.10', server: '198.19.3.10', gateway: '198.19.1.1' },
    ...{ mask: '255.255.255.0', routers: ['198.19.1.1'], names: ['198.19.3.53'] },
  });
  assert.equal(signs[0]?.transaction, signs[1]?.transaction);
  stop(pids[0]!);
  const dead = hear();
  assert.deepEqual(
    dead.map(({ what }) => what),
    ['asked', 'asked', 'refused', 'refused'],
  );
  assert.equal(dead[0]?.transaction, dead[1]?.transaction);
  stop(pids[1]!);
});

test('a client that asks is heard on its port, and the server’s answer to its relay on the other [TS-22]', () => {
  const pids = [serve(), start(router, 'relay', ['dhcp-relay=198.19.1.1,198.19.3.10'])];
  const meanwhile = ['ip', 'netns', 'exec', client, 'udhcpc', '-i', 'eth1', '-n', '-q', '-f', '-s', '/bin/true'];
  assert.deepEqual(run({ ifnames: ['eth3', 'eth4'], meanwhile }), [
    { ifname: 'eth3', what: 'dhcp-request', from: '0.0.0.0', to: '255.255.255.255' },
    { ifname: 'eth4', what: 'dhcp-reply', from: '198.19.3.10', to: '198.19.1.1' },
  ]);
  assert.match(readFileSync(leases, 'utf8'), /198\.19\.1\.1\d\d/);
  for (const pid of pids) stop(pid);
});

test('a host that looks a name up is heard with the address that it asks, and nothing of what it asks about', () => {
  ip('-n', client, 'address', 'add', '198.19.1.10/24', 'dev', 'eth1');
  ip('-n', client, 'route', 'add', 'default', 'via', '198.19.1.1');
  const send =
    '$s = IO::Socket::IP->new(PeerHost => "198.19.3.10", PeerPort => 53, Proto => "udp"); $s->send("x" x 30)';
  const meanwhile = ['ip', 'netns', 'exec', client, 'perl', '-MIO::Socket::IP', '-e', send];
  assert.deepEqual(run({ ifnames: ['eth3'], meanwhile }), [
    { ifname: 'eth3', what: 'dns-query', from: '198.19.1.10', to: '198.19.3.10' },
  ]);
});

test('a name server is timed beside echoes of its host; a dead one has no time', () => {
  const file = join(folder, 'names.pid');
  inside(server, 'dnsmasq', '-C', '/dev/null', '-R', '-h', '-u', 'root', `--pid-file=${file}`);
  const pid = Number(readFileSync(file, 'utf8'));
  pids.add(pid);
  const serviceProbes = [{ destination: '198.19.3.10', service: 'udp', port: 53, timed: true }];
  const [found] = run<readonly ServiceProbeResult[]>({ serviceProbes });
  assert.deepEqual([found?.open, found?.tookMs?.length, found?.echoMs?.length], [true, 3, 3]);
  assert.ok(Math.max(...found!.tookMs!, ...found!.echoMs!) < 500, JSON.stringify(found));
  stop(pid);
  const [dead] = run<readonly ServiceProbeResult[]>({ serviceProbes });
  assert.deepEqual([dead?.open, dead?.tookMs, dead?.echoMs?.length], [false, [], 3]);
});
