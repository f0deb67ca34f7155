// expectations.yaml: every form is read, every mistake has its line, and single lines change without the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpectations } from '#config/expectations.ts';
import { endText, withAllow, withoutAllow } from '#config/expectations-edit.ts';

const faults = ['link_down', 'mtu_mismatch', 'isis_metric_misconfig'];
const NOW = Date.parse('2026-06-01T12:00:00Z');
const read = (text: string, nowMs?: number) =>
  readExpectations(text, { faults, ...(nowMs === undefined ? {} : { nowMs }) });
const linesOf = (text: string) => {
  const said = read(text);
  assert.ok('lines' in said, JSON.stringify(said));
  return said.lines;
};
const problemsOf = (text: string, nowMs?: number) => {
  const said = read(text, nowMs);
  assert.ok('problems' in said, JSON.stringify(said));
  return said.problems;
};

const WHOLE = `# ours
expect:
  - link: r1:eth1--r2:eth1
    reason: the only way out
    owner: netops
  - { session: 198.18.0.1, at: r1 }
  - { route: 198.18.0.0/24, at: r3 }
  - { service: tcp/80, at: 198.18.3.10 }
allow:
  # the old radio
  - fault: mtu_mismatch
    resource: link/r1:*--r3:*
    reason: a radio that carries 1,400 octets
    owner: netops
    until: 2026-12-31
maintenance:
  - from: 2026-06-01T20:00Z
    until: 2026-06-01T22:00+01:00
    nodes: [r1]
    links: ["r2:eth2--r3:eth1"]
    reason: new power supply
    owner: ann
`;

test('every form is read, dates until their end and times in UTC', () => {
  const said = { reason: 'a radio that carries 1,400 octets', owner: 'netops' };
  assert.deepEqual(linesOf(WHOLE), [
    { kind: 'expect', what: 'link', subject: 'r1:eth1--r2:eth1', reason: 'the only way out', owner: 'netops' },
    { kind: 'expect', what: 'session', subject: '198.18.0.1', at: 'r1' },
    { kind: 'expect', what: 'route', subject: '198.18.0.0/24', at: 'r3' },
    { kind: 'expect', what: 'service', subject: 'tcp/80', at: '198.18.3.10' },
    { kind: 'allow', fault: 'mtu_mismatch', resource: 'link/r1:*--r3:*', until: '2026-12-31T23:59:59.999Z', ...said },
    {
      ...{ kind: 'maintenance', from: '2026-06-01T20:00:00.000Z', until: '2026-06-01T21:00:00.000Z' },
      ...{ nodes: ['r1'], links: ['r2:eth2--r3:eth1'], reason: 'new power supply', owner: 'ann' },
    },
  ]);
});

test('an empty file says nothing', () => {
  for (const text of ['', '# only a comment\n', 'allow:\n', 'expect: []\n']) assert.deepEqual(linesOf(text), []);
});

test('all mistakes are named at once, each with its line', () => {
  const text = `expect:
  - { link: r1:eth1--r2:eth1, at: r1 }
  - { route: 198.18.0.0, at: r3 }
  - { session: 198.18.0.1 }
  - { service: tcp/22, at: 198.18.3.10 }
allow:
  - fault: mtu_mismach
    resource: lnk/r1
    reason: because
    until: 2026-02-30
    colour: red
maintenence: []
`;
  assert.deepEqual(problemsOf(text), [
    'line 2: expect, entry 1: expected no "at" beside a link',
    'line 3: expect, entry 2, route: expected a prefix such as 198.18.0.0/24',
    'line 4: expect, entry 3: expected "at" with the name of a node',
    'line 5: expect, entry 4, service: expected one of udp/53, tcp/80, tcp/443, tcp/8080',
    'line 7: allow, entry 1, fault: expected a fault of docs/faults.md or "*", got mtu_mismach; the nearest: mtu_mismatch, link_down, isis_metric_misconfig',
    'line 7: allow, entry 1, owner: expected text, got nothing',
    'line 8: allow, entry 1, resource: expected a resource such as node/r1, interface/r1/eth1, link/r1:*--r3:* or "*"',
    'line 10: allow, entry 1, until: expected a date such as 2026-12-31 or a time such as 2026-12-31T18:00Z, got 2026-02-30',
    'line 11: allow, entry 1: unknown key colour',
    'line 12: unknown key maintenence',
  ]);
});

test('what ended before it is written is refused, and stays readable afterwards', () => {
  const past = WHOLE.replace('2026-12-31', '2026-05-31');
  assert.deepEqual(problemsOf(past, NOW), [
    'line 15: allow, entry 1, until: expected an end after 2026-06-01T12:00:00.000Z, got 2026-05-31: give it a later end, or remove it',
  ]);
  assert.equal(linesOf(past).length, 6);
  assert.ok('lines' in read(WHOLE, NOW));
});

test('a window ends after its beginning and names a place', () => {
  const window = (from: string, until: string, places: string) =>
    `maintenance:\n  - { from: ${from}, until: ${until}, ${places}reason: r, owner: o }\n`;
  assert.deepEqual(problemsOf(window('2026-06-02', '2026-06-01', 'nodes: [r1], ')), [
    'line 2: maintenance, entry 1, until: expected an end after its beginning',
  ]);
  assert.deepEqual(problemsOf(window('2026-06-01', '2026-06-01', '')), [
    'line 2: maintenance, entry 1: expected nodes or links, got neither',
  ]);
});

test('text that is no YAML, no mapping, too long, or grows by aliases is refused', () => {
  assert.match(problemsOf('allow:\n  - [')[0]!, /^line 2: /);
  assert.deepEqual(problemsOf('- 1\n'), ['line 1: expected the keys expect, allow and maintenance']);
  assert.deepEqual(problemsOf(`# ${'x'.repeat(65_536)}`), ['expected at most 65536 characters, got 65538']);
  assert.deepEqual(problemsOf('allow: &a []\nexpect: *a\n'), ['expected no aliases']);
});

const RADIO = {
  fault: 'mtu_mismatch',
  resource: 'link/r1:*--r3:*',
  reason: 'later',
  owner: 'ann',
  until: '2027-01-31',
};

test('the same fault and resource is one line, and comments stay', () => {
  const text = withAllow(WHOLE, RADIO);
  assert.equal(withAllow(text, RADIO), text);
  assert.match(text, /^# ours\n/);
  assert.match(
    text,
    / {2}# the old radio\n {2}- fault: mtu_mismatch\n {4}resource: link\/r1:\*--r3:\*\n {4}reason: later\n/,
  );
  assert.equal(linesOf(text).length, 6);
  const more = withAllow(text, { ...RADIO, resource: 'node/r1', fault: '*' });
  assert.equal(linesOf(more).length, 7);
  assert.equal(withoutAllow(more, '*', 'node/r1'), text);
});

test('the first line makes a file and the last one leaves none', () => {
  const first = withAllow('', RADIO);
  assert.equal(linesOf(first).length, 1);
  assert.equal(withoutAllow(first, 'mtu_mismatch', 'node/r9'), undefined);
  assert.equal(withoutAllow('', 'mtu_mismatch', 'node/r9'), undefined);
  assert.equal(withoutAllow(first, RADIO.fault, RADIO.resource), '');
});

test('an end is a date, a time, or a span from now', () => {
  const end = (text: string) => {
    const result = endText(text, NOW);
    return result.ok ? result.value : result.reason;
  };
  assert.equal(end('2026-12-31'), '2026-12-31');
  assert.equal(end('2026-12-31T18:00Z'), '2026-12-31T18:00Z');
  assert.equal(end('14d'), '2026-06-15T12:00:00.000Z');
  assert.equal(end('90m'), '2026-06-01T13:30:00.000Z');
  assert.equal(end('soon'), 'expected an end such as 2026-12-31, 2026-12-31T18:00Z or 14d, got soon');
});
