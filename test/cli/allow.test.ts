// `parley allow` as an operator runs it: a fault is injected, allowed, and the answer is healthy and says so; removed, it is accused again.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';

let bed: AgentBed;
const on = (node: 'pe1' | 'p2', words: readonly string[]) => runParley([...words, '--socket', bed.socketOf(node)]);
const local = (...words: readonly string[]) => on('pe1', words);
const json = (text: string) => JSON.parse(text) as Readonly<Record<string, never>>;
const ask = async () => json((await local('ask', 'What is wrong?', '--json')).stdout);
const findings = (answer: Readonly<Record<string, never>>) =>
  (answer['findings'] as unknown as readonly { fault: string; resource: string }[]).map(
    ({ fault, resource }) => `${fault}@${resource}`,
  );
const LOSS = 'packet_loss@interface/p2/eth2';

before(async () => {
  const admin = { access: { roles: { local: 'admin' } } };
  bed = await upAgents(['pe1', 'p2', 'pe3'], { pe1: admin, p2: admin });
});
after(() => bed.down());

test('a finding is allowed, the answer is healthy and says so, and after the removal it is accused again', async () => {
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 30 });
  const accused = await ask();
  assert.deepEqual(findings(accused), [LOSS]);
  const missing = await local('allow', '1', '--json');
  assert.equal(json(missing.stdout)['error']!['message'], 'expected --reason and --until, got none');
  const words = ['allow', '1', '--reason', 'an old radio', '--owner', 'netops', '--until', '14d'];
  const allowed = await local(...words);
  assert.match(allowed.stdout, /^packet_loss at interface\/p2\/eth2: allowed on pe1 until 14d\n$/, allowed.stderr);
  const again = await local('ask', 'What is wrong?');
  assert.equal(again.exitCode, 0, again.stdout);
  console.log(again.stdout);
});
