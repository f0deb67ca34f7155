// Requests against their schemas: what passes, and the words in which the first fault is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeRequest } from '#model/router/probe-schema.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';

const PROBE = {
  ...{ destination: 'fd00::1', segments: ['fd00::2'], count: 100, intervalMs: 1 },
  ...{ payloadBytes: 64, lingerMs: 300 },
};

function refusal(schema: Parameters<typeof checked>[0], value: unknown): string {
  try {
    checked(schema, value);
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'caller/bad-argument');
    return (error as Error).message;
  }
  return 'passed';
}

test('a request within its bounds passes as it is', () => {
  assert.deepEqual(checked(probeRequest, PROBE), PROBE);
  const most = { ...PROBE, count: 10_000, payloadBytes: 8_192, lingerMs: 2_000, flows: 1, trafficClass: 255 };
  assert.deepEqual(checked(probeRequest, most), most);
});

test('what is out of bounds is refused with what was expected and what it got', () => {
  const refusals: readonly (readonly [object, string])[] = [
    [{ lingerMs: 2_001 }, 'expected an integer from 0 to 2000, got 2001'],
    [{ payloadBytes: 31 }, 'expected an integer from 32 to 8192, got 31'],
    [{ count: '5' }, 'expected an integer from 1 to 10000, got "5"'],
    [{ intervalMs: 0.1 }, 'expected a number from 0.2 to 1000, got 0.1'],
    [{ destination: 'fe80::1' }, 'expected an address of a node, got "fe80::1"'],
    [{ segments: ['fd00::2', 7] }, 'expected an address of a node, got 7'],
    [{ segments: 'fd00::2' }, 'expected at most 16 SIDs, got "fd00::2"'],
    [{ segments: Array.from({ length: 17 }, () => 'fd00::2') }, 'expected at most 16 SIDs, got ["fd00::2"'],
    [{ segments: ['fd00::2', 'fd00::3', 'fd00:0::2'] }, 'expected each SID once, got ["fd00::2"'],
    [{ destination: undefined }, 'expected an address of a node, got nothing'],
    [
      { via: { ifname: 'eth1', mac: '33:33:00:00:00:01' } },
      'expected a MAC address of one host, got "33:33:00:00:00:01"',
    ],
    [{ train: true, count: 1_025, payloadBytes: 32 }, 'expected a train of at most 65536 bytes, got {'],
    [{ count: 10_000, intervalMs: 100 }, 'expected a probe run of at most 60000 ms, got {'],
  ];
  for (const [over, message] of refusals) {
    const got = refusal(probeRequest, { ...PROBE, ...over });
    assert.equal(got.slice(0, message.length), message);
  }
});

test('a member that the schema does not name is refused with those that it names, however deep it lies', () => {
  assert.equal(refusal(READ_REQUESTS.log, { count: 1, lines: 2 }), 'expected only the members count, got "lines"');
  assert.equal(refusal(READ_REQUESTS.filters, { all: true }), 'expected only the members (none), got "all"');
  const ask = { ifname: 'eth1', gateway: '198.19.1.1', server: '198.19.3.1', lease: true };
  assert.equal(
    refusal(READ_REQUESTS.dhcp, { asks: [ask], patient: false }),
    'expected only the members ifname, gateway, server, link, got "lease"',
  );
  const via = { ifname: 'eth1', mac: '02:00:00:00:00:01', vlan: 7 };
  assert.equal(refusal(probeRequest, { ...PROBE, via }), 'expected only the members ifname, mac, got "vlan"');
});

test('a name that libpcap or a program would take for something else is no interface', () => {
  for (const ifname of ['-i', '../eth1', 'any', '1', 'nfqueue', 'dbus-system', 'abcdefghijklmnop', ''])
    assert.equal(
      refusal(READ_REQUESTS.served, { ifnames: [ifname] }),
      `expected an interface name, got ${JSON.stringify(ifname)}`,
    );
});

test('the JSON Schema of a request has the bounds of its check', () => {
  const { properties, required, additionalProperties } = argumentSchema(probeRequest);
  assert.deepEqual(required, ['destination', 'segments', 'count', 'intervalMs', 'payloadBytes', 'lingerMs']);
  assert.equal(additionalProperties, false);
  const { lingerMs, payloadBytes, segments } = properties as Record<string, unknown>;
  assert.deepEqual(lingerMs, { type: 'integer', minimum: 0, maximum: 2_000 });
  assert.deepEqual(payloadBytes, { type: 'integer', minimum: 32, maximum: 8_192 });
  assert.deepEqual(segments, { type: 'array', items: { type: 'string', minLength: 2, maxLength: 45 }, maxItems: 16 });
});
