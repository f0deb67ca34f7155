// A finding in a few words: where it is and what, in the form of its resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAULT_FORMS } from '#correlate/text/clues.ts';
import { hypothesisOf } from '#correlate/text/hypothesis.ts';

const words = (resource: string, fault = 'mtu_mismatch', more: object = {}) =>
  hypothesisOf({ fault, resource, details: {}, ...more } as never);

test('node, interface and link are named as they are, ports with slashes in them too', () => {
  assert.equal(words('node/r1', 'frr_service_down'), '{r1} FRR service down');
  assert.equal(words('interface/r1/eth1'), '{r1} eth1 MTU mismatch');
  assert.equal(words('interface/r1/Ethernet1/2'), '{r1} Ethernet1/2 MTU mismatch');
  assert.equal(words('link/r1:eth1--r2:eth2'), '{r1} eth1 – {r2} eth2 MTU mismatch');
  assert.equal(words('link/r1:Ethernet1/2--r2:xe-0/0/1'), '{r1} Ethernet1/2 – {r2} xe-0/0/1 MTU mismatch');
});

test('a headline stands instead, and what is over is said to be', () => {
  assert.equal(words('interface/r1/eth1', 'packet_loss', { headline: 'as it says' }), 'as it says');
  assert.equal(
    words('node/r1', 'daemon_down', { details: { over: true, agoSeconds: 30 } }),
    '{r1} daemon down, over: 30 s ago',
  );
});

test('an id stands in a sentence as engineers write it: abbreviations in capitals, no shortened words, no words in the wrong order', () => {
  assert.equal(words('node/r1', 'isis_area_mismatch'), '{r1} IS-IS area mismatch');
  assert.equal(words('node/r1', 'srv6_sid_missing'), '{r1} SRv6 SID missing');
  assert.equal(words('node/r1', 'bgp_asn_misconfig'), '{r1} BGP ASN misconfiguration');
  assert.equal(words('node/h1', 'host_incorrect_gateway'), '{h1} wrong gateway');
  const plain =
    /\b(?:acl|arp|asn|bfd|bgp|dhcp|dns|dscp|ecmp|fib|frr|hmac|http|icmp|id|ip|isis|mac|misconfig|mtu|ospf|rib|rpki|sid|srv6|vrrp)\b/;
  for (const { fault } of FAULT_FORMS) assert.doesNotMatch(words('node/r1', fault), plain, fault);
});
