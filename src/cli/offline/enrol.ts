// `parley enrol` and `parley operator enrol`: the first certificate of this machine or person, from a registrar and with its code, or by files
// (TS-24). Needs no running agent. Private keys are made here and stay here.
import { access, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { systemRandom } from '#base/random.ts';
import { loadConfig } from '#config/load.ts';
import { isNodeName } from '#model/names.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import { parseCode } from '#mtls/enrol/code.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import { type Installed, installGrant, type Pending, preparePending, type Wanted } from '#mtls/enrol/pending.ts';
import { fingerprintOf } from '#mtls/enrol/request.ts';
import { parseGrant } from '#mtls/enrol/sign-request.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { finishReplacing, IDENTITY_FILES } from '#mtls/identity-files.ts';
import { endpointOf } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { asOwnerOf, makeFolderFor } from './act-as.ts';
import { serialOf } from './code-list.ts';
import { confirmFingerprint } from './confirm-fingerprint.ts';

const DEFAULT_PORT = 9517;
const DEFAULT_CONFIG = '/etc/parley/parley.yaml';
const DEFAULT_OUT = '/etc/parley/identity';
/** The user of the package's agent. */
const AGENT_USER = 'parley';
/** Where Linux shows the serial number of a machine: SMBIOS, for root alone, or the device tree. */
const SERIAL_FILES = ['/sys/class/dmi/id/product_serial', '/sys/firmware/devicetree/base/serial-number'];

export type EnrolOptions = {
  readonly registrar?: string;
  readonly code?: string;
  readonly codeFile?: string;
  readonly node?: string;
  readonly serial?: string;
  readonly out?: string;
  readonly config?: string;
  readonly request?: string;
  readonly install?: string;
  readonly fingerprint?: string;
  readonly again?: boolean;
  readonly json?: boolean;
};

export async function enrolCommand(options: EnrolOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const ways = [options.registrar, options.request, options.install].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw usage('one of --registrar, --request and --install', ways.length === 0 ? 'none' : 'more');
  const place = await placeOf(options);
  await makeFolderFor(place.out, AGENT_USER);
  if (options.install !== undefined) return install(options, place, output);
  const wanted: Wanted = { kind: 'node', name: place.name, ...(await statedSerial(options)) };
  if (options.request !== undefined) return request(options.request, place, wanted, output);
  const present = await asOwnerOf(place.out, () => presentIdentity(place, wanted));
  if (present !== undefined && options.again !== true) {
    output.result({ outcome: 'exists', out: place.out, node: place.name, notAfter: isoTime(present) });
    output.line(`${place.name} has a certificate in ${place.out} until ${isoTime(present)}; --again gets another one`);
    return EXIT.ok;
  }
  const pending = await asOwnerOf(place.out, () => preparePending(place.out, wanted));
  const installed = await overNetwork(options, place, pending, output);
  say(installed, place.out, output);
  return EXIT.ok;
}

/** Asks the registrar and installs what it gives. */
export async function overNetwork(
  options: Pick<EnrolOptions, 'registrar' | 'code' | 'codeFile'>,
  place: Pick<Place, 'out' | 'domain'>,
  pending: Pending,
  output: Output,
): Promise<Installed> {
  const clock = createSystemClock();
  const code = parseCode(await codeText(options));
  if (!code.ok) throw new ParleyError('caller/bad-code', code.reason);
  const { address: host, port } = endpointOf(options.registrar!, DEFAULT_PORT);
  const progress = (text: string) => output.progress(text);
  const grant = await askRegistrar({ host, port, code: code.value, pending, clock, random: systemRandom, progress });
  return asOwnerOf(place.out, () => installGrant(place.out, grant, clock, place.domain));
}

/** A code on the command line is seen by every user of the machine while the command runs; a file is not. */
async function codeText({ code, codeFile }: Pick<EnrolOptions, 'code' | 'codeFile'>): Promise<string> {
  if (code !== undefined && codeFile === undefined) return code;
  if (code === undefined && codeFile !== undefined) return (await readFile(codeFile, 'utf8')).trim();
  throw usage('one of --code and --code-file', code === undefined ? 'none' : 'both');
}

async function request(file: string, place: Place, wanted: Wanted, output: Output): Promise<number> {
  const { text } = await asOwnerOf(place.out, () => preparePending(place.out, wanted));
  await writeFile(file, text, { mode: 0o644 });
  const fingerprint = fingerprintOf(text);
  output.result({ outcome: 'requested', file, node: place.name, fingerprint });
  output.line(`request of ${place.name} in ${file}`);
  output.line(`fingerprint ${fingerprint}: compare it at the registrar, which signs with "parley registrar sign"`);
  return EXIT.ok;
}

async function install(options: EnrolOptions, place: Place, output: Output): Promise<number> {
  const text = await readFile(options.install!, 'utf8');
  const grant = parseGrant(text);
  await confirmFingerprint(options, fingerprintOf(text), 'the registrar');
  const clock = createSystemClock();
  say(await asOwnerOf(place.out, () => installGrant(place.out, grant, clock, place.domain)), place.out, output);
  return EXIT.ok;
}

function say(installed: Installed, out: string, output: Output): void {
  const { identity, party, domain, notAfterMs } = installed;
  output.result({
    ...{ outcome: 'enrolled', out, node: party, domain, notAfter: isoTime(notAfterMs) },
    ...(identity === undefined ? {} : { thumbprint: identity.thumbprint }),
  });
  output.line(`${party} is enrolled in ${domain}: certificate in ${out} until ${isoTime(notAfterMs)}`);
  if (identity === undefined)
    output.line("this machine's clock is outside the certificate's time: set it before the agent starts");
}

type Place = { readonly name: string; readonly out: string; readonly domain?: string };

/** Name, folder and domain as the configuration has them, where there is one. */
async function placeOf(options: EnrolOptions): Promise<Place> {
  const isConfigured = options.config !== undefined || (await isThere(process.env['PARLEY_CONFIG'] ?? DEFAULT_CONFIG));
  const config = isConfigured ? await loadConfig({ file: options.config }) : undefined;
  const name = options.node ?? config?.node ?? hostname().toLowerCase().split('.')[0]!;
  if (!isNodeName(name)) throw usage('a node name of lower-case letters, digits, "-", "_" and "." in --node', name);
  const out = options.out ?? config?.identity.dir ?? DEFAULT_OUT;
  return { name, out, ...(config === undefined ? {} : { domain: config.domain }) };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function statedSerial({ serial }: EnrolOptions): Promise<{ readonly serial?: string }> {
  if (serial !== undefined) return { serial: serialOf(serial) };
  for (const file of SERIAL_FILES) {
    const text = (await readFile(file, 'utf8').catch(() => '')).replaceAll('\0', '').trim();
    if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && text.length <= ENROL_LIMITS.serialChars)
      return { serial: text };
  }
  return {};
}

/** End of the valid certificate of this very party; undefined where there is none. */
async function presentIdentity({ out, domain }: Place, { kind, name }: Wanted): Promise<number | undefined> {
  await finishReplacing(out);
  if (!(await isThere(join(out, IDENTITY_FILES.chain)))) return undefined;
  const identity = await loadIdentity(out, createSystemClock()).catch((error: unknown) => {
    if (error instanceof ParleyError) return undefined;
    throw error;
  });
  if (identity === undefined) return undefined;
  const { party } = identity;
  if (party.kind === kind && party.name === name && (domain === undefined || party.domain === domain))
    return identity.notAfterMs;
  const message = `expected nothing or the identity of ${kind} ${name} in ${out}, there is ${party.kind} ${party.name} of ${party.domain}: choose another folder`;
  throw new ParleyError('caller/identity-exists', message);
}
