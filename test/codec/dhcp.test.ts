// A question for an offer as a relay passes it on, and what offers say (RFC 2131, RFC 2132).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessage, decodeOffer, encodeDiscover, isReply } from '#codec/dhcp.ts';

const MAC = Uint8Array.from([2, 0, 0, 0, 1, 3]);
const RELAY = Uint8Array.from([198, 19, 1, 1]);

/** A reply from 198.19.3.10 for 198.19.1.100, with these options after the type. */
function replyWith(options: readonly number[], type = 2): Uint8Array {
  const message = Buffer.alloc(300);
  message.set([2, 1, 6, 1]);
  message.writeUInt32BE(0x01020304, 4);
  message.set([198, 19, 1, 100], 16);
  message.set([99, 130, 83, 99, 53, 1, type, ...options], 236);
  return Uint8Array.from(message);
}

test('a question says whose relay it comes from, asks for a broadcast answer and requests no lease', () => {
  const hex = Buffer.from(encodeDiscover(0xa1b2c3d4, MAC, RELAY)).toString('hex');
  assert.equal(hex.length, 600);
  assert.equal(hex.slice(0, 24), '01010601a1b2c3d400008000');
  assert.equal(hex.slice(24, 68), `${'00'.repeat(12)}c6130101020000000103`);
  assert.equal(hex.slice(472, 472 + 40), `63825363350101370401030636ff${'0'.repeat(12)}`);
});

test('a question for the network of another address says which (RFC 3527), before the list of options ends', () => {
  const hex = Buffer.from(encodeDiscover(1, MAC, RELAY, Uint8Array.from([198, 19, 3, 10]))).toString('hex');
  assert.equal(hex.length, 600);
  assert.equal(hex.slice(472, 472 + 56), `6382536335010137040103063652060504c613030aff${'0'.repeat(12)}`);
  assert.equal(decodeMessage(encodeDiscover(1, MAC, RELAY, Uint8Array.from([198, 19, 3, 10])))?.link, '198.19.3.10');
});

test('an offer says an address, a mask, routers, name servers and who offers', () => {
  const options = [
    54, 4, 198, 19, 3, 10, 0, 1, 4, 255, 255, 255, 0, 3, 4, 198, 19, 1, 1, 6, 8, 198, 19, 1, 10, 198, 19, 2, 10,
  ];
  assert.deepEqual(decodeOffer(replyWith([...options, 255])), {
    transaction: 0x01020304,
    address: '198.19.1.100',
    server: '198.19.3.10',
    mask: '255.255.255.0',
    routers: ['198.19.1.1'],
    names: ['198.19.1.10', '198.19.2.10'],
  });
  assert.deepEqual(decodeOffer(replyWith([255])), {
    transaction: 0x01020304,
    address: '198.19.1.100',
    routers: [],
    names: [],
  });
});

test('what is no offer says nothing: another type, a question, no cookie, a short message', () => {
  assert.equal(decodeOffer(replyWith([255], 5)), undefined);
  assert.equal(decodeOffer(encodeDiscover(1, MAC, RELAY)), undefined);
  assert.equal(decodeOffer(replyWith([]).slice(0, 236)), undefined);
  const bare = replyWith([]);
  bare[236] = 0;
  assert.equal(decodeOffer(bare), undefined);
  assert.equal(isReply(replyWith([])), true);
  assert.equal(isReply(encodeDiscover(1, MAC, RELAY)), false);
});

test('an option that is cut short ends the list, and of one that comes twice the first counts', () => {
  assert.deepEqual(decodeOffer(replyWith([3, 4, 198, 19, 1, 1, 3, 4, 198, 19, 1, 254, 255]))?.routers, ['198.19.1.1']);
  const cut = replyWith([3, 200, 198, 19, 1, 1]).slice(0, 250);
  assert.deepEqual(decodeOffer(cut)?.routers, []);
  assert.deepEqual(decodeOffer(replyWith([3, 3, 198, 19, 1, 255]))?.routers, []);
  const many = Array.from({ length: 12 }, (_, index) => [198, 19, 1, index]).flat();
  assert.equal(decodeOffer(replyWith([3, many.length, ...many, 255]))?.routers.length, 8);
});
