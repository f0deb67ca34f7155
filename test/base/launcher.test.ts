// Programs that a shell starts for us answer as those that are run directly do, whatever they are told and however they end.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLauncher, type Launcher } from '#base/launcher.ts';
import { LIMITS } from '#base/limits.ts';
import { run } from '#base/process.ts';
import { until } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';

const TIME = { timeoutMs: HANG_MS, maxOutputBytes: 1_000_000 };
/** Never the shell's own command of that name. */
const ECHO = '/bin/echo';

/** Who started the program that is run: this process, or a shell. */
async function starter({ run: launch }: Launcher): Promise<string> {
  const { stdout } = await launch('sh', ['-c', 'echo $PPID'], TIME);
  assert.match(stdout, /^\d+\n$/);
  return stdout.trim();
}

function gone(pid: string): Promise<void> {
  assert.match(pid, /^\d+$/);
  return until(async () => (await run('kill', ['-0', pid], TIME)).exitCode === 1, `the end of ${pid}`);
}

test('one shell starts one program after another, and a program that is too long to tell it is started without', async () => {
  const launcher = createLauncher(1);
  const shell = await starter(launcher);
  assert.notEqual(shell, String(process.pid));
  assert.equal(await starter(launcher), shell);
  const long = 'x'.repeat(LIMITS.shellInputChars);
  assert.equal((await launcher.run('sh', ['-c', 'echo $PPID', long], TIME)).stdout.trim(), String(process.pid));
  assert.equal(await starter(launcher), shell);
});

test('output, errors and exit code are those of the program', async () => {
  const { run: launch } = createLauncher(1);
  const words = ['-n', 'a b', "it's", '$HOME', '`id`', '', '*', '\\n', '%s', 'ÁüĀ€😀', 'two\nlines'];
  const program = ['-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--', ...words];
  assert.deepEqual(JSON.parse((await launch(process.execPath, program, TIME)).stdout), words);
  const failed = await launch('sh', ['-c', 'echo some; echo why >&2; exit 3'], TIME);
  assert.deepEqual(failed, { exitCode: 3, stdout: 'some\n', stderr: 'why\n' });
  assert.equal((await launch('no-such-program-here', [], TIME)).exitCode, 127);
  assert.equal((await launch('exit', ['5'], TIME)).exitCode, 127);
  assert.equal((await launch('sh', ['-c', 'kill -9 $$'], TIME)).exitCode, 137);
  const much = await launch('sh', ['-c', 'yes 0123456789abcde | head -c 300000'], TIME);
  assert.equal(much.stdout.length, 300_000);
});

test('input comes whole, as it is, and a program without any finds its end', async () => {
  const { run: launch } = createLauncher(1);
  const input = 'one\n two  \\ three\n\n$(id)\n';
  assert.equal((await launch('cat', [], { ...TIME, input })).stdout, input);
  assert.equal((await launch('cat', [], TIME)).stdout, '');
  assert.equal((await launch('true', [], { ...TIME, input })).exitCode, 0);
  const long = `${'x'.repeat(70_000)}\n`;
  assert.equal((await launch('cat', [], { ...TIME, input: long })).stdout, long);
  assert.equal((await launch('cat', [], { ...TIME, input: 'no end' })).stdout, 'no end');
});

test('more at once than there are shells all get their answers', async () => {
  const { run: launch } = createLauncher(2);
  const numbers = Array.from({ length: 12 }, (_, index) => String(index));
  const said = await Promise.all(numbers.map((number) => launch(ECHO, [number], TIME)));
  assert.deepEqual(
    said.map(({ stdout }) => stdout),
    numbers.map((number) => `${number}\n`),
  );
});

test('a program waits for the shell that is about to be free, and for one that stays busy not for long', async () => {
  const patient = createLauncher(1, HANG_MS);
  const [one, second, third] = await Promise.all([starter(patient), starter(patient), starter(patient)]);
  assert.notEqual(one, String(process.pid));
  assert.deepEqual([second, third], [one, one]);
  const launcher = createLauncher(1);
  const first = await starter(launcher);

  const folder = await mkdtemp(join(tmpdir(), 'parley-launcher-'));
  try {
    const pipe = join(folder, 'pipe');
    await run('mkfifo', [pipe], TIME);
    const busy = launcher.run('cat', [pipe], TIME);
    const stopped = new AbortController();
    const unwanted = launcher.run('sh', ['-c', 'echo $PPID'], { ...TIME, signal: stopped.signal });
    stopped.abort();
    assert.equal(await starter(launcher), String(process.pid));
    assert.equal((await unwanted).exitCode, 1);
    await writeFile(pipe, 'done');
    assert.equal((await busy).stdout, 'done');
    assert.equal(await starter(launcher), first);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a program that is told no time to wait waits for a shell as long as the limit says', async (t) => {
  assert.ok(LIMITS.shellWaitMs > 0);
  const folder = await mkdtemp(join(tmpdir(), 'parley-launcher-'));
  t.after(() => rm(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  await run('mkfifo', [pipe], TIME);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const launcher = createLauncher(1);
  const shell = await starter(launcher);
  const busy = launcher.run('cat', [pipe], TIME);
  const waits = starter(launcher);
  t.mock.timers.tick(LIMITS.shellWaitMs - 1);
  await writeFile(pipe, 'done');
  assert.equal((await busy).stdout, 'done');
  assert.equal(await waits, shell);
});

test('a program that says too much, takes too long or is no longer wanted ends, with all it started, and another shell goes on', async () => {
  const launcher = createLauncher(1);
  const { run: launch } = launcher;
  const most = { ...TIME, maxOutputBytes: 1_000 };
  const zeros = await launch('sh', ['-c', 'head -c 1000 /dev/zero | tr "\\0" 0'], most);
  assert.deepEqual([zeros.exitCode, zeros.stdout.length], [0, 1_000]);
  const shell = await starter(launcher);
  assert.equal((await launch('yes', [], most)).exitCode, 1);
  await gone(shell);
  let pids: string[] = [];
  // On a busy machine it takes longer until both have said so.
  for (let timeoutMs = 1_000; pids.length < 2 && timeoutMs < HANG_MS; timeoutMs *= 4) {
    const late = await launch('sh', ['-c', 'echo $$; sleep 600 & echo $!; wait'], { ...TIME, timeoutMs });
    assert.equal(late.exitCode, 124);
    pids = late.stdout.trim().split('\n');
  }
  assert.equal(pids.length, 2);
  for (const pid of pids) await gone(pid);
  const next = await starter(launcher);
  const controller = new AbortController();
  const unwanted = launch('sleep', ['600'], { ...TIME, signal: controller.signal });
  controller.abort();
  assert.equal((await unwanted).exitCode, 1);
  await gone(next);
  assert.equal((await launch(ECHO, ['on'], { ...TIME, signal: controller.signal })).exitCode, 1);
  assert.equal((await launch(ECHO, ['on'], TIME)).stdout, 'on\n');
});

test('a shell that is killed ends what it ran as failed, and that is not run again', async () => {
  const launcher = createLauncher(1);
  const ended = await launcher.run('sh', ['-c', 'echo once; kill -9 $PPID; sleep 600'], { ...TIME, timeoutMs: 10_000 });
  assert.deepEqual([ended.exitCode, ended.stdout], [1, 'once\n']);
  assert.notEqual(await starter(launcher), String(process.pid));
});

test('a shell that waits keeps no process from its end', async () => {
  const program = `const { createLauncher } = await import('#base/launcher.ts'); process.stdout.write((await createLauncher().run('echo', ['done'], { timeoutMs: ${HANG_MS}, maxOutputBytes: 100 })).stdout);`;
  const args = ['--conditions=parley-source', '--input-type=module', '-e', program];
  assert.deepEqual(await run(process.execPath, args, TIME), { exitCode: 0, stdout: 'done\n', stderr: '' });
});

test('a shell ends when the process that started it is killed', async () => {
  const program = `const { createLauncher } = await import('#base/launcher.ts'); const { stdout } = await createLauncher().run('sh', ['-c', 'echo $PPID'], { timeoutMs: ${HANG_MS}, maxOutputBytes: 100 }); process.stdout.write(stdout); setInterval(() => {}, 1000);`;
  const args = ['--conditions=parley-source', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const shell = String(said).trim();
  assert.notEqual(shell, String(child.pid));
  assert.equal((await run('kill', ['-0', shell], TIME)).exitCode, 0);
  child.kill('SIGKILL');
  await gone(shell);
});
