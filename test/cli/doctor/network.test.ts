// What `parley doctor` makes of the node and of the peers around it: each state that leaves answers undecided is broken here once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionWords } from '../../../src/cli/commands/peers.ts';
import {
  daemonsSaid,
  memorySaid,
  peersSaid,
  portSaid,
  readingsSaid,
  remarksSaid,
} from '../../../src/cli/doctor/network.ts';

const peer = (node: string, more: object = {}) => ({ node, verified: true, version: '0.2.1', ...more });
const peers = (rows: readonly object[], remembered: readonly string[] = [], remarks: readonly object[] = []) =>
  peersSaid({ answer: { peers: rows, remarks } as never, remembered, version: '0.2.1' });

test('a dead zebra is a failure with the command that starts it, and so is one that hangs', () => {
  const rows = [
    { name: 'zebra', alive: false },
    { name: 'isisd', alive: true },
  ];
  const dead = daemonsSaid({ daemons: rows });
  assert.equal(dead.level, 'failure');
  assert.match(dead.detail, /^zebra of FRR does not run: .*systemctl restart frr/);
  assert.equal(daemonsSaid({ daemons: [{ name: 'bgpd', alive: true, silent: true }] }).level, 'failure');
  assert.deepEqual(daemonsSaid({ daemons: [rows[1]!] }), { level: 'ok', detail: 'isisd run' });
});

test('a dead lldpd, and any other part that cannot be read, is a failure with its remedy', () => {
  const lldp = readingsSaid({ missing: [{ part: 'neighbours', reason: 'lldpd does not answer' }] });
  assert.deepEqual([lldp.level, /systemctl start lldpd/.test(lldp.detail)], ['failure', true]);
  const helper = readingsSaid({ missing: [{ part: 'privileged-helper', reason: 'ECONNREFUSED' }] });
  assert.match(helper.detail, /systemctl start parley-helper/);
  assert.equal(readingsSaid({ missing: [] }).level, 'ok');
  const cut = [{ part: 'static-routes', read: 256, of: 301 }];
  assert.equal(readingsSaid({ missing: [], cut }).level, 'ok', 'a list that has no room for all is no failure');
});

test('no peer is a warning until there was one, and a failure from then on', () => {
  assert.equal(peers([]).level, 'warning');
  assert.equal(peers([peer('p2', { verified: false })]).level, 'warning');
  const lost = peers([peer('p2', { verified: false })], ['p2']);
  assert.equal(lost.level, 'failure');
  assert.match(lost.detail, /p2 did before: .*9514/);
  assert.deepEqual(peers([peer('p2'), peer('pe3', { verified: false })]), {
    level: 'ok',
    detail: '1 of 2 known answered',
  });
  assert.match(peers([peer('p2')], ['p2', 'pe3']).detail, /not since this agent started: pe3$/);
});

test('a peer of another version is a warning; one whose last number differs is none', () => {
  const skewed = peers([peer('p2', { version: '0.1.0' })]);
  assert.equal(skewed.level, 'warning');
  assert.match(skewed.detail, /^p2 has version 0\.1\.0, this node 0\.2\.1: /);
  assert.equal(peers([peer('p2', { version: '0.2.0' })]).level, 'ok');
});

test('a peer that does not say its version is named, and is no fault', () => {
  const rows = [peer('p2'), peer('pe3', { version: undefined }), peer('pe4', { verified: false, version: undefined })];
  assert.deepEqual(peers(rows), { level: 'ok', detail: '2 of 3 known answered; version not given by pe3' });
  assert.deepEqual(
    rows.map((row) => versionWords(row as never)),
    ['0.2.1', 'not given', ''],
  );
});

test('a peer whose certificate contradicts what it says is a failure that says to compare the CA', () => {
  const said = remarksSaid({ remarks: [{ node: 'p2', kind: 'lying', detail: 'its certificate is of another CA' }] });
  assert.equal(said.level, 'failure');
  assert.match(said.detail, /compare the CA/);
  assert.equal(remarksSaid({ remarks: [{ node: 'p2', kind: 'silent', detail: '' }] }).level, 'ok');
});

test('a port that another program has is a failure, with the command that names the program', () => {
  assert.match(portSaid(9514, 'EADDRINUSE').detail, /ss -ltnp sport = :9514/);
  assert.equal(portSaid(9514, undefined).level, 'ok');
});

test('what memory costs and how far it reaches is one line', () => {
  const said = memorySaid({ bytes: 12_100_000, mostBytes: 48_000_000, reachMs: 6.9 * 86_400_000 });
  assert.equal(said.detail, '12.1 of 48.0 MB on disk, reaches back 6.9 days');
  assert.equal(
    memorySaid({ bytes: 1e5, mostBytes: 48_000_000, reachMs: 5_400_000 }).detail,
    '0.1 of 48.0 MB on disk, reaches back 1.5 hours',
  );
});
