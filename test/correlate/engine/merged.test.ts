// One accusation reached in two ways is one; units that stand or fall together; what lost, and why; what goes with a fallen device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frrChange, inBgp, inFamily, joined, onInterface } from '#correlate/engine/exact-change.ts';
import { factsOf, hopsBetween } from '#correlate/engine/facts.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import { merged, rank } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { lastOfEach, withoutFallen } from '#correlate/history/past.ts';
import type { World } from '#correlate/network/world.ts';

const proposal = (name: string, change: Partial<Proposal> = {}): Proposal => ({
  ...{
    fault: 'f',
    resource: `node/${name}`,
    confidence: 'certain',
    score: 3,
    evidence: [name],
    against: [],
    details: {},
  },
  explains: [{ symptom: name, lost: 1, spread: 0 }],
  ...change,
});
const explains = (...symptoms: readonly string[]) => ({
  explains: symptoms.map((symptom) => ({ symptom, lost: 1, spread: 0 })),
});
const symptoms = (...ids: readonly string[]) => ids.map((id) => ({ id, text: id }) as Symptom);
const names = (all: readonly Proposal[]) => all.map(({ resource }) => resource.slice(5)).sort();

test('the stronger of two ways to one accusation counts, with what either explains and stands on', () => {
  const [weak, strong] = [
    proposal('a', { score: 2, ...explains('x', 'y') }),
    proposal('a', { score: 3, evidence: ['a', 'e'], confidence: 'likely', ...explains('y', 'z') }),
  ];
  for (const pair of [
    [weak, strong],
    [strong, weak],
  ]) {
    const [one, ...rest] = merged(pair);
    assert.deepEqual(rest, []);
    assert.deepEqual([one?.score, one?.confidence], [3, 'likely']);
    assert.deepEqual(
      one?.explains.map(({ symptom }) => symptom),
      ['y', 'z', 'x'],
    );
    assert.deepEqual([...one!.evidence].sort(), ['a', 'e']);
  }
  const first = merged([proposal('a', { details: { n: 1 } }), proposal('a', { details: { n: 2 } })]);
  assert.deepEqual(
    first.map(({ details }) => details),
    [{ n: 1 }],
    'the first of two that are as strong',
  );
});

test('another fault, resource or key, and one that is withheld, is another accusation', () => {
  for (const change of [{ fault: 'g' }, { resource: 'node/b' as const }, { key: '1' }, { withheld: 'w' }])
    assert.equal(merged([proposal('a'), proposal('a', change)]).length, 2, JSON.stringify(change));
});

const remedy = (node: string, change: object, command?: string) =>
  ({ node, summary: 's', ...(command && { command }), change }) as never;

test('the changes of both are one, of one node, each line and setting once', () => {
  const [one, other] = [
    { live: [{ kind: 'link-up', ifname: 'x' }] },
    {
      live: [
        { kind: 'link-up', ifname: 'x' },
        { kind: 'link-up', ifname: 'y' },
      ],
    },
  ];
  assert.deepEqual(joined(remedy('r', one), remedy('r', other))?.change, { live: other.live });
  assert.deepEqual(joined(remedy('r', { lines: ['a'] }), remedy('r', one))?.change, { lines: ['a'], ...one });
  assert.deepEqual(joined(remedy('r', one), remedy('r', { lines: ['a'] }))?.change, { lines: ['a'], ...one });
  assert.deepEqual(joined(remedy('r', { lines: ['a'] }), remedy('r', { lines: ['a'] }))?.change, { lines: ['a'] });
  assert.equal(joined(remedy('r', one, 'c'), remedy('r', other, 'c'))?.command, 'c');
  assert.equal('command' in joined(remedy('r', one), remedy('r', other))!, false);
  assert.equal(joined(undefined, remedy('r', one)), undefined);
  const [kept] = merged([
    proposal('a', { remedy: remedy('a', { lines: ['x'] }) }),
    proposal('a', { remedy: remedy('a', { lines: ['y'] }) }),
  ]);
  assert.deepEqual(kept?.remedy?.change, { lines: ['x', 'exit', 'y'] });
  assert.equal('remedy' in merged([proposal('a'), proposal('a')])[0]!, false);
});

test('lines are drawn for FRR alone, and only plain ones', () => {
  const world = (driver: string) =>
    ({ views: new Map([['r', { state: { inventory: { driver } } }]]) }) as unknown as World;
  const change = (lines: readonly string[], driver = 'linux-frr') => frrChange(world(driver), 'r', lines);
  assert.deepEqual(change(['a']), { change: { lines: ['a'] } });
  assert.deepEqual(
    [change([]), change(['a'], 'embedded'), change(['a', 'b\n']), change(['']), change(['\u00e9'])],
    [{}, {}, {}, {}, {}],
  );
  assert.deepEqual([change(['x'.repeat(201)]), Object.keys(change(['x'.repeat(200)]))], [{}, ['change']]);
  assert.deepEqual(frrChange(world('linux-frr'), 'z', ['a']), {});
  assert.deepEqual(onInterface('eth1', 'a', 'b'), ['interface eth1', ' a', ' b']);
  assert.deepEqual(inBgp(65_001, 'a'), ['router bgp 65001', ' a']);
  assert.deepEqual(inFamily(1, 'fd00::/64', 'a'), ['router bgp 1', ' address-family ipv6 unicast', '  a']);
  assert.deepEqual(inFamily(1, '198.18.0.0/24', 'a')[1], ' address-family ipv4 unicast');
});

test('proposals of one fault that belong together are chosen, counted and dropped as one', () => {
  const both = ['a', 'b'].map((name) => proposal(name, { together: 't', ...explains('x') }));
  assert.deepEqual(names(rank(both, [], symptoms('x')).chosen), ['a', 'b']);
  const rivals = rank([...both, proposal('c', explains('x'))], [], symptoms('x'));
  assert.deepEqual([rivals.chosen, names(rivals.ambiguous)], [[], ['a', 'b', 'c']]);
  const others = ['a', 'b'].map((name, index) =>
    proposal(name, { fault: `f${index}`, together: 't', ...explains('x') }),
  );
  assert.deepEqual(rank(others, [], symptoms('x')).chosen, [], 'of two faults they are rivals');
  const stronger = rank(
    [
      proposal('a', { together: 't', score: 1, ...explains('x') }),
      proposal('b', { together: 't', score: 5, ...explains('x') }),
      proposal('c', { score: 4, ...explains('x') }),
    ],
    [],
    symptoms('x'),
  );
  assert.deepEqual(names(stronger.chosen), ['a', 'b'], 'the strongest speaks for them');
});

test('fewer findings go before stronger ones, and the most that is explained before either', () => {
  const one = proposal('one', { score: 1, ...explains('x', 'y') });
  const two = [proposal('a', { score: 9, ...explains('x') }), proposal('b', { score: 9, ...explains('y') })];
  const { chosen, lost, open } = rank([...two, one], [], symptoms('x', 'y'));
  assert.deepEqual([names(chosen), open], [['one'], []]);
  assert.deepEqual(
    lost.map(({ why }) => why),
    Array(2).fill('what it explains is explained by fewer or stronger findings'),
  );
  assert.deepEqual(
    names(rank([one, ...two, proposal('c', explains('x', 'z'))], [], symptoms('x', 'y', 'z')).chosen),
    ['b', 'c'],
    'of two pairs the stronger',
  );
  assert.deepEqual(
    names(
      rank(
        [proposal('a', { score: 3, ...explains('x') }), proposal('b', { score: 2.5, ...explains('x') })],
        [],
        symptoms('x'),
      ).chosen,
    ),
    ['a'],
  );
});

test('what is withheld or explains nothing is never chosen; what accuses nobody is chosen and told as lost', () => {
  const { chosen, lost, open } = rank([proposal('a', { withheld: 'w' })], [], symptoms('a'));
  assert.deepEqual([chosen, lost.map(({ why }) => why), open.length], [[], ['w'], 1]);
  const nothing = rank([proposal('a', explains()), proposal('b', explains('other'))], [], symptoms('a'));
  assert.deepEqual([nothing.chosen, nothing.lost.length], [[], 1]);
  const quiet = rank([proposal('a', { accuses: false })], [], symptoms('a'));
  assert.deepEqual(
    [names(quiet.chosen), quiet.lost.map(({ why }) => why), quiet.open],
    [['a'], ['explains lost probes, but accuses no node'], []],
  );
  const twins = rank([proposal('a', explains('x')), proposal('b', explains('x'))], [], symptoms('x'));
  assert.deepEqual(
    twins.lost.map(({ why }) => why),
    ['another explanation is as good', 'another explanation is as good'],
  );
});

test('hops lie between two nodes of a path in the order of travel; without a path a stretch is one', () => {
  const path = ['a', 'b', 'c'];
  assert.deepEqual(hopsBetween(path, 'a', 'c'), [
    ['a', 'b'],
    ['b', 'c'],
  ]);
  assert.deepEqual(hopsBetween(path, 'c', 'a'), [
    ['c', 'b'],
    ['b', 'a'],
  ]);
  assert.deepEqual(
    [hopsBetween(path, 'a', 'a'), hopsBetween(path, 'a', 'z'), hopsBetween(path, 'z', 'a')],
    [[], [], []],
  );
  assert.deepEqual(hopsBetween([], 'x', 'y'), [['x', 'y']]);
  const facts = [{ predicate: 'wire' }, { predicate: 'link' }] as never;
  assert.deepEqual(factsOf({ facts }, 'link'), [{ predicate: 'link' }]);
});

test('a link that fell with the device at its end is no finding of its own', () => {
  const over = (resource: string, fault = 'link_down') => proposal('x', { fault, resource: resource as never });
  const dead = [proposal('r1', { fault: 'device_down' })];
  const left = (...all: readonly Proposal[]) => withoutFallen(dead, all).map(({ resource }) => resource);
  assert.deepEqual(left(over('link/r1:eth1--r2:eth1'), over('link/r0:eth1--r1:eth1'), over('interface/r1/eth1')), []);
  assert.deepEqual(left(over('link/r11:eth1--r2:eth1'), over('interface/r2/eth1')), [
    'link/r11:eth1--r2:eth1',
    'interface/r2/eth1',
  ]);
  assert.deepEqual(left(over('link/r1:eth1--r2:eth1', 'link_flap')), ['link/r1:eth1--r2:eth1']);
  const both = withoutFallen([], [...dead, over('link/r1:eth1--r2:eth1')]);
  assert.deepEqual(both, dead, 'it may be over as well');
});

test('what was seen at several times is over since the last of them', () => {
  const seen = (name: string, agoMs: number, fault = 'f') => ({ proposal: proposal(name, { fault }), agoMs });
  const kept = (...all: readonly ReturnType<typeof seen>[]) =>
    lastOfEach(all).map(({ proposal: { fault, resource }, agoMs }) => [fault, resource, agoMs]);
  assert.deepEqual(kept(seen('a', 30), seen('a', 10), seen('a', 20)), [['f', 'node/a', 10]]);
  assert.deepEqual(kept(seen('a', 30), seen('b', 10), seen('a', 20, 'g')), [
    ['f', 'node/a', 30],
    ['f', 'node/b', 10],
    ['g', 'node/a', 20],
  ]);
});
