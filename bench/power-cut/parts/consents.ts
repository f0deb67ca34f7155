// Consents that were used: each signature counts once, also after a cut.
import { ParleyError } from '#base/error.ts';
import { createUsedConsents } from '#sign/used-consents.ts';
import { acksOf, attemptsOf, type Part } from '../part.ts';

export const consents: Part = {
  name: 'consents',
  async work({ dir, number, random, operations, attempt, ack }) {
    const used = createUsedConsents(dir);
    for (let done = 0; done < operations / 4; done++) {
      const id = `${number}-${done}`;
      const signedMs = number * 1_000_000 + done;
      await used.take(id, signedMs);
      ack({ what: 'taken', id, signedMs });
      if (random() > 0.2) continue;
      attempt({ what: 'given-back', id });
      await used.giveBack(id);
      ack({ what: 'given-back', id });
    }
  },
  async check({ dir, notes }) {
    const used = createUsedConsents(dir);
    const back = new Set(attemptsOf(notes, 'given-back').map(({ id }) => id));
    const faults: string[] = [];
    for (const { id, signedMs } of acksOf(notes, 'taken').slice(-64)) {
      if (back.has(id!)) continue;
      if (await isTaken(used.take(String(id), Number(signedMs)))) faults.push(`consent ${id} counts twice`);
    }
    for (const { id } of acksOf(notes, 'given-back').slice(-8))
      if (!(await isTaken(used.take(String(id), 9e9)))) faults.push(`consent ${id}, which was given back, is lost`);
    if (!(await isTaken(used.take('new', 9e9)))) faults.push('a new consent is refused');
    return faults;
  },
};

/** False where it was used before; anything else is a broken file. */
async function isTaken(taking: Promise<void>): Promise<boolean> {
  try {
    await taking;
    return true;
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'caller/bad-consent') return false;
    throw error;
  }
}
