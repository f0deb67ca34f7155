// The commands that need no running agent, run as an operator runs them: exit codes, output, and complaints as text and JSON.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openAuditTrail } from '#audit/trail.ts';
import { createSystemClock } from '#base/clock.ts';
import { runParley } from '../agent/agent-bed.ts';

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-cli-'));
});
after(() => rm(dir, { recursive: true }));

const json = (text: string) => JSON.parse(text) as Readonly<Record<string, never>>;

test('words that are no command, and options that are none, end with 2 and say where help is', async () => {
  const [command, option, asJson, missing] = await Promise.all([
    runParley(['sak']),
    runParley(['peers', '--scoket', '/x']),
    runParley(['sak', '--json']),
    runParley(['report', 'verify', 'x.json', '--json']),
  ]);
  assert.deepEqual([command.exitCode, option.exitCode, asJson.exitCode, missing.exitCode], [2, 2, 2, 2]);
  assert.match(command.stderr, /unknown command 'sak'/);
  assert.match(command.stderr, /parley --help shows every command/);
  assert.match(option.stderr, /unknown option '--scoket'/);
  assert.deepEqual(json(asJson.stdout), {
    schemaVersion: 1,
    error: { code: 'caller/usage', message: "unknown command 'sak'", data: {} },
  });
  assert.match(json(missing.stdout)['error']!['message'], /required option '--ca <file>'/);
});

test('an empty question is refused before any agent is asked, with an example', async () => {
  const said = await runParley(['ask', ' ', '--socket', join(dir, 'none.sock')]);
  assert.equal(said.exitCode, 2);
  assert.equal(said.stderr, 'parley: expected a question such as "What is wrong?", got none\n');
});

test('help and version end with 0', async () => {
  const [help, version] = await Promise.all([runParley(['--help']), runParley(['--version'])]);
  assert.deepEqual([help.exitCode, version.exitCode], [0, 0]);
  for (const name of ['agent', 'ask', 'peers', 'doctor', 'report', 'ca', 'audit'])
    assert.match(help.stdout, new RegExp(`^  ${name}\\b`, 'm'));
  assert.equal(version.stdout, '0.2.0\n');
});

test("the README's table names every command", async () => {
  const help = (await runParley(['--help'])).stdout;
  const commands = [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
    (found) => found[1]!,
  );
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('| command | does |'), readme.indexOf('All of them but'));
  const missing = commands.filter((name) => name !== 'help' && !table.includes(`\`parley ${name}`));
  assert.equal(commands.includes('tech-support'), true);
  assert.deepEqual(missing, []);
});

test('a reader that stops reading ends the command in silence', async () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=parley-source', main, '--help']);
  child.stdout.destroy();
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [exitCode] = await once(child, 'close');
  assert.deepEqual([said.join(''), exitCode], ['', 141]);
});

test('where no agent answers, the message says what to do', async () => {
  const socket = join(dir, 'nobody.sock');
  const [text, asJson] = await Promise.all([
    runParley(['ask', 'anything', '--socket', socket]),
    runParley(['peers', '--json'], { PARLEY_SOCKET: socket }),
  ]);
  assert.deepEqual([text.exitCode, asJson.exitCode], [2, 2]);
  assert.equal(
    text.stderr,
    `parley: no agent answers on ${socket} (ENOENT): start it with "systemctl start parley-agent", or "parley agent"\n`,
  );
  assert.equal(json(asJson.stdout)['error']!['code'], 'caller/no-local-agent');
  assert.equal(asJson.stderr, '');
});

test('mutual TLS needs an identity, and an address that is one', async () => {
  const [none, bad] = await Promise.all([
    runParley(['peers', '--json', '--connect', '127.0.0.1:9514']),
    runParley(['peers', '--json', '--connect', '127.0.0.1:99999']),
  ]);
  assert.deepEqual([none.exitCode, bad.exitCode], [2, 2]);
  assert.equal(json(none.stdout)['error']!['code'], 'caller/no-identity');
  assert.equal(json(bad.stdout)['error']!['code'], 'caller/bad-endpoint');
});

test('makes an authority and identities; the agent takes only its own [TS-24]', async () => {
  const ca = join(dir, 'ca');
  const issue = (name: string, ...more: readonly string[]) =>
    runParley(['ca', 'issue', name, '--dir', ca, '--out', join(dir, name), '--json', ...more]);
  const made = await runParley(['ca', 'init', '--domain', 'lab.example', '--dir', ca]);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^CA of lab\.example in .*, valid until /);
  const node = await issue('pe1', '--address', '192.0.2.1', '--dns', 'pe1.lab.example');
  const operator = await issue('ann', '--kind', 'operator', '--days', '1');
  assert.deepEqual([node.exitCode, operator.exitCode], [0, 0], node.stderr + operator.stderr);
  assert.match(json(node.stdout)['thumbprint']!, /^[0-9a-f]{64}$/);
  assert.deepEqual((await readdir(join(dir, 'pe1'))).sort(), ['ca.pem', 'chain.pem', 'key.pem', 'signing-key.pem']);
  const [days, kind] = await Promise.all([issue('x', '--days', 'soon'), issue('x', '--kind', 'router')]);
  assert.deepEqual([days.exitCode, kind.exitCode], [2, 2]);
  assert.equal(json(days.stdout)['error']!['code'], 'caller/bad-days');

  const config = join(dir, 'p2.yaml');
  const settings = {
    node: 'p2',
    domain: 'lab.example',
    identity: { dir: join(dir, 'pe1') },
    state: join(dir, 'state'),
  };
  await writeFile(config, JSON.stringify(settings));
  const wrong = await runParley(['agent', '--config', config, '--json']);
  assert.equal(wrong.exitCode, 2);
  const { error } = json(wrong.stdout) as unknown as {
    readonly error: { readonly code: string; readonly message: string };
  };
  assert.equal(error.code, 'caller/wrong-identity');
  assert.match(
    error.message,
    /expected the identity of node p2 in lab\.example, got node pe1 in lab\.example from .*: run "parley ca issue p2"/,
  );
});

test('a configuration with faults tells all of them and starts nothing', async () => {
  const config = join(dir, 'bad.yaml');
  await writeFile(config, 'node: PE1\nlisten: { port: x }\n');
  const started = await runParley(['agent', '--config', config]);
  assert.equal(started.exitCode, 2);
  assert.match(started.stderr, /node: expected a node name.*domain: .*listen\.port: /);
});

test('the doctor says what is wrong, a line each, and ends with 3', async () => {
  const config = join(dir, 'doctor.yaml');
  const settings = {
    node: 'p2',
    domain: 'lab.example',
    identity: { dir: join(dir, 'none') },
    state: dir,
    driver: { kind: 'embedded', hub: join(dir, 'no.sock') },
    control: { socket: join(dir, 'no.sock') },
  };
  await writeFile(config, JSON.stringify(settings));
  const said = await runParley(['doctor', '--config', config]);
  assert.equal(said.exitCode, 3);
  const lines = said.stdout.trim().split('\n');
  assert.equal(lines[0], 'ok    configuration: node p2 in lab.example');
  assert.match(lines[1]!, /^ok {4}state folder: /);
  assert.match(lines[2]!, /^ok {4}disk: .* MB free$/);
  assert.deepEqual(lines.slice(3, 8), [
    'ok    report database: none yet',
    'ok    audit trail: none yet',
    'ok    lasting audit records: none yet',
    'ok    nonces: none yet',
    'ok    memory of days: nothing yet',
  ]);
  const failed = lines.filter((line) => line.startsWith('FAIL'));
  assert.match(failed[0]!, /^FAIL {2}identity: no identity in .*run "parley ca issue NAME/);
  assert.match(failed[1]!, /^FAIL {2}embedded network: nothing answers on .*no\.sock: start the hub$/);
  assert.match(
    failed[2]!,
    /^FAIL {2}agent: no agent answers on .* start it with "systemctl start parley-agent", or "parley agent"$/,
  );
  // What is wrong stays on the screen.
  assert.deepEqual(lines.slice(-failed.length), failed);
});

test('an audit trail verifies with 0, and with 5 once a byte was changed [TS-31]', async () => {
  const trail = join(dir, 'audit');
  await mkdir(trail);
  const audit = await openAuditTrail({ dir: trail, clock: createSystemClock() });
  for (const method of ['one', 'two', 'three']) await audit.append({ event: 'request', method });
  await audit.close();
  const whole = await runParley(['audit', 'verify', trail]);
  assert.equal(whole.exitCode, 0, whole.stdout + whole.stderr);
  assert.equal(whole.stdout, `${trail}: 3 records, the chain holds\n`);
  const file = join(trail, (await readdir(trail))[0]!);
  await writeFile(file, (await readFile(file, 'utf8')).replace('"method":"two"', '"method":"tow"'));
  const broken = await runParley(['audit', 'verify', trail, '--json']);
  assert.equal(broken.exitCode, 5);
  assert.equal(json(broken.stdout)['firstBreak']!['line'], 2);
  const none = await runParley(['audit', 'verify', join(dir, 'nowhere'), '--json']);
  assert.equal(none.exitCode, 2, none.stdout);
  assert.equal(json(none.stdout)['error']!['code'], 'caller/unreadable-file');
});

test('a report file that is not there, is none, or has no authority is told apart', async () => {
  const file = join(dir, 'report.json');
  const ca = join(dir, 'some-ca.pem');
  await writeFile(file, '{"schemaVersion":1}');
  await writeFile(ca, 'no certificate');
  const [missing, noCa, rubbish] = await Promise.all([
    runParley(['report', 'verify', join(dir, 'none.json'), '--ca', ca, '--json']),
    runParley(['report', 'verify', file, '--ca', join(dir, 'none.pem'), '--json']),
    runParley(['report', 'verify', file, '--ca', ca, '--json']),
  ]);
  assert.deepEqual([missing.exitCode, noCa.exitCode, rubbish.exitCode], [2, 2, 5]);
  assert.equal(json(missing.stdout)['error']!['code'], 'caller/unreadable-file');
  assert.equal(json(rubbish.stdout)['ok'], false);
});
