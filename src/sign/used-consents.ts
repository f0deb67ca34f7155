// The consents that were used, on the disk of the process that verifies them: a signature counts once, also after a restart, and also when the wall clock was set
// back. Bounded: with the oldest ids goes the time of their signatures, and nothing signed up to then is taken any more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { UsedConsents } from '#model/router/change-authority.ts';
import { SIGN_LIMITS } from './limits.ts';

type Used = { readonly id: string; readonly signedMs: number };
type Ledger = { readonly schemaVersion: 1; readonly floorMs: number; readonly used: readonly Used[] };

const FILE = 'used-consents.json';

const EMPTY: Ledger = { schemaVersion: 1, floorMs: 0, used: [] };

/** How many are remembered in the folder of a helper; 0 without a file. Rejects with `node/consents-damaged`. */
export async function readUsedConsents(folder: string): Promise<number> {
  return (await readLedger(join(folder, FILE))).used.length;
}

/** `folder` is one of that process alone. Methods reject with `node/consents-damaged` when the file is not of this form. */
export function createUsedConsents(folder: string): UsedConsents {
  const path = join(folder, FILE);
  const inTurn = createInTurn();
  const write = (ledger: Ledger) => writeFileDurably(path, JSON.stringify(ledger), 0o600);
  return {
    take: (id, signedMs) =>
      inTurn(async () => {
        const { floorMs, used } = await readLedger(path);
        if (used.some((each) => each.id === id)) throw refused('expected a consent that was not used before, it was');
        if (signedMs <= floorMs)
          throw refused('expected a consent signed after those that are remembered, it is older: ask for a new one');
        await write(bounded(floorMs, [...used, { id, signedMs }]));
      }),
    giveBack: (id) =>
      inTurn(async () => {
        const { floorMs, used } = await readLedger(path);
        await write({ schemaVersion: 1, floorMs, used: used.filter((each) => each.id !== id) });
      }),
  };
}

function bounded(floorMs: number, used: readonly Used[]): Ledger {
  const sorted = used.toSorted((one, other) => one.signedMs - other.signedMs);
  const gone = sorted.slice(0, Math.max(0, sorted.length - SIGN_LIMITS.usedConsents));
  return {
    schemaVersion: 1,
    floorMs: Math.max(floorMs, gone.at(-1)?.signedMs ?? 0),
    used: sorted.slice(gone.length),
  };
}

async function readLedger(path: string): Promise<Ledger> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY;
    throw error;
  }
  try {
    const ledger = JSON.parse(text) as Ledger;
    if (ledger.schemaVersion !== 1 || typeof ledger.floorMs !== 'number' || !Array.isArray(ledger.used))
      throw new Error('another form');
    return ledger;
  } catch (error) {
    throw new ParleyError('node/consents-damaged', `expected the record of used consents, got ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function refused(message: string): ParleyError {
  return new ParleyError('caller/bad-consent', message);
}
