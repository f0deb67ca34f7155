// Echoes of a node's own: of IPv6 an answer is told by its identifier, and by how many were sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEcho6 } from '#codec/icmp.ts';
import { isReplyOf, openEchoes } from '#router/helper/hosts/echoes.ts';

/** A kernel of one host, `::1`, that answers each echo. */
function answering() {
  const waiting: Uint8Array[] = [];
  const opened: unknown[] = [];
  const socket = {
    send(message: Uint8Array, towards: Uint8Array) {
      if (towards.at(-1) === 1) waiting.push(Uint8Array.from([129, ...message.subarray(1)]));
      return true;
    },
    receive: () => waiting.shift(),
    close: () => {},
  };
  const libc = {
    openTransport: (source: Uint8Array, protocol: number) => {
      opened.push([source.length, protocol]);
      return socket;
    },
    openIcmp: () => assert.fail('no socket of IPv4'),
  };
  return { libc: libc as unknown as Parameters<typeof openEchoes>[0], opened };
}

test('an echo over IPv6 is answered by its identifier and a sequence that was sent; a request and another answer are none', () => {
  const { libc, opened } = answering();
  const echoes = openEchoes(libc, '::1')!;
  assert.deepEqual(opened, [[16, 58]]);
  assert.equal(echoes.send(7, 1, '::1'), true);
  const answer = echoes.receive()!;
  assert.equal(isReplyOf(answer, 7, '::1', 2), true);
  assert.equal(isReplyOf(answer, 7, '::1', 1), false, 'its sequence was not sent yet');
  assert.equal(isReplyOf(answer, 8, '::1', 2), false);
  assert.equal(isReplyOf(Uint8Array.from(encodeEcho6(7, 1)), 7, '::1', 2), false, 'the request itself');
  assert.equal(isReplyOf(answer.subarray(0, 7), 7, '::1', 2), false);
  assert.equal(echoes.receive(), undefined);
  assert.equal(echoes.send(7, 1, '198.19.1.10'), false, 'another family');
  assert.equal(openEchoes(libc, 'none'), undefined);
});
