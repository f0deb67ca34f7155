// One machine of the benchmark: a root that systemd-nspawn boots with a network of its own, and commands run in it as an operator would type them.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ParleyError } from '#base/error.ts';
import { type Finished, run } from '#base/process.ts';
import { must } from './roots.ts';

const BOOT_MS = 60_000;
const COMMAND_MS = 300_000;

export type Machine = {
  readonly name: string;
  /** Of its init, outside. */
  readonly pid: number;
  /** Rejects where the command fails. */
  must(...command: readonly string[]): Promise<string>;
  try(...command: readonly string[]): Promise<Finished>;
  json(...command: readonly string[]): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
};

export async function boot(name: string, root: string): Promise<Machine> {
  const options = ['-q', '-b', '-D', root, '-M', `parley-${name}`, '--register=no', '--keep-unit', '--private-network'];
  const child = spawn('systemd-nspawn', [...options, '--console=pipe', `--hostname=${name}`], { stdio: 'ignore' });
  const pid = await initOf(child, name);
  const enter = ['-t', String(pid), '-m', '-u', '-i', '-n', '-p', '-r', '-w', '/usr/bin/env', '-i'];
  const clean = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'DEBIAN_FRONTEND=noninteractive'];
  const attempt = (...command: readonly string[]) =>
    run('nsenter', [...enter, ...clean, ...command], { timeoutMs: COMMAND_MS });
  const succeed = async (...command: readonly string[]) => {
    const ended = await attempt(...command);
    if (ended.exitCode === 0) return ended.stdout;
    const said = (ended.stderr || ended.stdout).trim().slice(-600);
    throw new ParleyError('us/bench', `${name}: "${command.join(' ')}" ended with ${ended.exitCode}: ${said}`);
  };
  return {
    name,
    pid,
    must: succeed,
    try: attempt,
    json: async (...command) => {
      const { stdout, stderr } = await attempt(...command);
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (!line.startsWith('{'))
        throw new ParleyError('us/bench', `${name}: "${command.join(' ')}": ${stderr.slice(-600)}`);
      return JSON.parse(line) as Record<string, unknown>;
    },
    stop: async () => {
      const over = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode !== null) return;
      process.kill(pid, 'SIGKILL');
      await over;
    },
  };
}

/** Systemd of the machine, once it takes requests. */
async function initOf(child: ChildProcess, name: string): Promise<number> {
  const endMs = performance.now() + BOOT_MS;
  while (performance.now() < endMs && child.exitCode === null) {
    const pid = Number((await run('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { timeoutMs: 5_000 })).stdout);
    if (pid > 0 && existsSync(`/proc/${pid}/root/run/systemd/private`)) return pid;
    await setTimeout(200);
  }
  child.kill('SIGKILL');
  throw new ParleyError(
    'us/bench',
    `expected systemd-nspawn to boot ${name}, it did not: nested containers may not be allowed here`,
  );
}

/** Both ends of a wire count frames: with offloads one end of a virtual one counts segments, the other larger packets. */
const NO_OFFLOAD = ['tx', 'rx', 'tso', 'gso', 'gro'].flatMap((name) => [name, 'off']);

export type CableEnd = { readonly machine: Machine; readonly ifname: string };

/** A cable between two machines, with a /31 of `network` on it: 0 at the first end. */
export async function cable(ends: readonly [CableEnd, CableEnd], network: string): Promise<void> {
  const names = ends.map(({ machine, ifname }) => `${ifname}-${machine.pid}`);
  await must('ip', ['link', 'add', names[0]!, 'type', 'veth', 'peer', 'name', names[1]!]);
  for (const [index, { machine, ifname }] of ends.entries()) {
    await must('ethtool', ['-K', names[index]!, ...NO_OFFLOAD]);
    await must('ip', ['link', 'set', names[index]!, 'netns', String(machine.pid), 'name', ifname]);
    await machine.must('ip', 'address', 'add', `${network}${index}/31`, 'dev', ifname);
    await machine.must('ip', 'link', 'set', ifname, 'up');
    await machine.must('ip', 'link', 'set', 'lo', 'up');
  }
}

/** Asks until the verdict is `healthy`, bounded; what came last, and after how many questions. */
export async function askUntilHealthy(machine: Machine, withinMs: number) {
  const endMs = performance.now() + withinMs;
  for (let questions = 1; ; questions++) {
    const answer = await machine.json('parley', 'ask', 'What is wrong?', '--json');
    const verdict = (answer['verdict'] as { kind?: string } | undefined)?.kind ?? 'none';
    const sentence = String(answer['sentence'] ?? JSON.stringify(answer['error']));
    if (verdict === 'healthy' || performance.now() > endMs) return { verdict, questions, sentence };
  }
}
