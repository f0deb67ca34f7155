// `parley doctor`: checks this installation; one line per check, with what to do if it fails.

import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { askHelper } from '#agent/parts/ask-helper.ts';
import { memoryOnDisk } from '#agent/parts/memory-on-disk.ts';
import { knownPeerNames } from '#agent/sessions/known-peers.ts';
import { createSystemClock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { isDenied } from '#base/owners.ts';
import { VERSION } from '#base/version.ts';
import { HELPER_AUTHORITY_DIR, isAuthorityMissing, readHelperAuthority } from '#config/helper-authority.ts';
import { loadConfig } from '#config/load.ts';
import type { Config } from '#config/schema.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import type { StoreStatus } from '#report/store-database.ts';
import { CLI_LIMITS } from '../limits.ts';
import { lossLine, usedLine } from '../report/store-lines.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import type { Tone } from '../terminal/layout.ts';
import { createOutput, mark } from '../terminal/output.ts';
import { lifeLeft, standingOf } from './identity.ts';
import { daemonsSaid, type Judged, memorySaid, peersSaid, portSaid, readingsSaid, remarksSaid } from './network.ts';
import { registrarCheck } from './registrar.ts';
import { stateChecks } from './state.ts';

/** `skipped`: nothing is known of it, as this user may not look, or another program holds it. `warning`: it is to be known, and no fault. */
type Check =
  | { readonly name: string; readonly ok: boolean; readonly warning?: true; readonly detail: string }
  | { readonly name: string; readonly skipped: true; readonly detail: string };

/** Exit code 0 when nothing that was looked at is at fault, 1 when there are warnings alone, 3 otherwise. `complete` says whether everything was looked at. */
export async function doctorCommand(options: { readonly config?: string; readonly json?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  const checks: Check[] = [];
  const config = await attempt(checks, 'configuration', async () => {
    const loaded = await loadConfig({ file: options.config });
    return { value: loaded, detail: `node ${loaded.node} in ${loaded.domain}` };
  });
  if (config !== undefined) await checkInstallation(config, checks);
  const ok = checks.every((check) => 'skipped' in check || check.ok);
  const complete = !checks.some((check) => 'skipped' in check);
  const warnings = checks.filter((check) => 'warning' in check).length;
  output.result({ ok, complete, warnings, checks });
  // Trouble last: it is what stays on the screen.
  for (const check of [...checks].sort((one, other) => rankOf(one) - rankOf(other)))
    mark(output, markOf(check).padEnd(4), `${check.name}: ${check.detail}`, toneOf(check));
  if (!complete) output.line('what is marked -- was not looked at, and may be at fault');
  if (!ok) return EXIT.incomplete;
  return warnings === 0 ? EXIT.ok : EXIT.findings;
}

function markOf(check: Check): 'ok' | '--' | 'WARN' | 'FAIL' {
  if ('skipped' in check) return '--';
  if ('warning' in check) return 'WARN';
  return check.ok ? 'ok' : 'FAIL';
}

const MARKS: readonly string[] = ['ok', '--', 'WARN', 'FAIL'];

function rankOf(check: Check): number {
  return MARKS.indexOf(markOf(check));
}

function toneOf(check: Check): Tone {
  return ({ ok: 'good', '--': 'dim', WARN: 'doubt', FAIL: 'bad' } as const)[markOf(check)];
}

async function checkInstallation(config: Config, checks: Check[]): Promise<void> {
  await attempt(checks, 'identity', async () => {
    const identity = await loadIdentity(config.identity.dir, createSystemClock());
    const { kind, name, domain } = identity.party;
    if (kind !== 'node' || name !== config.node || domain !== config.domain)
      throw new Error(
        `expected node ${config.node} in ${config.domain}, got ${kind} ${name} in ${domain} from ${config.identity.dir}`,
      );
    const { nowMs, said } = await standingOf(config, identity, createSystemClock());
    return { value: identity, detail: `${kind} ${name}, ${lifeLeft(identity, nowMs)}${said}` };
  });
  await attempt(checks, 'state folder', async () => {
    await access(config.state);
    return { value: true, detail: config.state };
  });
  for (const { name, look } of stateChecks(config))
    await attemptOrSkip(checks, name, async () => {
      const found = await look();
      return typeof found === 'string'
        ? { value: true, detail: found }
        : { value: true, detail: found.notLooked, skipped: true };
    });
  const { dir } = config.registrar;
  if (dir !== undefined)
    await attemptOrSkip(checks, 'registrar', async () => ({
      value: true,
      detail: await registrarCheck(dir, config.domain, createSystemClock().nowMs()),
    }));
  const { driver } = config;
  if (driver.kind === 'linux-frr')
    await (driver.configHelper === undefined
      ? attemptOrSkip(checks, 'payload consents', () => payloadConsentCheck(config))
      : attempt(checks, 'consent', () => consentCheck(config)));
  if (driver.kind !== 'netconf') await checkSocket(checks, driver);
  if (driver.kind === 'linux-frr' && driver.configHelper !== undefined)
    await checkHelper(checks, 'configuration helper', driver.configHelper, 'parley-config');
  const { ollama } = config.narrate;
  if (ollama !== undefined)
    await attempt(checks, 'language model', async () => {
      if (!isLoopback(new URL(ollama).hostname))
        throw new Error(
          `expected a model on this machine, got ${ollama}: a model elsewhere has a path to devices (TS-30)`,
        );
      return { value: true, detail: `${config.narrate.model} at ${ollama}, on this machine` };
    });
  await attemptOrSkip(checks, 'memory of days', async () =>
    judged(memorySaid(await memoryOnDisk(config.state, createSystemClock().nowMs()))),
  );
  const reports: Check[] = [];
  const answers = await attempt(checks, 'agent', async () => {
    const client = await openOperatorClient(await dialLocal(config.control.socket));
    try {
      const tools = await client.listTools();
      // Only an agent that answers can be asked for its reports.
      await attempt(reports, 'reports', async () => {
        const page = await client.callTool('parley-report-list', { limit: 1 });
        return reportsCheck(page['store'] as StoreStatus | undefined, createSystemClock().nowMs());
      });
      await askNetwork(config, client, reports);
      const detail = `answers on ${config.control.socket} with ${tools.length} tools, as ${client.role ?? 'no role'}`;
      return { value: true, detail };
    } finally {
      await client.close();
    }
  });
  checks.push(...reports);
  const { host, port } = config.listen;
  if (answers === undefined)
    await attempt(checks, 'port', async () => judged(portSaid(port, await whyNotFree(host, port))));
}

/** What the agent knows of its node and of its peers. */
async function askNetwork(config: Config, client: OperatorClient, checks: Check[]): Promise<void> {
  await attemptOrSkip(checks, 'peers', async () => {
    const answer = await client.callTool('parley-peers', {});
    const lying = remarksSaid(answer);
    if (lying.level === 'failure') return judged(lying);
    return judged(peersSaid({ answer, remembered: await knownPeerNames(config.state), version: VERSION }));
  });
  if (config.driver.kind !== 'linux-frr') return;
  const state = await client.callTool('parley-node-state', { parts: 'all' }).catch(() => undefined);
  if (state === undefined) return;
  await attempt(checks, 'routing daemons', async () => judged(daemonsSaid(state)));
  await attempt(checks, 'readings', async () => judged(readingsSaid(state)));
}

/** Undefined where it can be opened, and was closed again. */
async function whyNotFree(host: string | undefined, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
    });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? messageOf(error);
  } finally {
    server.close();
  }
}

function judged({ level, detail }: Judged): Outcome<true> {
  if (level === 'failure') throw new Error(detail);
  return { value: true, detail, ...(level === 'warning' ? { warning: true } : {}) };
}

const RECENT_MS = 7 * 86_400_000;

/** Fails for a week after reports of faults were lost: an operator must hear of it, and a loss of last year is no defect. */
export function reportsCheck(
  store: StoreStatus | undefined,
  nowMs: number,
): { readonly value: true; readonly detail: string } {
  if (store === undefined)
    return { value: true, detail: 'an agent of an earlier version does not say how full its store is' };
  const lost = store.lost.filter(({ reason, kind }) => reason !== 'age' && kind === 'fault');
  const recent = lost.filter(({ last }) => nowMs - Date.parse(last) < RECENT_MS);
  const lines = lost.map(lossLine).map((line) => line.replace(/^lost +/, ''));
  if (recent.length > 0)
    throw new Error(
      `${lines.join('; ')}: let a controller acknowledge reports, delete some with "parley report delete", or raise reports.quotaBytes`,
    );
  return { value: true, detail: [usedLine(store), ...lines].join('; ') };
}

/** The configuration helper decides by root's own files: an agent that asks for less than they do has its changes refused. */
export async function consentCheck(
  { node, configure }: Pick<Config, 'node' | 'configure'>,
  folder: string = HELPER_AUTHORITY_DIR,
): Promise<{ value: true; detail: string }> {
  const accepted = await readHelperAuthority(folder);
  const file = `${folder}/consent.yaml`;
  if (accepted.node !== node) throw new Error(`expected node ${node} in ${file}, got ${accepted.node}`);
  if (accepted.consent !== configure.consent)
    throw new Error(`expected configure.consent as in ${file}, ${accepted.consent}, got ${configure.consent}`);
  const missing = configure.preApproved.find((one) => !accepted.preApproved.some((other) => other.name === one.name));
  if (missing !== undefined) throw new Error(`expected the policy ${missing.name} in ${file} as well, it is not there`);
  return {
    value: true,
    detail: `${accepted.consent}, pre-approved changes: ${accepted.preApproved.length}, by ${file}`,
  };
}

/** Payloads of packets leave a node only on a consent that the privileged helper verifies by the same files. */
export async function payloadConsentCheck(
  { node }: Pick<Config, 'node'>,
  folder: string = HELPER_AUTHORITY_DIR,
): Promise<{ value: true; detail: string }> {
  const accepted = await readHelperAuthority(folder).catch((error) => {
    if (isAuthorityMissing(error)) return undefined;
    throw error;
  });
  if (accepted === undefined)
    return {
      value: true,
      detail: `no payload of a packet leaves this node, as root has not written consent.yaml and ca.pem into ${folder}`,
    };
  if (accepted.node !== node) throw new Error(`expected node ${node} in ${folder}/consent.yaml, got ${accepted.node}`);
  return { value: true, detail: `verified by ${folder}` };
}

type LocalDriver = Exclude<Config['driver'], { kind: 'netconf' }>;

/** Only the agent queries a NETCONF device: it holds the credential. */
function checkSocket(checks: Check[], driver: LocalDriver): Promise<unknown> {
  if (driver.kind === 'embedded') return checkHelper(checks, 'embedded network', driver.hub, 'the hub');
  return checkHelper(checks, 'helper', driver.helper, 'parley-helper');
}

/** A process that is dead, or that hangs. */
function checkHelper(checks: Check[], name: string, socket: string, service: string): Promise<true | undefined> {
  return attemptOrSkip(checks, name, async () => {
    await askHelper(socket, service, CLI_LIMITS.helperAnswerMs);
    return { value: true as const, detail: `answers on ${socket}` };
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

type Outcome<T> = { readonly value: T; readonly detail: string; readonly skipped?: true; readonly warning?: true };

async function attempt<T>(
  checks: Check[],
  name: string,
  work: () => Promise<Outcome<T>>,
  excuse: (error: unknown) => Check | undefined = () => undefined,
): Promise<T | undefined> {
  try {
    const { value, detail, skipped, warning } = await work();
    checks.push(skipped ? { name, skipped, detail } : { name, ok: true, ...(warning ? { warning } : {}), detail });
    return value;
  } catch (error) {
    checks.push(excuse(error) ?? { name, ok: false, detail: messageOf(error) });
    return undefined;
  }
}

/** For what only root and the service's own user may look at. */
async function attemptOrSkip<T>(
  checks: Check[],
  name: string,
  work: () => Promise<Outcome<T>>,
): Promise<T | undefined> {
  return attempt(checks, name, work, (error) =>
    isDenied(error) ? { name, skipped: true, detail: 'not looked at, this user may not: run it as root' } : undefined,
  );
}
