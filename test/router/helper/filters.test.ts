// Which tables of the older packet filter the helper reads: those that the kernel names, and no other, since asking for one makes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XTABLES_PART, xtablesUnread } from '#router/drivers/linux-frr/nftables/xtables-unread.ts';
import { hasNoNftables, legacyTables } from '#router/helper/filters.ts';

const files = (names: string, modules: string) => (path: string) =>
  Promise.resolve(path === '/proc/modules' ? modules : names);
const CORE = 'ip_tables 36864 0 - Live 0x0\nx_tables 53248 1 ip_tables, Live 0x0\n';

test('tables that the kernel names are read, and where it names none nothing is asked', async () => {
  assert.equal(await legacyTables('ip', files('filter\nnat\n', 'EACCES')), 'named');
  assert.equal(await legacyTables('ip', files('', 'EACCES')), 'none');
  assert.equal(await legacyTables('ip6', files('ENOENT', 'ENOENT')), 'none');
});

test('without the names no table is asked for: none where no module of a table is loaded, else unread', async () => {
  assert.equal(await legacyTables('ip', files('EACCES', CORE)), 'none');
  assert.equal(await legacyTables('ip', files('EACCES', `iptable_filter 16384 1 - Live 0x0\n${CORE}`)), 'unread');
  assert.equal(await legacyTables('ip', files('EACCES', `iptable_mangle 16384 1 - Live 0x0\n${CORE}`)), 'unread');
  assert.equal(await legacyTables('ip', files('EACCES', `ip6table_raw 16384 1 - Live 0x0\n${CORE}`)), 'none');
  assert.equal(
    await legacyTables('ip', files('EACCES', 'ENOENT')),
    'unread',
    'a kernel without modules has it built in',
  );
  assert.equal(await legacyTables('ip', files('EACCES', 'dummy 16384 0 - Live 0x0\n')), 'unread', 'built in');
});

test('a kernel has no nftables where it is neither loaded nor built in; where one of the two cannot be read it is not known', async () => {
  const told = (modules: string, builtIn: string) =>
    hasNoNftables((path) => Promise.resolve(path === '/proc/modules' ? modules : builtIn));
  const [loaded, others] = ['nf_tables 311296 0 - Live 0x0\n', 'kernel/fs/ext4/ext4.ko\n'];
  assert.equal(await told(CORE, others), true);
  assert.equal(await told(loaded, others), false);
  assert.equal(await told(`nf_tables_compat 1 0 - Live 0x0\n`, others), true);
  assert.equal(await told(CORE, 'kernel/net/netfilter/nf_tables.ko\n'), false);
  for (const [modules, builtIn] of [
    ['ENOENT', others],
    ['', others],
    [CORE, 'ENOENT'],
    [CORE, 'EACCES'],
  ] as const)
    assert.equal(await told(modules, builtIn), false);
});

test('what was not read is said with the file that tells', () => {
  assert.equal(XTABLES_PART, 'xtables');
  assert.equal(
    xtablesUnread(['ip', 'ip6']),
    'filters of iptables-legacy not readable: /proc/net/ip_tables_names and /proc/net/ip6_tables_names for root alone (the start of parley-helper.service gives them to the helper)',
  );
});
