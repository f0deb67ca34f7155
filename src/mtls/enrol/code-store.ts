// The codes of one registrar as files: what a code is for, written by the command that makes it, and beside it what became of it, written
// by the agent. Of the code itself only its name and a SPAKE2+ verifier are kept. Every change is on disk before it counts.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileDurably } from '#base/files.ts';
import type { PartyKind, Role } from '#model/identity.ts';
import { CODE_ID } from './code.ts';
import { ENROL_LIMITS } from './limits.ts';

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
  /** Guesses since the last proof or the end of the last lock: runs whose shares differ. */
  readonly failed: number;
  /** When the last guess was counted, and SHA-256 of its share, hex: another run with that share tests no other guess. */
  readonly failedAtMs?: number;
  readonly failedShare?: string;
  readonly used?: { readonly atMs: number; readonly requestSha256: string; readonly chain: readonly string[] };
};

export type StoredCode = { readonly record: CodeRecord; readonly state: CodeState };

export const FRESH: CodeState = { schemaVersion: 1, failed: 0 };

/** In the order of their names. */
export async function listCodes(dir: string): Promise<readonly StoredCode[]> {
  const codes = await Promise.all((await idsIn(dir)).map((id) => loadCode(dir, id)));
  return codes
    .filter((code) => code !== undefined)
    .toSorted((one, other) => one.record.name.localeCompare(other.record.name, 'en', { numeric: true }));
}

async function idsIn(dir: string): Promise<readonly string[]> {
  const files = await readdir(codesDir(dir)).catch(() => []);
  const names = files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));
  return names.filter((name) => CODE_ID.test(name)).slice(0, ENROL_LIMITS.codes);
}

/** Undefined where there is no such code. `id` is checked here: it comes from strangers, and is part of a path. */
export async function loadCode(dir: string, id: string): Promise<StoredCode | undefined> {
  if (!CODE_ID.test(id)) return undefined;
  const record = await readJson<CodeRecord>(recordPath(dir, id));
  return record === undefined ? undefined : { record, state: (await readJson<CodeState>(statePath(dir, id))) ?? FRESH };
}

/** On disk when it resolves. */
export async function storeRecord(dir: string, record: CodeRecord): Promise<void> {
  await writeFileDurably(recordPath(dir, record.id), `${JSON.stringify(record)}\n`);
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
  return isLocked(state, nowMs) ? 'locked' : 'open';
}

export function isLocked({ failed, failedAtMs = 0 }: CodeState, nowMs: number): boolean {
  return failed >= ENROL_LIMITS.attemptsPerCode && failedAtMs + ENROL_LIMITS.lockMs > nowMs;
}

/** Whether a code waits for its node, or was used a moment ago: only then is the registrar's port open. */
export async function hasOpenCode(dir: string, nowMs: number): Promise<boolean> {
  for (const id of await idsIn(dir)) {
    const code = await loadCode(dir, id);
    if (code !== undefined && keepsOpen(code, nowMs)) return true;
  }
  return false;
}

/**
 * The same, asked again and again. With time codes only end, so a closed port stays closed while the folder is as it was: codes of months are
 * not read every two seconds. A folder counts as unchanged from the third look on, as two changes within a tick of the clock look like one.
 */
export function createOpenWatch(dir: string): (nowMs: number) => Promise<boolean> {
  let seen = { mtimeNs: -1n, looks: 0, isOpen: true };
  return async (nowMs) => {
    const mtimeNs = await stat(codesDir(dir), { bigint: true }).then(
      (status) => status.mtimeNs,
      () => 0n,
    );
    const looks = mtimeNs === seen.mtimeNs ? seen.looks + 1 : 0;
    const isOpen = looks > 2 && !seen.isOpen ? false : await hasOpenCode(dir, nowMs);
    seen = { mtimeNs, looks, isOpen };
    return isOpen;
  };
}

function keepsOpen(code: StoredCode, nowMs: number): boolean {
  const { used } = code.state;
  if (used !== undefined) return code.record.notAfterMs > nowMs && used.atMs + ENROL_LIMITS.usedOpenMs > nowMs;
  // A locked code waits for its node as well: the lock ends.
  return code.record.notAfterMs > nowMs;
}

/** Undefined where there is no such file. */
export async function readJson<Value>(path: string): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as Value;
}

export function codesDir(dir: string): string {
  return join(dir, 'codes');
}

function recordPath(dir: string, id: string): string {
  return join(codesDir(dir), `${id}.json`);
}

function statePath(dir: string, id: string): string {
  return join(codesDir(dir), `${id}.state.json`);
}
