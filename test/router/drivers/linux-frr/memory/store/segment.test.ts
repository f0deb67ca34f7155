// The form of segments on disk, and what is read of one that a power cut, a disk or another version left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSegment, encodeLine, headLine } from '#router/drivers/linux-frr/memory/store/segment.ts';

const bytesOf = (...lines: readonly string[]) => Buffer.from(lines.join(''));
const RECORDS = ['{"k":"stop","atMs":1}', '{"k":"stop","atMs":2}', '{"k":"stop","atMs":3}'];
const WHOLE = bytesOf(headLine(7), ...RECORDS.map(encodeLine));

test('a line is a CRC-32 of RFC 1952, a space and the record', () => {
  assert.equal(encodeLine('123456789'), 'cbf43926 123456789\n');
});

test('what was written is read, with when it was begun', () => {
  assert.deepEqual(decodeSegment(WHOLE), {
    ...{ kind: 'read', lines: RECORDS, goodBytes: WHOLE.length, tornBytes: 0, damaged: 0, beganMs: 7 },
  });
});

test('a segment that was cut at any octet loses the record that was cut, and none before it', () => {
  const ends = [0, 1, 2, 3].map((count) => bytesOf(headLine(7), ...RECORDS.slice(0, count).map(encodeLine)).length);
  for (let cut = 0; cut < WHOLE.length; cut++) {
    const whole = ends.filter((end) => end <= cut).length;
    const segment = decodeSegment(WHOLE.subarray(0, cut));
    assert.equal(segment.kind, 'read');
    if (segment.kind !== 'read') continue;
    assert.deepEqual(segment.lines, RECORDS.slice(0, Math.max(0, whole - 1)));
    assert.equal(segment.goodBytes + segment.tornBytes, cut);
    assert.equal(segment.goodBytes, ends[whole - 1] ?? 0);
  }
});

test('a damaged record is left out; those around it are read', () => {
  const damaged = Buffer.from(WHOLE);
  damaged[WHOLE.indexOf('"atMs":2') + 7] = 0x39;
  const segment = decodeSegment(damaged);
  assert.deepEqual(segment.kind === 'read' && [segment.lines, segment.damaged, segment.tornBytes], [
    [RECORDS[0], RECORDS[2]],
    1,
    0,
  ]);
});

test('a segment of another version, or of something else, is not read', () => {
  const later = encodeLine('{"parley":"memory","version":2,"atMs":7,"form":"other"}');
  assert.deepEqual(decodeSegment(bytesOf(later, encodeLine('{"k":"stop","atMs":1}'))), { kind: 'unknown', version: 2 });
  assert.deepEqual(decodeSegment(bytesOf(encodeLine('{"k":"stop","atMs":1}'))), { kind: 'unknown' });
  assert.deepEqual(decodeSegment(bytesOf('not ours\n')), {
    ...{ kind: 'read', lines: [], goodBytes: 0, tornBytes: 9, damaged: 0 },
  });
});
