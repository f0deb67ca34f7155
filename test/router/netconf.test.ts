// NETCONF on the wire: both framings on the octets of RFC 6242, XML that must not be read, and a session over a stream in memory.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNetconfDecoder, encodeNetconf } from '#router/drivers/netconf/framing.ts';
import { createNetconfOperations } from '#router/drivers/netconf/operations.ts';
import { openNetconfSession } from '#router/drivers/netconf/session.ts';
import { formatXml, parseXml } from '#router/drivers/netconf/xml.ts';
import { settle } from '../fakes/clock.ts';

/** RFC 6242 §4.2: a reply of a close-session in three chunks, as printed there in form. */
const CHUNKED = '\n#4\n<rpc\n#18\n message-id="102"\n\n#5\n></rp\n#2\nc>\n##\n';

test('reads the chunks of RFC 6242, however they are cut', () => {
  for (let cut = 0; cut <= CHUNKED.length; cut++) {
    const decoder = createNetconfDecoder(1_000);
    decoder.useChunks();
    const messages = [CHUNKED.slice(0, cut), CHUNKED.slice(cut)].flatMap((part) => {
      const pushed = decoder.push(Buffer.from(part));
      assert.ok(pushed.ok);
      return pushed.value;
    });
    assert.deepEqual(messages, ['<rpc message-id="102"\n></rpc>']);
  }
});

test('reads and writes the end-of-message framing of the hello', () => {
  assert.equal(Buffer.from(encodeNetconf('<hello/>', '1.0')).toString(), '<hello/>]]>]]>');
  assert.equal(Buffer.from(encodeNetconf('<ä/>', '1.1')).toString(), '\n#5\n<ä/>\n##\n');
  const decoder = createNetconfDecoder(1_000);
  assert.deepEqual(decoder.push(Buffer.from('<hello/>]]>]')), { ok: true, value: [] });
  assert.deepEqual(decoder.push(Buffer.from(']>')), { ok: true, value: ['<hello/>'] });
});

for (const bytes of ['\n#0\n', '\n#01\n', 'x', '\n#99999999999\n', '\n#-1\n', '\n# 4\n', '\n#5000\nabc']) {
  test(`refuses the chunk ${JSON.stringify(bytes)}`, () => {
    const decoder = createNetconfDecoder(1_000);
    decoder.useChunks();
    assert.equal(decoder.push(Buffer.from(bytes)).ok, false);
  });
}

test('what was framed comes back, in any pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (texts, size) => {
        const bytes = Buffer.concat(texts.map((text) => encodeNetconf(text, '1.1')));
        const decoder = createNetconfDecoder(10_000);
        decoder.useChunks();
        const got: string[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          const pushed = decoder.push(bytes.subarray(at, at + size));
          assert.ok(pushed.ok);
          got.push(...pushed.value);
        }
        assert.deepEqual(got, texts);
      },
    ),
  );
});

test('reads elements, attributes, text, CDATA and the five entities', () => {
  const read = parseXml(
    '<?xml version="1.0"?>\n<nc:a x="1&quot;" y=\'2\'>t&lt;&#65;<!-- no --><b/><![CDATA[<c>]]></nc:a>',
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value, {
    name: 'a',
    namespace: '',
    attributes: { x: '1"', y: '2' },
    text: 't<A<c>',
    children: [{ name: 'b', namespace: '', attributes: {}, text: '', children: [] }],
  });
  assert.equal(
    formatXml({ name: 'a', namespace: '', attributes: { x: '"' }, children: [], text: '<&>' }),
    '<a x="&quot;">&lt;&amp;&gt;</a>',
  );
});

for (const text of [
  '<a><: b="1"/></a>',
  '<a:b:c/>',
  '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '<a>&b;</a>',
  '<a>&amp</a>',
  '<a>&#0;</a>',
  '<a>&#1114112;</a>',
  '<?php ?><a/>',
  '<a><b></a></b>',
  '<a>',
  '</a>',
  '<a/><b/>',
  'text',
  '',
  '<a x=1/>',
  '<a x="1" x="2"/>',
  '<a x="<"/>',
  '<a'.repeat(100),
  '<a>'.repeat(100) + '</a>'.repeat(100),
]) {
  test(`refuses the XML ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.equal(parseXml(text).ok, false);
  });
}

test('no text makes the XML reader throw', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<a',
    '/>',
    '&amp;',
    '&',
    ';',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '"',
    "'",
    ' x=',
    '<?xml ?>',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => void parseXml(pieces.join(''))),
    { numRuns: 2_000 },
  );
});

/** A device in memory: answers each message by `reply`, in chunks after the hello. */
function device(reply: (message: string) => string | undefined, hello = HELLO, wakes = true) {
  const stream = new EventEmitter();
  const said: string[] = [];
  const decoder = createNetconfDecoder(100_000);
  const send = (bytes: Uint8Array) => queueMicrotask(() => stream.emit('data', bytes));
  return {
    said,
    notify: (text: string) => send(encodeNetconf(text, '1.1')),
    stream: Object.assign(stream, {
      write(bytes: Uint8Array) {
        const messages = decoder.push(bytes);
        assert.ok(messages.ok);
        for (const message of messages.value) {
          said.push(message);
          if (message.includes('<hello')) {
            decoder.useChunks();
            send(encodeNetconf(hello, '1.0'));
          } else {
            const id = /message-id="(\d+)"/.exec(message)?.[1] ?? '';
            const body = wakes && message.includes(NOTHING) ? '<data/>' : reply(message);
            if (body !== undefined) send(encodeNetconf(`<rpc-reply message-id="${id}">${body}</rpc-reply>`, '1.1'));
          }
        }
      },
      destroy: () => void queueMicrotask(() => stream.emit('close')),
    }),
  };
}

/** What a session asks first, to know that its hello was read. */
const NOTHING = '<get><filter type="subtree"/></get>';
const HELLO =
  '<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities><capability>urn:ietf:params:netconf:base:1.1</capability></capabilities><session-id>4</session-id></hello>';

test('a session speaks chunks after the hello and numbers its calls', async () => {
  const { stream, said } = device(() => '<ok/>');
  const session = await openNetconfSession(stream);
  assert.equal(session.sessionId, '4');
  const operations = createNetconfOperations(session);
  await operations.commit({ timeoutSeconds: 120, persist: 'a<b' });
  await operations.commit(undefined, 'a<b');
  assert.equal(
    said[2],
    '<rpc xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" message-id="2"><commit><confirmed/><confirm-timeout>120</confirm-timeout><persist>a&lt;b</persist></commit></rpc>',
  );
  assert.match(said[3]!, /message-id="3"><commit><persist-id>a&lt;b<\/persist-id><\/commit>/);
  await session.close();
  assert.equal(session.closed, true);
  await assert.rejects(session.rpc('<get/>'), { code: 'node/netconf-unreachable' });
});

test("a device's error is a refusal with its tag, a warning is none", async () => {
  const fault = (severity: string) =>
    `<rpc-error><error-type>application</error-type><error-tag>unknown-element</error-tag><error-severity>${severity}</error-severity><error-path>/a</error-path><error-message>no</error-message></rpc-error>`;
  const { stream } = device((message) => (message.includes('lock') ? fault('error') : `${fault('warning')}<data/>`));
  const operations = createNetconfOperations(await openNetconfSession(stream));
  await assert.rejects(operations.lock('candidate'), {
    code: 'node/netconf-refused',
    data: { wireCode: -32088, tag: 'unknown-element', retryPossible: false, path: '/a' },
  });
  assert.equal((await operations.get()).name, 'data');
});

test('notifications are heard, and a reply to nothing ends the session', async () => {
  const { stream, notify } = device(() => undefined);
  const session = await openNetconfSession(stream);
  const heard: string[] = [];
  session.onNotification((notification) => heard.push(notification.children[0]?.name ?? ''));
  notify('<notification><netconf-config-change/></notification>');
  const waiting = session.rpc('<get/>');
  notify('<rpc-reply message-id="77"><ok/></rpc-reply>');
  await assert.rejects(waiting, { code: 'node/netconf-unreachable' });
  assert.deepEqual(heard, ['netconf-config-change']);
});

test('one call at a time is under way', async () => {
  const { stream, said, notify } = device(() => undefined);
  const session = await openNetconfSession(stream);
  const calls = [session.rpc('<get/>'), session.rpc('<get-config/>')];
  await settle();
  assert.equal(said.length, 3);
  assert.match(said[2]!, /<get\/>/);
  notify('<rpc-reply message-id="2"><ok/></rpc-reply>');
  await settle();
  assert.equal(said.length, 4);
  notify('<rpc-reply message-id="3"><ok/></rpc-reply>');
  await Promise.all(calls);
});

test("a reply that comes after its call was given up is nobody's", async () => {
  const { stream, notify } = device((message) => (message.includes('<get/>') ? undefined : '<ok/>'));
  const session = await openNetconfSession(stream);
  await assert.rejects(session.rpc('<get/>', 1), { code: 'node/timeout' });
  notify('<rpc-reply message-id="2"><ok/></rpc-reply>');
  await session.rpc('<get-config/>');
  assert.equal(session.closed, false);
});

test('a first request that lies unread behind the hello is pushed by a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // As netconfd 2.13: what came in one read with the hello waits for more octets.
  const { stream, said, notify } = device(() => undefined, HELLO, false);
  const opening = openNetconfSession(stream);
  await settle();
  assert.equal(said.length, 2);
  t.mock.timers.tick(500);
  await settle();
  assert.equal(said.length, 3);
  notify('<rpc-reply message-id="1"><data/></rpc-reply>');
  notify('<rpc-reply message-id="2"><data/></rpc-reply>');
  assert.equal((await opening).closed, false);
});

test('what is no hello ends the session', async () => {
  await assert.rejects(openNetconfSession(device(() => '', 'SSH-2.0-x').stream), { code: 'node/netconf-unreachable' });
});
