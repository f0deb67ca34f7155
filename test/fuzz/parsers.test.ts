// The short form of `npm run bench -- fuzz`: changed inputs for every parser that a stranger reaches. And that a parser which breaks, stands still or
// takes all memory is found, with a small input that does it.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCampaign } from '../../bench/fuzz/campaign.ts';
import { PARSERS } from '../../bench/fuzz/parsers.ts';
import { inputOf, runStretch } from '../../bench/fuzz/stretch.ts';
import { BROKEN } from './broken-parsers.ts';

const SEED = 20_261_124;
/** Costly ones get fewer. */
const inputsOf = (parser: (typeof PARSERS)[number]) =>
  parser.name === 'spake2plus' ? 5 : parser.inputs > 1_000_000 ? 500 : 50;

for (const parser of PARSERS)
  test(`${parser.name}: no changed input breaks what a stranger reaches`, async () => {
    const stretch = { parser, seed: SEED, from: 0, count: inputsOf(parser), every: 1_000, onPlace: () => {} };
    const { findings } = await runStretch(stretch);
    assert.deepEqual(findings, []);
  });

test('a changed input is at most 70 kB long, also where parts of DER are copied again and again', async () => {
  const opened = await PARSERS.find(({ name }) => name === 'pkcs10')!.open();
  const lengths = Array.from({ length: 6_000 }, (_, index) => inputOf(opened, SEED, index).length);
  const longest = Math.max(...lengths);
  assert.ok(longest > 16_384 && longest <= 70_000, `${longest} octets`);
});

test('an exception is found once, with the smallest input that does it', async () => {
  const parser = BROKEN.find(({ name }) => name === 'throws')!;
  const { findings } = await runStretch({ parser, seed: 1, from: 0, count: 5_000, every: 1_000, onPlace: () => {} });
  assert.equal(findings.length, 1);
  const [{ kind, message, input } = assert.fail()] = findings;
  assert.equal(kind, 'threw');
  assert.match(message, /a letter N too many/);
  assert.equal(Buffer.from(input!, 'base64').toString(), '!!');
});

for (const [name, why] of [
  ['exhausts', /ended with SIGABRT|ended with 134|heap/],
  ['ends', /ended with 3/],
] as const)
  test(`a process that a parser ${name} is a finding with the number of its input, and the campaign goes on`, async (t) => {
    const parser = BROKEN.find((each) => each.name === name)!;
    const dir = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
    t.after(() => rm(dir, { recursive: true }));
    const parsers = join(import.meta.dirname, 'broken-parsers.ts');
    const { findings, ran } = await runCampaign({ parser, parsers, seed: 1, inputs: 300, dir, say: () => {} });
    assert.equal(ran, 300);
    assert.deepEqual(
      findings.map(({ kind, index }) => [kind, index]),
      [['died', 150]],
    );
    assert.match(findings[0]!.message, why);
  });
