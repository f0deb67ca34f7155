// Enrolments in which the registrar or the node is killed at a random moment, without notice, and started again: each ends with one identity, the one
// that the registrar keeps for its code. A kill loses no page cache: that answers follow their fsync is the order of the source.
import { createSystemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { loadCode } from '#mtls/enrol/code-store.ts';
import { makeCodes } from '#mtls/enrol/make-codes.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { mulberry32 } from '../../simulations/lab/node-files.ts';
import { percentile } from '../statistics.ts';
import { type RegistrarProcess, startNodes } from './processes.ts';
import type { Attempt } from './rack.ts';

const MOST_TRIES = 6;

export type Kills = {
  readonly kills: { readonly registrar: number; readonly node: number };
  /** Runs that were over when the kill came. */
  readonly tooLate: number;
  readonly enrolled: number;
  readonly otherIdentities: number;
  readonly tries: { readonly p50: number; readonly most: number };
};

export async function killAtRandom(init: {
  readonly count: number;
  readonly registrarDir: string;
  readonly registrar: RegistrarProcess;
  readonly folder: (name: string) => string;
  /** Of the nodes' folders. */
  readonly dir: string;
  readonly seed: number;
}): Promise<Kills> {
  const { registrarDir, registrar, folder } = init;
  const random = mulberry32(init.seed);
  const start = (attempts: readonly Attempt[]) => startNodes(attempts, registrar.port, init.dir);
  const clock = createSystemClock();
  const wanted = Array.from({ length: init.count }, (_, index) => ({
    kind: 'node' as const,
    name: `cut-${index + 1}`,
  }));
  const codes = await makeCodes({ dir: registrarDir, wanted, validMs: 3_600_000, clock, random: systemRandom });
  const kills = { registrar: 0, node: 0 };
  const tries: number[] = [];
  let [enrolled, otherIdentities, tooLate] = [0, 0, 0];
  // How long a run takes is found out by one that is not cut.
  let runMs = 1_000;
  for (const [index, { code, record }] of codes.entries()) {
    const attempt: Attempt = { kind: 'honest', name: record.name, code };
    const began = performance.now();
    const first = start([attempt]);
    if (index > 0) {
      const ended = await Promise.race([first.done.then(() => true), clock.sleep(random() * runMs).then(() => false)]);
      if (ended) tooLate += 1;
      const victim = index % 2 === 0 ? 'node' : 'registrar';
      kills[victim] += 1;
      if (victim === 'node') first.kill();
      else await registrar.killAndRestart();
    }
    let result = (await first.done)[0]?.result ?? 'killed';
    if (index === 0) runMs = performance.now() - began;
    let count = 1;
    for (; result !== 'enrolled' && count < MOST_TRIES; count++)
      result = (await start([attempt]).done)[0]?.result ?? 'killed';
    tries.push(count);
    const identity = await loadIdentity(folder(record.name)).catch(() => undefined);
    const kept = (await loadCode(registrarDir, code.id))?.state.used?.chain[0];
    if (identity !== undefined) enrolled += 1;
    if (identity?.chain[0] !== kept) otherIdentities += 1;
  }
  const most = Math.max(...tries);
  return { kills, tooLate, enrolled, otherIdentities, tries: { p50: percentile(tries, 0.5), most } };
}
