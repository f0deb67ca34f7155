// The replay of files: what is equal, what is not, what is meant, and what cannot be read; and a selection made of them.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { caseFiles, decodeCase, encodeCase, loadCase, storeRecorded } from '../../scripts/replay/case-files.ts';
import { unfitIn } from '../../scripts/replay/harmless.ts';
import type { ReplayCase } from '../../scripts/replay/replay-case.ts';
import { replayFile } from '../../scripts/replay/run.ts';
import { selectCases } from '../../scripts/replay/select.ts';
import { exitCodeOf, linesOf, summaryOf, sumsOf } from '../../scripts/replay/summary.ts';
import { ROOT } from '../../scripts/source-files.ts';

const KEPT = caseFiles([join(ROOT, 'test/replay/cases')]);
const FAULT = KEPT.find((file) => basename(file).startsWith('fault-'))!;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-replay-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function changed(t: TestContext, change: (each: ReplayCase) => ReplayCase): string {
  const file = join(folderFor(t), 'changed.json.br');
  writeFileSync(file, encodeCase(change(loadCase(FAULT).case)));
  return file;
}

const withoutFindings = (each: ReplayCase) => ({ ...each, expected: { ...each.expected, findings: [] } });
const withSentence = (each: ReplayCase) => ({ ...each, expected: { ...each.expected, sentence: 'All is well.' } });

test('a case that is diagnosed as it was is equal', () => {
  const { state, differences } = replayFile(FAULT);
  assert.deepEqual({ state, differences }, { state: 'equal', differences: [] });
  assert.equal(exitCodeOf(sumsOf([replayFile(FAULT)]), false), 0);
});

test('a case that is diagnosed otherwise differs, and fails', (t) => {
  const replayed = replayFile(changed(t, withoutFindings));
  assert.equal(replayed.state, 'differs');
  assert.match(linesOf(replayed)[0]!, /changed\.json\.br: differs: finding: nothing, now "/);
  assert.equal(exitCodeOf(sumsOf([replayed]), true), 1);
});

test('words that differ fail unless they may', (t) => {
  const replayed = replayFile(changed(t, withSentence));
  assert.equal(replayed.state, 'words');
  assert.equal(linesOf(replayed).length, 1);
  assert.deepEqual([exitCodeOf(sumsOf([replayed]), false), exitCodeOf(sumsOf([replayed]), true)], [1, 0]);
});

test('a difference that is meant is listed with its reason and is no failure', (t) => {
  const file = changed(t, withoutFindings);
  const { id } = loadCase(file).case;
  const replayed = replayFile(file, {}, { [id]: 'because' });
  assert.equal(replayed.state, 'wanted');
  assert.match(linesOf(replayed)[0]!, /is meant to differ: because$/);
  assert.match(linesOf(replayed)[1]!, /wanted, differs: finding/);
  assert.equal(exitCodeOf(sumsOf([replayed]), false), 0);
});

test('a difference that is meant and is not there fails', () => {
  const replayed = replayFile(FAULT, {}, { [loadCase(FAULT).case.id]: 'because' });
  assert.equal(replayed.state, 'stale');
  assert.equal(exitCodeOf(sumsOf([replayed]), true), 1);
});

test('a file that is no report differs, and nothing to replay fails', (t) => {
  const folder = folderFor(t);
  for (const [name, text] of [
    ['cut.json', '{"report":'],
    ['other.json', '{"report":{"payload":"e30="}}'],
    ['list.json', '[]'],
  ] as const)
    writeFileSync(join(folder, name), text);
  const all = caseFiles([folder]).map((file) => replayFile(file));
  assert.deepEqual(
    all.map(({ state }) => state),
    ['differs', 'differs', 'differs'],
  );
  assert.match(linesOf(all[2]!)[0]!, /expected a report with items, got none/);
  assert.equal(exitCodeOf(sumsOf([]), true), 1);
});

test('a recorded diagnosis takes the place of the one in the report', (t) => {
  const folder = folderFor(t);
  const { id, expected } = loadCase(FAULT).case;
  storeRecorded(FAULT, { folder }, id, { ...expected, hypothesis: 'another' });
  const { state, differences, from } = replayFile(FAULT, { folder });
  assert.deepEqual(
    { state, from, what: differences.map(({ what }) => what) },
    {
      ...{ state: 'words', from: 'recorded', what: ['hypothesis'] },
    },
  );
  storeRecorded(FAULT, { folder }, 'another', expected);
  assert.equal(replayFile(FAULT, { folder }).state, 'differs');
});

test('the sums say how many there were of each', (t) => {
  const all = [replayFile(FAULT), replayFile(changed(t, withSentence)), replayFile(changed(t, withoutFindings))];
  assert.equal(
    summaryOf(sumsOf(all), 1.25),
    '3 replayed, 1 equal, 1 words differ, 1 differ; 3 compared with a recorded diagnosis; 1.3 s',
  );
});

test('a selection is replayed as its cases are, and begins with those that are unlike each other', (t) => {
  const folder = join(folderFor(t), 'out');
  const { lines } = selectCases(2, folder, KEPT.slice(0, 3), {});
  assert.match(lines.at(-1)!, /^2 of 3 cases, \d+ bytes$/);
  const files = caseFiles([folder]);
  assert.deepEqual(
    files.map((file) => replayFile(file).state),
    ['equal', 'equal'],
  );
  assert.throws(() => selectCases(1, folder, KEPT, {}), /expected no cases in/);
});

test('a selection leaves out what is diagnosed otherwise', (t) => {
  const file = changed(t, withoutFindings);
  const { lines } = selectCases(1, join(folderFor(t), 'out'), [file], {});
  assert.match(lines[0]!, /left out: its diagnosis differs in finding$/);
  assert.equal(lines[1], '0 of 0 cases, 0 bytes');
});

test('rejects keys, certificates, signatures and addresses of others', () => {
  const dns = [8, 8, 4, 4].join('.');
  const six = ['2a00', '1450', '', '5'].join(':');
  assert.equal(
    unfitIn('{"chain":"forward","address":"198.18.0.1/31","six":"fd00::1","mask":"255.255.255.0"}'),
    undefined,
  );
  assert.equal(unfitIn(`{"address":"${dns}"}`), `it holds the address ${dns}`);
  assert.equal(unfitIn(`{"address":"${six}"}`), `it holds the address ${six}`);
  for (const text of ['{"chain":["MII"]}', '{"signature":"x"}', '-----BEGIN X', `{"a":"MII${'A'.repeat(40)}"}`])
    assert.match(unfitIn(text)!, /^it holds /);
});

test('the kept cases hold no keys, certificates, signatures or addresses of others', () => {
  const unfit = KEPT.flatMap((file) => unfitIn(JSON.stringify(decodeCase(readFileSync(file)))) ?? []);
  assert.deepEqual(unfit, []);
  const strangers = readdirSync(join(ROOT, 'test/replay/cases')).filter((name) => !name.endsWith('.json.br'));
  assert.deepEqual(strangers, []);
});
