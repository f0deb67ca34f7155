// `parley diff` as an operator runs it: by file, by id, the latest two of one question; what does not verify is refused.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AgentBed, runParley, upAgents } from '../../agent/agent-bed.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const json = (text: string) => JSON.parse(text) as Readonly<Record<string, never>>;

let bed: AgentBed;
let ca: string;
let files: readonly string[];
const local = (...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf('pe1')]);
before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3']);
  ca = join(bed.dir, 'ca', 'ca.pem');
  files = ['first', 'second'].map((name) => join(bed.dir, `${name}.json`));
  await local('ask', INTENT, '--save', files[0]!);
  bed.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 });
  await local('ask', INTENT, '--save', files[1]!);
});
after(() => bed.down());

test('two files: what is new is told, in the order of time, without an agent', async () => {
  const said = await runParley(['diff', files[1]!, files[0]!, '--ca', ca, '--json']);
  const { verified, same, changes, before: first } = json(said.stdout);
  assert.deepEqual([said.exitCode, verified, same, first!['verdict']], [1, true, false, 'healthy']);
  assert.deepEqual(changes, [
    { what: 'verdict', subject: 'verdict', how: 'changed', before: 'healthy', after: 'fault' },
    {
      what: 'finding',
      subject: 'packet_loss at interface/p2/eth2',
      how: 'new',
      after: changes![1]!['after'],
    },
  ]);
});

test('without names the latest two of one question; a report against itself is the same', async () => {
  const latest = await local('diff', '--ca', ca);
  assert.equal(latest.exitCode, 1, latest.stderr);
  assert.match(latest.stdout, /^\+ finding {8}packet_loss at interface\/p2\/eth2: /m);
  const same = await runParley(['diff', files[0]!, files[0]!, '--ca', ca]);
  assert.deepEqual([same.exitCode, /nothing is new, gone or changed/.test(same.stdout)], [0, true]);
});

test('a changed file is refused with 5, and compared only when asked to', async () => {
  const forged = join(bed.dir, 'forged.json');
  const sealed = JSON.parse(await readFile(files[1]!, 'utf8'));
  const report = JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8'));
  const payload = Buffer.from(JSON.stringify({ ...report, sentence: 'all is well' })).toString('base64');
  await writeFile(forged, `${JSON.stringify({ ...sealed, report: { ...sealed.report, payload } })}\n`);
  const refused = await runParley(['diff', files[0]!, forged, '--ca', ca]);
  assert.deepEqual([refused.exitCode, refused.stdout.slice(0, 9)], [5, 'refused: ']);
  const compared = await runParley(['diff', files[0]!, forged, '--unverified']);
  assert.equal(compared.exitCode, 1, compared.stderr);
  assert.match(compared.stdout, /^NOT VERIFIED/m);
});

test('without a CA nothing is compared by accident', async () => {
  const said = await runParley(['diff', files[0]!, files[1]!, '--json']);
  assert.equal(said.exitCode, 2);
  assert.match(json(said.stdout)['error']!['message'], /^expected --ca FILE, --identity DIR or --unverified/);
});

test('the time before a report, from the histories that nodes keep; who keeps none is named', async () => {
  const said = await runParley(['diff', files[1]!, '--ca', ca, '--since', '10m']);
  assert.equal(said.exitCode, 0, said.stderr);
  assert.match(said.stdout, /no known change/);
  assert.match(said.stdout, /^not known: pe1 remembers 0 s, not 600 s$/m);
  const wrong = await runParley(['diff', files[1]!, '--ca', ca, '--since', 'soon']);
  assert.equal(wrong.exitCode, 2);
});
