// An agent with a language model, as an operator sees it: an odd sentence is answered and says what it was taken for; the candidate
// of the model is marked; without the model the sentence is refused as before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';
import { type FakeOllama, listenFakeOllama, wants } from '../narrate/fake-ollama.ts';

const ANSWERS = {
  intent: { kind: 'path-loss', nodes: ['N1', 'N2', 'N3'], address: 'none', protocol: 'none' },
  sentence: { sentence: 'The measurements point to {F1}' },
  opinion: { resource: 'I1', fault: 'packet_loss' },
};

let bed: AgentBed;
let model: FakeOllama;
const ask = (node: 'pe1' | 'p2', ...words: readonly string[]) =>
  runParley(['ask', 'do frames evaporate PE-1 P-2 PE-3', ...words, '--socket', bed.socketOf(node)]);
before(async () => {
  model = await listenFakeOllama((request) => JSON.stringify(ANSWERS[wants(request)]));
  bed = await upAgents(['pe1', 'p2', 'pe3'], { pe1: { narrate: { ollama: model.host, model: 'recorded' } } });
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
});
after(async () => {
  await bed.down();
  await model[Symbol.asyncDispose]();
});

test('an odd sentence is answered, and says what it was understood as; the model’s words are marked as such', async () => {
  const said = await ask('pe1');
  assert.equal(said.exitCode, 1, said.stderr);
  const understood = 'Understood as: packet loss from PE-1 to PE-3 via P-2 over SRv6 (read by the language model)';
  assert.ok(said.stdout.startsWith(`${understood}\n`), said.stdout);
  assert.match(said.stdout, /^FAULT {7}The measurements point to P-2 eth2 → PE-3 packet loss/m);
  const { intent, sentenceSource, candidates } = JSON.parse((await ask('pe1', '--json')).stdout);
  assert.deepEqual([intent.text, sentenceSource], ['do frames evaporate PE-1 P-2 PE-3', 'model']);
  const own = candidates.filter((each: { readonly source: string }) => each.source === 'model');
  assert.deepEqual(
    own.map((each: { readonly chosen: boolean }) => each.chosen),
    [false],
  );
});

test('a node without a model refuses the same sentence, and says which forms it knows', async () => {
  const said = await ask('p2', '--json');
  assert.equal(said.exitCode, 2);
  assert.equal(JSON.parse(said.stdout).error.code, 'caller/unknown-intent');
});
