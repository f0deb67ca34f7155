// The trust list that a process goes by: taken from a file, from peers or from an operator, verified each time, and never replaced by an older
// one (TS-24). What it says holds from the moment it is taken; the file follows.
import { readFile } from 'node:fs/promises';
import { isoTime } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { CertificateChain } from '#model/identity.ts';
import { type DenyIndex, deniedBy, indexOf } from './denied.ts';
import { REVOCATION_LIMITS } from './limits.ts';
import { openTrustList, type TrustList } from './trust-list.ts';

export const TRUST_LIST_FILE = 'trust-list.json';

/** `forked`: another list of the same number, which only a CA makes that was restored from an old copy, or used twice. */
export type TakenUp =
  | { readonly outcome: 'taken' | 'same' | 'older' }
  | { readonly outcome: 'refused' | 'forked'; readonly reason: string };

export type KeptList = {
  readonly current: TrustList | undefined;
  /** Verifies it against what this process trusts now. Never rejects. */
  takeUp(text: string): Promise<TakenUp>;
  /** Why no certificate of this chain counts. */
  denied(chain: CertificateChain): string | undefined;
};

export type KeptListInit = {
  readonly domain: string;
  /** PEM of the CAs that are trusted now. */
  readonly trustedPem: () => string;
  readonly nowMs: () => number;
  /** Takes the CAs and the revocations of a newer list into force, durably where it changes what is trusted. Before the list itself is stored. */
  readonly onTaken: (list: TrustList) => Promise<void>;
  /** File of the list; nothing is kept without one. */
  readonly path?: string;
  /** Hears of a list that could not be stored, and of a kept one that does not verify. */
  readonly onFault: (what: string, reason: string) => void;
};

/** With the list of `path`, where it still verifies. */
export async function openKeptList(init: KeptListInit): Promise<KeptList> {
  const { path, onFault } = init;
  const inTurn = createInTurn();
  let current: TrustList | undefined;
  let index: DenyIndex = indexOf({ revoked: [] });
  const open = (text: string) => openTrustList(text, init.trustedPem(), init.domain);
  const begin = async () => {
    const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(absent);
    if (text === undefined) return;
    const opened = open(text);
    if (!opened.ok) return onFault('the kept trust list does not verify, and does not count', opened.reason);
    current = opened.value;
    index = indexOf(current);
  };
  const take = async (text: string): Promise<TakenUp> => {
    if (text === current?.text) return { outcome: 'same' };
    const opened = open(text);
    if (!opened.ok) return { outcome: 'refused', reason: opened.reason };
    const list = opened.value;
    const said = compare(list, current, init.nowMs());
    if (said !== undefined) return said;
    [current, index] = [list, indexOf(list)];
    await init
      .onTaken(list)
      .then(() => (path === undefined ? undefined : writeFileDurably(path, list.text, 0o644)))
      .catch((error) => onFault('the trust list holds, and could not be stored', messageOf(error)));
    return { outcome: 'taken' };
  };
  await begin();
  return {
    get current() {
      return current;
    },
    takeUp: (text) => inTurn(() => take(text)),
    denied: (chain) => deniedBy(index, chain),
  };
}

function compare(list: TrustList, current: TrustList | undefined, nowMs: number): TakenUp | undefined {
  if (Date.parse(list.issued) > nowMs + REVOCATION_LIMITS.trustListAheadMs)
    return {
      outcome: 'refused',
      reason: `trust list ${list.number} is of ${list.issued}, it is ${isoTime(nowMs)}: set the clock`,
    };
  if (current === undefined || list.number > current.number) return undefined;
  if (list.number < current.number) return { outcome: 'older' };
  // The same content with other signatures, as ECDSA makes them.
  if (contentOf(list) === contentOf(current)) return { outcome: 'same' };
  return { outcome: 'forked', reason: `there are two trust lists of number ${list.number}` };
}

function contentOf({ text }: TrustList): string {
  return (JSON.parse(text) as { payload: string }).payload;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
