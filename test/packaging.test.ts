// What the package gives to whom: the sockets of the helpers to the agent alone, and the folder that says whose consent counts to root alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutDeadLinks } from '../scripts/package/tree.ts';

const PACKAGING = join(import.meta.dirname, '../packaging');
const packaged = (file: string) => readFileSync(join(PACKAGING, file), 'utf8');
const setting = (unit: string, name: string) =>
  [...packaged(`systemd/${unit}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);
const groupsOf = (unit: string) =>
  [...setting(unit, 'Group'), ...setting(unit, 'SupplementaryGroups')].join(' ').split(' ');
/** Users that the package puts into a group. */
const membersOf = (group: string) =>
  [...packaged('systemd/parley.sysusers.conf').matchAll(new RegExp(`^m (\\S+) ${group}$`, 'gm'))].map(
    ([, user]) => user,
  );

test('the package gives the helpers’ sockets to the agent alone, and the operators’ group only the agent’s [TS-28]', () => {
  assert.deepEqual(setting('parley-helper.service', 'Group'), ['parley-agent']);
  assert.match(setting('parley-helper.service', 'ExecStart')[0]!, / --group parley-agent /);
  assert.deepEqual(setting('parley-agent.service', 'SupplementaryGroups'), ['parley-agent parley-config']);
  for (const unit of ['parley-config.service', 'parley-helper.service', 'parley-rollback.service']) {
    assert.equal(groupsOf(unit).includes('parley'), false, `${unit} is of the operators' group`);
  }
  assert.deepEqual(membersOf('parley-agent'), ['parley']);
  assert.match(setting('parley-config.service', 'ExecStart')[0]!, / --authority \/etc\/parley-config$/);
  assert.match(packaged('debian/postinst'), /^ *install -d -m 0755 -o root -g root \/etc\/parley-config$/m);
});

test('every process that lives as long as the router has a small young generation, a bound, and a heap that grows slowly', () => {
  for (const unit of ['parley-agent.service', 'parley-helper.service', 'parley-config.service'])
    assert.match(
      setting(unit, 'ExecStart')[0]!,
      /\/bin\/node --max-semi-space-size=2 --memory-saver-mode --max-old-space-size=\d+ /,
      unit,
    );
});

test('a purge removes each folder that a unit keeps state in, and those of the configuration', () => {
  const units = ['parley-agent.service', 'parley-config.service', 'parley-helper.service', 'parley-rollback.service'];
  const folders = units.flatMap((unit) => setting(unit, 'StateDirectory')).map((name) => `/var/lib/${name}`);
  assert.deepEqual(new Set(folders), new Set(['/var/lib/parley', '/var/lib/parley-config', '/var/lib/parley-helper']));
  const [, removed = ''] = /^ *rm -rf (.*)$/m.exec(packaged('debian/postrm')) ?? [];
  assert.deepEqual(new Set(removed.split(' ')), new Set([...folders, '/etc/parley', '/etc/parley-config']));
});

test('the read helper, which parses packets, cannot open the configuration helper’s socket [TS-28]', () => {
  const [, mode, owner, group] =
    /^d \/run\/parley-config (\d{4}) (\S+) (\S+) -$/m.exec(packaged('systemd/parley.tmpfiles.conf')) ?? [];
  assert.deepEqual([mode, owner, group], ['2750', 'frr', 'parley-config'], 'others cannot enter the folder');
  assert.deepEqual(setting('parley-helper.service', 'User'), ['parley-helper']);
  assert.equal(groupsOf('parley-helper.service').includes('parley-config'), false);
  assert.deepEqual(membersOf('parley-config'), ['parley']);
  assert.match(packaged('systemd/parley.sysusers.conf'), /^g parley-config - -$/m);
  assert.doesNotMatch(
    setting('parley-helper.service', 'AmbientCapabilities').join(),
    /CAP_DAC|CAP_SETGID|CAP_SETUID|CAP_SYS_ADMIN/,
    'a capability that passes by the groups',
  );
  // Where sysusers is absent.
  const postinst = packaged('debian/postinst');
  assert.match(
    postinst,
    /for group in parley parley-agent parley-config .*; do\n *getent group "\$group" > \/dev\/null \|\| groupadd --system "\$group"/,
  );
  assert.doesNotMatch(postinst, /parley-config.*parley-helper/);
  // The same in labs.
  const simulations = join(PACKAGING, '../simulations');
  const nodeRoot = readFileSync(join(simulations, 'lab/node-root.sh'), 'utf8');
  assert.match(nodeRoot, /^echo "parley-config:x:\$config_group:parley" >> etc\/group$/m);
  assert.match(nodeRoot, /^chown "frr:\$config_group" run\/parley-config$/m);
  const start = readFileSync(join(simulations, 'node-image/start-node.sh'), 'utf8');
  const line = start.split('\n').find((each) => each.includes('--reuid parley-helper'));
  assert.ok(line);
  assert.doesNotMatch(line, /parley-config/);
});

test('what changes the configuration has no IP network, and no unit may write kernel settings through /proc and /sys', () => {
  for (const unit of ['parley-config.service', 'parley-rollback.service']) {
    assert.deepEqual(setting(unit, 'IPAddressDeny'), ['any'], unit);
    assert.deepEqual(setting(unit, 'RestrictAddressFamilies'), ['AF_UNIX AF_NETLINK'], unit);
  }
  for (const unit of ['agent', 'config', 'helper', 'rollback'])
    assert.deepEqual(setting(`parley-${unit}.service`, 'ProtectKernelTunables'), ['yes'], unit);
});

test('a prepared enrolment runs once, ends at a refusal, and leaves no code [TS-24]', () => {
  const unit = 'parley-enrol.service';
  assert.deepEqual(setting(unit, 'ConditionPathExists'), ['/etc/parley/enrol/settings', '/etc/parley/enrol/code']);
  assert.match(
    setting(unit, 'ExecStart')[0]!,
    / enrol --registrar \$\{REGISTRAR\} --code-file \/etc\/parley\/enrol\/code$/,
  );
  assert.equal(setting(unit, 'ExecStartPost')[0], '/bin/rm -f /etc/parley/enrol/code');
  assert.deepEqual(setting(unit, 'RestartPreventExitStatus'), ['2 4']);
  assert.deepEqual(setting(unit, 'CapabilityBoundingSet'), ['CAP_CHOWN CAP_SETUID CAP_SETGID']);
  assert.match(packaged('debian/postinst'), /-e \/etc\/parley\/enrol\/settings .* -e \/etc\/parley\/enrol\/code /);
  assert.match(packaged('debian/prerm'), /systemctl stop parley-enrol\.service /);
});

test('the helper may read which tables iptables-legacy has, in the package and in labs, so that it makes none to find out', () => {
  const start = readFileSync(join(PACKAGING, '../simulations/node-image/start-node.sh'), 'utf8');
  const gives = 'chgrp -f parley-agent /proc/net/ip_tables_names /proc/net/ip6_tables_names';
  assert.deepEqual(setting('parley-helper.service', 'ExecStartPre'), [`+-/bin/${gives}`]);
  assert.ok(start.includes(`\n  ${gives} || true\n`));
});

test('links of packaged documents to what is not in the package become words, and the others stay', () => {
  const there = new Set(['docs', 'docs/a.md', 'README.md']);
  assert.equal(
    withoutDeadLinks(
      '[a](a.md#part), [b](../src/b.ts), [c](https://c.example/), [d](../README.md), [e](../docs/)',
      'docs',
      there,
    ),
    '[a](a.md#part), b, [c](https://c.example/), [d](../README.md), [e](../docs/)',
  );
});

test('an upgrade keeps a list of what ran and starts it again, also where it failed, and 0.1.0 left enabled units', () => {
  assert.match(
    packaged('debian/prerm'),
    /if \[ "\$1" = upgrade \]; then\n *for unit in (.*parley-agent\.service.*); do/,
  );
  assert.match(packaged('debian/postinst'), /abort-upgrade \| abort-remove \| abort-deconfigure\)\n *start_again/);
  assert.match(packaged('debian/postinst'), /--compare-versions "\$1" lt 0\.2\.0/);
  assert.match(packaged('debian/preinst'), /--compare-versions "\$2" gt '@VERSION@'/);
});
