// Sessions with nodes to which the asker has no route: passed on by the nodes between, each of which applies its own rules.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import { createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import { until } from '../../fakes/clock.ts';
import { callPeers, type Row, upRow } from './relay-bed.ts';

const never = new AbortController().signal;
const NAMES = ['r1', 'r2', 'r3', 'r4', 'r5'] as const;
let row: Row;

before(async () => {
  row = await upRow(NAMES);
});
after(() => row.down());

const relayCalls = (name: string) =>
  row.node(name).audit.filter(({ method, event }) => event === 'request' && method === 'tools/call parley-relay');

test('a node four hops away is reached through the three between, and answers in its own name [TS-14]', async () => {
  const question = row.node('r1').ask();
  try {
    const [session] = await Promise.all(['r5', 'r4', 'r3', 'r2'].map((name) => question.open(name, never)));
    assert.deepEqual([session!.peer.name, session!.through], ['r5', ['r2', 'r3', 'r4']]);
    assert.deepEqual((await question.open('r3', never)).through, ['r2']);
    assert.equal((await question.open('r2', never)).through, undefined);
    const { answer } = await callPeers(session!);
    assert.equal(isJsonObject(answer.body) && answer.body['node'], 'r5');
    assert.ok(answer.envelope, 'signed by the node itself');
    assert.equal(row.node('r1').sessions.current('r5'), undefined, 'of this question alone');
  } finally {
    question.end();
  }
});

test('each node between, and the node itself, sees the asked node and who asked', async () => {
  for (const name of ['r2', 'r3', 'r4']) {
    const parties = relayCalls(name).map(({ party, asker }) => `${party} for ${asker}`);
    assert.deepEqual([...new Set(parties)], ['node/r1 for operator/local@r1 (vouched for by r1)'], name);
  }
  const asked = row.node('r5').audit.filter(({ method }) => method === 'tools/call parley-peers');
  assert.deepEqual([...new Set(asked.map(({ party }) => party))], ['node/r1']);
});

test('what was passed on is recorded when it ends, with its bytes', async () => {
  const ended = () => row.node('r4').audit.filter(({ event }) => event === 'relay-ended');
  await until(() => ended().length > 0, 'r4 has recorded the end');
  const [first] = ended();
  assert.deepEqual([first?.party, first?.detail?.['node']], ['node/r1', 'r5']);
  assert.ok(Number(first?.detail?.['bytes']) > 1_000);
});

test('through a node that refuses, and to a node that refuses, nothing goes', async () => {
  const denying = (tool: string) => {
    const rules = [{ name: 'no', tool, action: 'deny', operations: ['exec'] }] as const;
    return createAccess({ ...DEFAULT_ACCESS, lists: [{ name: 'shut', groups: ['operator'], rules }] });
  };
  const access = { r2: denying('parley-relay'), r5: denying('parley-peers') };
  const shut = await upRow(['r1', 'r2', 'r3', 'r4', 'r5'], { access });
  try {
    const question = shut.node('r1').ask();
    await question.open('r2', never);
    await assert.rejects(question.open('r3', never), { code: 'peer/unreachable' });
    const refused = shut.node('r2').audit.filter(({ status }) => status === 'refused');
    assert.match(refused[0]?.reason ?? '', /^for operator\/local@r1, who asks through another node: /);
    assert.equal(shut.node('r3').audit.length, 0);
    // r5 is reached from r3, and its own rules hold for the asker.
    const other = shut.node('r3').ask();
    await other.open('r4', never);
    const far = await other.open('r5', never);
    const { answer } = await callPeers(far);
    assert.equal(answer.status, 'refused');
    assert.match(answer.reason ?? '', /for operator\/local@r3, who asks through another node/);
  } finally {
    await shut.down();
  }
});

test('a node that grants no relays to peers passes nothing on', async () => {
  const shut = await upRow(['r1', 'r2', 'r3'], { capabilities: { r2: ['parley-peers'] } });
  try {
    const question = shut.node('r1').ask();
    await question.open('r2', never);
    await assert.rejects(question.open('r3', never), { code: 'peer/unreachable' });
    assert.equal(shut.node('r3').audit.length, 0);
  } finally {
    await shut.down();
  }
});

test('a node that is not there ends in the reason of the direct dial, once, and holds no other up', async () => {
  const question = row.node('r1').ask();
  try {
    row.node('r1').peers.add({
      ...{
        source: 'peer-exchange',
        node: 'r9',
        addresses: ['192.0.2.9'],
        port: 9,
        toldBy: 'r2',
        hops: 1,
        heardAtMs: 0,
      },
    });
    const before = relayCalls('r2').length;
    const [lost, found] = await Promise.allSettled(['r9', 'r3', 'r2'].map((name) => question.open(name, never)));
    assert.deepEqual([lost!.status, found!.status], ['rejected', 'fulfilled']);
    assert.match(String((lost as PromiseRejectedResult).reason.message), /known only from other nodes/);
    await assert.rejects(question.open('r9', never), ParleyError);
    assert.equal(relayCalls('r2').length, before + 2, 'one for each node');
    assert.equal(question.mayReach('r9'), false);
  } finally {
    question.end();
  }
});
