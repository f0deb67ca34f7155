// The closed set of statements, edits of the candidate, and what may be pushed. Texts are as FRR 8.4 prints them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRedacted, redactConfiguration } from '#model/redaction.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import { applyLines, checkPushed } from '#router/config/edit.ts';
import { differenceOf, fingerprint, formatBlocks, missingInterface, parseBlocks } from '#router/config/text.ts';

const RUNNING = `frr version 8.4.4
frr defaults traditional
hostname a
log file /var/log/frr/frr.log informational
ipv6 route fd00:5a:1::/48 blackhole
interface eth1
 ip address 198.18.12.0/31
 isis metric 20
 isis password md5 first-secret
exit
!
router isis core
 net 49.0001.0000.0000.0001.00
exit
!
`;

test('a statement replaces the one of its kind and leaves the rest', () => {
  const edited = applyLines(RUNNING, ['interface eth1', ' isis metric 33', ' description to b']);
  assert.ok(edited.ok);
  assert.deepEqual(differenceOf(RUNNING, edited.value), [
    { sign: '-', context: 'interface eth1', line: 'isis metric 20' },
    { sign: '+', context: 'interface eth1', line: 'description to b' },
    { sign: '+', context: 'interface eth1', line: 'isis metric 33' },
  ]);
});

test('several addresses and routes stand side by side', () => {
  const edited = applyLines(RUNNING, [
    'ipv6 route fd00:5a:2::/48 blackhole',
    'ip route 192.0.2.0/24 198.18.12.1',
    'interface eth1',
    'ip address 198.18.13.0/31',
  ]);
  assert.ok(edited.ok);
  assert.match(edited.value, /^ipv6 route fd00:5a:1::\/48 blackhole$/m);
  assert.match(edited.value, /^ipv6 route fd00:5a:2::\/48 blackhole$/m);
  assert.match(edited.value, /^ ip address 198\.18\.12\.0\/31$/m);
  assert.match(edited.value, /^ ip address 198\.18\.13\.0\/31$/m);
});

test('no takes away by words alone, or the whole line', () => {
  const edited = applyLines(RUNNING, ['no ipv6 route fd00:5a:1::/48 blackhole', 'interface eth1', 'no isis metric']);
  assert.ok(edited.ok);
  assert.doesNotMatch(edited.value, /isis metric|ipv6 route/);
});

test('a neighbour has one password and keeps its other statements', () => {
  const bgp = 'router bgp 65001\n neighbor 192.0.2.1 remote-as 65002\n neighbor 192.0.2.1 password old\nexit\n';
  const edited = applyLines(bgp, ['router bgp 65001', 'neighbor 192.0.2.1 password new']);
  assert.ok(edited.ok);
  assert.equal(
    edited.value,
    'router bgp 65001\n neighbor 192.0.2.1 password new\n neighbor 192.0.2.1 remote-as 65002\nexit\n!\n',
  );
});

const REFUSED = [
  'do show running-config',
  'write memory',
  'log file /etc/cron.d/evil',
  'end',
  'start-shell bash',
  'configure terminal',
  'password zebra',
  'enable password x',
  'line vty',
  'no router isis core',
  'hostname other',
  'ip route 192.0.2.0/24 198.18.12.1; reboot',
  'ip route 192.0.2.0/24 $(reboot)',
  'ipv6 route fd00::/48 blackhole\nlog file /tmp/x',
  'ipv6 route fd00::/48 blackhole\0do write',
  'interface eth1; exit',
  'interface --help',
  `description ${'x'.repeat(600)}`,
];

for (const line of REFUSED) {
  test(`refuses ${JSON.stringify(line.slice(0, 50))} [NET-2]`, () => {
    assert.equal(applyLines(RUNNING, [line]).ok, false);
    assert.equal(applyLines(RUNNING, ['interface eth1', line]).ok, false);
  });
}

const INTERFACES = RUNNING.split('\n').filter((line) => line.startsWith('interface '));

test('no text whatever brings in a line outside the closed set [NET-2]', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      'interface eth1',
      ' isis metric 5',
      'do',
      'log file /x',
      'exit',
      'end',
      'no ',
      '\n',
      '\r',
      '!',
      'router isis core',
    ),
  );
  const allowed =
    /^(description [ -~]{1,200}|shutdown|ip address \S+|ipv6 address \S+|ip router isis \S+|ipv6 router isis \S+|isis .*|ip route .*|ipv6 route .*|area-password .*|domain-password .*|is-type \S+|metric-style \S+|log-adjacency-changes|set-overload-bit|redistribute ipv[46] .*)$/;
  fc.assert(
    fc.property(
      fc.array(
        fc.array(word, { maxLength: 3 }).map((words) => words.join('')),
        { maxLength: 6 },
      ),
      (lines) => {
        const edited = applyLines(RUNNING, lines);
        if (!edited.ok) return;
        // An interface that was there keeps its block, empty.
        for (const { sign, line } of differenceOf(RUNNING, edited.value))
          if (sign === '+' && !INTERFACES.includes(line)) assert.match(line, allowed);
      },
    ),
    { numRuns: 2_000 },
  );
});

/** A line for each statement of the closed set, below the head that it belongs to. */
const SETTABLE: readonly (readonly [head: string, line: string])[] = [
  ['', 'ip route 192.0.2.0/24 198.18.12.1'],
  ['', 'ip route 198.51.100.0/24 blackhole 250'],
  ['', 'ipv6 route 2001:db8:7::/48 eth9'],
  ['interface eth9', 'description to b'],
  ['interface eth9', 'shutdown'],
  ['interface eth9', 'ip address 198.18.9.0/31'],
  ['interface eth9', 'ipv6 address fd00:9::1/64'],
  ['interface eth9', 'ip router isis other'],
  ['interface eth9', 'ipv6 router isis other'],
  ['interface eth9', 'isis bfd'],
  ['interface eth9', 'isis circuit-type level-2-only'],
  ['interface eth9', 'isis hello-interval 3'],
  ['interface eth9', 'isis hello-multiplier 5 level-2'],
  ['interface eth9', 'isis metric 30'],
  ['interface eth9', 'isis network point-to-point'],
  ['interface eth9', 'isis passive'],
  ['interface eth9', 'isis password md5 abcd'],
  ['interface eth9', 'ip ospf area 0.0.0.0'],
  ['interface eth9', 'ip ospf dead-interval 40'],
  ['interface eth9', 'ip ospf hello-interval 10'],
  ['interface eth9', 'ip ospf passive'],
  ['interface eth9', 'ipv6 ospf6 area 0.0.0.0'],
  ['interface eth9', 'ipv6 ospf6 dead-interval 40'],
  ['interface eth9', 'ipv6 ospf6 hello-interval 10'],
  ['interface eth9', 'ipv6 ospf6 passive'],
  ['router isis other', 'area-password md5 abcd'],
  ['router isis other', 'domain-password clear abcd'],
  ['router isis other', 'is-type level-2-only'],
  ['router isis other', 'metric-style wide'],
  ['router isis other', 'log-adjacency-changes'],
  ['router isis other', 'set-overload-bit'],
  ['router isis other', 'redistribute ipv4 connected level-2'],
  ['router isis other', 'redistribute ipv6 static level-1'],
  ['router bgp 65001', 'bgp router-id 192.0.2.1'],
  ['router bgp 65001', 'neighbor 192.0.2.9 remote-as 65002'],
  ['router bgp 65001', 'neighbor 192.0.2.9 shutdown'],
  ['router bgp 65001', 'neighbor 192.0.2.9 bfd'],
  ['router bgp 65001', 'neighbor 192.0.2.9 description to c'],
  ['router bgp 65001', 'neighbor 192.0.2.9 password abcd'],
];

test('whatever lines an edit adds, an edit takes away: one by one, and by their blocks [NET-15]', () => {
  const linesOf = (chosen: typeof SETTABLE, prefix: string) =>
    chosen.flatMap(([head, line]) => (head === '' ? [`${prefix}${line}`] : [head, ` ${prefix}${line}`, 'exit']));
  const textOf = (text: string, lines: readonly string[]) => {
    const edited = applyLines(text, lines);
    assert.ok(edited.ok, edited.ok ? '' : edited.reason);
    return edited.value;
  };
  fc.assert(
    fc.property(fc.subarray([...SETTABLE], { minLength: 1 }), (chosen) => {
      const edited = textOf(RUNNING, linesOf(chosen, ''));
      assert.equal(differenceOf(RUNNING, edited).filter(({ sign }) => sign === '-').length, 0);
      const cleared = textOf(edited, linesOf(chosen, 'no '));
      const left = differenceOf(RUNNING, cleared).map(({ line }) => line);
      assert.deepEqual(
        left,
        [...new Set(left)].filter((line) => /^(interface eth9|router (isis other|bgp 65001))$/.test(line)),
      );
      const heads = [...new Set(chosen.map(([head]) => head))].filter((head) => head !== '');
      const routes = chosen.filter(([head]) => head === '').map(([, line]) => `no ${line}`);
      const gone = textOf(edited, [...routes, ...heads.map((head) => `no ${head}`)]);
      assert.equal(fingerprint(gone), fingerprint(RUNNING));
    }),
    { numRuns: 300 },
  );
});

test('a block that holds a line outside the closed set is not removed as a whole, and stays as it is', () => {
  const refused = applyLines(RUNNING, ['no router isis core']);
  assert.equal(refused.ok, false);
  assert.match(refused.ok ? '' : refused.reason, /below "router isis core" that may be configured, got 1 others/);
  const cleared = applyLines(RUNNING, ['interface eth1', ' isis metric 7', 'no interface eth1']);
  assert.ok(cleared.ok && !/isis|ip address/.test(cleared.value.split('router isis')[0]!.split('interface eth1')[1]!));
});

test('lines for an interface that the node does not have are found, and those of one that had lines are not', () => {
  const present = new Set(['lo', 'eth1']);
  const edited = applyLines(RUNNING, ['interface Loopback100', ' ip address 100.100.100.100/32']);
  assert.ok(edited.ok);
  assert.equal(missingInterface(RUNNING, edited.value, present), 'Loopback100');
  assert.equal(missingInterface(edited.value, edited.value, present), undefined);
  assert.equal(missingInterface(RUNNING, RUNNING, new Set()), undefined);
});

test('a pushed text may change only what is in the closed set [NET-7]', () => {
  assert.ok(checkPushed(RUNNING, RUNNING).ok);
  assert.ok(checkPushed(RUNNING, RUNNING.replace('isis metric 20', 'isis metric 21')).ok);
  assert.equal(checkPushed(RUNNING, RUNNING.replace('/var/log/frr/frr.log', '/etc/cron.d/x')).ok, false);
  assert.equal(checkPushed(RUNNING, `${RUNNING}enable password x\n`).ok, false);
  assert.equal(checkPushed(RUNNING, RUNNING.replace('hostname a\n', '')).ok, false);
});

test('secrets are taken out, and what is left can neither be pushed nor typed back [NET-18]', () => {
  const secrets = [
    ' isis password md5 s3cret-one',
    ' area-password clear s3cret-two',
    ' neighbor 192.0.2.1 password s3cret-three',
    ' ip ospf message-digest-key 1 md5 s3cret-four',
    ' key-string s3cret-five',
    'snmp-server community s3cret-six ro',
    'enable password 8 s3cret-seven',
    'password s3cret-eight',
  ];
  const redacted = redactConfiguration(`${RUNNING}${secrets.join('\n')}\n`);
  assert.doesNotMatch(redacted, /s3cret|first-secret/);
  assert.equal(redacted.split(REDACTED).length - 1, secrets.length + 2);
  assert.equal(isRedacted(redacted), true);
  assert.equal(checkPushed(RUNNING, redacted).ok, false);
  assert.equal(checkPushed(RUNNING, redacted.split('\n').slice(1).join('\n')).ok, false);
  assert.equal(applyLines(RUNNING, ['interface eth1', `isis password md5 ${REDACTED}`]).ok, false);
  assert.equal(redactConfiguration(RUNNING.replace(/.*first-secret\n/, '')).startsWith('!'), false);
});

test('two texts are one configuration whatever the order of their lines and blocks', () => {
  const turned = `router isis core\n net 49.0001.0000.0000.0001.00\nexit\n!\ninterface eth1\n isis password md5 first-secret\n isis metric 20\n ip address 198.18.12.0/31\nexit\ninterface eth7\nexit\nipv6 route fd00:5a:1::/48 blackhole\nlog file /var/log/frr/frr.log informational\nhostname a\nfrr defaults traditional\nfrr version 8.4.4\nend\n`;
  assert.equal(fingerprint(turned), fingerprint(RUNNING));
  assert.notEqual(fingerprint(turned.replace('metric 20', 'metric 21')), fingerprint(RUNNING));
  assert.equal(formatBlocks(parseBlocks(RUNNING)), RUNNING);
});

const FAMILY = `router bgp 65001
 neighbor 192.0.2.1 remote-as 65002
 address-family ipv4 unicast
  network 198.19.1.0/24
  neighbor 192.0.2.1 activate
 exit-address-family
 address-family ipv6 unicast
  neighbor 2001:db8::1 activate
 exit-address-family
exit
`;

test('a network statement stands in its address family, and the rest of the family stays', () => {
  const lines = ['router bgp 65001', ' address-family ipv4 unicast', '  network 198.19.2.0/24'];
  const edited = applyLines(FAMILY, [
    ...lines,
    '  no network 198.19.1.0/24',
    ' exit-address-family',
    ' bgp router-id 192.0.2.9',
  ]);
  assert.ok(edited.ok);
  assert.equal(
    edited.value,
    FAMILY.replace('198.19.1.0/24\n', '198.19.2.0/24\n')
      .replace(
        '  network 198.19.2.0/24\n  neighbor 192.0.2.1 activate',
        '  neighbor 192.0.2.1 activate\n  network 198.19.2.0/24',
      )
      .replace('65001\n', '65001\n bgp router-id 192.0.2.9\n')
      .replace(/exit\n$/, 'exit\n!\n'),
  );
  assert.deepEqual(applyLines(FAMILY, lines.with(2, '  network 198.19.1.0/24')), {
    ok: true,
    value: formatBlocks(
      parseBlocks(
        FAMILY.replace(
          '  network 198.19.1.0/24\n  neighbor 192.0.2.1 activate',
          '  neighbor 192.0.2.1 activate\n  network 198.19.1.0/24',
        ),
      ),
    ),
  });
});

test('a family that is not there is opened; nothing but networks is configured in one, and none without its process', () => {
  const opened = applyLines('router bgp 65001\n bgp router-id 192.0.2.9\nexit\n', [
    'router bgp 65001',
    ' address-family ipv6 unicast',
    '  network 2001:db8::/48',
  ]);
  assert.deepEqual(opened, {
    ok: true,
    value:
      'router bgp 65001\n bgp router-id 192.0.2.9\n address-family ipv6 unicast\n  network 2001:db8::/48\n exit-address-family\nexit\n!\n',
  });
  const family = ['router bgp 65001', ' address-family ipv4 unicast'];
  assert.match(
    JSON.stringify(applyLines(FAMILY, [...family, '  neighbor 192.0.2.1 route-map X in'])),
    /line 3: expected a statement/,
  );
  assert.match(
    JSON.stringify(applyLines(RUNNING, [...family, '  network 198.19.1.0/24'])),
    /line 3: expected .+router bgp 65001.+ which is not configured/,
  );
  assert.equal(applyLines(RUNNING, ['interface eth1', ' address-family ipv4 unicast']).ok, false);
  assert.equal(applyLines(RUNNING, ['address-family ipv4 unicast', ' network 198.19.1.0/24']).ok, false);
});
