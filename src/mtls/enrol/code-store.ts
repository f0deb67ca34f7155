// The codes of one registrar as files: what a code is for, written by the command that makes it, and beside it what became of it, written
// by the agent. Of the code itself only its name and a SPAKE2+ verifier are kept. Every change is on disk before it counts.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { syncFolder, writeFileDurably } from '#base/files.ts';
import type { Random } from '#base/random.ts';
import { encodeHex } from '#codec/hex.ts';
import type { PartyKind, Role } from '#model/identity.ts';
import { nodeKey } from '#model/names.ts';
import { checkNames, DEFAULT_LIFETIME_MS, type Subject } from '../certify.ts';
import { CODE_ID, type EnrolmentCode, makeCode } from './code.ts';
import { idsOf } from './context.ts';
import { ENROL_LIMITS } from './limits.ts';
import { certifiedUntilMs, checkFreeAt } from './registrar-ca.ts';
import { nameCertified } from './sign-request.ts';
import { deriveSecrets, verifierOf } from './spake2plus.ts';

/** What a code is for. */
export type CodeRecord = {
  readonly schemaVersion: 1;
  readonly id: string;
  readonly kind: PartyKind;
  readonly name: string;
  readonly role?: Role;
  /** Serial number that the device must state; any where absent. */
  readonly serial?: string;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly lifetimeMs: number;
  /** SPAKE2+ verifier, hex. */
  readonly w0: string;
  readonly L: string;
  readonly madeAt: string;
  readonly notAfterMs: number;
};

/** What became of a code. */
export type CodeState = {
  readonly schemaVersion: 1;
  /** Runs since the last proof. */
  readonly failed: number;
  readonly used?: { readonly atMs: number; readonly requestSha256: string; readonly chain: readonly string[] };
};

export type StoredCode = { readonly record: CodeRecord; readonly state: CodeState };

const FRESH: CodeState = { schemaVersion: 1, failed: 0 };

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
  await checkWanted(init, present.length);
  const replaced = present.filter(
    ({ record, state }) =>
      state.used === undefined && wanted.some(({ kind, name }) => record.kind === kind && record.name === name),
  );
  const taken = new Set(present.map(({ record }) => record.id));
  await mkdir(codesDir(dir), { recursive: true, mode: 0o700 });
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
      await writeFileDurably(recordPath(dir, code.id), `${JSON.stringify(record)}\n`);
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

async function checkWanted(init: MakeCodes, presentCount: number): Promise<void> {
  const { wanted, dir } = init;
  if (wanted.length > ENROL_LIMITS.codesAtOnce || presentCount + wanted.length > ENROL_LIMITS.codes) {
    const expected = `at most ${ENROL_LIMITS.codesAtOnce} codes at once and ${ENROL_LIMITS.codes} in all`;
    throw new ParleyError('caller/too-many-codes', `expected ${expected}, got ${wanted.length} beside ${presentCount}`);
  }
  const keys = new Set<string>();
  for (const each of wanted) {
    checkNames(each);
    const key = `${each.kind}/${nodeKey(each.name)}`;
    if (keys.has(key)) throw new ParleyError('caller/name-taken', `${each.name} stands twice in the list`);
    keys.add(key);
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

/** In the order of their names. */
export async function listCodes(dir: string): Promise<readonly StoredCode[]> {
  const files = await readdir(codesDir(dir)).catch(() => []);
  const ids = files.flatMap((file) =>
    file.endsWith('.json') && CODE_ID.test(file.slice(0, -5)) ? [file.slice(0, -5)] : [],
  );
  const codes = await Promise.all(ids.slice(0, ENROL_LIMITS.codes).map((id) => loadCode(dir, id)));
  return codes
    .filter((code) => code !== undefined)
    .toSorted((one, other) => one.record.name.localeCompare(other.record.name, 'en', { numeric: true }));
}

/** Undefined where there is no such code. `id` is checked here: it comes from strangers, and is part of a path. */
export async function loadCode(dir: string, id: string): Promise<StoredCode | undefined> {
  if (!CODE_ID.test(id)) return undefined;
  const record = await readJson<CodeRecord>(recordPath(dir, id));
  return record === undefined ? undefined : { record, state: (await readJson<CodeState>(statePath(dir, id))) ?? FRESH };
}

/** On disk when it resolves. */
export async function storeState(dir: string, id: string, state: CodeState): Promise<void> {
  await writeFileDurably(statePath(dir, id), `${JSON.stringify(state)}\n`);
}

/** False where there was no such code. */
export async function removeCode(dir: string, id: string): Promise<boolean> {
  if ((await loadCode(dir, id)) === undefined) return false;
  await rm(recordPath(dir, id), { force: true });
  await rm(statePath(dir, id), { force: true });
  await syncFolder(codesDir(dir));
  return true;
}

export type CodeStatus = 'open' | 'used' | 'locked' | 'ended';

export function statusOf({ record, state }: StoredCode, nowMs: number): CodeStatus {
  if (state.used !== undefined) return 'used';
  if (record.notAfterMs <= nowMs) return 'ended';
  return state.failed >= ENROL_LIMITS.attemptsPerCode ? 'locked' : 'open';
}

/** Whether the registrar's port is to be open for this code. */
export function keepsOpen(code: StoredCode, nowMs: number): boolean {
  const { used } = code.state;
  if (used !== undefined) return code.record.notAfterMs > nowMs && used.atMs + ENROL_LIMITS.usedOpenMs > nowMs;
  return statusOf(code, nowMs) === 'open';
}

async function readJson<Value>(path: string): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as Value;
}

function codesDir(dir: string): string {
  return join(dir, 'codes');
}

function recordPath(dir: string, id: string): string {
  return join(codesDir(dir), `${id}.json`);
}

function statePath(dir: string, id: string): string {
  return join(codesDir(dir), `${id}.state.json`);
}
