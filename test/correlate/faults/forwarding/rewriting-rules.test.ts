// Rules that took packets: since the first reading by their place, and of a remembered moment those that stand nowhere any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rulesInUse, takenBy } from '#correlate/faults/forwarding/rewriting-rules.ts';
import { remembered, rule, worldWith } from './forwarding-scene.ts';

const RULE = rule('forward', ['udp checksum = 57005'], ['eth1'], '30');
const taken = (change: object, before: readonly object[] | undefined = [{ ...RULE, packets: '10' }]) =>
  takenBy({ before: before === undefined ? undefined : { filters: before } } as never, { ...RULE, ...change });

test('packets since the first reading of the rule at the same place; all of them where it was not there', () => {
  assert.equal(taken({}), 20);
  for (const change of [{ family: 'ip' }, { table: 'x' }, { chain: 'x' }, { handle: 9 }])
    assert.equal(taken(change), 30, JSON.stringify(change));
  assert.equal(takenBy({} as never, RULE), 30);
  assert.equal(taken({}, [{ ...RULE, packets: undefined }]), 30);
  assert.equal(taken({ packets: undefined }), 0);
  assert.equal(taken({ packets: '5' }), 0, 'a counter that began anew');
});

test('now every rule that took packets is in use, whatever stands beside it', () => {
  const world = worldWith([RULE, rule('forward', [], [], '9')], '9');
  assert.deepEqual(rulesInUse({ world, facts: [] }, world.views.get('r1')!), [RULE]);
});

test('of a remembered moment those that are gone, in the memory of filters of that node alone', () => {
  const of = (today: readonly object[], kept: object = { memory: 'filters', node: 'r1' }) => {
    const slice = remembered([RULE], today as never);
    return rulesInUse({ ...slice, past: { ...slice.past!, kept: kept as never } }, slice.world.views.get('r1')!).length;
  };
  assert.equal(of([]), 1);
  assert.equal(of([{ ...RULE, handle: 99, chain: 'x' }]), 0, 'loaded again');
  for (const change of [{ family: 'ip' }, { hook: 'input' }, { matches: [] }, { rewrites: [] }, { outInterfaces: [] }])
    assert.equal(of([{ ...RULE, ...change }]), 1, JSON.stringify(change));
  assert.equal(of([], { memory: 'probe-rounds', node: 'r1' }), 0);
  assert.equal(of([], { memory: 'filters', node: 'r2' }), 0);
  assert.equal(of([], {}), 0);
});
