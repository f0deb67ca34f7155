// What "parley setup" asks: an answer of another form is asked for again, Enter takes what is usual, and it ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askCode, askDomain, askNode, askRegistrar } from '../../../src/cli/setup/prompts.ts';

/** A person who types these answers, and the questions that were seen. */
function person(...answers: readonly string[]) {
  const seen: string[] = [];
  const left = [...answers];
  const ask = async (question: string) => {
    seen.push(question);
    return left.shift() ?? assert.fail('asked once more');
  };
  return { ask, seen };
}

test('Enter takes what stands in brackets, and there are none where the host name is no node name', async () => {
  const at = person('');
  assert.equal(await askNode(at.ask, 'pe1'), 'pe1');
  assert.deepEqual(at.seen, ['name of this node [pe1]: ']);
  assert.equal(await askDomain(person('').ask, 'trial.internal'), 'trial.internal');
  assert.equal(await askRegistrar(person('').ask), '');
  const odd = person('', 'pe2');
  assert.equal(await askNode(odd.ask, 'PE 1!'), 'pe2');
  assert.equal(odd.seen[0], 'name of this node: ');
});

test('an answer of another form is asked for again, with what was expected', async () => {
  const at = person('PE 1', 'pe1');
  assert.equal(await askNode(at.ask, 'router'), 'pe1');
  assert.match(at.seen[1] ?? '', /^expected a node name of .*, got "PE 1"\nname of this node \[router\]: $/);
  assert.equal(await askRegistrar(person('pe1 port 9517', 'pe1:9517').ask), 'pe1:9517');
});

test('after three of them the command ends with what was expected', async () => {
  const at = person('', '', '');
  await assert.rejects(askCode(at.ask), { code: 'caller/usage', message: 'expected a code, got ""' });
  assert.equal(at.seen.length, 3);
});
