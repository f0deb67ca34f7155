// Commands as they are typed to routers, and verbs in all their forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verbForms } from '#intent/words/verb-forms.ts';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({ nodes: ['pe1', 'p2', 'pe3', 'leaf1'], ifnames: ['eth1'], here: 'pe1' });

test('a command typed to a router is read as the words that it stands for [TS-7a]', () => {
  allRead([
    ['sh ip ospf nei p2', 'show OSPF neighbours on p2'],
    ['show ip bgp summary leaf1', 'show BGP neighbours on leaf1'],
    ['show clns neighbors on p2', 'show IS-IS neighbours on p2'],
    ['display bgp peer on leaf1', 'show BGP neighbours on leaf1'],
    ['sh ip int br leaf1', 'list interfaces on leaf1'],
    ['show interface counters eth1 pe1', 'counters on eth1 of pe1'],
    ['ping pe3 source p2', 'reachability from p2 to pe3'],
    ['traceroute pe3 source p2', 'which path from p2 to pe3'],
    ['sh ip route p2', 'unsupported'],
    ['sudo reboot p2', 'order'],
    ['commit confirmed 5', 'order'],
  ]);
});

test('a word that no router abbreviates so refuses, and outside a command none is spelled out [TS-7a]', () => {
  allRead([
    ['sh ip ospf data p2', 'OSPF sessions on p2'],
    ['nei p2', 'unclear'],
  ]);
});

test('a verb has five forms', () => {
  assert.deepEqual(verbForms('go down'), {
    present: ['go down', 'goes down', 'going down'],
    past: ['went down', 'gone down'],
  });
  assert.deepEqual(verbForms('drop'), { present: ['drop', 'drops', 'dropping'], past: ['dropped'] });
  assert.deepEqual(verbForms('modify'), { present: ['modify', 'modifies', 'modifying'], past: ['modified'] });
  assert.deepEqual(verbForms('lose'), { present: ['lose', 'loses', 'losing'], past: ['lost'] });
  assert.deepEqual(verbForms('crash'), { present: ['crash', 'crashes', 'crashing'], past: ['crashed'] });
});

test('a time may begin a sentence, and be said in words [TS-7a]', () => {
  allRead([
    ['since 9 am pe3 is not working', 'what is wrong on pe3 since 09:00'],
    ["since nine o'clock pe3 is broken", 'what is wrong on pe3 since 09:00'],
    ['as of 9am pe3 is down', 'what is wrong on pe3 since 09:00'],
    ['problems at pe3 starting at 9am', 'what is wrong on pe3 since 09:00'],
    ['errors on p2 from yesterday', 'errors on p2 yesterday'],
    ['errors on p2 from yesterday on', 'errors on p2 since yesterday'],
    ['p2 loses packets every few minutes', 'packet loss on p2; not used: every few minutes'],
  ]);
});
