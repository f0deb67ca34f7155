// The model has no path to a device (TS-30): what it is reached by, what it is offered, and what of its answers is read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { FAULT_FORMS } from '#correlate/text/clues.ts';
import { createNarrator } from '#narrate/narrator.ts';
import { importsOf, listFiles, ROOT, readSource } from '../../scripts/source-files.ts';
import { evaluationCases } from './evaluation/cases.ts';
import { listenFakeOllama, wants } from './fake-ollama.ts';

const FAULTY = evaluationCases().find(({ name }) => name === 'mtu')!.diagnosis;
const never = new AbortController().signal;

test('the folder of the model reaches no device, no session, no file and no process: only values come in [TS-30]', () => {
  const allowed = /^(?:\.\/[a-z-]+\.ts|#base\/(?:error|ip|json|limits)\.ts|#model\/[a-z-]+\.ts|ollama)$/;
  const files = listFiles(ROOT, ['src/narrate'], '.ts').map((path) => readSource(ROOT, path));
  assert.ok(files.length >= 7);
  for (const file of files)
    for (const { specifier } of importsOf(file)) assert.match(specifier, allowed, `${file.path} imports ${specifier}`);
  for (const { path, bare } of files.filter(({ path }) => !path.endsWith('ollama-chat.ts')))
    assert.doesNotMatch(bare, /\bfetch\s*\(/, `${path} sends`);
});

test('nobody else speaks to a model: one importer of its client in the whole source [TS-30]', () => {
  const importers = listFiles(ROOT, ['src'], '.ts')
    .map((path) => readSource(ROOT, path))
    .filter((file) => importsOf(file).some(({ specifier }) => specifier === 'ollama'))
    .map(({ path }) => path);
  assert.deepEqual(importers, ['src/narrate/ollama-chat.ts']);
});

test('no question offers a tool, and a tool that a model calls all the same is called by nobody [TS-30]', async () => {
  const call = { function: { name: 'network.cli.exec', arguments: { command: 'reload' } } };
  await using server = await listenFakeOllama(() => (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: { role: 'assistant', content: '{}', tool_calls: [call] }, done: true }));
  });
  const narrator = createNarrator({ host: server.host, faults: FAULT_FORMS });
  const said = await narrator.phrase(FAULTY, never);
  await narrator.interpret('the fabric acts up', ['r1'], never);
  assert.deepEqual(said, { sentence: FAULTY.sentence, source: 'template' });
  assert.equal(server.asked.length, 3);
  for (const text of server.asked) {
    const body = JSON.parse(text) as JsonObject;
    assert.deepEqual(Object.keys(body).sort(), ['format', 'messages', 'model', 'options', 'stream', 'think']);
  }
});

test('everything goes to the configured server, and a redirection to a device is not followed [TS-30]', async () => {
  await using device = await listenFakeOllama(() => '{"sentence":"{F1}"}');
  await using server = await listenFakeOllama(() => (response) => {
    response.writeHead(307, { location: `${device.host}/api/chat` });
    response.end();
  });
  const sent: string[] = [];
  const counting: typeof fetch = (input, init) => {
    sent.push(String(input));
    return fetch(input, init);
  };
  const said = await createNarrator({ host: server.host, faults: FAULT_FORMS, fetch: counting }).phrase(FAULTY, never);
  assert.equal(said.source, 'template');
  assert.deepEqual([...new Set(sent)], [`${server.host}/api/chat`]);
  assert.deepEqual([server.asked.length, device.asked.length], [2, 0]);
});

test('the same question is asked once; silence is not remembered', async () => {
  let answers = 0;
  await using server = await listenFakeOllama((request) => {
    answers++;
    return answers <= 2 ? '' : JSON.stringify(wants(request) === 'sentence' ? { sentence: 'Measured: {F1}' } : {});
  });
  const narrator = createNarrator({ host: server.host, faults: FAULT_FORMS });
  const sources: string[] = [];
  for (let turn = 0; turn < 4; turn++) sources.push((await narrator.phrase(FAULTY, never)).source);
  assert.deepEqual([sources, server.asked.length], [['template', 'model', 'model', 'model'], 4]);
});
