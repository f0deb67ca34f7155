// `parley audit tail` and `parley audit export`: what is shown of a trail, as records, as syslog, followed, and damaged [TS-31].
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openAuditTrail } from '#audit/trail.ts';
import { runParley } from '../agent/agent-bed.ts';
import { createFakeClock, until } from '../fakes/clock.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

let dir: string;
let lines: readonly string[];
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-audit-read-'));
  const clock = createFakeClock();
  const trail = await openAuditTrail({ dir: join(dir, 'audit'), clock, fileBytes: 1_500 });
  for (let hour = 0; hour < 12; hour++) {
    await trail.append({
      event: 'request',
      direction: 'in',
      party: 'operator/local',
      asker: 'alice (uid 1000)',
      method: 'tools/call parley-ask',
      intent: `is hour ${hour} \u001b[31m wrong`,
    });
    await clock.advance(3_600_000);
  }
  await trail.close();
  lines = (await exported()).stdout.trimEnd().split('\n');
});
after(() => rm(dir, { recursive: true }));

const trail = () => join(dir, 'audit');
const exported = (...more: readonly string[]) => runParley(['audit', 'export', trail(), ...more]);
const sequences = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).sequence as number);

test('export prints the lines of the trail, across its files, and those of a time span [TS-31]', async () => {
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).sequence),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  );
  const span = await exported('--from', '2026-01-01T03:00:00Z', '--to', '2026-01-01T06:00:00+01:00');
  assert.deepEqual(sequences(span.stdout), [4, 5, 6]);
  assert.deepEqual(sequences((await exported('--from', '1m')).stdout), []);
  for (const wrong of ['yesterday', '2026-13-01', '5', '']) {
    const refused = await exported('--from', wrong);
    assert.deepEqual([refused.exitCode, refused.stdout], [2, ''], wrong);
  }
});

test('export as rfc5424 prints one message a record, with the name of the node [TS-31]', async () => {
  const refused = await exported('--format', 'rfc5424');
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /--node NAME/);
  const { stdout } = await exported('--format', 'rfc5424', '--node', 'pe1');
  const messages = stdout.trimEnd().split('\n');
  assert.equal(messages.length, 12);
  assert.match(messages[0]!, /^<110>1 2026-01-01T00:00:00\.000Z pe1 parley - request \[parley@32473 seq="1" hash="/);
  assert.equal(messages[0]!.slice(messages[0]!.indexOf('\ufeff') + 1), lines[0]);
});

test('tail shows the last records in words, without control characters, or as they are [TS-31]', async () => {
  const { stdout, exitCode } = await runParley(['audit', 'tail', trail(), '-n', '7']);
  assert.equal(exitCode, 0);
  const shown = stdout.trimEnd().split('\n');
  assert.equal(shown.length, 7);
  assert.equal(
    shown.at(-1),
    '2026-01-01T11:00:00.000Z  12  request  <-  operator/local  for alice (uid 1000)  tools/call parley-ask  "is hour 11  [31m wrong"',
  );
  const raw = await runParley(['audit', 'tail', trail(), '-n', '2', '--json']);
  assert.equal(raw.stdout, `${lines.slice(-2).join('\n')}\n`);
  assert.equal((await runParley(['audit', 'tail', trail(), '-n', 'x'])).exitCode, 2);
  assert.equal((await runParley(['audit', 'tail', join(dir, 'none')])).exitCode, 2);
});

test('tail --follow goes on with what is appended, into the next file, until it is interrupted [TS-31]', async () => {
  const folder = join(dir, 'followed');
  const open = await openAuditTrail({ dir: folder, clock: createFakeClock(), fileBytes: 600 });
  await open.append({ event: 'e1' });
  const args = ['--conditions=parley-source', MAIN, 'audit', 'tail', folder, '--follow', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  await until(() => said.includes('"e1"'), 'the first record');
  for (let index = 2; index <= 9; index++) await open.append({ event: `e${index}` });
  await until(() => said.includes('"e9"'), 'what was appended');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
  await open.close();
  assert.deepEqual(sequences(said), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a line that is no record is shown, said, and ends with 5 [TS-31]', async () => {
  const file = join(dir, 'audit', 'audit-000000000000001.jsonl');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"sequence":2', '"sequence":"2"'));
  const said = await exported();
  await writeFile(file, text);
  assert.equal(said.exitCode, 5);
  assert.equal(said.stdout.trimEnd().split('\n').length, 12);
  assert.match(said.stderr, /audit-000000000000001\.jsonl, octet \d+: this line is no record/);
});
