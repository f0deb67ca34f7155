// `npm run bench -- aggregate-model [--runs N] [--seed N]`: random registrations, heartbeats, losses, gates and time against a pure model, many
// more than the tests run. Ends with the seed and the shortest commands that differ.
import fc from 'fast-check';
import { COMMANDS, runCommands } from '../test/aggregate/registry-model.ts';
import { createFakeClock } from '../test/fakes/clock.ts';
import { createDomain } from '../test/mtls/domain.ts';

const RUNS = 10_000;

export async function bench(args: readonly string[]): Promise<Record<string, unknown>> {
  const numberAfter = (name: string) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : undefined);
  const numRuns = numberAfter('--runs') ?? RUNS;
  const seed = numberAfter('--seed') ?? Math.trunc(performance.timeOrigin % 2 ** 31);
  const domain = await createDomain('lab.example', createFakeClock());
  try {
    const boss = await domain.identity('boss', { kind: 'operator', role: 'admin' });
    let commands = 0;
    const property = fc.asyncProperty(fc.commands([...COMMANDS], { maxCommands: 40, size: 'max' }), async (run) => {
      const counted = [...run];
      commands += counted.length;
      await runCommands(domain.caPem, boss, counted);
    });
    await fc.assert(property, { numRuns, seed });
    return { runs: numRuns, commands, seed, differences: 0 };
  } finally {
    await domain.remove();
  }
}
