// Nonces: none comes twice, whatever the disk forgets. The random part of boots is always the same here: only what is on disk tells them apart.
import { join } from 'node:path';
import { openNonceSource } from '#sign/nonce-source.ts';
import { acksOf, type Part } from '../part.ts';

const SAME = { bytes: (count: number) => new Uint8Array(count) };
/** Small, so that reservations are frequent. */
const BLOCK = 16;

export const nonces: Part = {
  name: 'nonces',
  async work({ dir, random, operations, ack }) {
    const source = await openNonceSource({ path: join(dir, 'nonces.json'), random: SAME, block: BLOCK });
    for (let done = 0; done < operations; ) {
      // A burst within one turn outruns the reservation that is under way.
      const burst = 1 + Math.floor(random() * 2 * BLOCK * random());
      const [first, ...rest] = Array.from({ length: burst }, () => source.next());
      ack({ what: 'used', boot: source.boot, first: Number(first), last: Number(rest.at(-1) ?? first) });
      done += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await source.settled();
  },
  async check({ dir, notes }) {
    const source = await openNonceSource({ path: join(dir, 'nonces.json'), random: SAME, block: BLOCK });
    const given = Array.from({ length: 2 * BLOCK }, () => Number(source.next()));
    await source.settled();
    const again = acksOf(notes, 'used').filter(
      ({ boot, first, last }) =>
        boot === source.boot || given.some((nonce) => nonce >= Number(first) && nonce <= Number(last)),
    );
    return again.map(
      ({ boot, first, last }) => `nonces ${first} to ${last} of boot ${boot} come again in ${source.boot}`,
    );
  },
};
