// Roles from the certificate to the refusal, over real TLS to an agent that runs as a process; and what it leaves in the audit trail.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialTo } from '../mtls/domain.ts';
import { type AgentBed, runParley, upAgents } from './agent-bed.ts';

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1'], { pe1: { access: { roles: { dora: 'observer' } } } });
  await bed.domain.identity('olga', { kind: 'operator', role: 'observer' });
  await bed.domain.identity('ann', { kind: 'operator', role: 'admin' });
  await bed.domain.identity('dora', { kind: 'operator', role: 'admin' });
});
after(() => bed?.down());

async function as<T>(name: string, work: (client: OperatorClient) => Promise<T>): Promise<T> {
  const identity = await loadIdentity(join(bed.dir, name));
  const { socket } = await dialTo({ port: bed.portOf('pe1') }, identity, { expectedNode: 'pe1' });
  const client = await openOperatorClient(socket);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const ping = (client: OperatorClient) =>
  client.callTool('parley-capture', { interface: 'eth1', durationMs: 100 }).then(
    () => 'answered',
    (error: { data: { code: number; data: { path: string; detail: string } } }) =>
      `${error.data.code} ${error.data.data.detail}`,
  );

test('an observer by certificate is told no, an admin is not [NET-16]', async () => {
  assert.equal(await as('olga', ping), '-32083 observer may not exec this, by the default for exec');
  assert.notEqual((await as('ann', ping)).slice(0, 6), '-32083');
  const tools = await as('olga', (client) => client.listTools());
  assert.equal(
    tools.some(({ name }) => name === 'parley-ask'),
    false,
  );
});

test('the node’s own configuration wins over the certificate [NET-16]', async () => {
  assert.equal(await as('dora', ping), '-32083 observer may not exec this, by the default for exec');
});

test('who was refused what stands in the audit trail [NET-16] [TS-31]', async () => {
  const refused = (await bed.audit('pe1')).filter((entry) => entry['party'] === 'operator/olga' && entry['reason']);
  assert.match(JSON.stringify(refused), /observer may not exec this/);
});

test('only an admin deletes reports [NET-16] [TS-31]', async () => {
  const remove = (client: OperatorClient) =>
    client.callTool('parley-report-delete', { verdict: 'healthy' }).then(
      (answer) => JSON.stringify(answer),
      (error: { data: { code: number } }) => String(error.data.code),
    );
  assert.equal(await as('olga', remove), '-32083');
  assert.equal(await as('ann', remove), '{"removed":[],"more":false}');
  const none = await runParley(['report', 'delete', '--verdict', 'healthy', '--socket', bed.socketOf('pe1')]);
  assert.equal(none.exitCode, 4, none.stderr);
});

test('the command line tells what one is to a node [NET-16]', async () => {
  const doctor = await runParley(['doctor', '--config', bed.configOf('pe1'), '--json']);
  const checks = (JSON.parse(doctor.stdout) as { checks: { name: string; detail: string }[] }).checks;
  assert.match(checks.find(({ name }) => name === 'agent')!.detail, /, as operator$/);
  assert.equal(checks.find(({ name }) => name === 'reports')!.detail, '0 reports, 0.0 of 268.4 MB');
});
