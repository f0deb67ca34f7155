// What a node expects, on its disk: whole, signed, bounded, its own; anything else is not used, with the reason.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { type Baseline, expectationOf } from '#model/baseline.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import { createBaselineStore } from '#report/baseline-store.ts';
import { boundKeyOf } from '#report/countersign.ts';
import { fakeParty } from '../fakes/signed-exchange.ts';

const pe1 = fakeParty('pe1');
const p2 = fakeParty('p2');
let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-baseline-'));
});
after(() => rm(dir, { recursive: true }));

function storeOf(party: typeof pe1, name = 'pe1') {
  const key = boundKeyOf(party.party);
  assert.ok(key.ok);
  return createBaselineStore({ dir, node: name, signer: party.signer, publicKey: key.value });
}

const BASELINE: Baseline = {
  schemaVersion: 1,
  node: 'pe1',
  saved: '2026-01-01T00:00:00.000Z',
  by: 'ann',
  source: { kind: 'report', id: '00112233', intent: 'What is wrong?' },
  profile: {
    nodes: ['pe1', 'p2'],
    told: ['pe1 link', 'p2 link'],
    entries: [
      {
        part: 'link',
        subject: 'link/p2:eth1--pe1:eth1',
        nodes: ['p2', 'pe1'],
        value: 'up',
        resource: 'link/p2:eth1--pe1:eth1',
      },
    ],
    roundTrips: [{ from: 'pe1', to: 'p2', minMs: 0.1, avgMs: 0.2 }],
  },
};

test('gives back what was saved, one of each source, and nothing after it was cleared', async () => {
  const store = storeOf(pe1);
  assert.deepEqual(await store.load(), { baselines: [], refused: [] });
  const topology: Baseline = { ...BASELINE, source: { kind: 'topology', name: 'ring' } };
  await store.save(BASELINE);
  await store.save(topology);
  assert.deepEqual(await store.load(), { baselines: [BASELINE, topology], refused: [] });
  assert.deepEqual(
    [BASELINE, topology].map((each) => expectationOf(each).name),
    ['baseline of 2026-01-01T00:00:00.000Z', 'topology ring'],
  );
  await store.clear();
  await store.clear();
  assert.deepEqual(await store.load(), { baselines: [], refused: [] });
});

test('what somebody else signed, changed, or saved for another node or version is not used', async () => {
  const store = storeOf(pe1);
  const file = join(dir, 'report.json');
  const reasonOf = async (text: string) => {
    await writeFile(file, text);
    const { baselines, refused } = await store.load();
    assert.deepEqual(baselines, []);
    return refused[0]!.replace('the baseline of the report is not used: ', '');
  };
  await store.save(BASELINE);
  const own = await readFile(file, 'utf8');
  const envelope = JSON.parse(own) as SignedEnvelope;
  const payload = Buffer.from(Buffer.from(envelope.payload, 'base64').toString().replace('"up"', '"no"')).toString(
    'base64',
  );
  assert.match(await reasonOf(JSON.stringify({ ...envelope, payload })), /valid signature/);
  assert.match(
    await reasonOf(JSON.stringify(p2.signer.seal('parley/baseline/v1', BASELINE as never))),
    /valid signature/,
  );
  assert.match(
    await reasonOf(JSON.stringify(pe1.signer.seal('parley/report/v1', BASELINE as never))),
    /expected parley\/baseline\/v1/,
  );
  const signed = (over: object) =>
    JSON.stringify(pe1.signer.seal('parley/baseline/v1', { ...BASELINE, ...over } as never));
  assert.match(await reasonOf(signed({ schemaVersion: 2 })), /^expected schemaVersion 1, got 2: save it again$/);
  assert.match(await reasonOf(signed({ node: 'p2' })), /^expected that of pe1, got that of p2$/);
  assert.match(
    await reasonOf(signed({ profile: { ...BASELINE.profile, entries: [{ part: 'mood' }] } })),
    /known parts/,
  );
  assert.match(await reasonOf('{'), /./);
  await store.clear();
});

test('more than a bound is refused before it is written', async () => {
  const value = 'x'.repeat(9_000_000);
  const entries = [{ ...BASELINE.profile.entries[0]!, value }];
  await assert.rejects(
    storeOf(pe1).save({ ...BASELINE, profile: { ...BASELINE.profile, entries } }),
    (error) => error instanceof ParleyError && error.code === 'caller/baseline-too-large',
  );
  assert.deepEqual((await storeOf(pe1).load()).baselines, []);
});

test('a baseline is saved and read up to the bound, and not beyond', async () => {
  const store = storeOf(pe1);
  const saved = async (chars: number) => {
    await store.save({ ...BASELINE, by: 'x'.repeat(chars) });
    return (await stat(join(dir, 'report.json'))).size;
  };
  // Base64 grows by four characters for three.
  const small = await saved(0);
  const most = Math.floor((8_388_608 - small) / 4) * 3;
  const sizes: number[] = [];
  for (let chars = most - 3; ; chars++) {
    try {
      sizes.push(await saved(chars));
    } catch (error) {
      assert.equal((error as ParleyError).code, 'caller/baseline-too-large');
      break;
    }
  }
  assert.ok(sizes.at(-1)! > 8_388_608 - 4 && sizes.at(-1)! <= 8_388_608, String(sizes.at(-1)));
  assert.deepEqual((await store.load()).refused, []);
  await store.clear();
});

test('a file that is none of ours, too large, or no file is not used, with the reason', async () => {
  const store = storeOf(pe1);
  const file = join(dir, 'report.json');
  const reasonOf = async () => {
    const { baselines, refused } = await store.load();
    assert.deepEqual([baselines.length, refused.length], [0, 1]);
    return refused[0]!.replace('the baseline of the report is not used: ', '');
  };
  const written = async (text: string) => {
    await writeFile(file, text);
    return reasonOf();
  };
  const signed = (over: object) =>
    JSON.stringify(pe1.signer.seal('parley/baseline/v1', { ...BASELINE, ...over } as never));
  assert.match(await written('{'), /JSON|expected/);
  assert.doesNotMatch(await written('{'), /envelope/);
  assert.equal(await written('[]'), 'expected an envelope, got another type');
  const members = 'expected saved, by and source';
  for (const over of [{ saved: 1 }, { by: null }, { source: 'x' }]) assert.equal(await written(signed(over)), members);
  assert.equal(await written(signed({ profile: 1 })), 'profile: expected an object');
  assert.equal(await written('x'.repeat(8_388_609)), 'expected at most 8388608 bytes, got 8388609');
  assert.doesNotMatch(await written('x'.repeat(8_388_608)), /at most/);
  await rm(file);
  await mkdir(file);
  assert.match(await reasonOf(), /EISDIR/);
  await rm(file, { recursive: true });
});

test('files are for the owner only, and clearing a folder that was never made is no error', async () => {
  const store = storeOf(pe1);
  await store.save(BASELINE);
  assert.equal((await stat(join(dir, 'report.json'))).mode & 0o777, 0o600);
  await store.clear();
  const { signer } = pe1;
  const never = createBaselineStore({ dir: join(dir, 'never'), node: 'pe1', signer, publicKey: new Uint8Array(32) });
  await never.clear();
  assert.deepEqual(await never.load(), { baselines: [], refused: [] });
});
