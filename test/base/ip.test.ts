// Addresses and prefixes: what is read, what is refused, and which share a subnet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';

const share = (one: string, other: string) => sharesSubnet(parsePrefix(one)!, parsePrefix(other)!);

test('reads IPv4 and IPv6 with and without a length', () => {
  assert.deepEqual(parsePrefix('198.18.0.1/31'), {
    family: 4,
    address: '198.18.0.1',
    value: 0xc6120001n,
    prefixBits: 31,
  });
  assert.deepEqual(parsePrefix('fd00::1'), {
    family: 6,
    address: 'fd00::1',
    value: 0xfd000000000000000000000000000001n,
    prefixBits: 128,
  });
  assert.equal(parsePrefix('::ffff:192.0.2.1/96')?.value, 0xffffc0000201n);
  assert.equal(parsePrefix('::/0')?.value, 0n);
  assert.equal(parsePrefix('2001:db8:1:2:3:4:5:6/64')?.value, 0x20010db8000100020003000400050006n);
});

test('refuses what is no prefix', () => {
  for (const text of [
    '',
    '/',
    '198.18.0.1/33',
    'fd00::1/129',
    'fd00::1/-1',
    'fd00::1/64/1',
    'fe80::1%eth0/64',
    'pe1',
    '198.18.0/24',
    'fd00::1/',
    'fd00::1/6a',
  ]) {
    assert.equal(parsePrefix(text), undefined, text);
  }
});

test('two ends of one subnet share it; equal addresses, lengths that differ and families that differ do not', () => {
  assert.equal(share('198.18.0.0/31', '198.18.0.1/31'), true);
  assert.equal(share('198.18.0.1/31', '198.18.0.2/31'), false);
  assert.equal(share('fd00::1/127', 'fd00::/127'), true);
  assert.equal(share('fd00:0:0:1::1/64', 'fd00:0:0:1::2/64'), true);
  assert.equal(share('fd00:0:0:1::1/64', 'fd00:0:0:2::1/64'), false);
  assert.equal(share('fd00::1/64', 'fd00::1/64'), false);
  assert.equal(share('fd00::1/64', 'fd00::2/127'), false);
  assert.equal(share('198.18.0.1/24', 'fd00::1/24'), false);
});

test('knows link-local addresses by their ten bits', () => {
  assert.deepEqual(
    ['fe80::1/64', 'febf::1/64', 'fec0::1/64', 'fd00::1/64', '198.18.0.1/24'].map((text) =>
      isLinkLocal(parsePrefix(text)!),
    ),
    [true, true, false, false, false],
  );
});
