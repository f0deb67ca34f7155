// Process entry of the configuration helper: the only part of Parley that can change the router's configuration. It runs as FRR's
// user; the agent reaches it through a Unix socket with a closed set of operations.
import { parseArgs } from 'node:util';
import { messageOf, ParleyError } from '#base/error.ts';
import { makeFolder } from '#base/files.ts';
import { createLog, type Log } from '#base/log.ts';
import { groupIdOf } from '#base/owners.ts';
import { redactText } from '#model/redaction.ts';
import type { BackupRelease } from '#model/router/backup.ts';
import type { ChangeAuthority } from '#model/router/change-authority.ts';
import { type HelperServer, listenHelper } from '../protocol/server.ts';
import { backupOperations } from './backup.ts';
import { createCandidateStore } from './candidate.ts';
import { openChangeParts } from './change-parts.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import { createConfigOperations } from './operations.ts';
import { settleOpen } from './watch.ts';

export type ConfigHelperOptions = {
  readonly socket: string;
  readonly group?: string;
  readonly state: string;
  readonly startup: string;
  readonly bootId?: string;
  /** Folder of root's that says whose consent counts; without it nothing is changed, and no backup leaves. */
  readonly authority?: string;
};

/** What decides about changes and backups, made outside of this folder: it needs signatures and certificates. */
export type Authorities = { readonly authority?: ChangeAuthority; readonly release?: BackupRelease };

/** `authority` is root's folder, `state` that of the helper. */
export type OpenAuthorities = (given: {
  readonly authority: string;
  readonly state: string;
  readonly log: Log;
}) => Promise<Authorities>;

/** `--socket PATH [--group G] [--state DIR] [--startup FILE] [--boot-id FILE] [--authority DIR]`. */
export function parseConfigOptions(args: readonly string[]): ConfigHelperOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      socket: { type: 'string' },
      group: { type: 'string' },
      state: { type: 'string', default: '/var/lib/parley-config' },
      startup: { type: 'string', default: '/etc/frr/frr.conf' },
      'boot-id': { type: 'string' },
      authority: { type: 'string' },
    },
  });
  const { socket, group, 'boot-id': bootId, authority } = values;
  if (socket === undefined) throw new ParleyError('caller/bad-argument', 'expected --socket PATH, got nothing');
  return {
    socket,
    state: values.state,
    startup: values.startup,
    ...(group === undefined ? {} : { group }),
    ...(bootId === undefined ? {} : { bootId }),
    ...(authority === undefined ? {} : { authority }),
  };
}

/** An open change of an earlier run is settled before anything is served. */
export async function startConfigHelper(
  options: ConfigHelperOptions,
  log: Log,
  failpoint: Failpoint = noFailpoint,
  { authority, release }: Authorities = {},
): Promise<HelperServer> {
  await makeFolder(options.state, 0o700);
  const opened = await openChangeParts(options, 'helper', failpoint, log);
  const parts = { ...opened, candidates: createCandidateStore(opened.clock), authority };
  await settleOpen(parts);
  const groupId = options.group === undefined ? undefined : await groupIdOf(options.group);
  return listenHelper({
    path: options.socket,
    operations: new Map([...createConfigOperations(parts), ...backupOperations(parts.frr, release)]),
    log,
    requestBytes: CONFIG_HELPER_LIMITS.configRequestBytes,
    ...(groupId === undefined ? {} : { groupId }),
  });
}

/** The process: serves until a signal stops it. `openAuthorities` makes the part that verifies consents to changes and backups. */
export async function runConfigHelper(openAuthorities?: OpenAuthorities): Promise<void> {
  const log = createLog({
    level: 'info',
    sink: (line) => process.stderr.write(`${line}\n`),
    now: Date.now,
    redact: redactText,
  });
  try {
    const options = parseConfigOptions(process.argv.slice(2));
    const { authority, state } = options;
    const given = authority === undefined ? undefined : { authority, state, log };
    const authorities = given === undefined ? {} : await openAuthorities?.(given);
    const server = await startConfigHelper(options, log, noFailpoint, authorities);
    log.info('configuration helper listens', { socket: options.socket });
    const stop = () => void server.close().then(() => process.exit(0));
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  } catch (error) {
    log.error('configuration helper cannot start', { reason: messageOf(error) });
    process.exitCode = 1;
  }
}

if (import.meta.main) await runConfigHelper();
