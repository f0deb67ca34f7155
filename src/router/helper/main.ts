// The privileged helper (its process entry is `src/agent/privileged-helper.ts`): the only part of Parley with CAP_NET_RAW and CAP_NET_ADMIN and the groups
// `frrvty` and `_lldpd`. It offers a closed set of reads, probes and captures on a Unix socket, and reflects probes.

import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { createLog, type Log } from '#base/log.ts';
import { groupIdOf } from '#base/owners.ts';
import { systemRandom } from '#base/random.ts';
import type { PayloadRelease } from '#model/consent.ts';
import { redactText } from '#model/redaction.ts';
import { returnUnusedMemory } from '../native/unused-memory.ts';
import { listenHelper } from '../protocol/server.ts';
import { createOperations } from './operations.ts';
import { createProbeKeys } from './probe/probe-keys.ts';
import { startReflector } from './probe/reflector.ts';

export type HelperOptions = {
  readonly socket: string;
  readonly group?: string;
  readonly frrFolder: string;
  readonly lldpSocket: string;
  readonly reflectPort: number;
  readonly node: string;
  readonly log?: string;
  /** Folder of root's that says whose consent counts, and one of this process for the consents that were used. */
  readonly authority?: string;
  readonly state: string;
};

/** Made outside of this folder: it needs signatures and certificates. */
export type OpenRelease = (given: {
  readonly authority: string;
  readonly state: string;
  readonly log: Log;
}) => PayloadRelease;

/** `--socket PATH --node NAME [--group G] [--frr DIR] [--lldpd-socket PATH] [--reflect-port 9515] [--log FILE] [--authority DIR] [--state DIR]`. */
export function parseHelperOptions(args: readonly string[]): HelperOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      socket: { type: 'string' },
      group: { type: 'string' },
      frr: { type: 'string', default: '/var/run/frr' },
      'lldpd-socket': { type: 'string', default: '/run/lldpd.socket' },
      'reflect-port': { type: 'string', default: '9515' },
      node: { type: 'string', default: '' },
      log: { type: 'string' },
      authority: { type: 'string' },
      state: { type: 'string', default: '/var/lib/parley-helper' },
    },
  });
  const reflectPort = Number(values['reflect-port']);
  if (values.socket === undefined) throw new ParleyError('caller/bad-argument', 'expected --socket PATH, got nothing');
  if (!Number.isInteger(reflectPort) || reflectPort < 1 || reflectPort > 65_535) {
    throw new ParleyError('caller/bad-argument', `expected a port, got ${values['reflect-port']}`);
  }
  return {
    socket: values.socket,
    ...(values.group === undefined ? {} : { group: values.group }),
    frrFolder: values.frr,
    lldpSocket: values['lldpd-socket'],
    reflectPort,
    node: values.node,
    ...(values.log === undefined ? {} : { log: values.log }),
    ...(values.authority === undefined ? {} : { authority: values.authority }),
    state: values.state,
  };
}

async function start(options: HelperOptions, log: Log, release: PayloadRelease | undefined): Promise<void> {
  const clock = createSystemClock();
  const keys = createProbeKeys(clock);
  let neighbours: ReadonlySet<string> = new Set();
  const operations = createOperations({
    clock,
    keys,
    release,
    onMonitored: (addresses) => {
      neighbours = new Set(addresses);
    },
    random: systemRandom,
    reflectPort: options.reflectPort,
    frrFolder: options.frrFolder,
    lldpSocket: options.lldpSocket,
  });
  const reflector = await startReflector({
    port: options.reflectPort,
    trust: { isProven: keys.isProven, isNeighbour: (address) => neighbours.has(address) },
    clock,
    log,
  });
  const groupId = options.group === undefined ? undefined : await groupIdOf(options.group);
  const server = await listenHelper({
    path: options.socket,
    operations,
    log,
    ...(groupId === undefined ? {} : { groupId }),
  });
  log.info('helper listens', { socket: options.socket, reflectPort: options.reflectPort });
  const ended = new AbortController();
  void returnUnusedMemory(clock, ended.signal);
  const stop = () => {
    ended.abort();
    reflector.close();
    void server.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** The process: serves until a signal stops it. `openRelease` makes the part that verifies consents to payloads of packets. */
export async function runHelper(openRelease?: OpenRelease): Promise<void> {
  let log = createLog({
    level: 'info',
    sink: (line) => process.stderr.write(`${line}\n`),
    now: Date.now,
    redact: redactText,
  });
  try {
    const options = parseHelperOptions(process.argv.slice(2));
    const { log: file } = options;
    const sink = (line: string) =>
      file === undefined ? process.stderr.write(`${line}\n`) : appendFileSync(file, `${line}\n`);
    log = createLog({ level: 'info', sink, now: Date.now, redact: redactText, fields: { node: options.node } });
    const { authority, state } = options;
    const release = authority === undefined ? undefined : openRelease?.({ authority, state, log });
    await start(options, log, release);
  } catch (error) {
    log.error('helper cannot start', { reason: messageOf(error) });
    process.exitCode = 1;
  }
}
