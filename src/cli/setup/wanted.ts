// What "parley setup" is to make: from what is there already, from flags, and from the person at the terminal. Nothing is changed here.
import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { loadConfig } from '#config/load.ts';
import type { Config } from '#config/schema.ts';
import { isNodeName } from '#model/names.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { isDomain } from '#mtls/party.ts';
import type { Ask } from '../terminal/ask.ts';
import { usage } from '../terminal/usage.ts';
import { askCode, askDomain, askNode, askRegistrar, DOMAIN_NAME, NODE_NAME } from './prompts.ts';

export const SETUP_PATHS = {
  config: '/etc/parley/parley.yaml',
  identity: '/etc/parley/identity',
  trialCa: '/etc/parley/trial-ca',
  registrar: '/var/lib/parley/registrar',
} as const;

/** Of a trial whose machine has no domain name: `.internal` is set aside for private use. */
const TRIAL_DOMAIN = 'trial.internal';

export type SetupOptions = {
  readonly node?: string;
  readonly domain?: string;
  readonly trial?: boolean;
  readonly registrar?: string;
  readonly code?: string;
  readonly codeFile?: string;
  readonly start: boolean;
  readonly ask: boolean;
  readonly question: string;
  readonly json?: boolean;
};

/** How the node gets its certificate. `kept`: it has one. */
export type Way =
  | { readonly kind: 'kept'; readonly identity: Identity }
  | { readonly kind: 'trial'; readonly domain: string }
  | { readonly kind: 'enrol'; readonly registrar: string; readonly code?: string; readonly codeFile?: string };

export type Wanted = {
  readonly node: string;
  readonly identityDir: string;
  readonly way: Way;
  /** Undefined where there is no configuration yet. */
  readonly config?: Config;
};

/** Rejects with `caller/usage`, `caller/setup-conflict` or `caller/config-invalid`. */
export async function wantedOf(options: SetupOptions, ask: Ask | undefined): Promise<Wanted> {
  if (options.trial === true && options.registrar !== undefined) throw usage('one of --trial and --registrar', 'both');
  const config = (await isThere(SETUP_PATHS.config)) ? await loadConfig({ file: SETUP_PATHS.config }) : undefined;
  const identityDir = config?.identity.dir ?? SETUP_PATHS.identity;
  agree('node', config?.node, options.node, SETUP_PATHS.config);
  agree('domain', config?.domain, options.domain, SETUP_PATHS.config);
  const identity = await identityIn(identityDir);
  agree('node', identity?.party.name, config?.node ?? options.node, identityDir);
  agree('domain', identity?.party.domain, config?.domain ?? options.domain, identityDir);
  const given = options.node ?? config?.node ?? identity?.party.name;
  const node = given ?? (await nameFrom(ask));
  if (!isNodeName(node)) throw usage(`${NODE_NAME} in --node`, node);
  const way: Way = identity === undefined ? await wayOf(options, config, ask) : { kind: 'kept', identity };
  return { node, identityDir, way, ...(config === undefined ? {} : { config }) };
}

async function nameFrom(ask: Ask | undefined): Promise<string> {
  const own = hostname().toLowerCase().split('.')[0] ?? '';
  return ask === undefined ? own : askNode(ask, own);
}

async function wayOf(options: SetupOptions, config: Config | undefined, ask: Ask | undefined): Promise<Way> {
  const { registrar, code, codeFile } = options;
  if (registrar !== undefined) return enrolWay({ registrar, code, codeFile }, ask);
  if (options.trial === true) return trialWay(options.domain ?? config?.domain ?? domainOfHost());
  if (ask === undefined)
    throw usage(
      'how this node gets its certificate: --trial makes a CA on this machine, --registrar HOST with --code CODE asks a registrar',
      'neither',
    );
  const named = await askRegistrar(ask);
  if (named !== '') return enrolWay({ registrar: named, code, codeFile }, ask);
  const before = options.domain ?? config?.domain;
  return trialWay(before ?? (await askDomain(ask, domainOfHost())));
}

function trialWay(domain: string): Way {
  if (!isDomain(domain)) throw usage(`${DOMAIN_NAME} in --domain`, domain);
  return { kind: 'trial', domain };
}

type Enrolment = {
  readonly registrar: string;
  readonly code: string | undefined;
  readonly codeFile: string | undefined;
};

async function enrolWay({ registrar, code, codeFile }: Enrolment, ask: Ask | undefined): Promise<Way> {
  if (codeFile !== undefined && code === undefined) return { kind: 'enrol', registrar, codeFile };
  const typed = code ?? (ask === undefined ? undefined : await askCode(ask));
  if (typed === undefined || codeFile !== undefined)
    throw usage('one of --code and --code-file', codeFile === undefined ? 'none' : 'both');
  return { kind: 'enrol', registrar, code: typed };
}

function domainOfHost(): string {
  const domain = hostname().toLowerCase().split('.').slice(1).join('.');
  return isDomain(domain) ? domain : TRIAL_DOMAIN;
}

/** A certificate that has ended, or files that are not whole, are as good as none. */
async function identityIn(dir: string): Promise<Identity | undefined> {
  if (!(await isThere(`${dir}/chain.pem`))) return undefined;
  return loadIdentity(dir, createSystemClock()).catch((error: unknown) => {
    if (error instanceof ParleyError) return undefined;
    throw error;
  });
}

function agree(what: string, there: string | undefined, given: string | undefined, where: string): void {
  if (there === undefined || given === undefined || there === given) return;
  const message = `expected the ${what} ${there}, as in ${where}, got ${given}: leave it out, or change or remove ${where} first`;
  throw new ParleyError('caller/setup-conflict', message);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
