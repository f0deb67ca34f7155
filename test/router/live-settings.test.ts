// Live settings: the closed list, and a deleted rule that comes back at its place whatever stands there by now. On literals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveSettingOf } from '#model/router/live-setting.ts';
import { areSame, type LiveChange, linesOfLive } from '#router/config/live.ts';
import { isEntryInForce, setEntry, undoEntry, unfitEntry } from '#router/config/live-entries.ts';
import { ruleSha256 } from '#router/config/nft-rule-digest.ts';
import { isPresent, nftRulesOf, restorable, restoringBatch } from '#router/config/nft-rules.ts';

const PLACE = { family: 'inet', table: 'foo', chain: 'input', handle: 3 } as const;
const DROP = [
  { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 179 } },
  { counter: { packets: 7, bytes: 420 } },
  { drop: null },
];
/** Of `["no bgp",[{"match":…},{"counter":null},{"drop":null}]]`, by sha256sum. */
const SHA256 = '7759de0a9abb4af34467f1943bdf68dfe6bd48d5afc4a017e52d38502e0f1a40';
const KNOWN = { ...PLACE, ruleSha256: SHA256 } as const;
const RULE = { handle: 3, comment: 'no bgp', expr: DROP };
const DELETED = { place: PLACE, rule: RULE, index: 1, alike: 1 };
const OTHER = { handle: 2, expr: [{ accept: null }] };

test('takes exactly the settings of the list, and nothing that is not a name or a number within bounds [NET-15]', () => {
  const mtu = { kind: 'link-mtu', ifname: 'eth1', mtu: 9000, now: 1400 };
  assert.deepEqual(liveSettingOf(mtu), mtu);
  assert.deepEqual(liveSettingOf({ kind: 'nft-delete-rule', ...KNOWN }), { kind: 'nft-delete-rule', ...KNOWN });
  const refused = [
    { ...mtu, mtu: 1279 },
    { ...mtu, ifname: '-eth1' },
    { ...mtu, ifname: 'eth1;reboot' },
    { ...mtu, more: true },
    { kind: 'link-down', ifname: 'eth1' },
    { kind: 'nft-delete-rule', ...KNOWN, table: 'foo; flush ruleset' },
    { kind: 'nft-delete-rule', ...KNOWN, handle: '3' },
    { kind: 'nft-delete-rule', ...KNOWN, family: 'all' },
    { kind: 'nft-delete-rule', ...KNOWN, ruleSha256: 'A' },
    { kind: 'nft-delete-rule', ...PLACE },
    'link-up',
  ];
  for (const value of refused) assert.equal(liveSettingOf(value), undefined, JSON.stringify(value));
});

test('a rule goes back before the rule that has its place now, else to the end', () => {
  assert.equal(
    restoringBatch(DELETED, 2),
    `{"nftables":[{"insert":{"rule":{"family":"inet","table":"foo","chain":"input","comment":"no bgp","expr":${JSON.stringify(DROP)},"index":1}}}]}`,
  );
  assert.match(restoringBatch(DELETED, 1), /^\{"nftables":\[\{"add":\{"rule":\{(?!.*"index")/);
});

test('putting back twice changes nothing: a rule that says the same is there already, whatever it has counted', () => {
  const back = { ...RULE, handle: 9, expr: [DROP[0]!, { counter: { packets: 0, bytes: 0 } }, DROP[2]!] };
  assert.equal(isPresent(DELETED, [OTHER]), false);
  assert.equal(isPresent(DELETED, [OTHER, RULE]), true);
  assert.equal(isPresent(DELETED, [OTHER, back]), true);
  assert.equal(isPresent({ ...DELETED, alike: 2 }, [OTHER, back]), false, 'two said the same, one is there');
});

test('only rules that come back exactly are deleted', () => {
  assert.equal(restorable(RULE), undefined);
  assert.equal(restorable({ handle: 1, expr: [{ xt: null }, { drop: null }] }), 'it has the statement "xt"');
  assert.equal(restorable({ handle: 1, expr: [DROP[0]!, { accept: null }] }), 'it has the statement "accept"');
  assert.equal(restorable({ handle: 1, expr: [DROP[0]!] }), 'it drops nothing');
});

test('rules are read out of what nft lists', () => {
  const listed = { nftables: [{ metainfo: {} }, { chain: { name: 'input' } }, { rule: { ...PLACE, ...RULE } }] };
  assert.deepEqual(nftRulesOf(JSON.stringify(listed)), [RULE]);
});

test('what is shown to whoever must agree is what was there and what comes', () => {
  assert.deepEqual(linesOfLive({ kind: 'link-mtu', ifname: 'eth1', before: 1400, after: 9000 }), [
    { sign: '-', context: 'live interface eth1', line: 'mtu 1400' },
    { sign: '+', context: 'live interface eth1', line: 'mtu 9000' },
  ]);
});

test('the same rule with another count is the same change; another rule under its handle is not', () => {
  const change: LiveChange = { kind: 'nft-delete-rule', text: 'tcp dport 179 counter drop', ...DELETED };
  const counted = { ...RULE, expr: [DROP[0]!, { counter: { packets: 99, bytes: 1 } }, DROP[2]!] };
  assert.equal(areSame([change], [{ ...change, rule: counted }]), true);
  assert.equal(areSame([change], [{ ...change, rule: { ...RULE, expr: [{ drop: null }] } }]), false);
});

test('a rule is named by what it says, not by its handle or its counters [NET-15]', () => {
  const counted = { ...RULE, handle: 9, expr: [DROP[0]!, { counter: { packets: 99, bytes: 1 } }, DROP[2]!] };
  assert.deepEqual([ruleSha256(RULE), ruleSha256(counted)], [SHA256, SHA256]);
  const others = [
    { ...RULE, comment: 'more' },
    { ...RULE, expr: [DROP[2]!] },
    { handle: 3, expr: DROP },
  ];
  for (const other of others) assert.notEqual(ruleSha256(other), SHA256);
});

const POISONED = { kind: 'neighbour-delete', ifname: 'eth1', address: '198.18.1.1', mac: '02:11:22:33:44:55' } as const;
const ADDRESS = { kind: 'address-add', ifname: 'eth1', address: '2001:db8::1/64' } as const;

/** `ip` over one table; what it was told to do. */
function played(rows: readonly object[]) {
  const done: string[] = [];
  const ip = async (args: readonly string[]) => {
    if (args.includes('show')) return JSON.stringify(rows);
    done.push(args.join(' '));
    return '';
  };
  return { ip, done };
}

test('entries of the kernel’s tables are settings of the list, by address, interface and MAC alone [NET-15]', () => {
  assert.deepEqual(liveSettingOf(POISONED), POISONED);
  assert.deepEqual(liveSettingOf(ADDRESS), ADDRESS);
  const refused = [
    { ...POISONED, address: '-all' },
    { ...POISONED, address: '198.18.1.1 dev lo' },
    { ...POISONED, mac: 'permanent' },
    { ...POISONED, more: 1 },
    { ...ADDRESS, address: '2001:db8::1' },
    { ...ADDRESS, ifname: 'a b' },
  ];
  for (const value of refused) assert.equal(liveSettingOf(value), undefined, JSON.stringify(value));
});

test('a fixed neighbour entry goes only if it says what was seen, and comes back as it was unless another is there [NET-15]', async () => {
  const fixed = { dst: '198.18.1.1', lladdr: '02:11:22:33:44:55', state: ['PERMANENT'] };
  const there = played([fixed]);
  assert.equal(await unfitEntry(there.ip, POISONED), undefined);
  await setEntry(there.ip, POISONED);
  await undoEntry(there.ip, POISONED);
  assert.deepEqual(there.done, ['neigh del 198.18.1.1 dev eth1'], 'it is there: nothing to put back');
  assert.equal(await isEntryInForce(there.ip, POISONED), false);
  const learned = played([{ ...fixed, state: ['REACHABLE'] }]);
  assert.match((await unfitEntry(learned.ip, POISONED)) ?? '', /^expected a fixed entry of 198\.18\.1\.1 on eth1/);
  assert.equal(await isEntryInForce(learned.ip, POISONED), true);
  await undoEntry(learned.ip, POISONED);
  assert.deepEqual(learned.done, ['neigh replace 198.18.1.1 lladdr 02:11:22:33:44:55 dev eth1 nud permanent']);
  assert.deepEqual(linesOfLive(POISONED), [
    { sign: '-', context: 'live interface eth1', line: 'ip neighbour 198.18.1.1 02:11:22:33:44:55' },
  ]);
});

test('an address is set only where it is not, and taken away again [NET-15]', async () => {
  const without = played([{ ifname: 'eth1', addr_info: [{ local: '2001:db8::1', prefixlen: 128 }] }]);
  assert.equal(await unfitEntry(without.ip, ADDRESS), undefined);
  await setEntry(without.ip, ADDRESS);
  await undoEntry(without.ip, ADDRESS);
  assert.deepEqual(without.done, ['address add 2001:db8::1/64 dev eth1'], 'it is not there: nothing to take away');
  const having = played([{ ifname: 'eth1', addr_info: [{ local: '2001:db8::1', prefixlen: 64 }] }]);
  assert.match((await unfitEntry(having.ip, ADDRESS)) ?? '', /^expected no address 2001:db8::1\/64 on eth1/);
  await undoEntry(having.ip, ADDRESS);
  assert.deepEqual(having.done, ['address del 2001:db8::1/64 dev eth1']);
  assert.deepEqual(linesOfLive(ADDRESS), [
    { sign: '+', context: 'live interface eth1', line: 'ipv6 address 2001:db8::1/64' },
  ]);
});
