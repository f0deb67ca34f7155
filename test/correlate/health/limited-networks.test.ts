// Probes from networks of hosts behind the two ends of a path, beside a limiter of what is for an end itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterRule } from '#model/router/router-port.ts';
import { type Change, probed, rule, said, unchanged } from './network-scene.ts';

test('a share of the probes that a limiter of an end’s own traffic accounts for is no hole in the proof', () => {
  const limiting =
    (packets: number, more: Partial<FilterRule> = {}): Change =>
    (state, phase) => ({
      ...state,
      filters: [
        {
          ...rule('drop', { table: 'copp', chain: 'input', path: ['input'], hook: 'input', ...more }),
          ...{ matches: [{ field: 'protocol', values: ['udp'] }], matchesRest: true },
          ...{ unread: ['limit rate over 100/second'], packets: phase === 'before' ? '0' : `${packets}`, bytes: '0' },
        },
      ],
    });
  const lines = (r1: Change, received = 20) => {
    const { proven, lacking } = said(unchanged, { states: { r1 }, more: [probed('r1', received, 'first', 105)] });
    return [...lacking, ...proven].find((line) => line.includes('probes from 198.19.1.1'));
  };
  assert.equal(
    lines(limiting(300)),
    '{r1} → 198.19.3.1 of {r3}: 85 of 105 probes from 198.19.1.1 did not come back, and input of {r1} limits what is for that node',
  );
  for (const change of [limiting(10), limiting(300, { hook: 'forward' }), unchanged])
    assert.match(lines(change)!, /hosts of 198\.19\.1\.1\/24 may get no answer either/);
  assert.match(lines(limiting(300), 0) ?? '', /may get no answer either|not known that an answer finds back/);
});
