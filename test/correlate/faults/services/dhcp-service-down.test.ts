// A DHCP server that refuses, or is silent to all; and one that is out of reach.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { ASKED, at, silent } from '../../dhcp-scene.ts';
import { named, sceneOf } from '../../scope-scene.ts';

test('a server that refuses its own router is down', () => {
  const refused = at('r3', { refused: true });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [at('r1', { refused: true })], r3: [refused] } }), [
    'dhcp_service_down node/h3',
  ]);
});

test('one that is refused far away only may be refused by somebody on the way', () => {
  const again = { r1: [silent('r1', { refused: true })], r3: [silent('r3', { echoed: 5 })] };
  assert.deepEqual(named({ states: ASKED, dhcp: again, dhcpAgain: again }), []);
});

test('a server that stays silent everywhere, though each echo comes back, is down; after one look nobody knows', () => {
  const silence = { r1: [silent('r1')], r3: [silent('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp: silence, dhcpAgain: silence }), ['dhcp_service_down node/h3']);
  assert.deepEqual(named({ states: ASKED, dhcp: silence }), []);
  const lossy = { r1: [silent('r1', { echoed: 4 })], r3: [silent('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp: silence, dhcpAgain: lossy }), []);
});

test('a refusal is certain, silence is likely; the remedy is for the router of the server', () => {
  const told = (dhcp: Parameters<typeof named>[0]) =>
    diagnose(sceneOf({ states: ASKED, ...dhcp })).findings.map(({ confidence, details, remedy }) => [
      confidence,
      details['what'],
      remedy,
    ]);
  const refused = { r1: [at('r1', { refused: true })], r3: [at('r3', { refused: true })] };
  const what = 'h3 gave addresses and now refuses: no offer for 198.19.1.1, 198.19.3.1';
  assert.deepEqual(told({ dhcp: refused }), [
    ['certain', what, { node: 'r3', summary: `start its DHCP service again: ${what}` }],
  ]);
  const silence = { r1: [silent('r1')], r3: [silent('r3')] };
  assert.deepEqual(
    told({ dhcp: silence, dhcpAgain: silence }).map(([confidence]) => confidence),
    ['likely'],
  );
});
