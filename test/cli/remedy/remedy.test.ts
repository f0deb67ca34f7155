// Applying a remedy against a node that is played by a fake: what it is told, in which order, and what the command says of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { type Asked, whyNotHelped } from '#model/reports/remedy-judge.ts';
import { applyRemedy, draw } from '../../../src/cli/remedy/remedy-apply.ts';

const MTU = { fault: 'mtu_mismatch', resource: 'interface/r2/eth1', details: {} } as const;
const LOSS = { fault: 'packet_loss', resource: 'interface/r1/eth1', details: {} } as const;
const BEFORE: Asked = { verdict: 'fault', findings: [MTU] };
const ID = 'mtu_mismatch interface/r2/eth1';
const TARGET = {
  id: ID,
  node: 'r2',
  change: { live: [{ kind: 'link-mtu', ifname: 'eth1', mtu: 9000, now: 1400 }] },
  report: 'urn:one',
  intent: 'What is wrong?',
} as const;

test('it has helped when the finding is gone, nothing is new, and all was seen [TS-19]', () => {
  assert.deepEqual(whyNotHelped(BEFORE, ID, { verdict: 'healthy', findings: [] }), []);
  const known: Asked = { verdict: 'fault', findings: [MTU, LOSS] };
  assert.deepEqual(
    whyNotHelped(known, ID, { verdict: 'fault', findings: [LOSS] }),
    [],
    'what was there before may stay',
  );
  assert.deepEqual(whyNotHelped(BEFORE, ID, BEFORE), [`${ID} is still there`]);
  assert.deepEqual(whyNotHelped(BEFORE, ID, { verdict: 'fault', findings: [LOSS] }), [
    'packet_loss interface/r1/eth1 is new',
  ]);
  assert.deepEqual(whyNotHelped(BEFORE, ID, { verdict: 'inconclusive', findings: [] }), [
    'the answer is inconclusive: not all was seen',
  ]);
  const over = { ...MTU, details: { over: true } };
  assert.deepEqual(whyNotHelped(BEFORE, ID, { verdict: 'fault', findings: [over] }), [], 'over is not there');
});

const NONE = {
  'network.file.pull': () => {
    throw new ParleyError('caller/no-candidate', 'expected an edited candidate, there is none');
  },
};

function played(answers: Readonly<Record<string, () => JsonObject>>) {
  const calls: string[] = [];
  const client = {
    async callTool(name: string, args: JsonObject): Promise<JsonObject> {
      const call = `${name} ${JSON.stringify(args)}`;
      calls.push(call);
      const answer = Object.entries(answers).find(([start]) => call.startsWith(start))?.[1];
      return answer === undefined ? {} : answer();
    },
  };
  return { calls, client: client as unknown as Parameters<typeof applyRemedy>[0]['client'] };
}

const PULLED = 'network.file.pull {"file":"candidate-config"}';
const OUTPUT = { json: true, line: () => {}, progress: () => {}, result: () => {} };
const DRAWN = {
  status: 'candidate',
  changes: [{ sign: '+', context: 'live interface eth1', line: 'mtu 9000' }],
};
const COMMITTED = {
  ...NONE,
  'network.cli.configure': () => DRAWN,
  'network.commit {"confirmed"': () => ({ 'commit-id': '00000001-0a0b0c0d' }),
};
const healthy = async () => ({ uri: 'urn:two', verdict: { kind: 'healthy' }, findings: [] });

test('commits unconfirmed, asks again with the first report named, and confirms [TS-19]', async () => {
  const node = played(COMMITTED);
  const asked: JsonObject[] = [];
  const ask = async (args: JsonObject) => {
    asked.push(args);
    return healthy();
  };
  const { outcome } = await applyRemedy({ client: node.client, ask, output: OUTPUT }, TARGET, BEFORE);
  assert.deepEqual([outcome.status, outcome.after, outcome.commit], ['confirmed', 'urn:two', '00000001-0a0b0c0d']);
  assert.deepEqual(node.calls, [
    PULLED,
    'network.cli.configure {"live":[{"kind":"link-mtu","ifname":"eth1","mtu":9000,"now":1400}]}',
    'network.commit {"confirmed":300}',
    'network.commit {"confirm":true}',
  ]);
  const remedy = { report: 'urn:one', finding: ID, node: 'r2', commit: '00000001-0a0b0c0d' };
  assert.deepEqual(asked, [{ intent: 'What is wrong?', remedy }]);
});

test('a question that cannot be asked again takes the change back [TS-19]', async () => {
  const node = played(COMMITTED);
  const ask = () => Promise.reject(new Error('no way'));
  const { outcome } = await applyRemedy({ client: node.client, ask, output: OUTPUT }, TARGET, BEFORE);
  assert.deepEqual([outcome.status, outcome.reason], ['rolled back', 'the question could not be asked again: no way']);
  assert.equal(node.calls.at(-1), 'network.rollback {}');
});

test('says neither confirmed nor rolled back where the node has answered neither', async () => {
  const lost = () => {
    throw new Error('lost');
  };
  const node = played({ ...COMMITTED, 'network.commit {"confirm":': lost, 'network.rollback': lost });
  const { outcome } = await applyRemedy({ client: node.client, ask: healthy, output: OUTPUT }, TARGET, BEFORE);
  assert.deepEqual([outcome.status, outcome.code], ['unsettled', 'node/remedy-unsettled']);
});

test('a change that waits for consent is neither asked about nor dropped [TS-28]', async () => {
  const refuse = () => {
    throw new ParleyError('caller/no-consent', 'expected consent');
  };
  const node = played({ ...COMMITTED, 'network.commit {"confirmed"': refuse });
  await assert.rejects(applyRemedy({ client: node.client, ask: healthy, output: OUTPUT }, TARGET, BEFORE), {
    code: 'caller/no-consent',
  });
  assert.equal(node.calls.length, 3);
});

test('a change that changes nothing is not committed', async () => {
  const node = played({ ...NONE, 'network.cli.configure': () => ({ status: 'candidate', changes: [] }) });
  const { outcome } = await applyRemedy({ client: node.client, ask: healthy, output: OUTPUT }, TARGET, BEFORE);
  assert.deepEqual([outcome.status, node.calls.at(-1)], ['refused', 'network.rollback {"discard":true}']);
});

test('drawing up drops only what it has drawn up itself: a candidate that was there may wait for its consent [TS-28]', async () => {
  const refused = { 'network.cli.configure': () => ({ status: 'invalid', wrong: 'no such interface' }) };
  for (const [there, dropped] of [
    [NONE, true],
    [{}, false],
  ] as const) {
    const node = played({ ...there, 'network.cli.configure': () => DRAWN });
    await (await draw(node.client, TARGET, OUTPUT)).drop();
    const wrong = played({ ...there, ...refused });
    await assert.rejects(draw(wrong.client, TARGET, OUTPUT), { code: 'node/remedy-refused' });
    for (const { calls } of [node, wrong])
      assert.equal(calls.includes('network.rollback {"discard":true}'), dropped, calls.join());
  }
});
