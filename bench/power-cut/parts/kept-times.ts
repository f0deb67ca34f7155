// The small files of an agent: the time that it believes at least, and how far the collector has the trail. Neither ever goes back.
import { join } from 'node:path';
import { loadPosition, POSITION_FILE, storePosition } from '#audit/outward/position.ts';
import { createTrust } from '#mtls/trust.ts';
import { acksOf, type Part } from '../part.ts';

const BEGAN_MS = Date.UTC(2027, 0, 1);
const STEP_MS = 60_000;

export const keptTimes: Part = {
  name: 'time and position',
  async work({ dir, number, operations, ack }) {
    const time = { nowMs: BEGAN_MS + number * 1e9 };
    const trust = await createTrust({ clock: { nowMs: () => time.nowMs }, path: join(dir, 'time') });
    for (let done = 0; done < operations / 8; done++) {
      time.nowMs += STEP_MS;
      await trust.persist();
      ack({ what: 'time', ms: time.nowMs });
      const sequence = number * 100_000 + done;
      const place = { file: 'audit-000000000000001.jsonl', offset: done, deliveredAt: '', removedUnsent: 0 };
      await storePosition(join(dir, POSITION_FILE), { sequence, hash: '', ...place });
      ack({ what: 'position', sequence });
    }
  },
  async check({ dir, notes }) {
    const trust = await createTrust({ clock: { nowMs: () => 0 }, path: join(dir, 'time') });
    const faults: string[] = [];
    const timeMs = Number(acksOf(notes, 'time').at(-1)?.['ms'] ?? 0);
    if (trust.nowMs() < timeMs) faults.push(`the time goes back by ${timeMs - trust.nowMs()} ms`);
    const sent = Number(acksOf(notes, 'position').at(-1)?.['sequence'] ?? 0);
    const position = (await loadPosition(join(dir, POSITION_FILE)))?.sequence ?? 0;
    if (position < sent) faults.push(`the collector's position goes back from ${sent} to ${position}`);
    return faults;
  },
};
