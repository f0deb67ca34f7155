// Who asked, between agents that run as processes: over mutual TLS with an operator's certificate, from the command line and a browser's way in.
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openOperatorClient } from '#mcp/client/operator-client.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialTo } from '../mtls/domain.ts';
import { type AgentBed, type NodeName, runParley, upAgents } from './agent-bed.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

let bed: AgentBed;
before(async () => {
  const shut = { name: 'shut', groups: ['operator/alice'], rules: [{ name: 'nothing', action: 'deny' }] };
  bed = await upAgents(['pe1', 'p2', 'pe3'], {
    p2: { access: { rules: [shut] } },
    pe3: { peers: { askers: { vouched: 'refused', absent: 'refused' } } },
  });
  await bed.domain.identity('alice', { kind: 'operator' });
  await bed.domain.identity('bob', { kind: 'operator' });
});
after(() => bed?.down());

type Answer = { readonly outcomes: readonly { node: string; status: string; reason?: string }[] };
const statuses = ({ outcomes }: Answer, node: NodeName) =>
  [...new Set(outcomes.filter((each) => each.node === node).map(({ status }) => status))].join();

async function overMutualTls(name: string): Promise<Answer> {
  const { socket } = await dialTo({ port: bed.portOf('pe1') }, await loadIdentity(join(bed.dir, name)), {
    expectedNode: 'pe1',
  });
  const client = await openOperatorClient(socket);
  try {
    return (await client.callTool('parley-ask', { intent: INTENT }, { timeoutMs: 30_000 })) as unknown as Answer;
  } finally {
    await client.close();
  }
}

const askersAt = async (node: NodeName, status: string) => [
  ...new Set((await bed.audit(node)).filter((entry) => entry['status'] === status).map((entry) => entry['asker'])),
];

test('alice, who is denied everything at p2, asks pe1: p2 and pe3 refuse her as their rules say [TS-31]', async () => {
  const answer = await overMutualTls('alice');
  assert.deepEqual([statuses(answer, 'p2'), statuses(answer, 'pe3')], ['refused', 'refused']);
  const reasonOf = (node: NodeName) => answer.outcomes.find((each) => each.node === node)?.reason ?? '';
  assert.match(reasonOf('p2'), /for operator\/alice, who asks through another node: operator may not exec this/);
  assert.match(reasonOf('pe3'), /expected a question that its asker signed/);
  assert.deepEqual(await askersAt('p2', 'refused'), ['operator/alice (vouched for by pe1)']);
  assert.ok(!(await askersAt('p2', 'answered')).some((asker) => asker?.includes('alice')));
  const sent = (await bed.audit('pe1')).filter((entry) => entry['direction'] === 'out' && entry['party'] === 'node/p2');
  assert.ok(sent.some((entry) => entry['asker'] === 'operator/alice'));
});

test('bob, who may, signs what he asks from the command line, and each node knows that he did', async () => {
  const connect = ['--connect', `127.0.0.1:${bed.portOf('pe1')}`, '--node', 'pe1', '--identity', join(bed.dir, 'bob')];
  const asked = await runParley(['ask', INTENT, '--json', ...connect]);
  const answer = JSON.parse(asked.stdout) as Answer;
  assert.deepEqual([statuses(answer, 'p2'), statuses(answer, 'pe3')], ['answered', 'answered']);
  for (const node of ['p2', 'pe3'] as const)
    assert.ok((await askersAt(node, 'answered')).includes('operator/bob (signed)'));
});

test('a user of the control socket is vouched for by the node that was asked', async () => {
  const client = await bed.local('pe1');
  const answer = (await client.callTool('parley-ask', { intent: INTENT }, { timeoutMs: 30_000 })) as unknown as Answer;
  await client.close();
  assert.equal(statuses(answer, 'p2'), 'answered');
  assert.ok((await askersAt('p2', 'answered')).includes('operator/local@pe1 (vouched for by pe1)'));
});

/** As the operators' page asks. */
async function overHttp(): Promise<string> {
  const { certPem, keyPem, caPem } = await loadIdentity(join(bed.dir, 'alice'));
  const origin = `https://127.0.0.1:${bed.portOf('pe1')}`;
  const session = connect(origin, {
    ...{ cert: certPem, key: keyPem, ca: caPem, checkServerIdentity: () => undefined },
  });
  const headers = { ':method': 'POST', ':path': '/console/ask', origin, 'content-type': 'application/json' };
  const stream = session.request(headers);
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
  });
  stream.end(JSON.stringify({ intent: INTENT }));
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
  session.close();
  return text;
}

test('through a browser’s way in, the certificate of the connection is named, and the node vouches for it', async () => {
  assert.match(await overHttp(), /for operator\/alice, who asks through another node/);
  assert.ok((await askersAt('p2', 'refused')).includes('operator/alice (vouched for by pe1)'));
});
