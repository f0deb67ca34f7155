// Sessions with nodes to which the asker has no route: passed on by the nodes between, each of which applies its own rules.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import { createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import { until } from '../../fakes/clock.ts';
import { callPeers, type Row, upRow } from './relay-bed.ts';

/** What `hearer` takes for `node`, at the port of agents: what comes in there, `onData` sees. */
async function imposed(
  bed: Row,
  { hearer, node }: { readonly hearer: string; readonly node: string },
  onData: (socket: Socket) => void,
): Promise<Server> {
  const { port, peers } = bed.node(hearer);
  const address = '127.0.1.250';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => onData(socket));
  }).listen(port, address);
  await once(server, 'listening');
  peers.retract(node, { source: 'lldp', heardOn: `to-${node}` });
  peers.add({ source: 'lldp', node, addresses: [address], port, heardOn: 'to-liar', hops: 0, heardAtMs: 0 });
  return server;
}

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

test('where a relay drops what it passes on, the node is unreachable through it, and not silent', async () => {
  const bed = await upRow(['a', 'b', 'c']);
  const dropping = new AbortController();
  const hole = await imposed(bed, { hearer: 'b', node: 'c' }, () => dropping.abort());
  try {
    const question = bed.node('a').ask();
    await question.open('b', never);
    const lost = { code: 'peer/unreachable', data: { peer: 'c', through: ['b'] } };
    await assert.rejects(question.open('c', dropping.signal), lost);
  } finally {
    hole.close();
    await bed.down();
  }
});

test('where another is at the end of the connection, the next address of the node is tried', async () => {
  const bed = await upRow(['a', 'b', 'c']);
  let visits = 0;
  const liar = await imposed(bed, { hearer: 'b', node: 'c' }, (socket) => {
    visits += 1;
    socket.destroy();
  });
  try {
    const { port, peers } = bed.node('b');
    const { address } = bed.node('c');
    peers.add({ source: 'isis', node: 'c', addresses: [address], port, heardOn: 'isis0', hops: 0, heardAtMs: 0 });
    const question = bed.node('a').ask();
    await question.open('b', never);
    const session = await question.open('c', never);
    assert.deepEqual([session.peer.name, session.through, visits], ['c', ['b'], 1]);
  } finally {
    liar.close();
    await bed.down();
  }
});

test('a session that ended is opened again through the same node', async () => {
  const question = row.node('r1').ask();
  try {
    await question.open('r2', never);
    const first = await question.open('r3', never);
    await first.close();
    await until(() => first.closed, 'it is closed');
    const again = await question.open('r3', never);
    assert.deepEqual([again === first, again.through], [false, ['r2']]);
    assert.equal((await callPeers(again)).answer.status, 'answered');
  } finally {
    question.end();
  }
});

test('behind one node, more are reached than it opens at once, and another question as well', async () => {
  const leaves = Array.from({ length: 40 }, (_, index) => `l${index}`);
  const bed = await upRow(['a', 'b', ...leaves]);
  try {
    const [a, b] = [bed.node('a'), bed.node('b')];
    for (const node of leaves) {
      const { address, port } = bed.node(node);
      b.peers.add({ source: 'lldp', node, addresses: [address], port, heardOn: `to-${node}`, hops: 0, heardAtMs: 0 });
      for (const { source, heardOn } of a.peers.find(node)?.hints ?? [])
        a.peers.retract(node, { source, ...(heardOn === undefined ? {} : { heardOn }) });
      a.peers.add({
        ...{ source: 'peer-exchange', node, addresses: ['192.0.2.1'], port, toldBy: 'b', hops: 1, heardAtMs: 0 },
      });
    }
    const question = a.ask();
    await question.open('b', never);
    const sessions = await Promise.all(leaves.map((node) => question.open(node, never)));
    assert.deepEqual([...new Set(sessions.map(({ through }) => through?.join()))], ['b']);
    const other = a.ask();
    await other.open('b', never);
    assert.deepEqual((await other.open('l0', never)).through, ['b']);
  } finally {
    await bed.down();
  }
});
