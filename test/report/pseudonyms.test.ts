// A pseudonymised copy of a report: no host is named in it, one host keeps one pseudonym, nodes keep their names, and it says what it is.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { Report } from '#model/report.ts';
import { pseudonymisedText, readPseudonymised } from '#report/pseudonyms.ts';
import { smallReport } from './fixture.ts';

const STATE = {
  inventory: {
    interfaces: [
      { name: 'eth3', mac: '02:00:00:00:00:99', addresses: ['198.19.1.1/24', 'fd00:1::1/64', 'fe80::99/64'] },
    ],
    sids: [{ address: 'fd00:0:1:e000::' }],
  },
  neighbours: [{ ifname: 'eth3', systemName: 'printer.office.example', chassisId: '02:00:00:00:00:07' }],
  neighbourTable: [
    { address: '198.19.1.10', mac: '02:00:00:00:00:07' },
    { address: 'fd00:1::a', mac: '02:00:00:00:00:07' },
  ],
  history: {
    hosts: [{ ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:00:07' }],
    watchedHosts: {
      asks: [{ sender: '198.19.1.10', target: '203.0.113.9' }],
      names: [{ address: '198.19.1.53', name: 'files.office.example' }],
    },
  },
  routes: [
    { prefix: '198.19.1.0/24', via: '198.19.1.1' },
    { prefix: '198.19.1.10/32', mask: '255.255.255.0' },
  ],
  version: 'FRRouting 10.2.1',
  'by-address': { 'FD00:1:0::A': 1 },
};

function reportWith(over: Partial<Report> = {}): Report {
  const report = smallReport({
    intent: { kind: 'open', text: 'why can pe1 not reach files.office.example at 198.19.1.10' } as never,
    sentence:
      'pe1 hears 198.19.1.10 (02:00:00:00:00:07) on eth3, as fd00:1::a, and asks 198.19.1.53 for Files.Office.Example.',
    ...over,
  });
  const evidence = [...report.evidence];
  evidence[0] = Buffer.from(JSON.stringify(STATE)).toString('base64');
  return { ...report, evidence };
}

const ORIGINAL = { uri: 'urn:x', creator: 'pe1', sha256: 'ab'.repeat(32) };
const textOf = (report: Report, key = 7) => pseudonymisedText(report, ORIGINAL, new Uint8Array(32).fill(key));
const evidenceOf = (text: string) =>
  (JSON.parse(text).report.evidence as string[]).map((each) => Buffer.from(each, 'base64').toString());

test('no address, hardware address or name of a host is left, in words, evidence and keys', () => {
  const text = textOf(reportWith());
  const all = [text, ...evidenceOf(text)].join('\n').toLowerCase();
  const hosts = ['198.19.1.10', '198.19.1.53', '203.0.113.9', 'fd00:1::a', 'fd00:1:0::a', '02:00:00:00:00:07'];
  for (const host of [...hosts, 'office.example', 'printer']) assert.equal(all.includes(host), false, host);
});

test('what nodes are, networks, masks and versions are left as they are', () => {
  const [state = ''] = evidenceOf(textOf(reportWith()));
  const kept = JSON.parse(state) as typeof STATE;
  assert.deepEqual(kept.inventory, STATE.inventory);
  assert.deepEqual(kept.routes[0], STATE.routes[0]);
  assert.equal(kept.routes[1]!.mask, '255.255.255.0');
  assert.match(kept.routes[1]!.prefix, /^ipv4-[0-9a-f]{12}\/32$/);
  assert.equal(kept.version, 'FRRouting 10.2.1');
});

test('one host has one pseudonym in a copy, however it is written, and another one in the next copy', () => {
  const first = textOf(reportWith());
  const [state = ''] = evidenceOf(first);
  const { neighbourTable, history, 'by-address': byAddress } = JSON.parse(state) as typeof STATE;
  const [ipv4, ipv6] = neighbourTable;
  assert.match(ipv4!.address, /^ipv4-/);
  assert.match(ipv6!.address, /^ipv6-/);
  assert.equal(history.hosts[0]!.address, ipv4!.address);
  assert.equal(history.watchedHosts.asks[0]!.sender, ipv4!.address);
  assert.equal(ipv4!.mac, ipv6!.mac);
  assert.deepEqual(Object.keys(byAddress), [ipv6!.address]);
  const { sentence, intent } = JSON.parse(first).report as { sentence: string; intent: { text: string } };
  const name = history.watchedHosts.names[0]!.name;
  assert.equal(
    sentence,
    `pe1 hears ${ipv4!.address} (${ipv4!.mac}) on eth3, as ${ipv6!.address}, and asks ${history.watchedHosts.names[0]!.address} for ${name}.`,
  );
  assert.equal(intent.text, `why can pe1 not reach ${name} at ${ipv4!.address}`);
  assert.equal(textOf(reportWith()), first);
  assert.equal(textOf(reportWith(), 8).includes(ipv4!.address), false);
});

test('no digest of original text is left, by which an address could be found by guesses', () => {
  const digest = createHash('sha256').update('ip saddr 198.19.1.10 drop').digest('hex');
  const state = {
    destination: '198.19.1.37',
    filters: [{ ruleSha256: digest, packets: '1767225600000000000' }],
    changes: [{ setting: digest.slice(0, 16) }, { setting: '1234567890123456' }],
    policies: [{ content: 'permit 198.19.1.10… #a1b2c3d4e5f6' }],
    [digest]: `the rule ${digest} of the session dom-0123456789abcdef`,
  };
  const report = smallReport();
  const original = JSON.stringify(state);
  const evidence = [Buffer.from(original).toString('base64'), ...report.evidence.slice(1)];
  const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
  const items = report.items.map((item, index) => (index === 0 ? { ...item, sha256: sha256Of(original) } : item));
  const text = textOf({ ...report, evidence, items });
  const copy = JSON.parse(text).report as Report;
  const [seen = ''] = evidenceOf(text);
  // As an attacker does who has the copy alone: each address of the network in the place of the pseudonym.
  const pseudonym = /ipv4-[0-9a-f]{12}/.exec(seen)![0];
  const guesses = Array.from({ length: 256 }, (_, host) => sha256Of(seen.replaceAll(pseudonym, `198.19.1.${host}`)));
  assert.deepEqual(
    guesses.filter((guess) => text.includes(guess)),
    [],
  );
  // The digests are those of the copy, so that it is whole in itself.
  assert.deepEqual(
    copy.items.map(({ sha256 }) => sha256),
    evidenceOf(text).map(sha256Of),
  );
  for (const left of [
    digest.slice(0, 16),
    '1234567890123456',
    'a1b2c3d4e5f6',
    sha256Of(original),
    report.items[2]!.sha256,
  ])
    assert.equal(`${text}\n${seen}`.includes(left), false, left);
  const { filters, changes } = JSON.parse(seen) as typeof state;
  assert.match(filters[0]!.ruleSha256, /^digest-[0-9a-f]{12}$/);
  assert.equal(changes[0]!.setting, filters[0]!.ruleSha256, 'one rule has one pseudonym');
  assert.equal(filters[0]!.packets, '1767225600000000000');
  assert.equal(copy['session-id'], 'dom-0123456789abcdef');
});

test('a copy says that nothing signs it, has no signature, certificate or capture, and is read as a report', () => {
  const report = reportWith();
  const text = textOf(report);
  const file = JSON.parse(text) as JsonObject;
  assert.match(String(file['notice']), /^a pseudonymised copy, which no signature covers.* urn:x on pe1$/);
  assert.deepEqual(file['original'], ORIGINAL);
  const copy = readPseudonymised(Buffer.from(text));
  assert.ok(copy?.ok);
  const { signatures, envelopes, chains, evidence, id, verdict, findings } = copy.value.report;
  assert.deepEqual([signatures, envelopes, chains, evidence[2]], [{}, [], {}, '']);
  assert.deepEqual([id, verdict, findings], [report.id, report.verdict, report.findings]);
  assert.equal(readPseudonymised(Buffer.from('{"kind":"other"}')), undefined);
  assert.equal(readPseudonymised(Buffer.from('no JSON')), undefined);
  assert.equal(readPseudonymised(Buffer.from('{"kind":"parley-pseudonymised-report"}'))?.ok, false);
});
