// Questions to name servers, and answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeQuestion, holdsRecord } from '#codec/dns.ts';

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
