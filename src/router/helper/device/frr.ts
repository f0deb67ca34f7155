// Asks FRR daemons through their Unix sockets (`<daemon>.vty`): `command\0`, the reply ends `\0\0\0<status>`. That socket
// can also configure, so only the literal commands below are ever sent; none of them shows a whole table, because a large
// one blocks the daemon for seconds.
import { readdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { redactText } from '#model/redaction.ts';
import type { Daemon } from '#model/router/control-plane.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { peerProcessOf } from '../../native/peer-user.ts';
import type { FrrQuery } from '../../protocol/read-operations.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { readDaemonProcess } from './daemon-process.ts';

/** Everything that may be asked. Answers grow with the number of interfaces or routers, not with the number of routes; those with details of neighbours for a while with what is exchanged. */
export const FRR_COMMANDS = {
  'isis-interfaces': { daemon: 'isisd', command: 'show yang operational-data /frr-interface:lib' },
  'isis-hostnames': { daemon: 'isisd', command: 'show isis hostname' },
  'isis-config': { daemon: 'isisd', command: 'show running-config' },
  'bgp-config': { daemon: 'bgpd', command: 'show running-config' },
  'bgp-neighbours': { daemon: 'bgpd', command: 'show bgp neighbors json' },
  'bgp-summary-ipv4': { daemon: 'bgpd', command: 'show bgp ipv4 unicast summary json' },
  'bgp-summary-ipv6': { daemon: 'bgpd', command: 'show bgp ipv6 unicast summary json' },
  'bgp-summary-evpn': { daemon: 'bgpd', command: 'show bgp l2vpn evpn summary json' },
  'bgp-summary-vpnv4': { daemon: 'bgpd', command: 'show bgp ipv4 vpn summary json' },
  'bgp-summary-vpnv6': { daemon: 'bgpd', command: 'show bgp ipv6 vpn summary json' },
  'bfd-peers': { daemon: 'bfdd', command: 'show bfd peers json' },
  'ospf-interfaces': { daemon: 'ospfd', command: 'show ip ospf interface json' },
  'ospf-neighbours': { daemon: 'ospfd', command: 'show ip ospf neighbor detail json' },
  'ospf6-instance': { daemon: 'ospf6d', command: 'show ipv6 ospf6 json' },
  'ospf6-interfaces': { daemon: 'ospf6d', command: 'show ipv6 ospf6 interface json' },
  'ospf6-neighbours': { daemon: 'ospf6d', command: 'show ipv6 ospf6 neighbor detail json' },
  'ospf6-neighbour-states': { daemon: 'ospf6d', command: 'show ipv6 ospf6 neighbor json' },
  'ospf6-config': { daemon: 'ospf6d', command: 'show running-config' },
  descriptions: { daemon: 'zebra', command: 'show interface description' },
  version: { daemon: 'zebra', command: 'show version' },
} as const satisfies Record<FrrQuery, { readonly daemon: string; readonly command: string }>;

const TRAILER_BYTES = 4;

/** The text that the daemon answers, without secrets. Rejects with `node/frr-absent` when the daemon was never started, `node/frr-unavailable` when it refuses or stalls. */
export async function askFrr(folder: string, query: FrrQuery, signal: AbortSignal): Promise<string> {
  const { daemon, command } = FRR_COMMANDS[query];
  return redactText(await askDaemon(folder, daemon, command, signal));
}

/** What bgpd knows of exactly one prefix; `prefix` has passed its schema. */
export function askBgpPrefix(folder: string, prefix: string, signal: AbortSignal): Promise<string> {
  const family = prefix.includes(':') ? 'ipv6' : 'ipv4';
  return askDaemon(folder, 'bgpd', `show bgp ${family} unicast ${prefix} json`, signal);
}

/** What zebra has for each address, one after the other over one connection; the addresses have passed their schema. */
export async function askRibRoutes(
  folder: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const command = (address: string) => `show ${address.includes(':') ? 'ipv6' : 'ip'} route ${address} json`;
  return askAll(folder, 'zebra', addresses.map(command), signal);
}

/** Daemons that were started here (they leave a pid file and a socket), whether each still accepts a connection, whether it answers within `silentMs`, and what its process is like. */
export async function aliveDaemons(
  folder: string,
  signal: AbortSignal,
  silentMs: number = HELPER_LIMITS.daemonSilentMs,
): Promise<readonly Daemon[]> {
  const files = await readdir(folder);
  const names = new Set(files.flatMap((file) => /^([a-z0-9]{2,16}d|zebra)\.(?:pid|vty)$/.exec(file)?.[1] ?? []));
  return Promise.all(
    [...names].sort().map(async (name) => {
      const path = join(folder, `${name}.vty`);
      const { alive, listening } = await accepts(path, signal);
      if (!alive) return { name, alive };
      // Before it is spoken to, which takes a descriptor of its own.
      const about = await readDaemonProcess(folder, name, listening);
      const said = await greet(path, silentMs, signal);
      return { name, alive: true, ...said, ...about };
    }),
  );
}

/** Whether a daemon takes connections, and its process, where the kernel tells. */
function accepts(path: string, signal: AbortSignal): Promise<{ readonly alive: boolean; readonly listening?: number }> {
  return new Promise((resolve) => {
    const socket = createConnection({ path, signal });
    const end = (alive: boolean, listening?: number) => {
      socket.destroy();
      resolve({ alive, ...(listening === undefined ? {} : { listening }) });
    };
    socket.setTimeout(HELPER_LIMITS.daemonAnswerMs, () => end(true));
    const told = () => peerProcessOf(socket).catch(() => undefined);
    socket.once('connect', () => void told().then((listening) => end(true, listening)));
    // A full queue of connections is a busy daemon; a refused one, or no socket at all, is a dead one.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

const VERSION = 'show version';

/** Its version; or that it is silent: it accepts connections until its queue is full and says nothing over them. Any answer, and any other error, is a sign of life. */
async function greet(path: string, silentMs: number, signal: AbortSignal): Promise<Pick<Daemon, 'silent' | 'version'>> {
  try {
    // A full queue, a first answer and its version: each has its time.
    const until = AbortSignal.any([signal, AbortSignal.timeout(3 * silentMs)]);
    const tries = Math.ceil(silentMs / BUSY_PAUSE_MS);
    const [text = ''] = await patiently(() => converse(path, [VERSION], until, silentMs), until, tries);
    const version = /^FRRouting (\S+)/m.exec(text)?.[1];
    return version === undefined ? {} : { version };
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ETIMEDOUT' || code === 'EAGAIN' ? { silent: true } : {};
  }
}

async function askDaemon(folder: string, daemon: string, command: string, signal: AbortSignal): Promise<string> {
  const [text = ''] = await askAll(folder, daemon, [command], signal);
  return text;
}

/** The replies to the commands, over one connection. Rejects as `askFrr` does. */
export async function askAll(
  folder: string,
  daemon: string,
  commands: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ROUTER_LIMITS.helperReadMs)]);
    return await patiently(() => converse(join(folder, `${daemon}.vty`), commands, until), until);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ParleyError('node/frr-absent', `expected ${daemon} to run, got no socket of it`, { cause: error });
    throw new ParleyError('node/frr-unavailable', `expected an answer of ${daemon}, got ${messageOf(error)}`, {
      cause: error,
    });
  }
}

const BUSY_TRIES = 20;
const BUSY_PAUSE_MS = 25;

/** A daemon's queue of connections is short: when it is full, the next try comes a little later. */
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal, tries = BUSY_TRIES): Promise<T> {
  for (let turn = 1; ; turn++) {
    try {
      return await ask();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || turn >= tries || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }
}

/**
 * The replies to the commands, in their order. `enable` first: operational data is not shown in view mode. Rejects with `ETIMEDOUT` when
 * the daemon does not answer that within `silentMs`; the wait for the replies is bound by `signal`.
 */
export function converse(
  path: string,
  commands: readonly string[],
  signal: AbortSignal,
  silentMs: number = HELPER_LIMITS.daemonReadMs,
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, signal });
    const pending = ['enable', ...commands];
    const replies: string[] = [];
    let received: Buffer = Buffer.alloc(0);
    let total = 0;
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const next = () => socket.write(`${pending.shift()}\0`);
    // It asks for nothing: a daemon that hangs is not waited for as long as a long answer.
    socket.setTimeout(silentMs, () => fail(silence()));
    socket.on('connect', next);
    socket.on('error', fail);
    socket.on('close', () => reject(new Error('the end of the connection')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      total += chunk.length;
      if (total > HELPER_LIMITS.helperReadBytes)
        return fail(new Error(`more than ${HELPER_LIMITS.helperReadBytes} bytes`));
      const reply = takeReply(received);
      if (reply === undefined) return;
      if (reply.status !== 0) return fail(new Error(`status ${reply.status}`));
      received = Buffer.alloc(0);
      socket.setTimeout(0);
      replies.push(reply.text);
      if (pending.length > 0) return next();
      socket.destroy();
      resolve(replies.slice(1));
    });
  });
}

function silence(): Error {
  return Object.assign(new Error('silence'), { code: 'ETIMEDOUT' });
}

/** A whole reply: text, three zero octets, status. FRR's texts hold no zero octets. */
export function takeReply(received: Uint8Array): { readonly text: string; readonly status: number } | undefined {
  const end = received.length - TRAILER_BYTES;
  if (end < 0 || received[end] !== 0 || received[end + 1] !== 0 || received[end + 2] !== 0) return undefined;
  return { text: Buffer.from(received.subarray(0, end)).toString('utf8'), status: received[end + 3]! };
}
