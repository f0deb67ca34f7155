// A backup uses up the consent to it; one that did not come about gives it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { createAccess } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { CallContext } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { Changes } from '#network/configuration/change.ts';
import { fileTools } from '#network/configuration/files.ts';

test('a helper that is away costs nobody a second approval: the consent is given back [TS-32]', async () => {
  let isAway = true;
  const port: Pick<ConfigurationPort, 'backup'> = {
    async backup() {
      if (isAway) throw new ParleyError('node/helper', 'expected the configuration helper, it is away');
      return 'sealed';
    },
  };
  let given = 0;
  const giveBack = async () => {
    given++;
  };
  const consent: ConsentGate = { ask: async () => ({ granted: true, by: 'operator/ann', decision: {}, giveBack }) };
  const configuration = port as ConfigurationPort;
  const [pull] = fileTools(configuration, {} as Changes, { access: createAccess(), consent });
  const caller: Party = { kind: 'operator', domain: 'lab', name: 'ann', role: 'admin' };
  const context = { caller, signal: new AbortController().signal, progress: () => {} };
  const call = () => pull!.call({ file: 'backup', recipient: 'key' }, context as CallContext);
  await assert.rejects(async () => call(), { code: 'node/helper' });
  assert.equal(given, 1);
  isAway = false;
  assert.deepEqual(await call(), { file: 'backup', sealed: 'sealed', redacted: false });
  assert.equal(given, 1);
});
