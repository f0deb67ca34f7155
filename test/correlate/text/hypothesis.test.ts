// A finding in a few words: where it is and what, in the form of its resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hypothesisOf } from '#correlate/text/hypothesis.ts';

const words = (resource: string, fault = 'mtu_mismatch', more: object = {}) =>
  hypothesisOf({ fault, resource, details: {}, ...more } as never);

test('node, interface and link are named as they are, ports with slashes in them too', () => {
  assert.equal(words('node/r1', 'frr_service_down'), '{r1} frr service down');
  assert.equal(words('interface/r1/eth1'), '{r1} eth1 mtu mismatch');
  assert.equal(words('interface/r1/Ethernet1/2'), '{r1} Ethernet1/2 mtu mismatch');
  assert.equal(words('link/r1:eth1--r2:eth2'), '{r1} eth1 – {r2} eth2 mtu mismatch');
  assert.equal(words('link/r1:Ethernet1/2--r2:xe-0/0/1'), '{r1} Ethernet1/2 – {r2} xe-0/0/1 mtu mismatch');
});

test('a headline stands instead, and what is over is said to be', () => {
  assert.equal(words('interface/r1/eth1', 'packet_loss', { headline: 'as it says' }), 'as it says');
  assert.equal(
    words('node/r1', 'daemon_down', { details: { over: true, agoSeconds: 30 } }),
    '{r1} daemon down, over: 30 s ago',
  );
});
