// Live settings together with lines of the configuration, as one change: applied, undone each by itself, and never taken for something else.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { createLog } from '#base/log.ts';
import { createJournal } from '#router/config/journal.ts';
import { mtuLoss } from '#router/config/live.ts';
import { hasChain } from '#router/config/nft-rules.ts';
import { settleOpen, watchUntilSettled } from '#router/config/watch.ts';
import { liveBed, MTU, RUNNING } from './live-bed.ts';

const LINES = ['interface eth1', ' isis metric 20'];
const SETTING = { kind: 'link-mtu', ifname: 'eth1', mtu: 9000, now: 1400 };
const UP = { kind: 'link-up', ifname: 'eth2' } as const;

async function applied(t: TestContext) {
  const bed = await liveBed(t);
  await bed.asHolder('edit', { lines: LINES, live: [SETTING] });
  const { id } = await bed.asHolder('commit', { timeoutMs: 60_000 });
  return { ...bed, id: String(id) };
}

const metricsOf = (text: string) => text.split('\n').filter((line) => line.includes('metric'));

test('lines and settings run as one change; confirmed, the lines reach the start-up configuration [NET-15]', async (t) => {
  const { played, parts, call, asHolder, id } = await applied(t);
  assert.deepEqual([metricsOf(played.text), played.inForce], [[' isis metric 20'], [MTU]]);
  await call('verified', { commit: id });
  assert.equal((await asHolder('confirm'))['state'], 'CONFIRMED');
  assert.deepEqual(metricsOf(readFileSync(parts.startupPath, 'utf8')), [' isis metric 20']);
  assert.deepEqual(played.inForce, [MTU]);
});

/** A disk that is full but for what the reserve of the journal gives up. */
function fullDisk({ parts }: Pick<Awaited<ReturnType<typeof applied>>, 'parts'>) {
  const reserve = join(parts.journal.folder, 'reserve');
  const kept = () => statSync(reserve, { throwIfNoEntry: false })?.size ?? 0;
  const whole = kept();
  const journal = createJournal(parts.journal.folder, (name) => {
    if (name.endsWith('.written') && kept() === whole)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  Object.assign(parts, { journal });
  return kept;
}

test('on a full disk a change is verified and confirmed in the room that is kept [NET-15]', async (t) => {
  const bed = await applied(t);
  const kept = fullDisk(bed);
  await bed.call('verified', { commit: bed.id });
  // The larger part stays, for undoing it.
  assert.equal(kept(), 1_048_576 - 131_072);
  assert.equal((await bed.asHolder('confirm'))['state'], 'CONFIRMED');
  assert.deepEqual(metricsOf(readFileSync(bed.parts.startupPath, 'utf8')), [' isis metric 20']);
});

test('on a full disk a change that was verified before is confirmed, or undone [NET-15]', async (t) => {
  for (const [operation, ended] of [
    ['confirm', 'CONFIRMED'],
    ['cancel', 'ROLLED_BACK'],
  ] as const) {
    const bed = await applied(t);
    await bed.call('verified', { commit: bed.id });
    fullDisk(bed);
    assert.equal((await bed.asHolder(operation))['state'], ended);
    assert.equal(await bed.parts.journal.open(), undefined);
  }
});

test('FRR’s part comes back although a setting does not, and the change is open until all is back [NET-15]', async (t) => {
  const { played, parts, asHolder } = await applied(t);
  played.inForce = [MTU, UP];
  await parts.journal.write({ ...(await parts.journal.open())!, live: [MTU, UP] });
  const undo = played.undo;
  played.undo = ({ kind }) => {
    if (kind === 'link-mtu') throw new ParleyError('caller/bad-config', 'ip link failed: Device or resource busy');
    return undefined;
  };
  await assert.rejects(asHolder('cancel', { reason: 'cancelled' }), {
    code: 'node/rollback-failed',
    message: 'expected the live settings of before the change, came: ip link failed: Device or resource busy',
  });
  // The other setting does not wait for it.
  assert.deepEqual([metricsOf(played.text), played.inForce], [[' isis metric 10'], [MTU]]);
  assert.equal((await parts.journal.open())?.undoing, 'cancelled');
  played.undo = undo;
  const ended = await settleOpen(parts);
  assert.deepEqual([ended?.state, ended?.reason, played.inForce], ['ROLLED_BACK', 'cancelled', []]);
});

test('settings come back although FRR’s part does not [NET-15]', async (t) => {
  const { played, parts, asHolder } = await applied(t);
  const text = played.text;
  played.apply = () => {
    throw new Error('vtysh: failed');
  };
  await assert.rejects(asHolder('cancel', { reason: 'cancelled' }), { code: 'node/rollback-failed' });
  assert.deepEqual([played.text, played.inForce], [text, []]);
  assert.equal((await parts.journal.open())?.undoing, 'cancelled');
});

test('what there is nothing to put back to is undone, and the reason says so [NET-15]', async (t) => {
  const { played, parts, asHolder } = await applied(t);
  played.undo = () => 'the interface eth1 is gone';
  assert.equal((await asHolder('cancel', { reason: 'cancelled' }))['reason'], 'cancelled; the interface eth1 is gone');
  assert.deepEqual([played.text, await parts.journal.open()], [RUNNING, undefined]);
});

test('a step that names its change touches no other that is open by its turn [NET-15]', async (t) => {
  const { call, asHolder, parts, id } = await applied(t);
  const other = '00000009-0a0b0c0d';
  await assert.rejects(asHolder('cancel', { reason: 'cancelled', commit: other }), { code: 'caller/no-commit' });
  await call('verified', { commit: id });
  await assert.rejects(asHolder('confirm', { commit: other }), { code: 'caller/no-commit' });
  assert.equal((await parts.journal.open())?.state, 'VERIFIED');
  assert.equal((await asHolder('confirm', { commit: id }))['state'], 'CONFIRMED');
});

test('what another session of the same party edits while a change is applied is not lost [NET-16]', async (t) => {
  const { played, parts, asHolder } = await liveBed(t);
  const edits = ['eth1', 'eth2'].map((ifname) => ({ lines: [`interface ${ifname}`, 'isis metric 20'] }));
  await Promise.all(edits.map((each) => asHolder('edit', each)));
  played.apply = () => void parts.candidates.edit('operator/ann', ['interface eth2', 'isis metric 40']);
  await asHolder('commit', { timeoutMs: 60_000, persist: 'token' });
  assert.deepEqual(metricsOf(played.text), [' isis metric 20', ' isis metric 20']);
  assert.deepEqual(metricsOf(parts.candidates.of('operator/ann').text), [' isis metric 20', ' isis metric 40']);
});

test('a chain is gone when nft lists others and not it', () => {
  const place = { family: 'inet', table: 'foo', chain: 'input' } as const;
  const listed = (...names: readonly string[]) =>
    JSON.stringify({
      nftables: [{ metainfo: {} }, ...names.map((name) => ({ chain: { ...place, chain: undefined, name } }))],
    });
  assert.equal(hasChain(listed('output', 'input'), place), true);
  assert.equal(hasChain(listed('output'), place), false);
  assert.equal(hasChain(listed('input'), { ...place, table: 'bar' }), false);
});

test('an MTU that would lower others with it, or IPv6’s own, is not set: the old one brings neither back', () => {
  const vlan = { ifname: 'eth1.7', link: 'eth1', mtu: 9000, flags: ['UP'] };
  const lower = { ifname: 'eth1', mtu: 1500, now: 9000 };
  assert.equal(
    mtuLoss(lower, [vlan], 9000),
    'expected an interface that no other depends on: a lower MTU of eth1 lowers that of eth1.7 for good',
  );
  assert.match(mtuLoss(lower, [{ ifname: 'eth3', master: 'eth1', mtu: 9000, flags: [] }], 9000) ?? '', /eth3 for good/);
  assert.equal(mtuLoss(lower, [{ ...vlan, link: 'eth2' }], undefined), undefined);
  const pair = [
    { ...vlan, ifname: 'eth1', link: 'eth9' },
    { ...vlan, ifname: 'eth9' },
  ];
  assert.equal(mtuLoss(lower, pair, 9000), undefined, 'the other end of a veth pair');
  assert.equal(mtuLoss({ ...lower, mtu: 9100 }, [vlan], 9000), undefined, 'a higher one lowers nothing');
  assert.match(mtuLoss(lower, [], 1400) ?? '', /one of its own, 1400/);
});

test('what another session of the same party edits meanwhile does not go along with live settings [NET-15]', async (t) => {
  const { played, asHolder } = await liveBed(t);
  const read = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  played.plan = async () => {
    reached.resolve();
    await read.promise;
    return MTU;
  };
  const drawn = asHolder('edit', { lines: [], live: [SETTING] });
  await reached.promise;
  await asHolder('edit', { lines: LINES });
  read.resolve();
  await assert.rejects(drawn, { code: 'caller/candidate-edited' });
  const { changes } = await asHolder('validate');
  assert.deepEqual(changes, [
    { sign: '-', context: 'interface eth1', line: 'isis metric 10' },
    { sign: '+', context: 'interface eth1', line: 'isis metric 20' },
  ]);
});

test('a line that may not be configured leaves no live setting behind either', async (t) => {
  const { asHolder } = await liveBed(t);
  await assert.rejects(asHolder('edit', { lines: ['write'], live: [SETTING] }), { code: 'caller/bad-config' });
  await assert.rejects(asHolder('validate'), { code: 'caller/no-candidate' });
});

test('an earlier commit is not called brought back while live settings of then stay [NET-15]', async (t) => {
  const { played, call, asHolder, id } = await applied(t);
  await call('verified', { commit: id });
  await asHolder('confirm');
  await assert.rejects(asHolder('restore', { commit: id }), {
    code: 'caller/bad-config',
    message: `expected commits without live settings from ${id} on, ${id} made some, which no configuration brings back`,
  });
  // A reboot has taken them.
  played.bootId = 'boot-2';
  assert.deepEqual((await asHolder('restore', { commit: id }))['changes'], [
    { sign: '-', context: 'interface eth1', line: 'isis metric 20' },
    { sign: '+', context: 'interface eth1', line: 'isis metric 10' },
  ]);
});

test('a candidate that waits for its consent has the same tag, whatever its rules have counted since; another rule has not', async (t) => {
  const { played, asHolder } = await liveBed(t);
  const place = { family: 'inet', table: 'foo', chain: 'input', handle: 3 } as const;
  const tagOf = async (packets: number, port = 179) => {
    const match = { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: port } };
    const rule = { handle: 3, expr: [match, { counter: { packets, bytes: 60 * packets } }, { drop: null }] };
    const text = `tcp dport ${port} counter drop`;
    played.plan = async () => ({ kind: 'nft-delete-rule', place, text, rule, index: 1, alike: 1 });
    await asHolder('discard');
    await asHolder('edit', { lines: [], live: [SETTING] });
    return (await asHolder('validate'))['tag'];
  };
  const tag = await tagOf(7);
  assert.equal(await tagOf(99), tag);
  assert.notEqual(await tagOf(99, 80), tag);
});

test('the same again is the candidate that waits; another setting does not join it [NET-15]', async (t) => {
  const { played, asHolder } = await liveBed(t);
  await asHolder('edit', { lines: LINES, live: [SETTING] });
  const { tag } = await asHolder('validate');
  await asHolder('edit', { lines: LINES, live: [SETTING] });
  assert.equal((await asHolder('validate'))['tag'], tag);
  played.plan = async () => UP;
  await assert.rejects(asHolder('edit', { lines: LINES, live: [SETTING] }), { code: 'caller/candidate-edited' });
  assert.equal((await asHolder('validate'))['tag'], tag);
});

test('an undoing that fails is tried again until it succeeds, and its reason is logged once', async (t) => {
  const { played, parts } = await applied(t);
  let attempts = 0;
  played.undo = () => {
    attempts += 1;
    if (attempts < 4) throw new Error('Device or resource busy');
    return undefined;
  };
  const open = (await parts.journal.open())!;
  await parts.journal.write({ ...open, undoing: 'not confirmed in time' });
  const logged: string[] = [];
  const sink = (line: string) => void logged.push(JSON.parse(line).message);
  const log = createLog({ level: 'warn', sink, now: () => 0 });
  await watchUntilSettled({ ...parts, log, clock: { ...parts.clock, sleep: async () => {} } });
  assert.deepEqual([attempts, played.text, played.inForce], [4, RUNNING, []]);
  assert.deepEqual(logged, ['change not rolled back yet', 'change rolled back']);
});
