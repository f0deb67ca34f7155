// Web servers that refuse their own router; and a refusal that only others hear.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { found, HTTP, REFUSED, said, serviceProbe } from '../../expected-scene.ts';
import { sceneOf } from '../../scope-scene.ts';
import { served } from '../../service-scene.ts';

test('a web server that refuses its own router is http_service_down', () => {
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('tcp', 80, REFUSED)] } }, HTTP), [
    'http_service_down node/h3',
  ]);
});

test('a refusal that only others hear may come from the way', () => {
  const serviceProbes = { r1: [serviceProbe('tcp', 80, REFUSED)], r3: [serviceProbe('tcp', 80, {})] };
  assert.deepEqual(said({ serviceProbes }, HTTP), []);
});

test('a host that its router saw serve pages lately, and that refuses now, is named; one that serves is not', () => {
  const states = { r3: served('tcp', 80) };
  const refusing = { states, serviceProbes: { r3: [serviceProbe('tcp', 80, REFUSED)] } };
  assert.deepEqual(found(refusing), [['http_service_down', 'node/h3', 'likely']]);
  const [finding] = diagnose(sceneOf(refusing)).findings;
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: 'h3 behind r3: start its service again' });
  assert.deepEqual(found({ states, serviceProbes: { r3: [serviceProbe('tcp', 80, {})] } }), []);
});
