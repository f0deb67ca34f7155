// A narrator whose modules cannot be loaded, as while descriptors are exhausted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { createTestDomain, hear, partsOf } from './in-process.ts';

test('a narrator that cannot be loaded costs its words, never the answer [CARD-5]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const narrator = {
    phrase: () => Promise.reject(new Error('too many open files')),
    interpret: async () => undefined,
  };
  const told: string[] = [];
  const question = {
    ...LOCAL_ASKER,
    text: 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2',
    signal: new AbortController().signal,
    onProgress: ({ message }: { readonly message: string }) => void told.push(message),
  };
  const { phrased, diagnosis } = await investigate(question, partsOf(domain, 'pe1', { narrator }));
  assert.deepEqual([phrased.source, phrased.sentence], ['template', diagnosis.sentence]);
  assert.match(phrased.sentence, /^No /);
  assert.ok(told.includes("no narrator, the sentence is the template's: too many open files"));
});
