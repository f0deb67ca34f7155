// Waits for other processes end with an error where a process hangs.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runParley } from './agent/agent-bed.ts';
import { untilShown, untilWritten } from './until-written.ts';

/** A process that says nothing, and runs for as long as its input is open. */
function silent(): ChildProcess {
  return spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
}

test('a wait for what a hanging process is to write, show or end with fails, and says for what', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-hang-'));
  const writer = silent();
  try {
    await assert.rejects(
      untilWritten(dir, () => false, [writer], 1),
      /what is awaited in .*parley-hang-.*: not in 0\.001 s, something hangs/,
    );
    await assert.rejects(
      untilWritten(dir, () => new Promise<boolean>(() => {}), [writer], 1),
      /something hangs/,
    );
    const args = ['--eval', 'process.stdin.resume(); setInterval(() => {}, 1_000)'];
    await assert.rejects(untilShown(args, [/never/], writer, 1), /shows \/never\/: not in 0\.001 s/);
    await assert.rejects(runParley(['--help'], {}, 1), /parley --help: not in 0\.001 s, something hangs/);
  } finally {
    writer.kill();
    await rm(dir, { recursive: true });
  }
});
