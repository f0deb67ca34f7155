// A router and a host on a real cable: what the router finds when the host is well, and when its gateway, its mask or its address is
// not. Namespaces (prefix `st-`) are made here and removed; needs root.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { HostPort, ServiceProbeResult } from '#model/router/hosts.ts';

const mark = `st-${randomBytes(2).toString('hex')}`;
const [router, host] = [`${mark}-r`, `${mark}-h`];
const ip = (...words: readonly string[]) => execFileSync('ip', words, { encoding: 'utf8' });
const onHost = (...words: readonly string[]) => ip('-n', host, ...words);
const inside = (namespace: string, ...words: readonly string[]) => ip('netns', 'exec', namespace, ...words);

before(() => {
  for (const namespace of [router, host]) {
    ip('netns', 'add', namespace);
    for (const name of ['all', 'default']) inside(namespace, 'sysctl', '-qw', `net.ipv6.conf.${name}.accept_dad=0`);
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
  }
  ip('-n', router, 'link', 'add', 'eth3', 'type', 'veth', 'peer', 'name', 'eth1', 'netns', host);
  ip('-n', router, 'address', 'add', '198.19.255.1/32', 'dev', 'lo');
  ip('-n', router, 'address', 'add', '198.19.1.1/24', 'dev', 'eth3');
  ip('-n', router, 'link', 'set', 'eth3', 'up');
  onHost('link', 'set', 'eth1', 'up');
});

beforeEach(() => {
  onHost('-4', 'address', 'flush', 'dev', 'eth1');
  onHost('address', 'add', '198.19.1.10/24', 'dev', 'eth1');
  onHost('route', 'replace', 'default', 'via', '198.19.1.1');
});

after(() => {
  for (const namespace of [router, host]) ip('netns', 'del', namespace);
});

function run<T>(args: object): T {
  const program = [process.execPath, '--conditions=parley-source', join(import.meta.dirname, 'hosts-host.ts')];
  return JSON.parse(inside(router, ...program, JSON.stringify(args))) as T;
}

function look(addresses: readonly string[], census = false): HostPort {
  return run<readonly HostPort[]>({ hosts: { ports: [{ ifname: 'eth3', addresses }], census } })[0]!;
}

const macOf = () => /link\/ether (\S+)/.exec(onHost('link', 'show', 'eth1'))![1]!;

test('a host that is well answers for its address, also to somebody off its link [TS-22]', () => {
  const found = look(['198.19.1.10', '198.19.1.1']);
  assert.deepEqual(found.answers, [{ address: '198.19.1.10', macs: [macOf()] }]);
  assert.deepEqual([found.echoed, found.source], [['198.19.1.10'], '198.19.255.1']);
  assert.deepEqual(
    found.asks.filter(({ target }) => target !== '198.19.1.1'),
    [],
  );
});

test('a host with a wrong gateway asks for it, and its answers do not come', () => {
  onHost('route', 'replace', 'default', 'via', '198.19.1.254');
  const found = look(['198.19.1.10']);
  assert.deepEqual(found.echoed, []);
  assert.ok(found.asks.some(({ sender, target }) => sender === '198.19.1.10' && target === '198.19.1.254'));
});

test('a host that has asked for its gateway in vain, and has not given up yet, is heard when it asks again', () => {
  onHost('route', 'replace', 'default', 'via', '198.19.1.253');
  // It asks three times, a second apart, from the first look on; the second look begins after the last of them.
  const hosts = { ports: [{ ifname: 'eth3', addresses: ['198.19.1.10'] }], census: false };
  const [again] = run<readonly HostPort[]>({ hosts, againAfterMs: 1_150 });
  assert.deepEqual(again?.echoed, []);
  assert.ok(again?.asks.some(({ target }) => target === '198.19.1.253'));
});

test('a wrong gateway shows also where the router itself lets no ICMP out', () => {
  onHost('route', 'replace', 'default', 'via', '198.19.1.254');
  const chain = 'add chain inet filter output { type filter hook output priority 0; }';
  inside(router, 'nft', `add table inet filter; ${chain}; add rule inet filter output ip protocol icmp drop`);
  try {
    assert.ok(look(['198.19.1.10']).asks.some(({ target }) => target === '198.19.1.254'));
  } finally {
    inside(router, 'nft', 'delete table inet filter');
  }
});

test('a host with a mask that is too short asks on its link for what is off it', () => {
  onHost('-4', 'address', 'flush', 'dev', 'eth1');
  onHost('address', 'add', '198.19.1.10/16', 'dev', 'eth1');
  assert.ok(look(['198.19.1.10']).asks.some(({ target }) => target === '198.19.255.1'));
});

test('a host without its address is found alive, and under the address that it has instead', () => {
  onHost('-4', 'address', 'flush', 'dev', 'eth1');
  const none = look(['198.19.1.10'], true);
  assert.deepEqual([none.answers, none.alive], [[], [macOf()]]);
  onHost('address', 'add', '198.19.0.10/24', 'dev', 'eth1');
  assert.deepEqual(look(['198.19.1.10', '198.19.0.10'], true).answers, [{ address: '198.19.0.10', macs: [macOf()] }]);
});

test('a host that has taken its router’s address is heard', () => {
  onHost('address', 'add', '198.19.1.1/24', 'dev', 'eth1');
  assert.deepEqual(look(['198.19.1.1']).answers, [{ address: '198.19.1.1', macs: [macOf()] }]);
});

test('a closed port answers, a filtered one does not, and an echo may be handed to a host', () => {
  const mac = macOf();
  const via = { ifname: 'eth3', mac };
  const serviceProbes = [
    { destination: '198.19.1.10', service: 'echo' },
    { destination: '198.19.1.10', service: 'echo', via },
    { destination: '198.19.1.10', service: 'tcp', port: 80 },
    { destination: '198.19.1.10', service: 'udp', port: 53 },
  ];
  const answered = () => run<readonly ServiceProbeResult[]>({ serviceProbes }).map((each) => each.answered);
  assert.deepEqual(answered(), [true, true, true, true]);
  const chain = 'add chain inet filter input { type filter hook input priority 0; }';
  const rule = 'add rule inet filter input tcp dport 80 drop';
  inside(host, 'nft', `add table inet filter; ${chain}; ${rule}`);
  try {
    assert.deepEqual(answered(), [true, true, false, true]);
  } finally {
    inside(host, 'nft', 'delete table inet filter');
  }
});
