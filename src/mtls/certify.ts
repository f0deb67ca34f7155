// What the domain's CA and its registrars do alike: one certificate for one party. Refuses names that could be mistaken for others.
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { PartyKind, Role } from '#model/identity.ts';
import { isNodeName, nodeKey } from '#model/names.ts';
import { buildCertificate } from './certificate.ts';
import { BACKDATED_MS } from './lifetime/life.ts';
import { isDomain, isDoorName, partyUri, thumbprintOf } from './party.ts';
import type { Register } from './register.ts';

const DAY_MS = 86_400_000;
export const DEFAULT_LIFETIME_MS = 7 * DAY_MS;

/** A CA that is ready to sign. */
export type Issuer = {
  readonly domain: string;
  /** Common name of the CA's own certificate. */
  readonly commonName: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** End of the CA's own certificate; no certificate of it lasts longer. */
  readonly notAfterMs: number;
  /** Of an intermediate: its own certificate, which those that it issues hold. */
  readonly intermediateDer?: Uint8Array;
};

/** Whom a certificate is for. */
export type Subject = {
  readonly kind: PartyKind;
  readonly name: string;
  /** Of an operator; an operator without one is `operator`. */
  readonly role?: Role;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** Default 7 days. */
  readonly lifetimeMs?: number;
};

export type Certify = Subject & {
  /** P-256. */
  readonly publicKey: KeyObject;
  /** Raw Ed25519 key, 32 bytes. */
  readonly signingKey: Uint8Array;
  readonly serial: string;
  readonly nowMs: number;
  /** Of a renewal: when the party last proved itself otherwise. */
  readonly enrolledMs?: number;
};

export function certify(issuer: Issuer, init: Certify): { readonly der: Uint8Array; readonly notAfterMs: number } {
  const { kind, name, role, addresses = [], lifetimeMs = DEFAULT_LIFETIME_MS, nowMs, enrolledMs } = init;
  const dnsNames = dnsNamesOf(init, issuer.domain);
  const notAfterMs = Math.min(wholeSeconds(nowMs + lifetimeMs), issuer.notAfterMs);
  const uri = partyUri({ kind, domain: issuer.domain, name });
  const der = buildCertificate({
    subject: { commonName: name, uris: [uri], dnsNames, addresses, publicKey: init.publicKey },
    issuer,
    serial: init.serial,
    notBeforeMs: wholeSeconds(nowMs - BACKDATED_MS),
    notAfterMs,
    use: {
      ...{ kind: 'party', signingKey: init.signingKey },
      ...(role === undefined ? {} : { role }),
      ...(enrolledMs === undefined ? {} : { enrolledMs }),
      ...(issuer.intermediateDer === undefined ? {} : { issuer: issuer.intermediateDer }),
    },
  });
  return { der, notAfterMs };
}

/** A node is reached under its name in the domain, unless other names are given: a browser goes by these, agents never do. */
function dnsNamesOf({ kind, name, dnsNames = [] }: Subject, domain: string): readonly string[] {
  const own = `${name}.${domain}`;
  return dnsNames.length > 0 || kind !== 'node' || !isDomain(own) ? dnsNames : [own];
}

/** The register once this certificate is in it. */
export function registered(
  register: Register,
  { kind, name }: Pick<Subject, 'kind' | 'name'>,
  made: { readonly serial: string; readonly der: Uint8Array; readonly notAfterMs: number },
): Register {
  const entry = { serial: made.serial, thumbprint: thumbprintOf(made.der), notAfter: isoTime(made.notAfterMs) };
  return {
    ...register,
    counter: register.counter + 1,
    issued: { ...register.issued, [`${kind}/${name}`]: entry },
  };
}

/** Throws `caller/bad-name` or `caller/bad-role`. */
export function checkNames(init: Subject): void {
  if (init.role !== undefined && init.kind !== 'operator')
    throw new ParleyError('caller/bad-role', `expected a role for an operator only, got one for a ${init.kind}`);
  const wrong =
    (isNodeName(init.name) && !(init.kind !== 'node' && isDoorName(init.name)) ? undefined : `name ${init.name}`) ??
    prefixed(
      'DNS name',
      init.dnsNames?.find((name) => !isDomain(name)),
    ) ??
    prefixed(
      'address',
      init.addresses?.find((address) => isIP(address) === 0),
    );
  if (wrong === undefined) return;
  const expected = 'names of lower-case letters, digits, "-", "_" and ".", and addresses in their plain form';
  throw new ParleyError('caller/bad-name', `expected ${expected}, got ${wrong}`);
}

function prefixed(what: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${what} ${value}`;
}

/** Throws `caller/name-taken`: an operator who types `PE-1` must not be able to mean two nodes. */
export function checkFree(register: Register, init: Pick<Subject, 'kind' | 'name'>): void {
  if (init.kind !== 'node') return;
  const names = Object.keys(register.issued).flatMap((key) =>
    key.startsWith('node/') ? [key.slice('node/'.length)] : [],
  );
  const twin = names.find((name) => name !== init.name && nodeKey(name) === nodeKey(init.name));
  if (twin === undefined) return;
  throw new ParleyError(
    'caller/name-taken',
    `${init.name} reads like ${twin}, which has a certificate already: choose another name`,
  );
}

export function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Certificates know seconds only. */
export function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000) * 1_000;
}
