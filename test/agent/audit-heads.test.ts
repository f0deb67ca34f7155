// The attack: whoever owns a router cuts the last records off its audit trail, with the head that lies beside it. The chain still holds; the
// neighbour remembers.
import assert from 'node:assert/strict';
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { HEADS_FILE, loadHeads } from '#audit/heads.ts';
import { until } from '../fakes/clock.ts';
import { type AgentBed, type NodeName, runParley, upAgents } from './agent-bed.ts';

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1', 'p2']);
});
after(() => bed?.down());

const headsOf = (node: NodeName) => join(bed.auditOf(node), '..', HEADS_FILE);
const verify = async (dir: string, ...more: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runParley(['audit', 'verify', dir, '--json', ...more]);
  return { exitCode, said: JSON.parse(stdout === '' ? stderr : stdout) };
};
const withCa = () => ['--ca', join(bed.dir, 'ca/ca.pem')];

async function cutTail(dir: string, count: number): Promise<void> {
  const file = join(
    dir,
    (await readdir(dir))
      .filter((name) => name.startsWith('audit-'))
      .toSorted()
      .at(-1)!,
  );
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, `${lines.slice(0, -1 - count).join('\n')}\n`);
}

async function missingIn(node: NodeName) {
  return (await bed.audit(node)).filter(({ event }) => event === 'audit/tail-missing');
}

test('a trail that lost its end is found by the head beside it, and by a neighbour where that is gone too [TS-31]', async (t) => {
  await runParley(['ask', 'What is wrong?', '--json', '--socket', bed.socketOf('pe1')]);
  // Stopped first, pe1 has shown its head to p2 in its last visits; p2 writes what it keeps as it stops.
  const shown = async () => {
    await bed.stop('p2');
    const kept = (await loadHeads(headsOf('p2')))?.peers.some(({ node }) => node === 'pe1') === true;
    await bed.start('p2');
    return kept;
  };
  await until(shown, 'pe1 has shown its head to p2', 60_000);
  await bed.stop('p2');
  await bed.stop('pe1');
  const sound = await verify(bed.auditOf('pe1'), ...withCa(), '--witness', headsOf('p2'));
  assert.deepEqual([sound.exitCode, sound.said.headsCompared, sound.said.missing], [0, 2, []]);

  const copy = join(bed.dir, 'copy');
  await cp(bed.auditOf('pe1'), join(copy, 'audit'), { recursive: true });
  await copyFile(headsOf('pe1'), join(copy, HEADS_FILE));
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cutTail(join(copy, 'audit'), 3);
  const cut = await verify(join(copy, 'audit'));
  assert.equal(cut.exitCode, 5);
  assert.match(cut.said.missing[0].reason, /^it ends with record \d+$/);
  await rm(join(copy, HEADS_FILE));
  assert.equal((await verify(join(copy, 'audit'))).exitCode, 0, 'nothing is beside it that could tell');
  const witnessed = await verify(join(copy, 'audit'), ...withCa(), '--witness', headsOf('p2'), '--node', 'pe1');
  const others = await verify(join(copy, 'audit'), ...withCa(), '--witness', headsOf('p2'), '--node', 'pe3');
  assert.deepEqual([others.exitCode, others.said.headsCompared], [0, 0]);
  const usage = await verify(join(copy, 'audit'), '--witness', headsOf('p2'), '--node', 'pe1');
  assert.equal(usage.exitCode, 2);

  // p2 keeps a record of pe1 that pe1 wrote before its last ones: as many go as p2 has seen.
  const trail = await bed.audit('pe1');
  await cutTail(bed.auditOf('pe1'), trail.length - 1);
  await rm(headsOf('pe1'));
  const again = await verify(bed.auditOf('pe1'), ...withCa(), '--witness', headsOf('p2'), '--node', 'pe1');
  assert.equal(again.exitCode, 5);
  assert.match(again.said.missing[0].keptIn, /audit-heads\.json$/);
  assert.ok(witnessed.exitCode === 5 || witnessed.said.headsCompared === 1);
  await Promise.all([bed.start('p2'), bed.start('pe1')]);
  await until(async () => (await missingIn('pe1')).length > 0, 'pe1 was shown the head that p2 kept', 60_000);
  const [found] = await missingIn('pe1');
  assert.equal(found!['party'], 'node/p2');
  assert.match(found!['reason']!, /^record \d+ was signed on .* and is missing: /);
});

test('a trail that was cut while its agent was away says so at the next start, by the head beside it [TS-31]', async () => {
  await bed.stop('pe1');
  const before = (await missingIn('pe1')).length;
  await cutTail(bed.auditOf('pe1'), 2);
  await bed.start('pe1');
  await until(
    async () => (await missingIn('pe1')).some(({ party }) => party === 'node/pe1'),
    'the start found it',
    20_000,
  );
  assert.ok((await missingIn('pe1')).length > before - 1);
});
