// `parley ca revoke`, `parley ca rotate` and `parley ca trust-list`: beside the domain's CA, what is revoked and which CAs the domain has (TS-24).
// Each writes a signed list, which one node needs to be given: the agents carry it to each other.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isNodeName } from '#model/names.ts';
import { loadRegister } from '#mtls/register.ts';
import { TRUST_LIST_FILE } from '#mtls/revocation/kept-list.ts';
import { beginRotation, finishRotation, latestList, revoke, switchRotation } from '#mtls/revocation/publish.ts';
import type { TrustList } from '#mtls/revocation/trust-list.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, type Output } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';

type ListOptions = { readonly dir: string; readonly out?: string; readonly json?: boolean };

const KINDS = ['node', 'operator', 'controller', 'registrar'] as const;
type Kind = (typeof KINDS)[number];
/** Serial numbers of ours have 32 digits. */
const SERIAL = /^[0-9a-f]{16,40}$/;

export async function revokeCommand(
  options: ListOptions & { readonly reason: string; readonly kind?: Kind; readonly forget?: string },
  [given]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const serial = given!.replaceAll(':', '').toLowerCase();
  const isSerial = options.kind === undefined && SERIAL.test(serial);
  const target = isSerial ? { serial } : { party: await partyOf(options, given!) };
  const forgetDays = options.forget === undefined ? undefined : Number(options.forget);
  if (forgetDays !== undefined && !(forgetDays > 0)) throw usage('--forget with a number of days', options.forget!);
  const { dir, reason } = options;
  const clock = createSystemClock();
  const list = await revoke({ dir, target, reason, clock, ...(forgetDays === undefined ? {} : { forgetDays }) });
  await say(options, list, output, { revoked: 'serial' in target ? target.serial : target.party });
  return EXIT.ok;
}

/** `pe7`, or `operator/alice`; where the CA's register has the name as one kind alone, that kind. */
async function partyOf({ dir, kind }: ListOptions & { readonly kind?: Kind }, given: string): Promise<string> {
  const [first, second] = given.split('/');
  const name = second ?? first!;
  if (!isNodeName(name)) throw usage('a name or a serial number', given);
  if (second !== undefined) {
    if (!KINDS.some((each) => each === first) || kind !== undefined) throw usage(`one of ${KINDS.join(', ')}`, first!);
    return given;
  }
  if (kind !== undefined) return `${kind}/${name}`;
  const register = await loadRegister(dir).catch(() => undefined);
  const known = KINDS.filter((each) => register?.issued[`${each}/${name}`] !== undefined);
  if (known.length > 1)
    throw new ParleyError('caller/bad-revocation', `${name} is ${known.join(' and ')}: say which with --kind`);
  return `${known[0] ?? 'node'}/${name}`;
}

export async function rotateCommand(
  options: ListOptions & { readonly days?: string },
  [step]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const init = { dir: options.dir, clock: createSystemClock() };
  const days = options.days === undefined ? undefined : Number(options.days);
  if (days !== undefined && !(days > 0)) throw usage('--days with a number of days', options.days!);
  const steps = {
    begin: () => beginRotation({ ...init, ...(days === undefined ? {} : { lifetimeDays: days }) }),
    switch: () => switchRotation(init),
    finish: () => finishRotation(init),
  };
  const next = {
    begin: 'wait until every node has this list ("parley identity"), then "parley ca rotate switch"',
    switch:
      'make each registrar anew ("parley ca registrar"), wait until every certificate is renewed, then "parley ca rotate finish"',
    finish:
      'the CA before counts no more; copy the new ca.pem to /etc/parley-config of nodes whose helpers verify consents, and to operators',
  };
  const name = step as keyof typeof steps;
  const list = await steps[name]();
  await say(options, list, output, { step: name });
  output.line(next[name]);
  return EXIT.ok;
}

export async function trustListCommand(options: ListOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const list = await latestList(options.dir);
  output.result({
    number: list?.number ?? 0,
    ...(list === undefined ? {} : { issued: list.issued, revoked: list.revoked, anchors: list.anchors.length }),
  });
  if (list === undefined) output.line('no trust list was made yet: nothing is revoked');
  else output.line(`trust list ${list.number} of ${list.issued}, CAs: ${list.anchors.length}`);
  for (const each of list?.revoked ?? [])
    output.line(
      `${'serial' in each ? `serial ${each.serial}` : `${each.party}, enrolled before ${each.before}`}: ${each.reason}`,
    );
  return EXIT.ok;
}

async function say(options: ListOptions, list: TrustList, output: Output, what: Record<string, string>): Promise<void> {
  if (options.out !== undefined) await writeFile(options.out, list.text, { mode: 0o644 });
  const file = options.out ?? join(options.dir, TRUST_LIST_FILE);
  output.result({ ...what, number: list.number, issued: list.issued, file });
  output.line(`trust list ${list.number} in ${file}: ${Object.values(what).join(' ')}`);
  output.line(
    'give it to one node, as /etc/parley/trust-list.json or with "parley trust-list FILE": agents carry it on',
  );
}
