// Starts small programs on behalf of a large process: a fork copies the page tables of the whole process, which takes this one tens of
// milliseconds and a shell less than one. A few shells wait for work; each is handed a program and its arguments as lines, which it never
// reads as a command. Bounds as those of `run`; what does not fit through a shell, or finds none free for a while, is run directly.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { LIMITS } from './limits.ts';
import { childEnvironment, type Finished, type RunOptions, run } from './process.ts';

/**
 * Reads how many lines of input and how many words follow, then those; ends what the program said with NUL, its exit code and LF. A request
 * that is cut short is not run; `exec` knows programs only, none of the shell's own commands, and keeps no memory of where it found one.
 */
const SCRIPT = `
while IFS= read -r lines && IFS= read -r words; do
  input=
  while [ "$lines" -gt 0 ]; do IFS= read -r line || exit; input="$input$line
"; lines=$((lines - 1)); done
  set --
  while [ "$words" -gt 0 ]; do IFS= read -r word || exit; set -- "$@" "$word"; words=$((words - 1)); done
  if [ -n "$input" ]; then printf %s "$input" | (exec "$@"); else (exec "$@" < /dev/null); fi
  printf '\\000%d\\n' "$?"
  printf '\\000\\n' >&2
done`;
const SHELL = '/bin/sh';
const NUL = '\0';
const LF = 0x0a;
/** NUL, an exit code of three digits, LF. */
const END_BYTES = 5;
/** As `run` says them: the time was up; anything else went wrong. */
const [TIME_UP, FAILED] = [124, 1];

export type LaunchOptions = Omit<RunOptions, 'env' | 'maxOutputBytes'> & { readonly maxOutputBytes: number };
export type Launcher = {
  /** As `run`, in the C locale; a program that a signal ended has 128 and more as its exit code. Never rejects. */
  run(program: string, args: readonly string[], options: LaunchOptions): Promise<Finished>;
};

/** `waitMs`: how long a program waits for a shell that is busy, before it is run directly. */
export function createLauncher(shells: number = LIMITS.waitingShells, waitMs: number = LIMITS.shellWaitMs): Launcher {
  const started = new Set<Shell>();
  const waiting = new Set<(shell: Shell | undefined) => void>();
  const free = (): Shell | undefined => {
    const idle = [...started].find((shell) => !shell.isBusy());
    if (idle !== undefined || started.size >= shells) return idle;
    const shell = startShell({ onFree: serveNext, onEnd });
    if (shell !== undefined) started.add(shell);
    return shell;
  };
  const serveNext = () => {
    for (const next of waiting) {
      const shell = free();
      if (shell === undefined) return;
      next(shell);
    }
  };
  const onEnd = (ended: Shell) => {
    started.delete(ended);
    serveNext();
  };
  const throughShell = (request: string, options: LaunchOptions): Promise<Finished | undefined> => {
    const shell = free();
    if (shell !== undefined) return shell.ask(request, options);
    if (started.size < shells) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const take = (freed: Shell | undefined) => {
        clearTimeout(timer);
        waiting.delete(take);
        resolve(options.signal?.aborted ? undefined : freed?.ask(request, options));
      };
      const timer = setTimeout(() => take(undefined), waitMs);
      waiting.add(take);
    });
  };
  return {
    async run(program, args, options) {
      const request = requestText(program, args, options.input);
      const isAsked = request !== undefined && !options.signal?.aborted;
      const finished = isAsked ? await throughShell(request, options) : undefined;
      return finished ?? run(program, args, { ...options, env: { LC_ALL: 'C' } });
    },
  };
}

/** Of this process: what one part of it has started serves every other as well. */
export const LAUNCHER = createLauncher();

/** Undefined when the lines of the shell's script cannot carry it. */
function requestText(program: string, args: readonly string[], input = ''): string | undefined {
  const words = [program, ...args];
  if (input.length > LIMITS.shellInputChars || (input !== '' && !input.endsWith('\n'))) return undefined;
  if (input.includes(NUL) || words.some((word) => word.includes('\n') || word.includes(NUL))) return undefined;
  if (args.join(' ').length > LIMITS.shellInputChars) return undefined;
  const lines = input === '' ? [] : input.slice(0, -1).split('\n');
  return [lines.length, words.length, ...lines, ...words, ''].join('\n');
}

type Shell = {
  isBusy(): boolean;
  /** Resolves with undefined when there never was a shell. */
  ask(request: string, options: LaunchOptions): Promise<Finished | undefined>;
};

type ShellEvents = {
  /** It has answered, and waits for the next program. */
  onFree(): void;
  onEnd(shell: Shell): void;
};

/**
 * A group of its own, so that it ends with what it runs. It ends by itself when this process is gone, which it keeps from nothing. Undefined
 * when no process can be made.
 */
function startShell({ onFree, onEnd }: ShellEvents): Shell | undefined {
  const child = spawnShell();
  if (child === undefined) return undefined;
  let current: { take(from: Stream, chunk: Buffer): void; gone(isStarted: boolean): void } | undefined;
  const shell: Shell = {
    isBusy: () => current !== undefined,
    ask: (request, { timeoutMs, signal, maxOutputBytes }) =>
      new Promise((resolve) => {
        const said = { stdout: collect(), stderr: collect() };
        const end = (finished: Finished | undefined) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          hold(child, false);
          current = undefined;
          resolve(finished);
        };
        const cut = (exitCode: number) => end({ exitCode, stdout: said.stdout.text(), stderr: said.stderr.text() });
        const kill = (exitCode: number) => {
          onEnd(shell);
          if (child.pid !== undefined) killGroup(child.pid);
          cut(exitCode);
        };
        const onAbort = () => kill(FAILED);
        const timer = setTimeout(() => kill(TIME_UP), timeoutMs);
        signal?.addEventListener('abort', onAbort, { once: true });
        current = {
          // What a shell had begun is not begun again.
          gone: (isStarted) => (isStarted ? cut(FAILED) : end(undefined)),
          take(from, chunk) {
            if (said[from].add(chunk) > maxOutputBytes + END_BYTES) return kill(FAILED);
            if (!said.stdout.isWhole() || !said.stderr.isWhole()) return;
            const [stdout, code] = parts(said.stdout.text());
            end({ exitCode: Number(code), stdout, stderr: parts(said.stderr.text())[0] });
            onFree();
          },
        };
        hold(child, true);
        child.stdin.write(request);
      }),
  };
  const gone = (isStarted: boolean) => {
    onEnd(shell);
    if (current !== undefined && child.pid !== undefined) killGroup(child.pid);
    current?.gone(isStarted);
  };
  child.on('error', () => gone(false)).on('exit', () => gone(true));
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => current?.take('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => current?.take('stderr', chunk));
  hold(child, false);
  return shell;
}

/** Where no process or pipe is to be had, Node gives back a child without streams. */
function spawnShell(): ChildProcessWithoutNullStreams | undefined {
  const env = childEnvironment({ LC_ALL: 'C' });
  const child = spawned(env);
  if (child === undefined) return undefined;
  if (child.stdin && child.stdout && child.stderr) return child as ChildProcessWithoutNullStreams;
  child.on('error', () => {});
  return undefined;
}

type MaybeChild = Partial<ChildProcessWithoutNullStreams> & Pick<ChildProcess, 'on'>;

/** Some reasons not to make a process are thrown, others become events. */
function spawned(env: NodeJS.ProcessEnv): MaybeChild | undefined {
  try {
    return spawn(SHELL, ['-c', SCRIPT], { stdio: 'pipe', detached: true, env });
  } catch {
    return undefined;
  }
}

type Stream = 'stdout' | 'stderr';

/** What a program said up to its end: NUL, for standard output its exit code, and LF. */
function collect() {
  const chunks: Buffer[] = [];
  let [byteCount, last] = [0, Buffer.alloc(0)];
  return {
    add(chunk: Buffer): number {
      chunks.push(chunk);
      last = Buffer.concat([last, chunk]).subarray(-END_BYTES);
      byteCount += chunk.length;
      return byteCount;
    },
    isWhole: () => last.includes(NUL) && last.at(-1) === LF,
    text: () => Buffer.concat(chunks).toString(),
  };
}

function parts(text: string): readonly [string, string] {
  const end = text.lastIndexOf(NUL);
  return [text.slice(0, end), text.slice(end + 1).trim()];
}

function hold(child: ChildProcessWithoutNullStreams, isHeld: boolean): void {
  for (const each of [child, child.stdin, child.stdout, child.stderr] as readonly Partial<Held>[]) {
    if (isHeld) each.ref?.();
    else each.unref?.();
  }
}
type Held = { ref(): void; unref(): void };

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It was gone.
  }
}
