// Questions to name servers, and answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesIn, encodeQuestion, holdsRecord, nameAnswerIn } from '#codec/dns.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

test('a question for a name is as RFC 1035 §4.1 writes it; without a name it asks nothing', () => {
  assert.equal(
    Buffer.from(encodeQuestion(0x706c, 'www.lab.example')).toString('hex'),
    '706c01000001000000000000' + '03777777' + '036c6162' + '076578616d706c65' + '0000010001',
  );
  assert.equal(Buffer.from(encodeQuestion(0x706c)).toString('hex'), '706c01000000000000000000');
});

test('an answer holds a record when it is ours, without an error, and counts one', () => {
  assert.equal(holdsRecord(bytes('706c 8580 0001 0001 0000 0000'), 0x706c), true);
  assert.equal(holdsRecord(bytes('706c 8580 0001 0000 0000 0000'), 0x706c), false);
  assert.equal(holdsRecord(bytes('706c 8583 0001 0000 0000 0000'), 0x706c), false);
  assert.equal(holdsRecord(bytes('706c 8583 0001 0001 0000 0000'), 0x706c), false);
  assert.equal(holdsRecord(bytes('706d 8580 0001 0001 0000 0000'), 0x706c), false);
  assert.equal(holdsRecord(bytes('706c 0580 0001 0001 0000 0000'), 0x706c), false);
  assert.equal(holdsRecord(bytes('706c 8580'), 0x706c), false);
});

/** What dnsmasq answers for a name of its own: AA, one question, one A record. */
const OWN =
  '1234 8580 0001 0001 0000 0000 03777777 036c6162 076578616d706c65 00 0001 0001 c00c 0001 0001 00000000 0004 c0000250';

function ownNameIn(message: Uint8Array): string | undefined {
  const answer = nameAnswerIn(message);
  return answer?.given === true ? answer.name : undefined;
}

test('that there is no such name, no address, or no answer for this asker, is read with the name; that a server fails is not', () => {
  const denied = { name: 'www.lab.example', given: false };
  for (const head of ['8583', '8183', '8585', '8105'])
    assert.deepEqual(nameAnswerIn(bytes(OWN.replace('8580 0001 0001', `${head} 0001 0000`))), denied, head);
  for (const head of ['8580', '8180'])
    assert.deepEqual(nameAnswerIn(bytes(OWN.replace('8580 0001 0001', `${head} 0001 0000`))), denied, head);
  for (const head of ['8582', '8182', '0583', '8783', '8d83', '8180'])
    assert.equal(nameAnswerIn(bytes(OWN.replace('8580', head))), undefined, head);
  assert.equal(
    nameAnswerIn(bytes(OWN.replace('8580', '8583').replace('00 0001 0001 c00c', '00 001c 0001 c00c'))),
    undefined,
  );
});

test('of an answer the name is read only where the server is the authority and gives an IPv4 address', () => {
  assert.equal(ownNameIn(bytes(OWN)), 'www.lab.example');
  assert.equal(ownNameIn(bytes(OWN.replace('03777777', '03575777'))), 'www.lab.example');
  const others = {
    'a resolver’s answer': OWN.replace('8580', '8180'),
    'a question': OWN.replace('8580', '0580'),
    'no such name': OWN.replace('8580', '8583'),
    refused: OWN.replace('8580', '8585'),
    truncated: OWN.replace('8580', '8780'),
    'no records': OWN.replace('0001 0001 0000', '0001 0000 0000'),
    'two questions': OWN.replace('8580 0001', '8580 0002'),
    'IPv6 addresses': OWN.replace('00 0001 0001 c00c', '00 001c 0001 c00c'),
    'another class': OWN.replace('00 0001 0001 c00c', '00 0001 0003 c00c'),
    'a pointer for a name': OWN.replace('03777777', 'c00c7777'),
    'a label beyond the end': '1234 8580 0001 0001 0000 0000 3f777777',
    'no end of the name': '1234 8580 0001 0001 0000 0000 03777777 036c6162',
    'half a header': '1234 8580 0001',
  };
  for (const [what, hex] of Object.entries(others)) assert.equal(ownNameIn(bytes(hex)), undefined, what);
});

test('hostile answers give a name or nothing, and end', () => {
  const good = bytes(OWN);
  for (let at = 0; at < good.length; at++)
    for (const value of [0, 1, 0x3f, 0x40, 0xc0, 0xff]) {
      const name = ownNameIn(good.with(at, value));
      assert.ok(name === undefined || name.length < 256, `${at} ${value}`);
      assert.ok((ownNameIn(good.with(at, value).subarray(0, at)) ?? '').length < 256);
    }
  const long = Uint8Array.from([...good.subarray(0, 12), ...Array(400).fill([1, 0x61]).flat()]);
  assert.equal(ownNameIn(long), undefined);
});

test('the addresses of an answer are read once each and in order, past names and records of other kinds; not those of another answer', () => {
  const own = OWN.replace('1234', '706c');
  const alias = 'c00c 0005 0001 00000000 0002 c010';
  const more = 'c00c 0001 0001 00000000 0004 c0000207';
  assert.deepEqual(addressesIn(bytes(own), 0x706c, 8), ['192.0.2.80']);
  const three = `${own.replace('0001 0001 0000 0000', '0001 0004 0000 0000').replace(/c00c 0001/, `${alias} c00c 0001`)} ${more} ${more}`;
  assert.deepEqual(addressesIn(bytes(three), 0x706c, 8), ['192.0.2.7', '192.0.2.80']);
  assert.deepEqual(addressesIn(bytes(three), 0x706c, 1), ['192.0.2.80']);
  assert.deepEqual(addressesIn(bytes(own), 0x706d, 8), []);
  assert.deepEqual(addressesIn(bytes(own.replace('8580', '8583')), 0x706c, 8), []);
});

test('an answer that ends anywhere, or is made of any octets, gives no address that is not in it', () => {
  const whole = bytes(OWN.replace('1234', '706c'));
  for (let end = 0; end < whole.length; end++) assert.deepEqual(addressesIn(whole.subarray(0, end), 0x706c, 8), []);
  const endless = Uint8Array.from([...whole.subarray(0, 12), ...new Array<number>(400).fill(1)]);
  assert.deepEqual(addressesIn(endless, 0x706c, 8), []);
});
