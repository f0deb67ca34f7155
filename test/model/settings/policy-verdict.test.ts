// What a routing policy does with a prefix, from its statements; what a prefix alone does not decide is not guessed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyTextsOf, verdictOf } from '#model/settings/policy-verdict.ts';

const PREFIX = '198.19.2.0/24';
const verdict = (texts: Readonly<Record<string, string>>, name: string, prefix = PREFIX) =>
  verdictOf(new Map(Object.entries(texts)), name, prefix);

test('a prefix list is read in order, with ge and le, and denies what it does not list', () => {
  const list = (text: string, prefix = PREFIX) => verdict({ 'prefix-list L': text }, 'prefix-list L', prefix);
  assert.equal(list('5 permit 198.19.2.0/24'), 'permit');
  assert.equal(list('5 permit 198.19.0.0/21'), 'deny', 'an entry without ge and le is for its own length');
  assert.equal(list('5 permit 198.19.0.0/21 ge 24 le 24'), 'permit');
  assert.equal(list('5 permit 198.19.0.0/21 le 23'), 'deny');
  assert.equal(list('5 permit 198.19.0.0/21 ge 25'), 'deny');
  assert.equal(list('5 deny 198.19.2.0/24; 10 permit any'), 'deny');
  assert.equal(list('5 permit 2001:db8::/32 le 64; 10 deny any', '2001:db8:2::/48'), 'permit');
  assert.equal(list('5 permit 2001:db8::/32 le 64'), 'deny', 'entries of the other family');
  assert.equal(list('5 permit something else'), 'unknown');
  assert.equal(list('5 permit 198.19.2.0/24… #0123abcd'), 'unknown', 'words that were cut');
});

test('of a route map the first entry for the prefix decides', () => {
  const map = (text: string, lists: Readonly<Record<string, string>> = {}) =>
    verdict({ 'route-map M': text, 'prefix-list L': '5 permit 198.19.2.0/24', ...lists }, 'route-map M');
  assert.equal(map('permit 10 (match ip address prefix-list L); deny 20'), 'permit');
  assert.equal(map('deny 5; permit 10 (match ip address prefix-list L)'), 'deny');
  assert.equal(map('permit 10 (match ipv6 address prefix-list L)'), 'deny');
  assert.equal(map('permit 10 (set local-preference 200)'), 'permit');
  assert.equal(map('deny 10 (match community C); permit 20'), 'unknown');
  assert.equal(map('permit 10 (match ip address prefix-list L, match as-path A)'), 'unknown');
  assert.equal(map('permit 10 (match ip address prefix-list OTHER)'), 'unknown', 'a list that is not told');
  assert.equal(
    map('permit 10 (match ip address prefix-list L, match as-path A); deny 20', { 'prefix-list L': '5 deny any' }),
    'deny',
  );
  assert.equal(map('permit 10 (on-match next); deny 20'), 'unknown');
});

test('policies of other kinds, and those that are not told, decide nothing here', () => {
  assert.equal(verdict({}, 'route-map M'), 'unknown');
  assert.equal(verdict({ 'as-path access-list A': '5 permit .*' }, 'as-path access-list A'), 'unknown');
});

test('whose an `any` is, is not known in a list whose name both families have', () => {
  const texts = { 'prefix-list SITES': '5 deny any; 10 permit 2001:db8::/32 le 48; 15 permit 198.19.0.0/16' };
  assert.equal(verdict(texts, 'prefix-list SITES', '2001:db8:1::/48'), 'unknown');
  assert.equal(verdict(texts, 'prefix-list SITES', PREFIX), 'unknown');
  const told = { 'prefix-list SITES': '5 deny 0.0.0.0/0 le 32; 10 permit 2001:db8::/32 le 48' };
  assert.equal(verdict(told, 'prefix-list SITES', '2001:db8:1::/48'), 'permit');
  assert.equal(verdict(told, 'prefix-list SITES', PREFIX), 'deny');
});

test('a state that is longer than an honest node tells is read no further', () => {
  const entry = '5 permit 198.19.0.0/24; ';
  const long = { name: 'prefix-list LONG', content: 'cut… #0123abcd', whole: `${entry.repeat(3_000)}10 deny any` };
  const short = { name: 'prefix-list SHORT', content: '5 permit any' };
  const [first, behind] = [policyTextsOf([short, long]), policyTextsOf([long, short])];
  assert.equal(verdictOf(first, 'prefix-list SHORT', PREFIX), 'permit');
  assert.equal(verdictOf(first, 'prefix-list LONG', PREFIX), 'unknown');
  assert.equal(verdictOf(behind, 'prefix-list SHORT', PREFIX), 'unknown');
});
