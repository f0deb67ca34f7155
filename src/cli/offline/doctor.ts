// `parley doctor`: checks this installation; one line per check, with what to do if it fails.
import { access } from 'node:fs/promises';
import { createSystemClock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { HELPER_AUTHORITY_DIR, readHelperAuthority } from '#config/helper-authority.ts';
import { loadConfig } from '#config/load.ts';
import type { Config } from '#config/schema.ts';
import { openOperatorClient } from '#mcp/client/operator-client.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import type { StoreStatus } from '#report/store-database.ts';
import { lossLine, usedLine } from '../report/store-lines.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';
import { isDenied, lifeLeft, stateChecks } from './doctor-state.ts';

/** `skipped`: this user may not look. */
type Check = { readonly name: string; readonly ok: boolean; readonly detail: string; readonly skipped?: true };

/** Exit code 0 when everything is in order, 3 otherwise. */
export async function doctorCommand(options: { readonly config?: string; readonly json?: boolean }): Promise<number> {
  const output = createOutput(options.json ?? false);
  const checks: Check[] = [];
  const config = await attempt(checks, 'configuration', async () => {
    const loaded = await loadConfig({ file: options.config });
    return { value: loaded, detail: `node ${loaded.node} in ${loaded.domain}` };
  });
  if (config !== undefined) await checkInstallation(config, checks);
  output.result({ ok: checks.every((check) => check.ok), checks });
  for (const check of checks) output.line(`${markOf(check)}  ${check.name}: ${check.detail}`);
  return checks.every((check) => check.ok) ? EXIT.ok : EXIT.incomplete;
}

function markOf({ ok, skipped }: Check): string {
  if (skipped === true) return '--  ';
  return ok ? 'ok  ' : 'FAIL';
}

async function checkInstallation(config: Config, checks: Check[]): Promise<void> {
  await attempt(checks, 'identity', async () => {
    const identity = await loadIdentity(config.identity.dir, createSystemClock());
    const { kind, name, domain } = identity.party;
    if (kind !== 'node' || name !== config.node || domain !== config.domain)
      throw new Error(
        `expected node ${config.node} in ${config.domain}, got ${kind} ${name} in ${domain} from ${config.identity.dir}`,
      );
    return {
      value: identity,
      detail: `${identity.party.kind} ${identity.party.name}, ${lifeLeft(identity, createSystemClock().nowMs())}`,
    };
  });
  await attempt(checks, 'state folder', async () => {
    await access(config.state);
    return { value: true, detail: config.state };
  });
  for (const { name, look } of stateChecks(config))
    await attemptOrSkip(checks, name, async () => ({ value: true, detail: await look() }));
  const { driver } = config;
  if (driver.kind === 'linux-frr' && driver.configHelper !== undefined)
    await attempt(checks, 'consent', () => consentCheck(config));
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
  const reports: Check[] = [];
  await attempt(checks, 'agent', async () => {
    const client = await openOperatorClient(await dialLocal(config.control.socket));
    try {
      const tools = await client.listTools();
      // Only an agent that answers can be asked for its reports.
      await attempt(reports, 'reports', async () => {
        const page = await client.callTool('parley-report-list', { limit: 1 });
        return reportsCheck(page['store'] as StoreStatus | undefined, createSystemClock().nowMs());
      });
      const detail = `answers on ${config.control.socket} with ${tools.length} tools, as ${client.role ?? 'no role'}`;
      return { value: true, detail };
    } finally {
      await client.close();
    }
  });
  checks.push(...reports);
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

type LocalDriver = Exclude<Config['driver'], { kind: 'netconf' }>;

/** Only the agent queries a NETCONF device: it holds the credential. */
function checkSocket(checks: Check[], driver: LocalDriver): Promise<unknown> {
  if (driver.kind === 'embedded') return checkHelper(checks, 'embedded network', driver.hub, 'the hub');
  return checkHelper(checks, 'helper', driver.helper, 'parley-helper');
}

/** A process that is dead, or that has not accepted a connection in time. */
function checkHelper(checks: Check[], name: string, socket: string, service: string): Promise<true | undefined> {
  return attemptOrSkip(checks, name, async () => {
    const link = await dialLocal(socket).catch((error: unknown) => {
      if (isDenied(error)) throw error;
      throw new Error(`nothing answers on ${socket}: start ${service}`, { cause: error });
    });
    link.destroy();
    return { value: true as const, detail: `answers on ${socket}` };
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

async function attempt<T>(
  checks: Check[],
  name: string,
  work: () => Promise<{ value: T; detail: string }>,
  excuse: (error: unknown) => Check | undefined = () => undefined,
): Promise<T | undefined> {
  try {
    const { value, detail } = await work();
    checks.push({ name, ok: true, detail });
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
  work: () => Promise<{ value: T; detail: string }>,
): Promise<T | undefined> {
  return attempt(checks, name, work, (error) =>
    isDenied(error)
      ? { name, ok: true, skipped: true, detail: 'not looked at, this user may not: run it as root' }
      : undefined,
  );
}
