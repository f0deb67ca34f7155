// Which addresses probes may be sent from, on the machine that runs the test: its own, and no other's.
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { type TestContext, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { sourcesIn } from '#router/helper/probe/sources.ts';
import { isOwnSource, ownAddresses, probeSource } from '#router/native/addresses.ts';

test('an address of documentation, a loopback of every host and a link-local one are no sources', () => {
  for (const address of ['192.0.2.1', '127.0.0.1', '::1', 'fe80::1', '2001:db8::1']) {
    assert.equal(isOwnSource(address), false, address);
    assert.throws(
      () => sourcesIn([address]),
      (error) => error instanceof ParleyError && error.code === 'caller/source-address',
    );
  }
});

test('every IPv4 address that others can reach is one', () => {
  for (const address of ownAddresses('IPv4')) assert.deepEqual(sourcesIn([address]), { IPv4: address });
  assert.deepEqual(sourcesIn(), {});
});

/** Interfaces as the kernel would list them, for as long as a test runs. */
function withInterfaces(t: TestContext, rows: Readonly<Record<string, readonly string[]>>): void {
  const entryOf = (ifname: string, cidr: string) => ({
    ...{ address: cidr.split('/')[0]!, cidr, netmask: '', mac: '02:00:00:00:00:01', scopeid: 0 },
    ...{ family: cidr.includes(':') ? 'IPv6' : 'IPv4', internal: ifname === 'lo' },
  });
  const listed = Object.entries(rows).map(([ifname, cidrs]) => [ifname, cidrs.map((cidr) => entryOf(ifname, cidr))]);
  t.mock.method(os, 'networkInterfaces', () => Object.fromEntries(listed));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

const LINK = ['198.19.1.1/24', '2001:db8:1::1/64'];

test('a host is tried from the loopback, so that an answer shows its way back, over IPv6 as over IPv4', (t) => {
  withInterfaces(t, { eth3: LINK, lo: ['127.0.0.1/8', '::1/128', '198.19.255.1/32', '2001:db8:ff::1/128'] });
  assert.equal(probeSource('198.19.1.10'), '198.19.255.1');
  assert.equal(probeSource('2001:db8:1::10'), '2001:db8:ff::1');
});

test('without a loopback of its family a host is tried from the address on its link, and another from what the kernel chooses', (t) => {
  withInterfaces(t, { eth3: LINK, lo: ['127.0.0.1/8', '::1/128'] });
  assert.equal(probeSource('198.19.1.10'), '198.19.1.1');
  assert.equal(probeSource('2001:db8:1::10'), '2001:db8:1::1');
  assert.equal(probeSource('2001:db8:2::10'), undefined);
});
