// The command set of the CLI tool: what is a show command, and everything that only looks like one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParleyError } from '#base/error.ts';
import { buildShowCommand, parseShowCommand, SHOW_FORMS } from '#router/protocol/show-commands.ts';

test('a command is taken apart into its form and places [NET-2]', () => {
  assert.deepEqual(parseShowCommand('show ip route vrf mgmt 192.0.2.1 json'), {
    form: 'show ip route vrf VRF ADDRESS json',
    source: 'zebra',
    places: { VRF: 'mgmt', ADDRESS: '192.0.2.1' },
  });
  assert.equal(parseShowCommand('show interface TenGigE0/0/0/0').places['IFNAME'], 'TenGigE0/0/0/0');
  assert.equal(parseShowCommand('  show  version ').form, 'show version');
});

const NO_COMMANDS = [
  'configure terminal',
  'show version; configure terminal',
  'show version\nconfigure terminal',
  'show version\0configure terminal',
  'show version | include x',
  'show ip route',
  'show ip route json',
  'show bgp ipv4 unicast',
  'show running-config\tx',
  'show interface eth1 ; reload',
  'show ip route 192.0.2.1;x',
  'show ip route 192.0.2.0/33',
  'show ip route fe80::1%eth1',
  'show interface -h',
  'ping 192.0.2.1 repeat 1000',
  'ping 192.0.2.1 source eth1 repeat 5',
  'write memory',
  'clear isis neighbor',
  'debug isis adj-packets',
  'SHOW VERSION',
  '',
  'show version '.padEnd(400, 'x'),
];

for (const command of NO_COMMANDS) {
  test(`${JSON.stringify(command.slice(0, 40))} is no show command [NET-2]`, () => {
    assert.throws(
      () => parseShowCommand(command),
      (error: unknown) => error instanceof ParleyError && error.code === 'caller/unknown-command',
    );
  });
}

test('no form shows a whole routing table, and none leaves the view mode', () => {
  assert.deepEqual(SHOW_FORMS.filter((form) => /^(?:show|ping) /.test(form)).length, SHOW_FORMS.length);
  assert.deepEqual(
    SHOW_FORMS.filter((form) =>
      /^show (?:ip|ipv6) route(?: \[json\])?$|^show (?:ip )?bgp(?: ipv[46] unicast)?(?: \[json\])?$/.test(form),
    ),
    [],
  );
});

test('the helper builds the text from the form alone and checks every place again', () => {
  assert.equal(
    buildShowCommand('show ip route PREFIX json', { PREFIX: '192.0.2.0/24' }).text,
    'show ip route 192.0.2.0/24 json',
  );
  for (const places of [{}, { PREFIX: '192.0.2.0/24\nconfigure' }, { PREFIX: 5 }]) {
    assert.throws(() => buildShowCommand('show ip route PREFIX json', places), /expected a value for PREFIX/);
  }
  assert.throws(() => buildShowCommand('configure terminal', {}), /expected a form of the command set/);
});

test('whatever is typed, what a daemon would get is one line of plain characters from a form', () => {
  const words = fc.constantFrom(
    'show',
    'ip',
    'route',
    'vrf',
    'json',
    ';',
    '|',
    '\n',
    '\0',
    '192.0.2.1',
    '::1',
    'eth1',
    'configure',
    'interface',
    'ping',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 7 }), (parts) => {
      try {
        const { form, places } = parseShowCommand(parts.join(' '));
        return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(buildShowCommand(form, places).text);
      } catch (error) {
        return error instanceof ParleyError && error.code === 'caller/unknown-command';
      }
    }),
    { numRuns: 2_000 },
  );
});
