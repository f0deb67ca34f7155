// Filters against a protocol's own packets: what they dropped, what a capture saw meanwhile, and which rules are to be removed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '#correlate/engine/facts.ts';
import { bgpAclBlock } from '#correlate/faults/filters/bgp-acl-block.ts';
import { isisAclBlock } from '#correlate/faults/filters/isis-acl-block.ts';
import { fact } from '../../fact-scene.ts';
import { is } from '../../service-scene.ts';
import { caseOf, onLink, ringWorld, symptom } from '../proposing.ts';

const hit = (change: object = {}, predicate = 'filter-hits') =>
  fact(
    predicate,
    {
      ...{ node: 'a', acl: 'x', hook: 'input', inInterfaces: [], outInterfaces: [], packets: 7, family: 'inet' },
      ...{ matches: [is('protocol', 'tcp'), is('destination-port', '179')], matchesRest: false },
      ...change,
    },
    ['f'],
  );
const BGP = onLink('bgp', 'a-b', { id: 'session' });
const proposed = (facts: readonly Fact[], symptoms = [BGP]) =>
  bgpAclBlock.propose(caseOf(symptoms, ringWorld(), facts), []);

test('all rules of a node against the protocol are one finding, with what they dropped together', () => {
  const [found, ...rest] = proposed([hit(), hit({ packets: 5 }), hit({ node: 'c' })]);
  assert.deepEqual(rest, [], 'c has no session');
  assert.deepEqual(
    [found?.resource, found?.score, found?.explains.map((share) => share.symptom), found?.details['droppedPackets']],
    ['node/a', 3.5, ['session'], 12],
  );
  assert.equal((found!.details['rules'] as readonly string[]).length, 2);
  assert.match(String(found?.details['what']), /^a packet filter of \{a\} dropped BGP: 12 packets \(/);
});

test('what was dropped lately is told so, and a rule that dropped nothing is none', () => {
  const [found] = proposed([hit({ packets: undefined }, 'filter-lately')]);
  const { droppedPackets, droppedLately, what } = found!.details;
  assert.deepEqual([droppedPackets, droppedLately], [undefined, true]);
  assert.match(String(what), /^a packet filter of \{a\} dropped BGP lately \(/);
  assert.deepEqual(proposed([hit({ packets: 0 })]), []);
  assert.deepEqual(proposed([hit({ packets: undefined })]), []);
  assert.deepEqual(proposed([hit({ matches: [is('protocol', 'tcp'), is('destination-port', '80')] })]), []);
});

test('a rule that is bound to interfaces concerns what runs over them', () => {
  assert.equal(proposed([hit({ inInterfaces: ['to-b'] })]).length, 1);
  assert.equal(proposed([hit({ outInterfaces: ['to-b'] })]).length, 1);
  assert.deepEqual(proposed([hit({ inInterfaces: ['to-d'] })]), []);
  assert.equal(proposed([hit({ inInterfaces: ['to-d'] })], [{ ...BGP, link: undefined } as never]).length, 1);
  const elsewhere = symptom('bgp', { nodes: ['c'], way: { nodes: ['a'], links: [] } });
  assert.equal(proposed([hit()], [elsewhere]).length, 1);
  assert.deepEqual(proposed([hit()], [{ ...elsewhere, way: { nodes: ['d'], links: [] } }]), []);
});

test('a capture on the node says what became of each SYN; only BGP opens sessions so', () => {
  const saw = (change: object) =>
    fact('handshakes', { node: 'a', address: 'A', port: 179, syns: 3, synAcks: 0, resets: 0, ...change }, ['capture']);
  const words = (change: object) => proposed([hit(), saw(change)])[0]?.details['handshakes'];
  assert.deepEqual(words({}), ['A port 179: 3 SYN in, no SYN-ACK out']);
  assert.deepEqual(words({ synAcks: 2 }), ['A port 179: 3 SYN in, 2 SYN-ACK out']);
  assert.deepEqual(words({ resets: 1 }), ['A port 179: 3 SYN in, no SYN-ACK out, 1 RST']);
  assert.equal(words({ node: 'b' }), undefined);
  assert.deepEqual(proposed([hit(), saw({})])[0]?.evidence, ['f', 'capture']);
  const against = hit({ matches: [is('llc', '0xfefe')], family: 'netdev' });
  const [other] = isisAclBlock.propose(caseOf([onLink('isis', 'a-b')], ringWorld(), [against, saw({})]), []);
  assert.deepEqual([other?.resource, other?.details['handshakes']], ['node/a', undefined]);
});

test('the rules are deleted by handle, exactly where each was seen whole', () => {
  const place = (handle: number) => ({ family: 'inet', table: 'filter', chain: 'input', handle, rule: [] });
  const remedy = (...facts: readonly Fact[]) => proposed(facts)[0]?.remedy;
  const one = 'inet filter input handle 4';
  assert.deepEqual(remedy(hit({ rules: [one], places: [place(4)] })), {
    node: 'a',
    summary: 'let BGP through on {a}: remove its rule from inet filter input',
    command: `nft delete rule ${one}`,
    change: { live: [{ kind: 'nft-delete-rule', ...place(4) }] },
  });
  const two = remedy(
    hit({ rules: [one, 'inet filter input handle 5'], places: [place(4)] }),
    hit({ packets: 2, rules: ['ip x y handle 9'] }),
  );
  assert.equal(two?.summary, 'let BGP through on {a}: remove its rules from inet filter input and ip x y');
  assert.equal(two?.command?.split('; ').length, 3);
  assert.equal(two?.change, undefined);
  assert.deepEqual(remedy(hit()), { node: 'a', summary: 'let BGP through on {a}' });
});
