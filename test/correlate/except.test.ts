// "Everywhere except p2": findings about p2 alone are no answer, are said to be left out, and prove no health.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExcepted, withoutExcepted } from '#correlate/except.ts';
import type { Intent } from '#model/intent.ts';

const INTENT: Intent = {
  ...{ kind: 'fault', text: '', path: [], encapsulation: 'ip' },
  except: [{ as: 'P-2', key: 'p2' }],
};

test('a finding at an excepted node is left out; a link to another node is not', () => {
  for (const [resource, expected] of [
    ['node/p2', true],
    ['interface/p2/eth1', true],
    ['interface/pe1/eth1', false],
    ['link/p2:eth1--pe1:eth1', false],
  ] as const)
    assert.equal(isExcepted(INTENT, { resource }), expected, resource);
  const { except: _except, ...all } = INTENT;
  assert.equal(isExcepted(all, { resource: 'node/p2' }), false);
});

test('where nothing was left out the verdict stays', () => {
  const verdict = { kind: 'healthy', reasons: ['proof'] } as const;
  assert.equal(withoutExcepted(verdict, [], []), verdict);
});
