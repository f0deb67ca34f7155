// Starts the services of a node and waits until its agent answers.
import { access } from 'node:fs/promises';
import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import { openOperatorClient } from '#mcp/client/operator-client.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { CLI_LIMITS } from '../limits.ts';

/** The user of the package's agent. */
export const AGENT_USER = 'parley';

const UNITS = ['parley-helper', 'parley-agent'] as const;

export type Started = 'started' | 'restarted' | 'running' | 'by-hand';

/** `changed`: certificate or configuration are new, so that an agent that runs has to begin anew. Rejects with `us/setup`. */
export async function startServices(socket: string, changed: boolean): Promise<Started> {
  const hasSystemd = await access('/run/systemd/system').then(
    () => true,
    () => false,
  );
  if (!hasSystemd) {
    if (await isAnswering(socket)) return 'by-hand';
    throw new ParleyError(
      'us/setup',
      'expected systemd to start parley-helper and parley-agent, it does not run here: start the ExecStart of both units by hand, then run "parley setup" again',
    );
  }
  const wasAnswering = await isAnswering(socket);
  await systemctl(['enable', ...UNITS]);
  await systemctl([changed ? 'restart' : 'start', ...UNITS]);
  await untilAnswering(socket);
  if (!wasAnswering) return 'started';
  return changed ? 'restarted' : 'running';
}

async function untilAnswering(socket: string): Promise<void> {
  const clock = createSystemClock();
  const endMs = clock.monotonicMs() + CLI_LIMITS.setupStartMs;
  let last = 'no answer';
  while (clock.monotonicMs() < endMs) {
    const failure = await failureOf(socket);
    if (failure === undefined) return;
    last = failure;
    await clock.sleep(CLI_LIMITS.setupPollMs);
  }
  const logged = await run('journalctl', ['-u', 'parley-agent', '-n', '3', '-o', 'cat', '--no-pager'], {
    timeoutMs: CLI_LIMITS.setupStartMs,
  });
  throw new ParleyError(
    'us/setup',
    `expected the agent to answer on ${socket} within ${CLI_LIMITS.setupStartMs / 1_000} s, got ${last}: see "journalctl -u parley-agent -u parley-helper"`,
    { data: { log: logged.stdout.split('\n').filter((line) => line !== '') } },
  );
}

async function isAnswering(socket: string): Promise<boolean> {
  return (await failureOf(socket)) === undefined;
}

/** Undefined when the agent answers. */
async function failureOf(socket: string): Promise<string | undefined> {
  try {
    const client = await openOperatorClient(await dialLocal(socket));
    await client.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function systemctl(args: readonly string[]): Promise<void> {
  const ended = await run('systemctl', ['--quiet', ...args], { timeoutMs: CLI_LIMITS.setupCommandMs });
  if (ended.exitCode === 0) return;
  const said = (ended.stderr || ended.stdout).trim().slice(0, 500);
  throw new ParleyError(
    'us/setup',
    `expected "systemctl ${args.join(' ')}" to succeed, got ${ended.exitCode}: ${said}`,
  );
}
