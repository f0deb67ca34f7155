// What counts as named, as the right place, as an innocent accused, and as blind, of faults that other people made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf } from '../../bench/foreign-faults.ts';

const expected = { items: [{ right: ['node/r1 acl_misconfig'], place: ['node/r1', 'interface/r1/eth1'] }] };
const outcome = (verdict: string, predicted: readonly (readonly [string, string])[], reasons: readonly string[] = []) =>
  outcomeOf({ verdict, predicted: predicted.map(([resource, fault]) => ({ resource, fault })) }, expected, reasons);

test('the right name, the right place alone, or an innocent', () => {
  assert.equal(outcome('fault', [['node/r1', 'acl_misconfig']]), 'named');
  assert.equal(outcome('fault', [['interface/r1/eth1', 'packet_loss']]), 'placed');
  assert.equal(
    outcome('fault', [
      ['node/r1', 'acl_misconfig'],
      ['node/r2', 'device_down'],
    ]),
    'accused',
  );
});

test('without a finding, the words may have the place; healthy is blind', () => {
  assert.equal(outcome('inconclusive', [], ['r2 → r1: 5 of 9 probes lost']), 'placed');
  assert.equal(outcome('inconclusive', [], ['r10 → r2: 5 of 9 probes lost']), 'undecided');
  assert.equal(outcome('healthy', []), 'healthy');
  assert.equal(outcome('none', []), 'none');
});

test('a control is clear when it is called healthy, and accused by any finding', () => {
  const control = (verdict: string, predicted: readonly { readonly resource: string; readonly fault: string }[] = []) =>
    outcomeOf({ verdict, predicted }, { items: [] }, []);
  assert.deepEqual(
    [control('healthy'), control('inconclusive'), control('fault', [{ resource: 'node/r1', fault: 'x' }])],
    ['clear', 'doubted', 'accused'],
  );
});
