// Which SIDs and addresses of a node probes use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decapSid, endSid, loopback } from '#measure/sids.ts';
import { stateOf } from '../correlate/scope-scene.ts';

const withSids = (...sids: readonly { readonly sid: string; readonly behavior: string }[]) => {
  const state = stateOf(1);
  return { ...state, inventory: { ...state.inventory, sids } };
};

test('a probe continues at End, and is taken out at End.DT6 in whatever table', () => {
  assert.deepEqual([endSid(stateOf(1)), decapSid(stateOf(1))], ['fd00:5a:1::e', 'fd00:5a:1::d6']);
  const table = { sid: 'fd00:5a:1::d7', behavior: 'End.DT6 table 100' };
  assert.deepEqual([endSid(withSids(table)), decapSid(withSids(table))], [undefined, 'fd00:5a:1::d7']);
});

test('End.DX6 hands packets on and never to the node', () => {
  assert.equal(decapSid(withSids({ sid: 'fd00:5a:1::d8', behavior: 'End.DX6' })), undefined);
});

test('the loopback is the first IPv6 address, without its length', () => {
  const state = stateOf(1);
  const loopbacks = ['198.19.255.1', 'fd00:0:0:1::1/128', 'fd00:0:0:9::1/128'];
  assert.equal(loopback({ ...state, inventory: { ...state.inventory, loopbacks } }), 'fd00:0:0:1::1');
  assert.equal(loopback({ ...state, inventory: { ...state.inventory, loopbacks: [] } }), undefined);
});
