// IP addresses of hints: text and octets, and which can be dialled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeAddress, encodeAddress, isDialable } from '#discovery/address.ts';

const hexOf = (text: string) => {
  const octets = encodeAddress(text);
  return octets === undefined ? undefined : Buffer.from(octets).toString('hex');
};

test('encodes both families and refuses everything else', () => {
  assert.equal(hexOf('198.18.0.1'), 'c6120001');
  assert.equal(hexOf('2001:db8::1'), '20010db8000000000000000000000001');
  assert.equal(hexOf('2001:DB8:0:0:0:0:0:1'), '20010db8000000000000000000000001');
  assert.equal(hexOf('fd00::'), `fd00${'00'.repeat(14)}`);
  assert.equal(hexOf('::'), '00'.repeat(16));
  const refused = [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '198.018.0.1',
    '1.2.3.-4',
    ' 198.18.0.1',
    'fd00::1%eth0',
    'fd00:::1',
    'fd00::1::2',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    'fd00::12345',
    'fd00::g',
    '::ffff:198.18.0.1',
    ':',
  ];
  for (const text of refused) assert.equal(hexOf(text), undefined, text);
});

test('writes addresses as RFC 5952 says', () => {
  const textOf = (hex: string) => decodeAddress(Uint8Array.from(Buffer.from(hex, 'hex')));
  assert.equal(textOf('c6120001'), '198.18.0.1');
  assert.equal(textOf('20010db8000000000000000000000001'), '2001:db8::1');
  assert.equal(textOf('20010db8000000010000000000000001'), '2001:db8:0:1::1');
  assert.equal(textOf('20010db8000000000001000000000001'), '2001:db8::1:0:0:1');
  assert.equal(textOf('20010db8000100000001000100010001'), '2001:db8:1:0:1:1:1:1');
  assert.equal(textOf('fd000000000000000000000000000000'), 'fd00::');
  assert.equal(textOf('00'.repeat(16)), '::');
  assert.equal(textOf('c61200'), undefined);
});

test('only addresses at which a peer can be are dialable', () => {
  for (const text of ['198.18.0.1', '192.0.2.1', 'fd00::1', '2001:db8::1']) assert.equal(isDialable(text), true, text);
  const refused = ['0.0.0.0', '127.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'ff02::1', '::ffff:0:1', 'pe1'];
  for (const text of refused) assert.equal(isDialable(text), false, text);
  for (const octets of [
    [169, 254, 1, 1],
    [224, 0, 0, 5],
  ])
    assert.equal(isDialable(octets.join('.')), false);
});
