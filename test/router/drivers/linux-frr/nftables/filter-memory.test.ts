// When a dropping rule was last seen to drop something: what was counted before the first look is of nobody knows when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule } from '#model/router/router-port.ts';
import { createFilterMemory } from '../../../../../src/router/drivers/linux-frr/nftables/filter-memory.ts';

function rule(handle: number, packets: string, verdict: FilterRule['verdict'] = 'drop'): FilterRule {
  return {
    ...{ family: 'inet', table: 'filter', chain: 'input', path: ['input'], hook: 'input', handle, verdict, packets },
    ...{ outInterfaces: [], inInterfaces: [] },
  };
}
const named = (handle: number, agoMs: number) => ({ family: 'inet', table: 'filter', chain: 'input', handle, agoMs });

test('a counter that grew between two looks moved at the second, and keeps that moment while it stands still', () => {
  const memory = createFilterMemory();
  memory.add([rule(4, '900')], 1_000);
  assert.deepEqual(memory.drops(1_000), []);
  memory.add([rule(4, '901')], 3_000);
  memory.add([rule(4, '901')], 5_000);
  assert.deepEqual(memory.drops(6_000), [named(4, 3_000)]);
  assert.deepEqual(memory.drops(183_000), [named(4, 180_000)]);
  assert.deepEqual(memory.drops(183_001), []);
});

test('a rule that is new and has dropped something moved; one that lets through, or is gone, is not told', () => {
  const memory = createFilterMemory();
  memory.add([], 1_000);
  memory.add([rule(4, '2'), rule(5, '7', 'accept'), rule(6, '0')], 3_000);
  assert.deepEqual(memory.drops(3_000), [named(4, 0)]);
  memory.add([], 5_000);
  assert.deepEqual(memory.drops(5_000), []);
});
