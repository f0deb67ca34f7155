// `parley ca init | issue`: the domain's CA and the identity folders it issues (TS-24). Needs no running agent.
import { createSystemClock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { PartyKind, Role } from '#model/identity.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';
import { asOwnerOf } from './act-as.ts';

const DAY_MS = 86_400_000;

type InitOptions = { readonly domain: string; readonly dir: string; readonly days?: string; readonly json?: boolean };

export async function initCommand(options: InitOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const days = daysOf(options.days);
  const made = await initAuthority({
    dir: options.dir,
    domain: options.domain,
    clock: createSystemClock(),
    ...(days === undefined ? {} : { lifetimeDays: days }),
  });
  output.result({
    dir: options.dir,
    domain: made.domain,
    thumbprint: made.thumbprint,
    notAfter: isoTime(made.notAfterMs),
  });
  output.line(`CA of ${made.domain} in ${options.dir}, valid until ${isoTime(made.notAfterMs)}`);
  output.line(`keep ${options.dir}/ca-key.pem secret; give ca.pem to every node`);
  return EXIT.ok;
}

type IssueOptions = {
  readonly out: string;
  readonly dir: string;
  readonly kind: PartyKind;
  readonly role?: Role;
  readonly dns?: readonly string[];
  readonly address?: readonly string[];
  readonly days?: string;
  readonly renew?: boolean;
  readonly json?: boolean;
};

export async function issueCommand(options: IssueOptions, [name]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const days = daysOf(options.days);
  const issued = await issueCertificate({
    dir: options.dir,
    kind: options.kind,
    name: name!,
    ...(options.role === undefined ? {} : { role: options.role }),
    dnsNames: options.dns ?? [],
    addresses: options.address ?? [],
    renew: options.renew ?? false,
    out: options.out,
    // What root writes into the agent's folder is the agent's.
    asOwner: (work) => asOwnerOf(options.out, work),
    clock: createSystemClock(),
    ...(days === undefined ? {} : { lifetimeMs: days * DAY_MS }),
  });
  output.result({
    outcome: issued.outcome,
    ...(issued.party.role === undefined ? {} : { role: issued.party.role }),
    out: issued.out,
    thumbprint: issued.thumbprint,
    notAfter: isoTime(issued.notAfterMs),
  });
  output.line(
    `${issued.party.role ?? options.kind} ${name}: ${issued.outcome} in ${issued.out}, valid until ${isoTime(issued.notAfterMs)}`,
  );
  output.line(`thumbprint ${issued.thumbprint}`);
  return EXIT.ok;
}

function daysOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (Number.isFinite(days) && days > 0) return days;
  throw new ParleyError('caller/bad-days', `expected --days to be a number above 0, got ${text}`);
}
