// Makes enrolment codes: one for each name, checked against the names that the registrar has certified. What is kept cannot show the code again.
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { makeFolder } from '#base/files.ts';
import type { Random } from '#base/random.ts';
import { encodeHex } from '#codec/hex.ts';
import { nodeKey } from '#model/names.ts';
import { checkNames, DEFAULT_LIFETIME_MS, type Subject } from '../certify.ts';
import { type EnrolmentCode, makeCode } from './code.ts';
import { type CodeRecord, codesDir, listCodes, removeCode, type StoredCode, storeRecord } from './code-store.ts';
import { idsOf } from './context.ts';
import { ENROL_LIMITS } from './limits.ts';
import { certifiedUntilMs, checkFreeAt } from './registrar-ca.ts';
import { nameCertified } from './sign-request.ts';
import { deriveSecrets, verifierOf } from './spake2plus.ts';

export type CodeFor = Subject & { readonly serial?: string };

export type MakeCodes = {
  /** Folder of the registrar. */
  readonly dir: string;
  readonly wanted: readonly CodeFor[];
  readonly validMs: number;
  /** Also for names that hold a certificate of this registrar which has not ended. */
  readonly replace?: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
};

export type MadeCode = { readonly code: EnrolmentCode; readonly record: CodeRecord };

/**
 * One code for each name; an unused code of the same name is removed. Throws `caller/bad-name`, `caller/bad-role`, `caller/name-taken`,
 * `caller/name-certified` or `caller/too-many-codes`, all before anything is written.
 */
export async function makeCodes(init: MakeCodes): Promise<readonly MadeCode[]> {
  const { dir, wanted, clock, random } = init;
  const nowMs = clock.nowMs();
  const present = await tidy(dir, await listCodes(dir), nowMs);
  await checkWanted(init, present);
  const replaced = present.filter(
    ({ record, state }) =>
      state.used === undefined && wanted.some(({ kind, name }) => record.kind === kind && record.name === name),
  );
  const taken = new Set(present.map(({ record }) => record.id));
  await makeFolder(codesDir(dir), 0o700);
  const made = await Promise.all(
    wanted.map(async (each): Promise<MadeCode> => {
      const code = freshCode(random, taken);
      const verifier = verifierOf(await deriveSecrets(Buffer.from(code.secret), idsOf(code.id)));
      const { kind, name, role, serial, dnsNames = [], addresses = [], lifetimeMs = DEFAULT_LIFETIME_MS } = each;
      const record: CodeRecord = {
        ...{ schemaVersion: 1, id: code.id, kind, name, dnsNames, addresses, lifetimeMs },
        ...(role === undefined ? {} : { role }),
        ...(serial === undefined ? {} : { serial }),
        w0: encodeHex(verifier.w0),
        L: encodeHex(verifier.L),
        madeAt: isoTime(nowMs),
        notAfterMs: nowMs + init.validMs,
      };
      await storeRecord(dir, record);
      return { code, record };
    }),
  );
  for (const { record } of replaced) await removeCode(dir, record.id);
  return made;
}

function freshCode(random: Random, taken: Set<string>): EnrolmentCode {
  let code = makeCode(random);
  while (taken.has(code.id)) code = makeCode(random);
  taken.add(code.id);
  return code;
}

async function checkWanted(init: MakeCodes, present: readonly StoredCode[]): Promise<void> {
  const { wanted, dir } = init;
  if (wanted.length > ENROL_LIMITS.codesAtOnce || present.length + wanted.length > ENROL_LIMITS.codes) {
    const expected = `at most ${ENROL_LIMITS.codesAtOnce} codes at once and ${ENROL_LIMITS.codes} in all`;
    throw new ParleyError(
      'caller/too-many-codes',
      `expected ${expected}, got ${wanted.length} beside ${present.length}`,
    );
  }
  const keys = new Set<string>();
  // Two codes whose names read alike would make two nodes that an operator cannot tell apart.
  const waiting = new Map(present.map(({ record }) => [`${record.kind}/${nodeKey(record.name)}`, record.name]));
  for (const each of wanted) {
    checkNames(each);
    const key = `${each.kind}/${nodeKey(each.name)}`;
    if (keys.has(key)) throw new ParleyError('caller/name-taken', `${each.name} stands twice in the list`);
    keys.add(key);
    const twin = waiting.get(key);
    if (twin !== undefined && twin !== each.name)
      throw new ParleyError(
        'caller/name-taken',
        `${each.name} reads like ${twin}, which has a code: choose another name`,
      );
    await checkFreeAt(dir, each);
    const untilMs = await certifiedUntilMs(dir, each);
    if (untilMs === undefined || untilMs <= init.clock.nowMs() || init.replace === true) continue;
    throw nameCertified(each.name, untilMs);
  }
}

/** Removes codes that ended long ago. */
async function tidy(dir: string, codes: readonly StoredCode[], nowMs: number): Promise<readonly StoredCode[]> {
  const old = codes.filter(({ record }) => record.notAfterMs + ENROL_LIMITS.endedKeptMs < nowMs);
  for (const { record } of old) await removeCode(dir, record.id);
  return codes.filter((code) => !old.includes(code));
}
