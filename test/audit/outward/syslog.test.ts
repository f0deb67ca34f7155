// Records of the audit trail as syslog messages: the fields of RFC 5424, the frames of RFC 5425, and nothing that a record says gets out of its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syslogFrame } from '#audit/outward/syslog.ts';

const line = (fields: Record<string, unknown>) =>
  Buffer.from(
    JSON.stringify({ sequence: 7, hash: 'a1', time: '2026-11-20T22:14:15.003Z', event: 'request', ...fields }),
  );

test('one record is one message with its length before it [TS-31]', () => {
  const frame = syslogFrame('pe1', line({ sessionId: 's-1' })).toString();
  assert.equal(
    frame,
    '202 <110>1 2026-11-20T22:14:15.003Z pe1 parley - request [parley@32473 seq="7" hash="a1" session-id="s-1"] \ufeff{"sequence":7,"hash":"a1","time":"2026-11-20T22:14:15.003Z","event":"request","sessionId":"s-1"}',
  );
  assert.equal(Buffer.byteLength(frame.slice(4)), 202);
});

test('refusals are warnings, and what means an attack or a loss is more [TS-31]', () => {
  const priority = (fields: Record<string, unknown>) =>
    /<(\d+)>/.exec(syslogFrame('pe1', line(fields)).toString())?.[1];
  assert.deepEqual(
    [
      { event: 'response', status: 'answered' },
      { event: 'response', status: 'refused' },
      { event: 'connection-refused' },
      { event: 'audit/disk-full' },
      { event: 'audit/tail-missing' },
      { event: 'constructor' },
    ].map(priority),
    ['110', '108', '108', '107', '106', '110'],
  );
});

test('values are escaped, and no character of a record ends its message or its element [TS-31]', () => {
  const frame = syslogFrame('pe 1\n', line({ event: 'a b\n\u{1f600}'.repeat(9), sessionId: 'x"]\\\n[y' })).toString();
  const [header = ''] = frame.split(' [');
  assert.match(header, /^\d+ <110>1 \S+ pe\?1\? parley - [\x21-\x7e]{32}$/);
  assert.ok(frame.includes(' session-id="x\\"\\]\\\\ [y"] \ufeff{'));
  assert.equal(frame.includes('\n'), false);
});

test('a record that no receiver needs to take is sent cut, under its own number and digest [TS-31]', () => {
  const frame = syslogFrame('pe1', line({ reason: 'ü'.repeat(2_000), detail: { big: 'x'.repeat(16_000) } })).toString();
  assert.ok(Buffer.byteLength(frame) < 8_192);
  assert.ok(frame.includes('[parley@32473 seq="7" hash="a1" cut="yes"]'));
  const { reason, detail, cutFromBytes } = JSON.parse(frame.slice(frame.indexOf('\ufeff') + 1));
  assert.deepEqual([reason, detail, cutFromBytes], ['ü'.repeat(256), undefined, 20_110]);
});

test('a line that is no record is sent as damage [TS-31]', () => {
  for (const damaged of ['{"sequence":7', '[]', '{"sequence":-1.5,"hash":"a","time":"2026-11-20T22:14:15.003Z"}', ''])
    assert.match(syslogFrame('pe1', Buffer.from(damaged)).toString(), /^\d+ <106>1 - pe1 parley - damaged-line /);
});
