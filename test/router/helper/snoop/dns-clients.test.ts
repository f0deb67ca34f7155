// Who was given an address for a name, and is told later that there is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNameAskers, type PassingAnswer } from '#router/helper/snoop/dns-clients.ts';

const NAME = { ifname: 'eth3', address: '198.19.1.10', name: 'www.lab.example' };
const answer = (asker: string, given: boolean, name = NAME.name): PassingAnswer => ({ ...NAME, name, given, asker });

test('only who was given a name before, and once each time, is noticed when it is denied', () => {
  const askers = createNameAskers();
  assert.equal(askers(answer('198.19.3.10', false)), undefined);
  assert.deepEqual(askers(answer('198.19.3.10', true)), NAME);
  assert.equal(askers(answer('198.19.4.10', false)), undefined);
  assert.equal(askers(answer('198.19.3.10', false, 'other.lab.example')), undefined);
  assert.equal(askers({ ...answer('198.19.3.10', false), address: '198.19.1.11' }), undefined);
  assert.deepEqual(askers(answer('198.19.3.10', false)), { ...NAME, taken: true });
  assert.equal(askers(answer('198.19.3.10', false)), undefined);
  askers(answer('198.19.3.10', true));
  assert.deepEqual(askers(answer('198.19.3.10', false)), { ...NAME, taken: true });
});

test('sixteen askers of a name are remembered, the youngest', () => {
  const askers = createNameAskers();
  for (let host = 1; host <= 17; host++) askers(answer(`198.19.3.${host}`, true));
  assert.equal(askers(answer('198.19.3.1', false)), undefined);
  assert.equal(askers(answer('198.19.3.2', false))?.taken, true);
  assert.equal(askers(answer('198.19.3.17', false))?.taken, true);
});
