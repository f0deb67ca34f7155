// Random registrations, heartbeats, losses and gates against a pure model (AX-4, AX-6, AX-16, AX-19): no tool is reachable that should not be,
// no gate opens without a proof, no call is executed twice, and nothing is left behind.
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createFakeClock } from '../fakes/clock.ts';
import { createDomain } from '../mtls/domain.ts';
import { COMMANDS, runCommands } from './registry-model.ts';

const issued = createFakeClock();
const domain = await createDomain('lab.example', issued);
after(() => domain.remove());
const boss = await domain.identity('boss', { kind: 'operator', role: 'admin' });

test('whatever happens in whatever order, the namespace is what the model says [AX-4] [AX-6] [AX-16] [AX-19]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands([...COMMANDS], { maxCommands: 30, size: 'max' }), (commands) =>
      runCommands(domain.caPem, boss, commands),
    ),
    { numRuns: 60 },
  );
});
