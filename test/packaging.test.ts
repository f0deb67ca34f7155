// What the package gives to whom: the sockets of the helpers to the agent alone, and the folder that says whose consent counts to root alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const PACKAGING = join(import.meta.dirname, '../packaging');
const packaged = (file: string) => readFileSync(join(PACKAGING, file), 'utf8');

test('the package gives the helpers’ sockets to the agent alone, and the operators’ group only the agent’s [TS-28]', () => {
  const setting = (unit: string, name: string) =>
    [...packaged(`systemd/${unit}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);
  assert.match(packaged('systemd/parley.tmpfiles.conf'), /^d \/run\/parley-config 2750 frr parley-agent -$/m);
  assert.deepEqual(setting('parley-helper.service', 'Group'), ['parley-agent']);
  assert.match(setting('parley-helper.service', 'ExecStart')[0]!, / --group parley-agent /);
  assert.deepEqual(setting('parley-agent.service', 'SupplementaryGroups'), ['parley-agent']);
  for (const unit of ['parley-config.service', 'parley-helper.service', 'parley-rollback.service']) {
    const groups = [...setting(unit, 'Group'), ...setting(unit, 'SupplementaryGroups')].join(' ').split(' ');
    assert.equal(groups.includes('parley'), false, `${unit} is of the operators' group`);
  }
  const members = [...packaged('systemd/parley.sysusers.conf').matchAll(/^m (\S+) parley-agent$/gm)];
  assert.deepEqual(
    members.map(([, user]) => user),
    ['parley'],
  );
  assert.match(setting('parley-config.service', 'ExecStart')[0]!, / --authority \/etc\/parley-config$/);
  assert.match(packaged('debian/postinst'), /^ *install -d -m 0755 -o root -g root \/etc\/parley-config$/m);
});
