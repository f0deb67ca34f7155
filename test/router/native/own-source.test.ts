// Which addresses probes may be sent from, on the machine that runs the test: its own, and no other's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { sourcesIn } from '#router/helper/probe/sources.ts';
import { isOwnSource, ownAddresses } from '#router/native/addresses.ts';

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
