// Signs, letters of other scripts, small words, thresholds, references and orders to people: what no rule takes refuses, and is never left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { tokensOf } from '#intent/words/tokens.ts';
import { readingsIn } from './reading.ts';

const known = { here: 'pe1', nodes: ['pe1', 'p2', 'pe3'], ifnames: ['eth1', 'eth2', 'lo'] };

const { allRead, readOf } = readingsIn(known);

function refusalOf(question: string): string {
  const parsed = parseIntent(question, known);
  assert.ok(!parsed.ok, question);
  return `${parsed.understood}${parsed.didYouMean === undefined ? '' : ` → ${parsed.didYouMean}`}`;
}

test('every character but spaces, quotes and brackets is in a token [TS-7a]', () => {
  for (const sign of [...'!~^*=@$\\/§±≠¬∉🚫⛔×÷_%']) {
    const text = `what is wrong ${sign}pe1`;
    const left = tokensOf(text).some((token) => token.text.includes(sign));
    assert.ok(left, `${sign} is in no token`);
    assert.equal(readOf(text), 'unclear', text);
  }
  assert.deepEqual(
    tokensOf('("pe1") [pe3]').map(({ text }) => text),
    ['pe1', 'pe3'],
  );
});

test('a sign before a name refuses; dashes, arrows and brackets between names are read [TS-7a]', () => {
  allRead([
    ['-p2 what is wrong', 'unclear'],
    ['pe1 !-> pe3', 'unclear'],
    ['errors:!crc p2', 'unclear'],
    ['is p2 down?!', 'what is wrong on p2'],
    ['loss pe1..pe3', 'packet loss on pe1..pe3'],
    ['pe1 - pe3 loss', 'packet loss from pe1 to pe3'],
    ['loss <pe1> to <pe3>', 'packet loss from pe1 to pe3'],
    ['%ADJCHANGE: p2', 'sessions on p2'],
    ['ticket #4711: loss on p2', 'packet loss on p2; not used: 4711'],
    ['is p2 ok? thanks ;-)', 'what is wrong on p2'],
  ]);
  assert.match(refusalOf('is p2 no\u200bt ok'), /the sign "U\+200B"/);
});

test('a sign refuses in every language, and what stands for something else is not left to a language model [TS-7a]', () => {
  assert.equal(readOf('Was ist los mit !p2?'), 'unclear');
  assert.equal(readOf('¿Qué pasa con ~p2?'), 'unclear');
  assert.equal(readOf('¿Qué pasa con p2?'), 'what is wrong on p2');
  for (const question of [
    'is it up again',
    'p2 is fine, what is broken',
    'who is not running isis',
    'loss over 2% on p2',
  ]) {
    const parsed = parseIntent(question, known);
    assert.equal(!parsed.ok && parsed.isSentence, false, question);
  }
});

test('letters of another script refuse and ask for English, whatever else is understood [TS-7a]', () => {
  for (const question of ['все кроме pe1', 'pe1以外すべて', 'перезагрузи p2', 'pе1 loss', 'كل شيء pe1', 'pe1 ٣']) {
    const parsed = parseIntent(question, known);
    assert.ok(!parsed.ok && parsed.reason === 'language', question);
    assert.match(parsed.understood, /please ask in English/);
  }
});

test('those of which something is not so are not what a question without the "not" asks [TS-7a]', () => {
  allRead([
    ['who is not running isis', 'unclear'],
    ['links that are not flapping', 'unclear'],
    ['which sessions are not down', 'unclear'],
    ['who is missing bgp', 'unclear'],
    ['who is not talking bgp to pe1', 'unclear'],
    ['which nodes have no errors', 'unclear'],
    ['what is not working', 'what is wrong'],
    ["isn't p2 down", 'what is wrong on p2'],
    ['no loss from pe1 to pe3 any more', 'packet loss from pe1 to pe3'],
    ['nobody runs ospf on p2', 'unclear'],
    ['list the interfaces on p2 that have no errors', 'unclear'],
    ['show me the links where nothing is dropped', 'unclear'],
    ['any interface that stopped dropping packets', 'unclear'],
    ['is anyone not peering with p2', 'unclear'],
    ['nothing works on p2', 'what is wrong on p2'],
    ['loss on p2, errors lacking', 'unclear'],
  ]);
});

test('a word that leaves a node out does so, or refuses [TS-7a]', () => {
  allRead([
    ['anything wrong outside of p2', 'what is wrong except p2'],
    ['w/o p2 anything broken', 'what is wrong except p2'],
    ['what is wrong on all nodes but p2', 'what is wrong except p2'],
    ['with the exception of p2 is everything ok', 'what is wrong except p2'],
    ['anything wrong beyond p2', 'unclear'],
    ['what is broken, p2 excluded', 'unclear'],
    ['loss pe1 to pe3 bypassing p2', 'unclear'],
    ['loss from pe1 to pe3 frobbing p2', 'unclear'],
    ['errors, p2 frobbed', 'unclear'],
    ['errors on p2 on all ports but eth1', 'unclear'],
    ['all routers less p2', 'what is wrong except p2'],
    ["check the network, p2 doesn't count", 'unclear'],
    ['p2 is not the problem, what about pe1', 'unclear'],
    ['everything ok? p2 is being rebuilt', 'unclear'],
    ['p2 is fine, what is broken', 'unclear'],
    ['nothing about p2 please: what is down', 'unclear'],
    ['frob all errors on p2', 'unclear'],
    ['loss on p2 to the vendor', 'unclear'],
    ["p2 is slow, what's up with it", 'delay on p2'],
    ['latency pe1 pe3 > usual', 'unclear'],
    ['input errors on eth1 of p2 not output', 'unclear'],
    ['input errors on eth1 of p2', 'errors on eth1 of p2; not used: input'],
  ]);
  assert.match(refusalOf('errors on pe1 except p2'), /ask about the ones that are meant/);
  assert.equal(readOf('bgp sessions except p2'), 'BGP sessions except p2');
  assert.match(refusalOf('bgp session pe1 pe3 except p2'), /ask about the ones that are meant/);
  assert.match(refusalOf('neighbours of p2 except pe3'), /about a table/);
});

test('a threshold refuses however it is said, and takes no name with it [TS-7a]', () => {
  for (const said of [
    'over 2%',
    '>2%',
    '> 2 %',
    '≥ 2%',
    'above 2%',
    'at least 2%',
    'under 2%',
    'more than 2%',
    '2%+',
    'max 2%',
  ])
    for (const question of [`loss ${said} pe1 to pe3`, `loss pe1 to pe3 ${said}`])
      assert.match(refusalOf(question), /^a threshold \("/, question);
  for (const question of [
    'flaps on p2 2 or more',
    'who loses over a tenth',
    'rtt greater 50ms pe1 pe3',
    'uptime over a month',
  ])
    assert.match(refusalOf(question), /^a threshold/, question);
  assert.equal(readOf('delay to pe3 topped 100ms'), 'unclear');
  assert.equal(readOf('loss pe1>p2>pe3'), 'packet loss from pe1 to pe3 via p2');
  assert.equal(readOf('delay over p2 from pe1 to pe3'), 'delay from pe1 to pe3 via p2');
  assert.equal(readOf('2% loss of packets from pe1 to pe3'), 'packet loss from pe1 to pe3; not used: 2%');
});

test('numbers in words have no place, as numbers in digits [TS-7a]', () => {
  allRead([
    ['errors on the first three interfaces of p2', 'unclear'],
    ['half the links of p2 are down', 'unclear'],
    [
      'throughput from pe1 to pe3 dropped to a tenth',
      'throughput from pe1 to pe3 as far back as is remembered; not used: tenth',
    ],
    ['more loss from pe1 to pe3', 'packet loss from pe1 to pe3; not used: more'],
    ['errors on p2 in the last two hours', 'errors on p2 in the last 2 hours'],
  ]);
});

test('what stands for something that was said before refuses [TS-7a]', () => {
  for (const question of [
    'thanks! and now the same for p2',
    'again for p2',
    'and p2?',
    'has it come up',
    'is it up again',
  ])
    assert.match(refusalOf(question), /which stands for something that was said before/, question);
  for (const question of [
    'are those links ok',
    'who broke it',
    'who changed that',
    'can it reach pe3',
    'what about yesterday',
    'this is broken',
  ])
    assert.match(refusalOf(question), /which stands for something that was said before/, question);
  allRead([
    ['users complain that they lose packets on p2', 'packet loss on p2'],
    ['p2 is down, why is it', 'what is wrong on p2'],
    ['p2 is slow again', 'delay on p2'],
    ['is it true that p2 is down', 'what is wrong on p2'],
  ]);
});

test('an order to people says that nothing was done, and where such a word is none it is read [TS-7a]', () => {
  for (const question of [
    'open a ticket for the loss on p2',
    'I want you to open a ticket for the loss on p2',
    'file a bug: errors on p2',
    'email me the loss between pe1 and pe3',
    'tell Bob about the loss on p2',
    'check p2 and call me',
    'remind me to check p2 at 6',
  ])
    assert.match(refusalOf(question), /nothing was done: no person was told/, question);
  for (const question of [
    'check p2 and reboot it',
    'I need p2 rebooted',
    'clean up errors on p2 eth1',
    'deal with the loss on p2',
    'start bgp on p2',
    'run bgp on p2',
    'p2 restart please',
    'can I safely reload p2',
  ])
    assert.match(refusalOf(question), /^an order \(.*nothing was done/, question);
  allRead([
    ['tell me about p2', 'what is wrong on p2'],
    ['open 198.51.100.7 port 80 from pe1', 'reachability from pe1 to 198.51.100.7 port 80'],
    ['user can not open 198.51.100.7 from pe1', 'reachability from pe1 to 198.51.100.7'],
    ['which path does traffic use from pe1 to pe3', 'which path from pe1 to pe3'],
    ['which path will traffic take from pe1 to pe3', 'unsupported'],
  ]);
});

test('two protocols, an interface beside two nodes, and a prefix in place of a neighbour refuse [TS-7a]', () => {
  allRead([
    ['bgp and isis on p2', 'unclear'],
    ['bgp sessions between pe1, p2 and pe3', 'unclear'],
    ['pe1 lo pingable from p2', 'unclear'],
    ['loss from pe1 eth1 to p2', 'unclear'],
    ["pe1 can't see its neighbour behind eth2", 'unclear'],
    ['show bgp 198.51.100.0/24 on p2', 'unsupported'],
    ['bgp neighbour 198.51.100.7 on p2', 'BGP sessions on p2 with 198.51.100.7'],
    ['errors on eth1 of pe1', 'errors on eth1 of pe1'],
  ]);
});

test('what is suggested is a question, and correct English is not called misspelled', () => {
  for (const word of [
    'byte',
    'gives',
    'sends',
    'sending',
    'dies',
    'secs',
    'highest',
    'call',
    'whatever',
    'reverse',
    'three',
  ])
    assert.doesNotMatch(refusalOf(`hm ${word} zzz`), new RegExp(`"${word}", which may be misspelled`), word);
  assert.match(refusalOf('is teh link betwen pe1 adn p2 flaping'), /→ is the link between pe1 and p2 flapping$/);
  assert.match(refusalOf('traffic on eht1 of pe1'), /→ traffic on eth1 of pe1$/);
  assert.match(refusalOf('pe33 not respnding'), /→ pe33 not responding$/);
  assert.doesNotMatch(refusalOf('latncy over 50ms pe1 to pe3'), /→/);
  assert.match(refusalOf('cosa non va su p2'), /please ask in English$/);
  assert.doesNotMatch(refusalOf('customer says it was slow before the works, was it on p2'), /Deutsch/);
});

test('a word before a number is a node where one of the network begins so', () => {
  allRead([
    ['loss pe 1 to pe 3', 'packet loss from pe 1 to pe 3'],
    ['show the top 5 neighbours of p2', 'unclear'],
    ['bgp med 200 on p2', 'unclear'],
    ['where is 00:11:22:33:44:55', 'unsupported'],
  ]);
});

test('a full stop ends a sentence [TS-7a]', () => {
  allRead([
    ['p2 vs. pe3', 'unclear'],
    ['Please check p2. It is slow.', 'delay on p2'],
  ]);
});
