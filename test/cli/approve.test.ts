// Approving a change as an operator does it: a program asks for a change through the door of this machine, is told to wait, and an admin
// decides from a shell with a key that the program does not have. The commands run as processes against a node in this one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import { createConsents } from '#consent/consents.ts';
import { consentTools } from '#consent/tools.ts';
import { createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import type { ConsentObject } from '#model/consent.ts';
import type { Party } from '#model/identity.ts';
import { listenLocal } from '#mtls/local-socket.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { consentIdOver } from '#sign/decision.ts';
import { runParley } from '../agent/agent-bed.ts';
import { createFakeConfiguration } from '../fakes/configuration.ts';
import { createFakeDevice } from '../fakes/device.ts';
import { createDomain } from '../mtls/domain.ts';
import { openDeviceBench, openSession } from '../network/device-bench.ts';

const HOST: Party = { kind: 'operator', domain: 'lab.example', name: 'loopback' };
const LOCAL: Party = { ...HOST, name: 'local' };

/** `shown` stands for an agent that shows other consents than those that wait. */
async function open(t: TestContext, shown: (waiting: ConsentObject) => ConsentObject = (waiting) => waiting) {
  const domain = await createDomain();
  t.after(() => domain.remove());
  await domain.identity('ann', { kind: 'operator', role: 'admin' });
  await domain.identity('olaf', { kind: 'operator', role: 'operator' });
  const access = createAccess({ ...DEFAULT_ACCESS, roles: { loopback: 'admin' } });
  const consents = createConsents({
    node: 'router1',
    mode: 'required',
    policies: [],
    twoAdmins: [],
    clock: createSystemClock(),
    random: systemRandom,
    audit: { append: async () => {} },
    roleOf: access.roleOf,
    verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
  });
  const configuration = createFakeConfiguration();
  const bench = await openDeviceBench(t, createFakeDevice(), '/nonexistent', access, {
    configuration,
    consent: consents,
    tools: consentTools({ ...consents, pending: () => consents.pending().map(shown) }),
  });
  const socket = join(domain.dir, 'control.sock');
  const door = await listenLocal({ path: socket, onSession: (duplex) => bench.server.serveFrames(duplex, LOCAL) });
  t.after(() => door.close());
  const { ask } = await openSession(bench, true, HOST);
  const call = async (name: string, args: JsonObject) =>
    ((await ask('tools/call', { name, arguments: args }))['result'] as JsonObject)['structuredContent'] as JsonObject;
  const plain = (...args: readonly string[]) => runParley([...args, '--socket', socket]);
  const parley = Object.assign((...args: readonly string[]) => plain(...args, '--json'), { plain });
  const as = (name: string) => ['--identity', join(domain.dir, name)];
  return { configuration, call, parley, as };
}

test('parley call refuses a change that would be undone when the command ends, and takes one with persist [NET-15]', async (t) => {
  const { call, configuration, parley } = await open(t);
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  const commit = await parley('call', 'network.commit', '{"confirmed":120}');
  const rollback = await parley('call', 'network.rollback', '{"commit-id":"00000001-0a0b0c0d","confirmed":120}');
  assert.deepEqual([commit.exitCode, rollback.exitCode], [2, 2]);
  assert.match(commit.stdout + commit.stderr, /caller\/bad-argument.*it would be undone when the command ends; add/);
  assert.match(rollback.stdout + rollback.stderr, /it would be undone when the command ends; leave/);
  assert.deepEqual(configuration.asked, []);
  // This one reaches the agent, whose rules decide.
  const persisted = await parley('call', 'network.commit', '{"confirmed":120,"persist":"word-of-the-change"}');
  assert.match(persisted.stdout + persisted.stderr, /peer\/refused/);
});

test('a change waits for the admin at the shell, and runs when it is asked for again [TS-28]', async (t) => {
  const { configuration, call, parley, as } = await open(t);
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  const refused = await call('network.commit', { confirmed: 60 });
  assert.equal(refused['code'], -32083);
  const { consent: id, remedy, retryPossible } = refused['data'] as JsonObject;
  assert.deepEqual([remedy, retryPossible], [`parley approve ${String(id)}`, true]);
  assert.deepEqual(configuration.asked, []);

  const listed = JSON.parse((await parley('approvals')).stdout) as { pending: JsonObject[] };
  assert.deepEqual(
    listed.pending.map((entry) => [entry['id'], entry['tool'], entry['summary'], entry['impact']]),
    [
      [
        id,
        'network.commit',
        '- interface eth1: isis metric 10\n+ interface eth1: isis metric 44',
        { rollbackSeconds: 60 },
      ],
    ],
  );
  const wrong = await parley('approve', String(id), ...as('olaf'));
  assert.equal(wrong.exitCode, 4, wrong.stdout + wrong.stderr);
  assert.match(wrong.stdout + wrong.stderr, /expected an admin, got operator\/olaf/);
  assert.equal((await parley('approve', String(id))).exitCode, 2);

  const approved = await parley('approve', String(id), ...as('ann'));
  assert.equal(approved.exitCode, 0, approved.stdout + approved.stderr);
  assert.equal((JSON.parse(approved.stdout) as JsonObject)['by'], 'operator/ann');
  assert.equal((await parley('approve', String(id), ...as('ann'))).exitCode, 4, 'not twice');

  assert.equal((await call('network.commit', { confirmed: 120 }))['code'], -32083, 'not with another window');
  assert.equal((await call('network.commit', { confirmed: 60 }))['status'], 'committed');
  assert.deepEqual(configuration.asked, ['commit 60000']);
});

test('an agent that shows another change under the id that an admin has read gets no signature [TS-28]', async (t) => {
  let lies = false;
  const harmless = '+ interface eth1: description harmless';
  const { call, parley, as } = await open(t, (waiting) => (lies ? { ...waiting, summary: harmless } : waiting));
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  const { consent: id } = (await call('network.commit', { confirmed: 60 }))['data'] as JsonObject;
  assert.equal((await parley('approvals')).exitCode, 0);
  lies = true;
  for (const command of [['approvals'], ['approve', String(id), ...as('ann')]]) {
    const refused = await parley(...command);
    assert.notEqual(refused.exitCode, 0);
    assert.match(refused.stdout + refused.stderr, /peer\/bad-consent.*ids are those of their content/);
  }
  assert.equal((await call('network.commit', { confirmed: 60 }))['code'], -32083, 'nothing was agreed to');
});

test('a consent whose fields carry terminal sequences hides nothing of the change that an admin reads [TS-28]', async (t) => {
  // Conceals what follows; goes up and writes over it; a line of its own; reverses the text.
  const name = 'olaf\x1b[8m\x9b2A\n    + interface eth9: description harmless\u202e';
  const { call, parley, as } = await open(t, ({ id: _, ...waiting }) => {
    const shown = { ...waiting, user: { ...waiting.user, name } };
    return { id: consentIdOver('00'.repeat(8), shown), ...shown };
  });
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  await call('network.commit', { confirmed: 60 });
  const { stdout } = await parley.plain('approvals');
  assert.match(stdout, /^[\n -~]+$/, JSON.stringify(stdout));
  assert.match(stdout, /^ {4}\+ interface eth1: isis metric 44$/m);
  assert.doesNotMatch(stdout, /^ {4}\+ interface eth9/m);
  const id = /^\S+/.exec(stdout)![0];
  const refused = await parley.plain('approve', id, ...as('ann'));
  assert.match(refused.stdout + refused.stderr, /^[\n -~]+$/);
});

test('a candidate that was edited after the approval does not run [TS-28]', async (t) => {
  const { configuration, call, parley, as } = await open(t);
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  const { consent: id } = (await call('network.commit', {}))['data'] as JsonObject;
  const { pending } = JSON.parse((await parley('approvals')).stdout) as { pending: JsonObject[] };
  assert.deepEqual(pending[0]!['impact'], { rollbackSeconds: 0 });
  assert.equal((await parley('approve', String(id), ...as('ann'))).exitCode, 0);
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 45'] });
  assert.equal((await call('network.commit', {}))['code'], -32083);
  assert.deepEqual(configuration.asked, []);
});

test('who may not, and what is denied, ends with 4 at the shell [TS-28] [NET-16]', async (t) => {
  const { call, parley, as } = await open(t);
  const called = await parley('call', 'network.commit', '{}');
  assert.equal(called.exitCode, 4, called.stdout + called.stderr);
  await call('network.cli.configure', { commands: ['interface eth1', ' isis metric 44'] });
  const { consent: id } = (await call('network.commit', {}))['data'] as JsonObject;
  assert.equal((await parley('deny', String(id), ...as('ann'))).exitCode, 0);
  const again = (await call('network.commit', {}))['data'] as JsonObject;
  assert.equal(again['detail'], 'expected consent: operator/ann has denied this change');
  const read = await parley('call', 'network.yang.get', '{"path":"/openconfig-interfaces:interfaces"}');
  assert.equal(read.exitCode, 0, read.stderr);
  assert.equal((await parley('call', 'network.yang.get', '[1]')).exitCode, 2);
});
