// Whom an aggregator asks, and what, from the words of a question alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentsIn, type Below, inTurn, nodesBelow } from '../../../src/agent/hierarchy/nodes-below.ts';
import { isEnough, partsOf, readBelow } from '../../../src/agent/hierarchy/read-below.ts';
import { smallReport } from '../../report/fixture.ts';

const region = (node: string, agents: readonly string[]) =>
  ({ node, agents, slot: { segment: node } }) as unknown as Below;
const EAST = region('east', ['pe1', 'p2']);
const WEST = region('west', ['pe7']);
const BELOW = [EAST, WEST];

const asked = (text: string) => readBelow(text, BELOW).turns.map(({ node }) => node);
const parts = (text: string) =>
  partsOf(readBelow(text, BELOW)).map(({ below, text: part }) => `${below.node}: ${part}`);

test('a question that leaves a node out goes to all regions', () => {
  for (const text of ['What is wrong except PE-7?', 'what changed today, except on pe1 and pe7?'])
    assert.deepEqual(asked(text), ['east', 'west'], text);
  assert.deepEqual(readBelow('What is wrong except PE-7?', BELOW).wanted, []);
});

test('a question goes first to the regions of its nodes, and to all where it names none, or one that none has', () => {
  assert.deepEqual(asked('What is wrong on PE-7?'), ['west']);
  assert.deepEqual(asked('packet loss from PE-7 to PE-1'), ['west', 'east']);
  assert.deepEqual(asked('What is wrong?'), ['east', 'west']);
  assert.deepEqual(asked('What is wrong on pe7 and pe9?'), ['west', 'east']);
  assert.deepEqual(asked('Sing me a song about PE-7'), ['east', 'west']);
});

test('a part of a question keeps topic and time', () => {
  assert.deepEqual(parts('what changed on pe1 and pe7 since yesterday'), [
    'east: changes on pe1 since yesterday',
    'west: changes on pe7 since yesterday',
  ]);
  assert.deepEqual(parts('did anything flap on pe1, p2 and pe7 in the last hour'), [
    'east: flaps on pe1 and p2 in the last 1 hour',
    'west: flaps on pe7 in the last 1 hour',
  ]);
  assert.deepEqual(parts('show BGP neighbours of pe1 and pe7'), [
    'east: show BGP neighbours on pe1',
    'west: show BGP neighbours on pe7',
  ]);
});

test('a way is not split: each region is asked what is wrong with its nodes, in the same time', () => {
  assert.deepEqual(parts('packet loss from pe1 to pe7 via p2 since yesterday'), [
    'east: what is wrong on pe1 and p2 since yesterday',
    'west: what is wrong on pe7 since yesterday',
  ]);
});

test('a question whose part would not mean the same, or with a node that none has, has no parts', () => {
  assert.deepEqual(parts('{"kind":"changes","nodes":["pe1","pe7"],"since":"10m"}'), []);
  assert.deepEqual(parts('what changed on pe1 and pe7 and pe9'), []);
  assert.deepEqual(parts('what changed on pe1 and p2'), []);
});

test('one report is enough when it has each named node, or each agent of the region', () => {
  const [outcome] = smallReport().outcomes;
  const heard = (...nodes: string[]) =>
    smallReport({
      intent: { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' },
      outcomes: nodes.map((node) => ({ ...outcome!, node, status: 'answered' as const })),
    });
  assert.equal(isEnough([heard('pe1')], EAST.agents, []), false);
  assert.equal(isEnough([heard('pe1', 'p2')], EAST.agents, []), true);
  assert.equal(isEnough([heard('pe1', 'p2')], WEST.agents, []), false);
  assert.equal(isEnough([heard('pe1', 'p2')], [], []), false, 'a region that does not say what it has is asked');
  assert.equal(isEnough([heard('pe1')], WEST.agents, ['pe1', 'pe7']), false);
});

test('a node whose session is lost still counts as one below, and so does an aggregator that says nothing', () => {
  const leaf = (node: string, state: string) => ({ kind: 'leaf', node, state });
  const inner = { kind: 'aggregator', node: 'edge3', state: 'up', below: [leaf('pe4', 'up')] };
  const silent = { kind: 'aggregator', node: 'edge4', state: 'degraded' };
  const tree = { below: [leaf('pe1', 'up'), leaf('p2', 'degraded'), inner, silent] };
  assert.deepEqual(agentsIn(tree), ['pe1', 'p2', 'pe4', 'edge4']);
  assert.deepEqual(inTurn(BELOW, ['p2']), [EAST]);
});

test('a node is asked itself before an aggregator that says it has it, and all that say so are asked', () => {
  const liar = region('aaa', ['pe1', 'p9']);
  const pe1 = {
    ...region('zzz', ['pe1']),
    node: 'pe1',
    slot: { segment: 'zzz', isAggregator: false },
  } as unknown as Below;
  assert.deepEqual(inTurn([liar, WEST, pe1], ['pe1']), [pe1, liar]);
});

test('an agent or aggregator whose session is lost is asked as well, and other servers are not', async () => {
  const tool = (name: string) => ({ tools: [{ name }], resources: [], templates: [], prompts: [] });
  const slot = (segment: string, over: object) => [segment, { segment, isAggregator: false, ...over }] as const;
  const slots = new Map([
    slot('edge2', { node: 'edge2', isAggregator: true, offers: tool('any') }),
    slot('pe1', { node: 'pe1', offers: tool('parley-ask') }),
    slot('files', { node: 'files', offers: tool('read-file') }),
    slot('local', { offers: tool('parley-ask') }),
  ]);
  const below = await nodesBelow({ slots } as never);
  assert.deepEqual(
    below.map(({ node, agents }) => [node, agents]),
    [
      ['edge2', []],
      ['pe1', ['pe1']],
    ],
  );
});
