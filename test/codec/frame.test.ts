// Frames of NET-14: any cut into chunks, bad lengths, truncation, linear time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFrameDecoder, encodeFrame, encodeTextFrame } from '#codec/frame.ts';
import { processorMsOf } from '../processor-time.ts';

test('prefixes the length without counting itself [NET-14]', () => {
  assert.equal(Buffer.from(encodeFrame(Buffer.from('{}'))).toString('hex'), '000000027b7d');
});

test('gives back the frames however the stream is cut [NET-14]', () => {
  const payload = fc.uint8Array({ minLength: 1, maxLength: 70 });
  fc.assert(
    fc.property(
      fc.array(payload, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      (payloads, cuts) => {
        const stream = Buffer.concat(payloads.map((bytes) => encodeFrame(bytes)));
        const decoder = createFrameDecoder();
        const frames: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const end = at + cuts[turn % cuts.length]!;
          const result = decoder.push(stream.subarray(at, end));
          assert.ok(result.ok);
          frames.push(...result.value);
          at = end;
        }
        assert.deepEqual(frames, payloads);
        assert.equal(decoder.pendingBytes, 0);
        assert.deepEqual(decoder.end(), { ok: true, value: undefined });
      },
    ),
    { numRuns: 300 },
  );
});

test('refuses an empty frame and one over a mebibyte, at the stream offset of its length [NET-14]', () => {
  assert.deepEqual(createFrameDecoder().push(Buffer.from('00000001aa00000000', 'hex')), {
    ok: false,
    reason: 'expected a frame of 1 to 1048576 bytes, got 0',
    offset: 5,
  });
  assert.equal(createFrameDecoder().push(Buffer.from('00100000', 'hex')).ok, true);
  const decoder = createFrameDecoder();
  const refused = decoder.push(Buffer.from('00100001', 'hex'));
  assert.deepEqual(refused, { ok: false, reason: 'expected a frame of 1 to 1048576 bytes, got 1048577', offset: 0 });
  assert.equal(createFrameDecoder().push(Buffer.from('ffffffff', 'hex')).ok, false);
  assert.equal(decoder.push(Buffer.from('00000001aa', 'hex')), refused);
  assert.equal(decoder.end(), refused);
});

test('tells a stream that ends inside a frame [NET-14]', () => {
  const decoder = createFrameDecoder();
  decoder.push(Buffer.from('00000001aa000000', 'hex'));
  assert.equal(decoder.pendingBytes, 3);
  assert.deepEqual(decoder.end(), {
    ok: false,
    reason: 'expected a whole frame, got the end of the stream',
    offset: 8,
  });
  decoder.push(Buffer.from('02bb', 'hex'));
  assert.equal(decoder.pendingBytes, 5);
  assert.equal(decoder.end().ok, false);
});

test('does not encode what the other side would refuse', () => {
  assert.equal(Buffer.from(encodeTextFrame('"é"')).toString('hex'), '0000000422c3a922');
  for (const text of ['', 'é'.repeat(524_289)]) assert.throws(() => encodeTextFrame(text), { code: 'us/frame-size' });
  assert.throws(() => encodeFrame(new Uint8Array(0)), { code: 'us/frame-size' });
  assert.throws(() => encodeFrame(new Uint8Array(1_048_577)), { code: 'us/frame-size' });
  assert.equal(encodeFrame(new Uint8Array(1_048_576)).length, 1_048_580);
});

test('gives copies: a reused read buffer does not change a frame', () => {
  const chunk = Buffer.from('00000001aa', 'hex');
  const result = createFrameDecoder().push(chunk);
  chunk.fill(0);
  assert.deepEqual(result, { ok: true, value: [Uint8Array.of(0xaa)] });
});

test('takes a mebibyte in pieces of a byte without copying it over and over', () => {
  const stream = encodeFrame(new Uint8Array(1_048_576).fill(7));
  const decoder = createFrameDecoder();
  let frameCount = 0;
  const tookMs = processorMsOf(() => {
    for (let at = 0; at < stream.length; at++) {
      const result = decoder.push(stream.subarray(at, at + 1));
      if (result.ok) frameCount += result.value.length;
    }
  });
  assert.equal(frameCount, 1);
  // Quadratic copying would take minutes.
  assert.ok(tookMs < 5_000);
});

test('never throws on any bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 }), (chunks) => {
      const decoder = createFrameDecoder({ maxBytes: 16 });
      for (const chunk of chunks) decoder.push(chunk);
      assert.ok(decoder.pendingBytes <= 20);
      decoder.end();
    }),
    { numRuns: 500 },
  );
});
