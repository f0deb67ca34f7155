// An MCP server as a child process of ours: its lines are the link, its standard error goes to the log, and it ends with the link.
import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { minimalEnvironment } from '#base/process.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createLineLink } from '../wire/line-link.ts';
import type { Link } from '../wire/link.ts';

export type StdioLeafInit = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Beside PATH, HOME and the like: nothing else of this process's environment reaches a leaf. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly log: Log;
};

const STDERR_CHARS = 500;
/** MCP: after the end of its input a server gets this long before it is ended. */
const [TERM_MS, KILL_MS] = [1_000, 2_000];

export function openStdioLeaf(init: StdioLeafInit): Link {
  const child = spawn(init.command, [...init.args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: init.cwd,
    env: minimalEnvironment(init.env ?? {}),
    // A group of its own: a wrapper such as npx ends with the server that it started.
    detached: true,
  });
  const { stdin, stdout, stderr } = child;
  const link = createLineLink({
    input: stdout,
    output: stdin,
    maxBytes: AGGREGATE_LIMITS.leafMessageBytes,
    onOdd: (reason) => init.log.debug('a leaf printed a line that is no message', { reason }),
  });
  stderr.setEncoding('utf8');
  stderr.on('data', (text: string) => init.log.debug('a leaf said', { text: text.slice(0, STDERR_CHARS).trim() }));
  child.on('error', (error) => link.close(`cannot start ${init.command}: ${messageOf(error)}`));
  child.on('exit', (code, signal) => {
    link.close(`${init.command} ended with ${signal ?? `exit code ${code}`}`);
    // What it started in turn must not outlive it.
    endGroup(child, 'SIGKILL');
  });
  const close = link.close;
  link.close = (reason) => {
    close(reason);
    endInTime(child);
  };
  return link;
}

function endInTime(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const term = setTimeout(() => endGroup(child, 'SIGTERM'), TERM_MS);
  const kill = setTimeout(() => endGroup(child, 'SIGKILL'), KILL_MS);
  child.once('exit', () => {
    clearTimeout(term);
    clearTimeout(kill);
  });
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It was gone.
  }
}
