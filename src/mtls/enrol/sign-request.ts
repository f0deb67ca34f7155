// A request that was carried to the registrar by hand: read, judged by a person, and certified without a code.
import type { Clock } from '#base/clock.ts';
import { isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Random } from '#base/random.ts';
import { checkNames, type Subject } from '../certify.ts';
import { type Grant, grantSchema } from './messages.ts';
import { certifiedUntilMs, checkFreeAt, issueFromRegistrar, openRegistrarCa, recordIssued } from './registrar-ca.ts';
import { type EnrolmentRequest, readRequest, requestSha256 } from './request.ts';

/** Throws `caller/bad-request-file`. */
export function requestOfFile(text: string): EnrolmentRequest {
  const request = readRequest(text);
  if (request.ok) return request.value;
  throw new ParleyError('caller/bad-request-file', `expected a file of "parley enrol --request": ${request.reason}`);
}

export type SignRequest = Pick<Subject, 'role' | 'dnsNames' | 'addresses' | 'lifetimeMs'> & {
  /** Folder of the registrar. */
  readonly dir: string;
  /** The request's text. */
  readonly text: string;
  /** Also for a name that holds a certificate of this registrar which has not ended. */
  readonly replace?: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
};

/** Throws `caller/bad-request-file`, `caller/bad-name`, `caller/name-taken`, `caller/name-certified` or `caller/no-registrar`. */
export async function signRequest(init: SignRequest): Promise<Grant> {
  const request = requestOfFile(init.text);
  const { role, dnsNames = [], addresses = [], lifetimeMs } = init;
  const subject: Subject = {
    kind: request.kind,
    name: request.name,
    ...(role === undefined ? {} : { role }),
    dnsNames,
    addresses,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
  };
  const ca = await openRegistrarCa(init.dir);
  const nowMs = init.clock.nowMs();
  checkNames(subject);
  await checkFreeAt(init.dir, subject);
  const untilMs = await certifiedUntilMs(init.dir, subject);
  if (untilMs !== undefined && untilMs > nowMs && init.replace !== true) throw nameCertified(request.name, untilMs);
  const keys = { publicKey: request.publicKey, signingKey: request.signingKey };
  const issued = issueFromRegistrar(ca, { ...subject, ...keys, nowMs }, init.random);
  await recordIssued(init.dir, subject, issued);
  return {
    type: 'certificate',
    requestSha256: requestSha256(init.text),
    chain: [...issued.chain],
    ca: ca.ca,
    timeMs: nowMs,
  };
}

export function nameCertified(name: string, untilMs: number): ParleyError {
  const hint = 'add --replace if the device was replaced or lost its key';
  return new ParleyError('caller/name-certified', `${name} has a certificate until ${isoTime(untilMs)}: ${hint}`);
}

/** The text of a file that `signRequest` made; the fingerprint that people compare is over this text. */
export function formatGrant(grant: Grant): string {
  return `${JSON.stringify(grant)}\n`;
}

/** Throws `caller/bad-certificate-file`. */
export function parseGrant(text: string): Grant {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const grant = grantSchema.safeParse(json);
  if (grant.success) return grant.data;
  throw new ParleyError(
    'caller/bad-certificate-file',
    'expected a file of "parley registrar sign", got something else',
  );
}
