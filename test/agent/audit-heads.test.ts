// The attack: whoever owns a router cuts the last records off its audit trail, with the head that lies beside it. The chain still holds; the
// neighbour remembers.
import assert from 'node:assert/strict';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createAuditHeads } from '#agent/parts/audit-heads.ts';
import { HEADS_FILE, loadHeads, missingSince } from '#audit/heads.ts';
import { silentLog } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import { sealHead } from '#sign/audit-head.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { fakeParty } from '../fakes/signed-exchange.ts';
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
const sequenceIn = (payload: string) => JSON.parse(Buffer.from(payload, 'base64').toString()).sequence as number;
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
  // Started again, p2 visits pe1 at once, and is shown its head.
  const visits = async () =>
    (await bed.audit('pe1')).filter(
      ({ party, method, status }) => party === 'node/p2' && status === 'answered' && method?.endsWith('parley-peers'),
    ).length;
  const shown = async () => {
    await bed.stop('p2');
    const before = await visits();
    await bed.start('p2');
    await until(async () => (await visits()) > before, 'p2 has visited pe1');
    await bed.stop('p2');
    const kept = (await loadHeads(headsOf('p2')))?.peers.find(({ node }) => node === 'pe1');
    return kept !== undefined && sequenceIn(kept.envelope.payload) > 1;
  };
  await until(shown, 'p2 keeps a head of pe1');
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
  assert.equal(witnessed.said.headsCompared, 1);
  await Promise.all([bed.start('p2'), bed.start('pe1')]);
  await until(async () => (await missingIn('pe1')).length > 0, 'pe1 was shown the head that p2 kept');
  const [found] = await missingIn('pe1');
  assert.equal(found!['party'], 'node/p2');
  assert.match(found!['reason']!, /^record \d+ was signed on .* and is missing: /);
});

test('a trail that was cut while its agent was away says so at the next start, by the head beside it [TS-31]', async () => {
  await bed.stop('pe1');
  await cutTail(bed.auditOf('pe1'), 2);
  await bed.start('pe1');
  await until(
    async () => (await missingIn('pe1')).some(({ party }) => party === 'node/pe1'),
    'the start found it',
    20_000,
  );
});

test('a peer whose trail became shorter is recorded by its neighbour, which keeps the proof for good [TS-31]', async (t) => {
  const state = await mkdtemp(join(tmpdir(), 'parley-heads-'));
  t.after(() => rm(state, { recursive: true, force: true }));
  const [clock, own, peer] = [createFakeClock(), fakeParty('p2'), fakeParty('pe1')];
  const recorded: AuditRecord[] = [];
  const heads = createAuditHeads({
    ...{ config: { state }, identity: () => own, signer: own.signer },
    audit: { head: { sequence: 0, hash: '0'.repeat(64) }, settled: async () => {} },
    ...{ record: (record: AuditRecord) => void recorded.push(record), clock, log: silentLog },
    callerChains: { get: () => peer.chain },
  });
  await heads.start();
  const shown = async (sequence: number, hash: string) => {
    const head = { ...sealHead(peer.signer, clock, { sequence, hash: hash.repeat(64) }) };
    await clock.advance(1_000);
    return head;
  };
  const [first, second, late] = [await shown(99, 'a'), await shown(100, 'b'), await shown(98, 'c')];
  const forged = { ...sealHead(own.signer, clock, { sequence: 500, hash: 'd'.repeat(64) }) };
  for (const head of [second, first, forged]) heads.asked(peer.party, { head });
  assert.deepEqual(recorded, [], 'one that was signed before came late, one is not the peer’s');
  heads.asked(peer.party, { head: late });
  assert.deepEqual(
    recorded.map(({ event, party }) => [event, party]),
    [['audit/tail-missing', 'node/pe1']],
  );
  heads.asked(peer.party, { head: await shown(101, 'e') });
  assert.deepEqual(heads.asked(peer.party, {})['kept'], second);
  await heads.stop();
  const [kept] = (await loadHeads(join(state, HEADS_FILE)))!.peers;
  assert.deepEqual([kept!.envelope, kept!.disproves], [second, late]);
  assert.equal(recorded.length, 1);
});

test('a damaged line, and a file of heads that is none, keep nothing from the start [TS-31]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-heads-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'audit-000000000000001.jsonl'), '{"sequence":1,"damaged\n');
  assert.equal(await missingSince(dir, { sequence: 1, hash: 'a'.repeat(64) }), 'it ends with record 0');
  await writeFile(join(dir, HEADS_FILE), 'none of ours');
  await assert.rejects(loadHeads(join(dir, HEADS_FILE)));
});
