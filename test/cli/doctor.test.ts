// `parley doctor` on a node whose files and helpers are not as they should be: each fault is found, with one sentence of what to do, and
// ends it with 3; a node that is well ends it with 0.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lifeLeft, stateChecks } from '../../src/cli/offline/doctor-state.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';

type Checks = readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1']);
});
after(() => bed?.down());

const state = (...names: string[]) => join(bed.dir, 'run-pe1', 'state', ...names);

async function doctor() {
  const said = await runParley(['doctor', '--config', bed.configOf('pe1'), '--json']);
  const { ok, checks } = JSON.parse(said.stdout) as { ok: boolean; checks: Checks };
  return { exitCode: said.exitCode, ok, of: (name: string) => checks.find((check) => check.name === name)!, checks };
}

test('a node that is well has nothing to be done', async () => {
  const asked = await runParley(['ask', 'is anything wrong', '--socket', bed.socketOf('pe1')]);
  assert.match(asked.stdout, /report/);
  const { exitCode, ok, of, checks } = await doctor();
  assert.deepEqual([exitCode, ok], [0, true], JSON.stringify(checks.filter((check) => !check.ok)));
  assert.equal(of('report database').detail, 'whole, 1 reports');
  assert.match(of('audit trail').detail, /^\d+ records, the chain holds$/);
  assert.match(of('nonces').detail, /^boot \d+$/);
});

test('a damaged report database, torn nonces and a broken trail are found, and what to do is said', async () => {
  await bed.stop('pe1');
  // In the middle of a page, as a bad sector does.
  const database = readFileSync(state('reports', 'reports.sqlite'));
  writeFileSync(
    state('reports', 'reports.sqlite'),
    Buffer.concat([database.subarray(0, 4_096), Buffer.alloc(8_192, 0xff), database.subarray(12_288)]),
  );
  truncateSync(state('nonces'), 10);
  const [file] = readdirSync(state('audit')).filter((name) => name.startsWith('audit-'));
  const trail = state('audit', file!);
  const lines = readFileSync(trail, 'utf8');
  writeFileSync(trail, lines.replace('"agent-started"', '"agent-Started"'));
  const broken = await doctor();
  assert.deepEqual([broken.exitCode, broken.ok], [3, false]);
  assert.match(
    broken.of('report database').detail,
    /^it is damaged \(.*\): stop the agent, move .*reports away and start it again/,
  );
  assert.match(
    broken.of('nonces').detail,
    /nonces is damaged, and the agent does not start with it: see that the clock is right, then remove the file/,
  );
  assert.match(broken.of('audit trail').detail, /^its chain is broken in .*line \d+ .*"parley audit verify --witness"/);
  assert.match(broken.of('agent').detail, /start it with "parley agent"$/);
  // What it says to do helps.
  writeFileSync(trail, lines);
  rmSync(state('nonces'));
  rmSync(state('reports'), { recursive: true });
  await bed.start('pe1');
  assert.equal((await doctor()).exitCode, 0);
});

test('a trail whose end was cut off is found by the head that its node signed [TS-31]', async () => {
  await bed.stop('pe1');
  const [file] = readdirSync(state('audit')).filter((name) => name.startsWith('audit-'));
  const trail = state('audit', file!);
  const lines = readFileSync(trail, 'utf8').split('\n');
  writeFileSync(trail, `${lines.slice(0, 3).join('\n')}\n`);
  const { of, exitCode } = await doctor();
  assert.equal(exitCode, 3);
  assert.match(of('audit trail').detail, /^its end was cut off: record \d+ was signed on /);
  writeFileSync(trail, lines.join('\n'));
  await bed.start('pe1');
});

test('a damaged record of consents and a certificate near its end are found', async () => {
  const folders = { config: join(bed.dir, 'config-state'), helper: join(bed.dir, 'helper-state') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  const driver = { kind: 'linux-frr', helper: '/none', configHelper: '/none' } as never;
  const looks = new Map(stateChecks({ state: state(), driver }, folders).map(({ name, look }) => [name, look]));
  const consents = looks.get(`used consents in ${folders.config}`)!;
  assert.equal(await consents(), '0 remembered');
  appendFileSync(join(folders.config, 'used-consents.json'), '{"schemaVersion":1,"used":[');
  await assert.rejects(consents(), { message: /is damaged, and no consent is accepted: wait 16 minutes/ });
  const day = 86_400_000;
  const life = { notBeforeMs: 0, notAfterMs: 365 * day };
  assert.equal(lifeLeft(life, 300 * day), 'valid until 1971-01-01T00:00:00.000Z');
  assert.throws(() => lifeLeft(life, 352 * day), { message: /^its certificate ends on 1971-01-01.*"parley ca issue"/ });
  // One of ten minutes is near its end in its last one.
  assert.equal(lifeLeft({ notBeforeMs: 0, notAfterMs: 600_000 }, 500_000), 'valid until 1970-01-01T00:10:00.000Z');
  assert.throws(() => lifeLeft({ notBeforeMs: 0, notAfterMs: 600_000 }, 550_000));
});

test('an answer of a node whose privileged helper is dead says so first, in the sealed report too [CARD-7]', async () => {
  const other = await upAgents(['pe1'], {
    pe1: {
      driver: { kind: 'linux-frr', helper: join(bed.dir, 'dead.sock'), configHelper: join(bed.dir, 'gone.sock') },
    },
  });
  try {
    const asked = await runParley(['ask', 'is anything wrong', '--json', '--socket', other.socketOf('pe1')]);
    const { sentence, warning, verdict } = JSON.parse(asked.stdout);
    assert.match(
      sentence,
      /^The privileged helper of pe1 does not answer, so that most of what is there is unknown: run "parley doctor" there\. /,
    );
    assert.equal(sentence.startsWith(warning), true);
    assert.equal(verdict.kind, 'inconclusive');
    const listed = JSON.parse(
      (await runParley(['report', 'list', '--json', '--socket', other.socketOf('pe1')])).stdout,
    );
    assert.equal(listed.reports[0].sentence, sentence);
    const said = await runParley(['doctor', '--config', other.configOf('pe1')]);
    assert.equal(said.exitCode, 3);
    assert.match(said.stdout, /^FAIL {2}helper: nothing answers on .*dead\.sock: start parley-helper$/m);
    assert.match(said.stdout, /^FAIL {2}configuration helper: nothing answers on .*gone\.sock: start parley-config$/m);
  } finally {
    await other.down();
  }
});
