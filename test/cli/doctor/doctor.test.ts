// `parley doctor` on a node whose files and helpers are not as they should be: each fault is found, with one sentence of what to do, and
// ends it with 3; a node that is well ends it with 0.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { askHelper } from '#agent/parts/ask-helper.ts';
import { openPayloadRelease } from '#agent/privileged-helper.ts';
import { silentLog } from '#base/log.ts';
import { listenHelper } from '#router/protocol/server.ts';
import { payloadConsentCheck } from '../../../src/cli/doctor/doctor.ts';
import { lifeLeft } from '../../../src/cli/doctor/identity.ts';
import { quotaSaid, roomSaid, stateChecks } from '../../../src/cli/doctor/state.ts';
import { type AgentBed, runParley, upAgents } from '../../agent/agent-bed.ts';

type Checks = readonly {
  readonly name: string;
  readonly ok?: boolean;
  readonly skipped?: true;
  readonly detail: string;
}[];

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1']);
});
after(() => bed?.down());

const state = (...names: string[]) => join(bed.dir, 'run-pe1', 'state', ...names);

async function doctor() {
  const said = await runParley(['doctor', '--config', bed.configOf('pe1'), '--json']);
  const { ok, complete, checks } = JSON.parse(said.stdout) as { ok: boolean; complete: boolean; checks: Checks };
  return {
    exitCode: said.exitCode,
    ok,
    complete,
    of: (name: string) => checks.find((check) => check.name === name)!,
    checks,
  };
}

test('a node that is well has nothing to be done, but that no other agent was found yet', async () => {
  const asked = await runParley(['ask', 'is anything wrong', '--socket', bed.socketOf('pe1')]);
  assert.match(asked.stdout, /report/);
  const { exitCode, ok, complete, of, checks } = await doctor();
  assert.deepEqual([exitCode, ok, complete], [1, true, true], JSON.stringify(checks.filter((check) => !check.ok)));
  assert.match(of('peers').detail, /^no other agent has been found yet/);
  assert.equal(of('report database').detail, 'whole, 1 reports');
  assert.match(of('audit trail').detail, /^\d+ records, the chain holds/);
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
  assert.match(broken.of('agent').detail, /start it with "systemctl start parley-agent", or "parley agent"$/);
  // What it says to do helps.
  writeFileSync(trail, lines);
  rmSync(state('nonces'));
  rmSync(state('reports'), { recursive: true });
  await bed.start('pe1');
  assert.equal((await doctor()).exitCode, 1);
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

test('a signed head that does not verify is a fault, and a trail without one is said to be compared with nothing [TS-31]', async () => {
  const driver = { kind: 'embedded', hub: '/none' } as never;
  const [look] = stateChecks({ state: state(), driver })
    .filter(({ name }) => name === 'audit trail')
    .map((check) => check.look);
  const heads = state('audit-heads.json');
  const kept = readFileSync(heads, 'utf8');
  const { own, ...rest } = JSON.parse(kept);
  const payload = Buffer.from(own.envelope.payload, 'base64')
    .toString()
    .replace(/"sequence":\d+/, '"sequence":1');
  const forged = { ...own, envelope: { ...own.envelope, payload: Buffer.from(payload).toString('base64') } };
  writeFileSync(heads, JSON.stringify({ ...rest, own: forged }));
  await assert.rejects(look!(), {
    message: /cannot be verified, so that a cut end would not show .*"parley audit verify/,
  });
  rmSync(heads);
  assert.match(String(await look!()), /the chain holds; nothing was compared with its end/);
  writeFileSync(heads, kept);
});

test('a disk without room for a file more is full, however many octets are free', () => {
  const room = { freeBytes: 50_000_000_000, totalBytes: 100_000_000_000 };
  assert.deepEqual(roomSaid('/state', { ...room, freeFiles: 5_000_000 }), { free: '50000.0 of 100000.0 MB free' });
  assert.match(roomSaid('/state', { ...room, freeFiles: 0 }).fault!, /^the disk of \/state can take 0 more files/);
  assert.match(roomSaid('/state', { ...room, freeBytes: 0 }).fault!, /^the disk of \/state is full/);
});

test('a quota that is used up is found like a full disk, and one with room is said', () => {
  const owner = 'user 998';
  const room = { freeBytes: 900_000_000, totalBytes: 1_000_000_000 };
  assert.deepEqual(quotaSaid('/state', { ...room, owner }), {
    free: '900.0 of 1000.0 MB free in the quota of user 998 for /state',
  });
  assert.match(
    quotaSaid('/state', { ...room, freeBytes: 0, owner }).fault!,
    /^the quota of user 998: the part of \/state is full, 0\.0 of 1000\.0 MB free: free some/,
  );
  const files = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY, freeFiles: 5, owner };
  assert.match(quotaSaid('/state', files).fault!, /^the quota of user 998: .* can take 5 more files/);
  assert.deepEqual(quotaSaid('/state', { ...files, freeFiles: 9_000 }), {
    free: '9000 more files in the quota of user 998 for /state',
  });
});

test('a trail with records beside which none are kept for long is a fault, and a node that was never started is not [TS-31]', async () => {
  const held = join(bed.dir, 'unkept');
  const checks = stateChecks({ state: held, driver: { kind: 'embedded', hub: '/none' } as never });
  const { look } = checks.find(({ name }) => name === 'lasting audit records')!;
  assert.equal(await look(), 'none yet');
  mkdirSync(join(held, 'audit'), { recursive: true });
  appendFileSync(join(held, 'audit', `audit-${'1'.padStart(15, '0')}.jsonl`), '');
  await assert.rejects(async () => look(), {
    message: /^the audit trail has records, and there is no .*lasting.audit/,
  });
  mkdirSync(join(held, 'lasting', 'audit'), { recursive: true });
  assert.equal(await look(), '0 records, the chain holds');
});

test('a report database that another program holds alone is not looked at, and not said to be damaged [CARD-6]', async () => {
  const held = join(bed.dir, 'held');
  mkdirSync(join(held, 'reports'), { recursive: true });
  const db = new DatabaseSync(join(held, 'reports', 'reports.sqlite'));
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE report (id TEXT)');
  const checks = stateChecks({ state: held, driver: { kind: 'embedded', hub: '/none' } as never });
  const found = await checks.find(({ name }) => name === 'report database')!.look();
  assert.match(
    JSON.stringify(found),
    /^\{"notLooked":"could not be looked at \(.*\): where the disk is full, free some/,
  );
  db.close();
});

test('a helper that takes connections and never answers is not well; one that refuses all it does not know is', async (t) => {
  const socket = join(bed.dir, 'hangs.sock');
  const hung = createServer(() => {}).listen(socket);
  t.after(() => hung.close());
  await once(hung, 'listening');
  await assert.rejects(askHelper(socket, 'parley-helper', 20), {
    message: `${socket} takes connections, but gave no answer within 20 ms: restart parley-helper`,
  });
  const alive = join(bed.dir, 'alive.sock');
  const helper = await listenHelper({ path: alive, operations: new Map(), log: silentLog });
  t.after(() => helper.close());
  await askHelper(alive, 'parley-helper', 10_000);
});

test('without files of root’s no payload leaves, which is no fault; with those of another node it is [TS-32]', async () => {
  const { detail } = await payloadConsentCheck({ node: 'pe1' }, '/nowhere/parley-config');
  assert.match(detail, /^no payload of a packet leaves this node, as root has not written consent.yaml/);
  const release = openPayloadRelease({ authority: '/nowhere/parley-config', state: bed.dir, log: silentLog });
  await assert.rejects(
    release({} as never, {}, async () => assert.fail('captured')),
    {
      code: 'node/no-payload',
      message: /until root writes them$/,
    },
  );
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
  // Renewed at two thirds of seven days: with two days left, renewal has failed for some time.
  const week = { notBeforeMs: 0, notAfterMs: 7 * day };
  assert.match(lifeLeft(week, 4.9 * day), /^valid until/);
  assert.throws(() => lifeLeft(week, 5.1 * day), /its certificate ends on/);
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
