// `parley ca registrar` and `parley registrar …`: a registrar's CA, its codes, and requests that are carried by hand (TS-24). Needs no running agent.
import { readFile, writeFile } from 'node:fs/promises';
import { createSystemClock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { systemRandom } from '#base/random.ts';
import type { Role } from '#model/identity.ts';
import { formatCode, parseCode } from '#mtls/enrol/code.ts';
import { listCodes, removeCode, statusOf } from '#mtls/enrol/code-store.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import { type CodeFor, makeCodes } from '#mtls/enrol/make-codes.ts';
import { makeRegistrar, openRegistrarCa } from '#mtls/enrol/registrar-ca.ts';
import { fingerprintOf } from '#mtls/enrol/request.ts';
import { formatGrant, requestOfFile, signRequest } from '#mtls/enrol/sign-request.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, printable, table } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';
import { asOwnerOf } from './act-as.ts';
import { type CodeListOptions, listedCodes } from './code-list.ts';
import { confirmFingerprint } from './confirm-fingerprint.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type MakeOptions = {
  readonly dir: string;
  readonly out: string;
  readonly days?: string;
  readonly operators?: boolean;
  readonly json?: boolean;
};

export async function makeRegistrarCommand(options: MakeOptions, [name]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const days = daysOf(options.days);
  const made = await makeRegistrar({
    dir: options.dir,
    name: name!,
    out: options.out,
    clock: createSystemClock(),
    operators: options.operators ?? false,
    ...(days === undefined ? {} : { days }),
  });
  output.result({
    out: options.out,
    domain: made.domain,
    thumbprint: made.thumbprint,
    notAfter: isoTime(made.notAfterMs),
  });
  output.line(`registrar ${name} of ${made.domain} in ${options.out}, valid until ${isoTime(made.notAfterMs)}`);
  output.line(
    `copy the folder to the registrar's node, give it to the user parley alone, and name it in parley.yaml: registrar: { dir: … }`,
  );
  return EXIT.ok;
}

type CodeOptions = CodeListOptions & {
  readonly dir: string;
  readonly hours?: string;
  readonly days?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
};

export async function codeCommand(options: CodeOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const clock = createSystemClock();
  const wanted = await listedCodes(options);
  const validMs = validityOf(options.hours);
  const days = daysOf(options.days);
  const made = await asOwnerOf(options.dir, async () => {
    const ca = await openRegistrarCa(options.dir);
    checkKinds(wanted, ca.issues);
    return makeCodes({
      dir: options.dir,
      wanted: wanted.map((each) => ({ ...each, ...(days === undefined ? {} : { lifetimeMs: days * DAY_MS }) })),
      validMs,
      replace: options.replace ?? false,
      clock,
      random: systemRandom,
    });
  });
  output.result({
    codes: made.map(({ code, record }) => ({
      code: formatCode(code),
      id: record.id,
      kind: record.kind,
      name: record.name,
      ...(record.role === undefined ? {} : { role: record.role }),
      ...(record.serial === undefined ? {} : { serial: record.serial }),
      notAfter: isoTime(record.notAfterMs),
    })),
  });
  const rows = made.map(({ code, record }) => [
    record.name,
    formatCode(code),
    record.serial ?? '',
    isoTime(record.notAfterMs),
  ]);
  output.line(table(['name', 'code', 'serial number', 'valid until'], rows));
  output.line('shown once: this registrar keeps what it takes to check a code, and not the code');
  return EXIT.ok;
}

function checkKinds(wanted: readonly CodeFor[], issues: readonly string[]): void {
  const beyond = wanted.find(({ kind }) => kind !== 'node' && !issues.includes(kind));
  if (beyond === undefined) return;
  const message = `this registrar certifies nodes alone, ${beyond.name} is an ${beyond.kind}: make it with "parley ca registrar NAME --operators", or use "parley ca issue"`;
  throw new ParleyError('caller/registrar-for-nodes', message);
}

type ListOptions = { readonly dir: string; readonly json?: boolean };

export async function listCommand(options: ListOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const nowMs = createSystemClock().nowMs();
  const codes = await asOwnerOf(options.dir, async () => {
    await openRegistrarCa(options.dir);
    return listCodes(options.dir);
  });
  const shown = codes.map((code) => {
    const { id, kind, name, serial, notAfterMs } = code.record;
    const { used, failed } = code.state;
    return {
      ...{ id, kind, name, status: statusOf(code, nowMs), notAfter: isoTime(notAfterMs), failed },
      ...(serial === undefined ? {} : { serial }),
      ...(used === undefined ? {} : { usedAt: isoTime(used.atMs) }),
    };
  });
  output.result({ codes: shown });
  const rows = shown.map((each) => [
    each.id,
    each.name,
    each.status,
    each.notAfter,
    each.usedAt ?? '',
    String(each.failed),
  ]);
  output.line(
    shown.length === 0 ? 'no codes' : table(['code', 'name', 'status', 'valid until', 'used', 'unproven runs'], rows),
  );
  return EXIT.ok;
}

export async function revokeCommand(options: ListOptions, ids: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const removed: string[] = [];
  for (const text of ids) {
    // Of a whole code only its name is looked at: an operator can revoke a code as it stands on paper.
    const whole = parseCode(text);
    const id = whole.ok ? whole.value.id : text.toUpperCase();
    if (!(await asOwnerOf(options.dir, () => removeCode(options.dir, id))))
      throw new ParleyError('caller/unknown-code', `expected a code of "parley registrar list", got ${id}`);
    removed.push(id);
    output.line(`code ${id} removed`);
  }
  output.result({ removed });
  return EXIT.ok;
}

type SignOptions = {
  readonly dir: string;
  readonly out: string;
  readonly fingerprint?: string;
  readonly role?: Role;
  readonly dns?: readonly string[];
  readonly address?: readonly string[];
  readonly days?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
};

export async function signCommand(options: SignOptions, [file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const text = await readFile(file!, 'utf8');
  const request = requestOfFile(text);
  output.progress(
    `request of ${request.kind} ${printable(request.name)}${request.serial === undefined ? '' : `, serial number ${printable(request.serial)}`}`,
  );
  await confirmFingerprint(options, fingerprintOf(text), 'the enrolling machine');
  const days = daysOf(options.days);
  const grant = await asOwnerOf(options.dir, async () => {
    checkKinds([request], (await openRegistrarCa(options.dir)).issues);
    return signRequest({
      dir: options.dir,
      text,
      ...(options.role === undefined ? {} : { role: options.role }),
      dnsNames: options.dns ?? [],
      addresses: options.address ?? [],
      ...(days === undefined ? {} : { lifetimeMs: days * DAY_MS }),
      replace: options.replace ?? false,
      clock: createSystemClock(),
      random: systemRandom,
    });
  });
  const granted = formatGrant(grant);
  await writeFile(options.out, granted, { mode: 0o644 });
  const fingerprint = fingerprintOf(granted);
  output.result({ file: options.out, kind: request.kind, name: request.name, fingerprint });
  output.line(`certificate of ${request.name} in ${options.out}`);
  output.line(`fingerprint ${fingerprint}: compare it where the file is installed`);
  return EXIT.ok;
}

export function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0) return days;
  throw new ParleyError('caller/bad-days', `expected --days to be a number above 0, got ${text}`);
}

function validityOf(text = '24'): number {
  const validMs = Number(text) * HOUR_MS;
  if (validMs > 0 && validMs <= ENROL_LIMITS.codeLifetimeMs) return validMs;
  throw usage(`--hours to be above 0 and at most ${ENROL_LIMITS.codeLifetimeMs / HOUR_MS}`, text);
}
