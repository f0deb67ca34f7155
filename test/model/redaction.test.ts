// The one redaction: every form of secret that the network's own words announce, in text, data and logs; and nothing that is no secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#base/log.ts';
import {
  isRedacted,
  REDACTED_MARK,
  redactConfiguration,
  redactData,
  redactLine,
  redactText,
} from '#model/redaction.ts';

const SECRETS: readonly (readonly [string, string])[] = [
  [' isis password md5 s3cret', ' isis password md5 <redacted>'],
  [' area-password clear s3cret', ' area-password clear <redacted>'],
  [' neighbor 192.0.2.1 password s3cret', ' neighbor 192.0.2.1 password <redacted>'],
  [' ip ospf message-digest-key 1 md5 s3cret', ' ip ospf message-digest-key 1 md5 <redacted>'],
  [' ip ospf authentication-key s3cret', ' ip ospf authentication-key <redacted>'],
  [' ip rip authentication string s3cret', ' ip rip authentication string <redacted>'],
  [' key-string 7 s3cret', ' key-string 7 <redacted>'],
  ['snmp-server community s3cret RO', 'snmp-server community <redacted> RO'],
  ['rocommunity s3cret default', 'rocommunity <redacted>'],
  ['enable password 8 s3cret', 'enable password 8 <redacted>'],
  ['username ann privilege 15 secret 5 s3cret', 'username ann privilege 15 secret 5 <redacted>'],
  ['crypto isakmp key pre-shared-key s3cret', 'crypto isakmp key pre-shared-key <redacted>'],
  ['line 3: % Unknown command: isis passphrase s3cret', 'line 3: % Unknown command: isis passphrase <redacted>'],
];

test('takes out what follows the words that announce a secret, and keeps the rest of the line [NET-18]', () => {
  for (const [line, expected] of SECRETS) assert.equal(redactLine(line), expected);
});

test('keeps lines that only speak of secrets [NET-18]', () => {
  const kept = ['service password-encryption', ' isis authentication send-only'];
  assert.equal(redactLine(kept[0]!), kept[0]);
  assert.equal(redactLine(kept[1]!), kept[1]);
  assert.equal(redactConfiguration('hostname a\n'), 'hostname a\n');
  assert.equal(isRedacted('hostname a'), false);
});

test('a configuration that lost something says so in its first line, and is recognised as no configuration [NET-18]', () => {
  const redacted = redactConfiguration('hostname a\npassword s3cret\n');
  assert.equal(redacted, `${REDACTED_MARK}\nhostname a\npassword <redacted>\n`);
  for (const text of [redacted, 'password <removed by NMS>', 'password ********']) assert.equal(isRedacted(text), true);
});

test('leaves of data are known by their names, at any depth [NET-18]', () => {
  assert.deepEqual(
    redactData({ isis: [{ 'frr-isisd:password': 's3cret', 'auth-password': 's3cret', metric: 10 }], 'key-string': 7 }),
    {
      isis: [{ 'frr-isisd:password': '<redacted>', 'auth-password': '<redacted>', metric: 10 }],
      'key-string': '<redacted>',
    },
  );
});

test('no secret reaches a log, however deep it stands in a field [NET-18]', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', sink: (line) => lines.push(line), now: () => 0, redact: redactText });
  log
    .child({ node: 'a' })
    .warn('refused', { reason: 'line 1: isis password md5 s3cret', deep: { more: ['password s3cret'] } });
  assert.equal(
    lines[0],
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"refused","node":"a","reason":"line 1: isis password md5 <redacted>","deep":{"more":["password <redacted>"]}}',
  );
});
