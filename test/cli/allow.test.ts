// `parley allow` and `parley expectations` as an operator runs them: a fault is injected and allowed, the answer is healthy and says so, and
// after the removal it is accused again. A mistake has its line, a file that was changed by hand is not applied, and only an admin may.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadCase } from '../../scripts/replay/case-files.ts';
import { replayCase } from '../../scripts/replay/run.ts';
import { type AgentBed, type NodeName, runParley, upAgents } from '../agent/agent-bed.ts';
import { until } from '../fakes/clock.ts';

type Json = Readonly<Record<string, never>>;
/** Exit code where evidence is incomplete. */
const INCOMPLETE = 3;

let bed: AgentBed;
const on = (node: NodeName, ...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf(node)]);
const local = (...words: readonly string[]) => on('pe1', ...words);
const json = (text: string) => JSON.parse(text) as Json;
const errorOf = (text: string) => json(text)['error']! as { readonly code: string; readonly message: string };
/** On a busy machine a node may not answer in time: the question is asked again. */
const asked = async (...more: readonly string[]) => {
  let ended = await local('ask', 'What is wrong?', ...more);
  await until(async () => {
    if (ended.exitCode !== INCOMPLETE) return true;
    ended = await local('ask', 'What is wrong?', ...more);
    return false;
  }, 'a verdict');
  return ended;
};
const ask = async (...more: readonly string[]) => json((await asked('--json', ...more)).stdout);
const found = (answer: Json) =>
  (answer['findings'] as unknown as readonly Json[]).map(({ fault, resource }) => `${fault}@${resource}`);
const silenced = (answer: Json) =>
  ((answer['silenced'] ?? []) as unknown as readonly Json[]).map(({ node, text }) => `${node}: ${text}`);
const fileOf = (node: NodeName) => join(bed.dir, `run-${node}`, 'state/baseline/expectations.yaml');

const LOSS = 'packet_loss@interface/p2/eth2';
const MEANT = ['--reason', 'an old radio', '--owner', 'netops', '--until', '2099-12-31'];

before(async () => {
  const admin = { access: { roles: { local: 'admin' } } };
  bed = await upAgents(['pe1', 'p2', 'pe3'], { pe1: admin, p2: admin });
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 30 });
});
after(() => bed.down());

test('a finding is allowed, the answer is healthy and says so, and after the removal it is accused again', async () => {
  assert.deepEqual(found(await ask()), [LOSS]);
  const incomplete = await local('allow', '1', '--json');
  assert.deepEqual(
    [incomplete.exitCode, errorOf(incomplete.stdout).message],
    [2, 'expected --reason and --until, got none'],
  );
  const allowed = await local('allow', '1', ...MEANT);
  const said = 'packet_loss at interface/p2/eth2: allowed on pe1 until 2099-12-31T23:59:59.999Z\n';
  assert.deepEqual([allowed.exitCode, allowed.stdout], [0, said], allowed.stderr);
  const first = await readFile(fileOf('pe1'), 'utf8');
  assert.equal((await local('allow', LOSS, ...MEANT)).stdout, said);
  assert.equal(await readFile(fileOf('pe1'), 'utf8'), first);

  const file = join(bed.dir, 'allowed.json');
  const quiet = await ask('--save', file);
  assert.deepEqual([quiet['verdict']!['kind'], found(quiet)], ['healthy', []]);
  const [line = ''] = silenced(quiet);
  assert.match(
    line,
    /^pe1: p2 eth2 → pe3 packet loss [\d.]+ %: allowed by netops until 2099-12-31T23:59:59\.999Z: an old radio \(expectations of pe1\)$/,
  );
  const reasons = (quiet['verdict']! as unknown as { readonly reasons: readonly string[] }).reasons;
  assert.ok(!reasons.some((reason) => reason.includes('the network delivered them')), reasons.join('\n'));
  assert.deepEqual(replayCase(loadCase(file).case), []);
  const shown = await asked();
  assert.equal(shown.exitCode, 0);
  assert.match(shown.stdout, /^meant {7}interface\/p2\/eth2 {2}packet_loss\n +p2 eth2 .*: allowed by netops until /m);

  const listed = json((await local('allow', '--list', '--json')).stdout)['allow'] as unknown as readonly Json[];
  assert.deepEqual(
    listed.map(({ fault, resource, ended }) => [fault, resource, ended]),
    [['packet_loss', 'interface/p2/eth2', false]],
  );
  assert.equal((await local('allow', '1', '--remove')).exitCode, 0);
  assert.deepEqual(found(await ask()), [LOSS]);
  const none = await local('allow', LOSS, '--remove', '--json');
  assert.equal(errorOf(none.stdout).code, 'caller/no-such-expectation');
  const changes = (await bed.audit('pe1')).filter(({ event }) => event === 'expectations-changed');
  assert.deepEqual(
    changes.map(({ party, detail }) => [
      party,
      (detail as unknown as Json)['action'],
      (detail as unknown as Json)['owner'],
    ]),
    [
      ['operator/local', 'allow', 'netops'],
      ['operator/local', 'allow', 'netops'],
      ['operator/local', 'remove', undefined],
    ],
  );
});

test("the file of the node concerned counts on every node, and a stranger's does not", async () => {
  const allowed = await on('p2', 'allow', '--fault', '*', '--resource', 'interface/p2/*', ...MEANT);
  assert.equal(allowed.exitCode, 0, allowed.stderr);
  const quiet = await ask();
  assert.deepEqual([quiet['verdict']!['kind'], silenced(quiet).length], ['healthy', 1]);
  assert.match(silenced(quiet)[0]!, /^p2: /);
  await writeFile(fileOf('p2'), (await readFile(fileOf('p2'), 'utf8')).replace('an old radio', 'a new radio'));
  const changed = await ask();
  assert.deepEqual(found(changed), [LOSS]);
  const reasons = (changed['verdict']! as unknown as { readonly reasons: readonly string[] }).reasons;
  assert.ok(
    reasons.some((reason) =>
      reason.startsWith('the expectations of p2 are not used: it was changed after it was signed'),
    ),
    reasons.join('\n'),
  );
  assert.equal((await on('p2', 'allow', '--list')).exitCode, 3);
  assert.equal(errorOf((await on('p2', 'allow', LOSS, ...MEANT, '--json')).stdout).code, 'caller/bad-expectations');
  assert.equal((await on('p2', 'expectations', 'clear')).exitCode, 0);
});

test('a whole file is checked with its lines, kept as it is written, shown and cleared', async () => {
  const file = join(bed.dir, 'expectations.yaml');
  await writeFile(
    file,
    'allow:\n  - fault: packet_los\n    resource: node/p2\n    reason: r\n    owner: o\n    until: 2020-01-01\n',
  );
  const refused = errorOf((await local('expectations', 'save', file, '--json')).stdout);
  assert.match(refused.message, /^line 2: allow, entry 1, fault: .*packet_los; the nearest: packet_loss, /);
  const text =
    '# the fibre to the south\nexpect:\n  - link: pe1:eth9--pe3:eth9\n    owner: netops\n    reason: ordered\n';
  await writeFile(file, text);
  const saved = await local('expectations', 'save', file);
  assert.deepEqual(
    [saved.exitCode, saved.stdout.split('\n')[1]],
    [0, '  expect      link pe1:eth9--pe3:eth9 (netops: ordered)'],
  );
  assert.equal((await local('expectations', 'show', '--text')).stdout, text);
  assert.ok(found(await ask()).includes('expectation_unmet@node/pe1'));
  assert.match((await local('expectations', 'clear')).stdout, /^nothing was said on pe1/);
});

test('an operator may look, and only an admin may change [NET-16]', async () => {
  assert.equal((await on('pe3', 'allow', '--list')).exitCode, 0);
  const denied = await on('pe3', 'allow', LOSS, ...MEANT, '--json');
  assert.equal(denied.exitCode, 4, denied.stdout);
});
