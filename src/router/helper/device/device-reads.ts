// Reads of the device for operators, by literal commands only: show commands, YANG data of FRR's own modules, configuration text
// and the last lines of the node's log. Whatever a caller sent has become a form, a word of a closed set or a number before.
import { constants } from 'node:fs';
import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';
import { redactText } from '#model/redaction.ts';
import type { CrashFile } from '#model/router/device-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import type { NativeModuleName } from '../../protocol/read-operations.ts';
import type { ShowCommand } from '../../protocol/show-commands.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { converse } from './frr.ts';

/**
 * Modules of FRR's own northbound, each with the daemons that may be asked, the first that runs. `frr-vrf:lib` is never
 * asked of zebra: there it carries the whole RIB.
 */
const MODULES = {
  'frr-interface': { root: 'lib', operational: ['isisd', 'staticd'], running: ['isisd'] },
  'frr-vrf': { root: 'lib', operational: ['isisd', 'staticd'], running: [] },
  'frr-isisd': { root: 'isis', operational: [], running: ['isisd'] },
  'frr-routing': { root: 'routing', operational: [], running: ['staticd'] },
} as const satisfies Record<NativeModuleName, object>;

/** Where routers keep their log, the first that can be read. */
const LOG_FILES = ['/var/log/syslog', '/var/log/messages', '/var/log/frr/frr.log'];
const CRASH_FOLDERS = ['/var/tmp/frr', '/var/crash', '/var/lib/systemd/coredump'];
const STARTUP_CONFIG = '/etc/frr/frr.conf';

export async function showFromDaemon(
  folder: string,
  command: ShowCommand & { readonly text: string },
  signal: AbortSignal,
): Promise<string> {
  return ask(folder, command.source, command.text, signal);
}

/** JSON text of one module's tree. */
export async function readNative(
  folder: string,
  module: NativeModuleName,
  datastore: 'running' | 'operational',
  signal: AbortSignal,
): Promise<string> {
  const entry = MODULES[module];
  const command =
    datastore === 'running' ? 'show configuration running json' : `show yang operational-data /${module}:${entry.root}`;
  let last: unknown;
  for (const daemon of entry[datastore]) {
    try {
      return await ask(folder, daemon, command, signal);
    } catch (error) {
      signal.throwIfAborted();
      last = error;
    }
  }
  throw last ?? new ParleyError('node/no-datastore', `expected a datastore of ${module}, got ${datastore}`);
}

/** Daemons whose sockets answer. */
export async function runningDaemons(folder: string): Promise<readonly string[]> {
  const names = ['zebra', 'isisd', 'bgpd', 'ospfd', 'ospf6d', 'bfdd', 'staticd'];
  const there = await Promise.all(
    names.map((name) =>
      stat(join(folder, `${name}.vty`)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => there[index]);
}

/** vtysh joins what every daemon shows; the file is what the next start reads. */
export async function readConfiguration(which: 'running' | 'startup', signal: AbortSignal): Promise<string> {
  if (which === 'startup') return readText(STARTUP_CONFIG);
  const finished = await run('vtysh', ['-c', 'show running-config'], {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: HELPER_LIMITS.helperReadBytes,
    signal,
    env: { LC_ALL: 'C', VTYSH_PAGER: 'cat' },
  });
  signal.throwIfAborted();
  if (finished.exitCode === 0)
    return finished.stdout.replace(/^Building configuration\.\.\.\s+Current configuration:\n/, '');
  throw new ParleyError(
    'node/frr-unavailable',
    `expected vtysh to show the configuration, got exit code ${finished.exitCode}`,
  );
}

/** The last `count` lines, oldest first, as far as they fit into HELPER_LIMITS.logBytes. */
export async function readLog(count: number, signal: AbortSignal): Promise<readonly string[]> {
  const path = await findLog();
  if (path === undefined) return readJournal(count, signal);
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - HELPER_LIMITS.logBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    // What begins in the middle is not a line; what ends without a newline is not one yet.
    return lines.slice(start > 0 ? 1 : 0, -1).slice(-count);
  } finally {
    await file.close();
  }
}

/** Follows the log until `signal` ends it; a log that was rotated is read from its beginning. */
export async function followLog(
  lines: (added: readonly string[]) => void,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  files: readonly string[] = LOG_FILES,
): Promise<void> {
  let position: number | undefined;
  let fileId: number | undefined;
  let rest: Buffer = Buffer.alloc(0);
  while (!signal.aborted) {
    const path = await findLog(files);
    const { size, ino } = path === undefined ? { size: 0, ino: undefined } : await stat(path);
    if (position === undefined) position = size;
    // Emptied, or another file under the name: its predecessor's last line was whole or will never be.
    else if (size < position || ino !== fileId) [position, rest] = [0, Buffer.alloc(0)];
    fileId = ino;
    if (path !== undefined && size > position) {
      const file = await open(path, 'r');
      const length = Math.min(size - position, HELPER_LIMITS.logBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
      await file.close();
      position += bytesRead;
      // Cut at octets, so that a character in two reads stays one.
      const read = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = read.lastIndexOf(0x0a) + 1;
      rest = read.subarray(end);
      if (end > 0) lines(read.toString('utf8', 0, end - 1).split('\n'));
    }
    await sleep(HELPER_LIMITS.logPollMs, signal).catch(() => {});
  }
}

/**
 * What daemons left behind: FRR's crash logs, which stand in a folder for each process, with the text of the newest, and the kernel's core
 * files, by name, size and time. What is there and cannot be read is reported as such: FRR makes its folders for itself alone.
 */
export async function listCrashes(folders: readonly string[] = CRASH_FOLDERS): Promise<readonly CrashFile[]> {
  const found = await Promise.all(folders.map((folder) => crashesIn(folder, 1)));
  const newest = found
    .flat()
    .toSorted((one, other) => (one.modified < other.modified ? 1 : -1))
    .slice(0, HELPER_LIMITS.crashFiles);
  const logs = newest.filter(({ file }) => basename(file) === CRASH_LOG).slice(0, HELPER_LIMITS.crashTexts);
  return Promise.all(newest.map((entry) => (logs.includes(entry) ? withText(entry) : entry)));
}

/** FRR's name for what a daemon says of its own end; core files are memory, and are not read. */
const CRASH_LOG = 'crashlog';

async function withText(entry: CrashFile): Promise<CrashFile> {
  // Other daemons write into these folders: what is a link could lead to anything that this process may read.
  const file = await open(entry.file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return { ...entry, unreadable: true };
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(HELPER_LIMITS.crashTextBytes),
      0,
      HELPER_LIMITS.crashTextBytes,
      0,
    );
    return { ...entry, text: redactText(buffer.toString('utf8', 0, bytesRead)) };
  } finally {
    await file.close();
  }
}

/** FRR's crash logs, and core files as the kernel, systemd-coredump and apport name them; what else stands in these folders is no crash. */
const CRASH_FILE = /^crashlog$|^core([.-]|$)|\.(core|crash)(\.(zst|xz|lz4|gz))?$/;

async function crashesIn(folder: string, depth: number): Promise<readonly CrashFile[]> {
  const about = await lstat(folder).catch(() => undefined);
  if (about === undefined || about.isSymbolicLink()) return [];
  const modified = about.mtime.toISOString();
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return [{ file: folder, bytes: 0, modified, unreadable: true, folder: true }];
  const found = await Promise.all(
    names.map(async (name): Promise<readonly CrashFile[]> => {
      const file = join(folder, name);
      const entry = await lstat(file).catch(() => undefined);
      if (entry?.isDirectory()) return depth > 0 ? crashesIn(file, depth - 1) : [];
      if (!entry?.isFile() || !CRASH_FILE.test(name)) return [];
      return [{ file, bytes: entry.size, modified: entry.mtime.toISOString() }];
    }),
  );
  return found.flat();
}

/** False where there is neither a log file that can be read nor a journal. */
export async function hasLog(): Promise<boolean> {
  return (await findLog()) !== undefined;
}

async function findLog(files: readonly string[] = LOG_FILES): Promise<string | undefined> {
  for (const path of files) {
    try {
      await (await open(path, 'r')).close();
      return path;
    } catch {
      // Not this one: the next may be there.
    }
  }
  return undefined;
}

async function readJournal(count: number, signal: AbortSignal): Promise<readonly string[]> {
  const finished = await run('journalctl', ['-q', '--no-pager', '-o', 'short-iso', '-n', String(count)], {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: HELPER_LIMITS.helperReadBytes,
    signal,
  });
  signal.throwIfAborted();
  if (finished.exitCode === 0)
    return finished.stdout
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '');
  throw new ParleyError('node/log-unavailable', 'expected a log file or a journal that can be read, got none');
}

async function readText(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= HELPER_LIMITS.helperReadBytes) return text;
    throw new Error(`more than ${HELPER_LIMITS.helperReadBytes} bytes`);
  } catch (error) {
    throw new ParleyError('node/file-unreadable', `expected to read ${path}, got ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function ask(folder: string, daemon: string, command: string, signal: AbortSignal): Promise<string> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ROUTER_LIMITS.helperReadMs)]);
    const [text = ''] = await converse(join(folder, `${daemon}.vty`), [command], until);
    return text;
  } catch (error) {
    signal.throwIfAborted();
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw new ParleyError(
      late ? 'node/timeout' : 'node/frr-unavailable',
      `expected an answer of ${daemon}, got ${messageOf(error)}`,
      { cause: error },
    );
  }
}
