// What a silenced finding excuses in the proof of health, and what it leaves to be proven: other ends with a longer name, what else its
// node and that node's neighbours do, and loss that it does not explain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import { lossLine } from '#correlate/health/proof-reach.ts';
import { excusedBy } from '#correlate/meant/excused.ts';
import type { Reach } from '#correlate/network/world.ts';
import { fileOf, worldOf } from '../fact-scene.ts';
import { pairWorld } from '../pair-scene.ts';

const symptom = (kind: string, id: string, nodes: readonly string[]) => ({
  ...{ kind, id, subject: `node/${nodes[0]}`, text: id, source: [], nodes, detail: {} },
});
const silenced = (resource: string, ...ids: readonly string[]) =>
  ({
    ...{ fault: 'x', resource, confidence: 'certain', score: 3, evidence: [], against: [], details: {} },
    explains: ids.map((id) => ({ symptom: id, lost: 1, spread: 0 })),
  }) as unknown as Proposal;

test('an end is excused by its whole name', () => {
  const isExcused = excusedBy(fileOf([], { world: worldOf() }), [], [silenced('interface/a/to-b')], []);
  for (const line of ['{a} to-b → {b} to-a: at least 4', '{b} to-a – {a} to-b: not adjacent', '{b} to-c and {a} to-b'])
    assert.ok(isExcused(line), line);
  for (const end of ['to-b0', 'to-b.20', 'to-b-1', 'to-b@if3', 'to-bc', 'to'])
    assert.ok(!isExcused(`{a} ${end} → {c} to-x: the counters say that at least 400 of 2000 packets were lost`), end);
  assert.ok(isExcused('{a} to-b0 – {a} to-b: both'), 'named behind a longer one');
});

test('a daemon that is meant to be off excuses nothing else of its node', () => {
  const file = fileOf([], { symptoms: [symptom('daemon', 'daemon:a', ['a'])] });
  const isExcused = excusedBy(file, [], [silenced('node/a', 'daemon:a')], []);
  assert.ok(isExcused('daemon:a'));
  for (const line of [
    '{a}: no inventory (timeout)',
    '{b} → {a}: 3 of 1000 probes arrived',
    '{a} could not send 9 probes',
  ])
    assert.ok(!isExcused(line), line);
});

test('a node that is meant to be silent is excused, and its neighbours are not', () => {
  const file = fileOf([], { symptoms: [symptom('silent', 'silent:a', ['a', 'b', 'd'])] });
  const isExcused = excusedBy(file, [], [silenced('node/a', 'silent:a')], ['m']);
  for (const line of ['{a}: no state (timeout)', '{m}: no state (timeout)', '{b} to-a: neighbour a is unknown'])
    assert.ok(isExcused(line), line);
  assert.ok(!isExcused('{b}: no state (timeout)'));
});

test('loss from end to end through a node is excused where a finding there explains that packets are lost', () => {
  const row = { from: 'a', destination: '198.18.0.3', source: 's', sent: 10, received: 6 } as unknown as Reach;
  const answer = (ifname: string) => new Map([['198.18.0.3', { destination: '198.18.0.3', kind: 'unicast', ifname }]]);
  const world = pairWorld(
    ['a-b', 'b-c'],
    { a: { now: {} }, b: { now: {} }, c: { now: {} } },
    {
      reach: [row],
      owners: new Map([['198.18.0.3', [{ node: 'c', ifname: 'lo' }]]]),
      lookups: new Map([
        ['a', answer('to-b')],
        ['b', answer('to-c')],
      ]),
    },
  );
  const symptoms = ['daemon', 'route', 'mtu'].map((kind) => symptom(kind, kind, ['b']));
  const line = lossLine(world, row);
  assert.match(line, /over \{b\}: 4 of 10 probes/);
  const isExcused = (proposal: Proposal, maintained: readonly string[] = []) =>
    excusedBy(fileOf([], { world, symptoms }), [], [proposal], maintained)(line);
  assert.ok(!isExcused(silenced('node/b', 'daemon')));
  assert.ok(!isExcused(silenced('interface/b/to-c', 'mtu')));
  assert.ok(isExcused(silenced('node/b', 'route')));
  assert.ok(isExcused(silenced('interface/b/to-c', 'mtu', 'route')));
  assert.ok(isExcused(silenced('node/b', 'daemon'), ['b']));
});
