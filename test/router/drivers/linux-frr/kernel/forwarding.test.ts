// How a kernel forwards, as its files and rtnetlink say it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InterfaceState } from '#model/router/router-port.ts';
import { saysEmpty } from '#router/drivers/linux-frr/kernel/empty-tables.ts';
import { droppedConnections, readForwarding } from '#router/drivers/linux-frr/kernel/forwarding.ts';
import { withLookupTables } from '#router/drivers/linux-frr/kernel/kernel-read.ts';
import { parsePolicyRules, readPolicyRules, ruleDumpRequest } from '#router/drivers/linux-frr/kernel/policy-rules.ts';

const port = (name: string, kind: InterfaceState['kind'] = 'physical', operUp = true) =>
  ({ name, kind, operUp }) as InterfaceState;
const FILES: Readonly<Record<string, string>> = {
  '/proc/sys/net/ipv4/ip_forward': '1',
  '/proc/sys/net/ipv6/conf/all/forwarding': '0',
  '/proc/sys/net/ipv4/conf/all/rp_filter': '0',
  '/proc/sys/net/ipv4/conf/eth1/forwarding': '1',
  '/proc/sys/net/ipv4/conf/eth1/rp_filter': '1',
  '/proc/sys/net/ipv6/conf/eth1/seg6_require_hmac': '1',
  '/proc/sys/net/ipv4/conf/eth1/arp_ignore': '1',
  '/proc/sys/net/ipv4/conf/eth1/proxy_arp': '1',
  '/proc/sys/net/ipv4/conf/eth2.100/arp_ignore': '8',
  '/proc/sys/net/ipv4/conf/eth2.100/forwarding': '0',
  '/proc/sys/net/ipv4/conf/eth2.100/rp_filter': '2',
  '/proc/sys/net/ipv6/conf/eth2.100/disable_ipv6': '1',
  '/proc/sys/net/ipv6/conf/eth2.100/seg6_require_hmac': '-1',
  '/proc/sys/net/ipv4/fib_multipath_hash_policy': '3',
  '/proc/sys/net/ipv4/fib_multipath_hash_fields': '7',
  '/proc/sys/net/ipv6/fib_multipath_hash_policy': '1',
  '/proc/sys/net/ipv6/fib_multipath_hash_fields': '7',
  '/proc/sys/net/netfilter/nf_conntrack_count': '12',
  '/proc/sys/net/netfilter/nf_conntrack_max': '65536',
  '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established': '432000',
  '/proc/sys/net/netfilter/nf_conntrack_tcp_loose': '0',
  '/proc/net/stat/nf_conntrack': [
    'entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop',
    '0000000c  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000003 0000000a 00000000',
    '0000000c  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000011 00000010 00000000',
  ].join('\n'),
};

test('settings are read of every interface that is up and no loopback, and the stronger filter counts', async () => {
  const ports = [
    port('lo', 'loopback'),
    port('eth1'),
    port('eth2.100', 'other'),
    port('eth9', 'physical', false),
    port('gone'),
  ];
  const { policyRules: _, ...read } = await readForwarding(ports, (path) => FILES[path]);
  assert.deepEqual(read, {
    ipv4: true,
    ipv6: false,
    interfaces: [
      { ifname: 'eth1', ipv4: true, reversePath: 'strict', proxyArp: true, srv6Hmac: true },
      { ifname: 'eth2.100', ipv4: false, reversePath: 'loose', arpOff: true, ipv6Off: true },
    ],
    ecmpHash: { ipv4: { policy: 3, fields: 7 }, ipv6: { policy: 1 } },
    conntrack: { tracked: 12, most: 65_536, dropped: '26', failed: '20' },
    tcpTracking: { idleSeconds: 432_000, picksUp: false },
  });
  const loose = await readForwarding([port('eth1')], (path) => (path.endsWith('all/rp_filter') ? '2' : FILES[path]));
  assert.equal(loose.interfaces[0]?.reversePath, 'loose');
});

test('a kernel that does not say whether it forwards is no kernel that does not', async () => {
  await assert.rejects(
    readForwarding([], () => undefined),
    /expected to read net\.ipv4\.ip_forward/,
  );
});

test('drops of connections are added up over all processors; without their column they are not known', () => {
  assert.equal(droppedConnections(FILES['/proc/net/stat/nf_conntrack']!), 26n);
  assert.equal(droppedConnections('entries found\n0000000c 00000000'), undefined);
});

/** One RTM_NEWRULE: header of 12 octets, then attributes. */
function ruleMessage(
  header: Partial<Record<number, number>>,
  attributes: readonly (readonly [number, Buffer])[],
): Buffer {
  const head = Buffer.alloc(12);
  head[0] = 2;
  head[7] = 1;
  for (const [at, value] of Object.entries(header)) head[Number(at)] = value!;
  const parts = attributes.map(([type, value]) => {
    const row = Buffer.alloc((4 + value.length + 3) & ~3);
    row.writeUInt16LE(4 + value.length, 0);
    row.writeUInt16LE(type, 2);
    value.copy(row, 4);
    return row;
  });
  return message(32, Buffer.concat([head, ...parts]));
}
function message(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(16 + body.length, 0);
  head.writeUInt16LE(type, 4);
  return Buffer.concat([head, body]);
}
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const DONE = message(3, Buffer.alloc(4));
const ofKernel = ruleMessage({ 4: 254 }, [
  [6, u32(32_766)],
  [15, u32(254)],
  [14, u32(0xffff_ffff)],
  [21, Buffer.from([2])],
]);

test('rules are read with what they demand; those of the kernel itself and of VRFs are left out', () => {
  const customer = ruleMessage({ 2: 24, 4: 100 }, [
    [2, Buffer.from([198, 19, 1, 0])],
    [3, Buffer.from('eth3\0')],
    [6, u32(100)],
    [15, u32(1_000)],
  ]);
  const marked = ruleMessage({ 4: 9 }, [
    [6, u32(99)],
    [10, u32(3)],
    [15, u32(9)],
  ]);
  const shut = ruleMessage({ 1: 32, 7: 6, 8: 2 }, [
    [1, Buffer.from([192, 0, 2, 1])],
    [6, u32(98)],
  ]);
  const suppressing = ruleMessage({ 4: 254 }, [
    [6, u32(50)],
    [14, u32(0)],
    [15, u32(254)],
  ]);
  const vrf = ruleMessage({}, [
    [6, u32(1_000)],
    [19, Buffer.from([1])],
  ]);
  const datagram = Buffer.concat([ofKernel, customer, marked, shut, suppressing, vrf, DONE]);
  assert.deepEqual(parsePolicyRules(datagram, 'ipv4'), {
    rules: [
      { family: 'ipv4', priority: 100, action: 'table', table: 1_000, from: '198.19.1.0/24', iif: 'eth3' },
      { family: 'ipv4', priority: 99, action: 'table', table: 9, rest: true },
      { family: 'ipv4', priority: 98, action: 'blackhole', to: '192.0.2.1/32', negated: true },
      { family: 'ipv4', priority: 50, action: 'table', table: 254, rest: true },
    ],
    ended: true,
  });
});

test('a default rule that leads elsewhere is an operator’s, and IPv6 prefixes are written as RFC 5952 has them', () => {
  const moved = ruleMessage({ 4: 100 }, [
    [6, u32(32_766)],
    [15, u32(100)],
  ]);
  assert.deepEqual(parsePolicyRules(moved, 'ipv4').rules, [
    { family: 'ipv4', priority: 32_766, action: 'table', table: 100 },
  ]);
  const source = Buffer.from('fd000c00000100000000000000000000', 'hex');
  const six = ruleMessage({ 0: 10, 2: 64, 7: 8 }, [
    [2, source],
    [6, u32(7)],
  ]);
  assert.deepEqual(parsePolicyRules(six, 'ipv6').rules, [
    { family: 'ipv6', priority: 7, action: 'prohibit', from: 'fd00:c00:1::/64' },
  ]);
  assert.deepEqual(parsePolicyRules(six, 'ipv4').rules, []);
});

test('what is cut short is passed over, and a kernel that is silent tells no rules', () => {
  for (let bytes = 0; bytes < ofKernel.length; bytes++)
    assert.deepEqual(parsePolicyRules(ofKernel.subarray(0, bytes), 'ipv4').rules, []);
  const broken = ruleMessage({}, [[6, u32(5)]]);
  broken.writeUInt16LE(400, 16 + 12);
  assert.deepEqual(parsePolicyRules(broken, 'ipv4').rules, []);
  const asked: Buffer[] = [];
  const answers: readonly (readonly Buffer[])[] = [[Buffer.concat([ofKernel, DONE]), DONE], []];
  for (const [index, datagrams] of answers.entries()) {
    const left = [...datagrams];
    const socket = {
      send: (request: Uint8Array) => asked.push(Buffer.from(request)) > 0,
      receive: (into: Uint8Array) => {
        const next = left.shift();
        next?.copy(into);
        return next?.length ?? ('none' as const);
      },
      close: () => {},
    };
    assert.deepEqual(readPolicyRules({ openNetlink: () => socket }), index === 0 ? [] : undefined);
  }
  assert.deepEqual(asked, [ruleDumpRequest('ipv4'), ruleDumpRequest('ipv6'), ruleDumpRequest('ipv4')]);
  assert.equal(readPolicyRules({ openNetlink: () => ({ refused: 'EPERM' }) }), undefined);
});

test('a table is empty when its dump ends at once or the kernel has no such table, and not for any other answer', () => {
  const ended = (type: number, errno: number) => {
    const body = Buffer.alloc(4);
    body.writeInt32LE(-errno);
    return message(type, body);
  };
  assert.equal(saysEmpty(ended(3, 0)), true);
  assert.equal(saysEmpty(ended(3, 2)), true);
  assert.equal(saysEmpty(ended(2, 2)), true);
  assert.equal(saysEmpty(ended(2, 1)), false);
  assert.equal(saysEmpty(message(24, Buffer.alloc(12))), false);
  assert.equal(saysEmpty(Buffer.alloc(3)), false);
});

test('of the two tables that iproute2 prints for a SID, the one in which it looks up has another name', () => {
  const printed = '{"dst":"fd00::d6","encap":"seg6local","action":"End.DT6","table":"100","dev":"sr0","table":"main"}';
  assert.equal(
    withLookupTables(printed),
    '{"dst":"fd00::d6","encap":"seg6local","action":"End.DT6","lookup":"100","dev":"sr0","table":"main"}',
  );
  const plain = '{"dst":"fd00::e","encap":"seg6local","action":"End","dev":"sr0","table":"main"}';
  assert.equal(withLookupTables(plain), plain);
});
