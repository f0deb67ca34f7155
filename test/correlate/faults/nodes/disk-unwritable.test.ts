// disk_unwritable: r3's file systems, as both readings of its state have them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import type { DiskCondition } from '#model/router/state-schema.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, named, remembering, ring } from '../../ring.ts';

const FOUND = ['disk_unwritable node/r3'];

/** `/` of r3 in the first reading and in the last. */
const disk =
  (first: DiskCondition, last: DiskCondition = first): Change =>
  (state, node, phase) => {
    if (node !== 'r3') return state;
    const condition = phase === 'before' ? first : last;
    const root = { mount: '/', holds: ['/etc/frr', '/var/log'], condition, totalBytes: 1_000, availableBytes: 0 };
    return { ...state, resources: { fileSystems: [root] } };
  };
const was = (value: DiskCondition, agoMs = 60_000): Change => {
  const change: SettingChange = { kind: 'resource', subject: '/', setting: 'disk', was: value, is: 'full', agoMs };
  return at(['r3'], remembering(change));
};

test('a file system that was writable and is full, or read-only, is named with the folders that it holds', () => {
  const told = (condition: DiskCondition) => {
    const [finding] = diagnose(ring(all(disk(condition), was('writable')))).findings;
    return [`${finding?.fault} ${finding?.resource}`, finding?.details['what'], finding?.remedy?.command];
  };
  assert.deepEqual(told('full'), [
    FOUND[0],
    'r3: /, which holds /etc/frr, /var/log, is full',
    'du -xh --max-depth=3 / | sort -h | tail -20',
  ]);
  assert.deepEqual(told('read-only'), [
    FOUND[0],
    'r3: /, which holds /etc/frr, /var/log, is read-only',
    'findmnt --target /; dmesg | tail -50',
  ]);
});

test('an image that is full, or read-only, by design accuses no node: full is a remark', () => {
  const full = ring(disk('full'));
  assert.deepEqual(named(full), []);
  assert.deepEqual(remarksTold(diagnose(full)), [
    'r3: /, which holds /etc/frr, /var/log, is full, and always was as far as its agent remembers',
  ]);
  const image = ring(disk('read-only'));
  assert.deepEqual([named(image), remarksTold(diagnose(image))], [[], []]);
});

test('an image that was writable for an update, and is read-only again, accuses no node', () => {
  const row = (from: DiskCondition, is: DiskCondition, agoMs: number): SettingChange => ({
    ...{ kind: 'resource', subject: '/', setting: 'disk', was: from, is, agoMs },
  });
  const updated = at(['r3'], remembering(row('writable', 'read-only', 60_000), row('read-only', 'writable', 600_000)));
  assert.deepEqual(named(ring(all(disk('read-only'), updated))), []);
});

test('what was full for a moment, or is writable again, accuses no node', () => {
  assert.deepEqual(named(ring(all(disk('full', 'writable'), was('writable')))), []);
  assert.deepEqual(named(ring(all(disk('writable', 'full'), was('writable')))), []);
  assert.deepEqual(named(ring(all(disk('writable'), was('full')))), []);
});

test('where room is left, and no inode, that is what is said, and files are counted', () => {
  const full: Change = (state, node) => {
    if (node !== 'r3') return state;
    const [totalBytes, availableBytes] = [4_000_000_000, 2_000_000_000];
    const log = { mount: '/var/log', holds: ['/var/log'], condition: 'full' as const, totalBytes, availableBytes };
    return { ...state, resources: { fileSystems: [log] } };
  };
  const change: SettingChange = {
    ...{ kind: 'resource', subject: '/var/log', setting: 'disk', was: 'writable', is: 'full', agoMs: 60_000 },
  };
  const [finding] = diagnose(ring(all(full, at(['r3'], remembering(change))))).findings;
  assert.deepEqual(
    [finding?.details['what'], finding?.remedy?.command, finding?.remedy?.decide],
    [
      'r3: /var/log has no inode left for another file',
      'du -x --inodes --max-depth=3 /var/log | sort -n | tail -20',
      'which files may be removed: their number counts, and their size does not',
    ],
  );
});

test('of a disk that is read-only it is said that the kernel, or a command, may have made it so', () => {
  const [finding] = diagnose(ring(all(disk('read-only'), was('writable')))).findings;
  assert.match(finding!.remedy!.decide!, /the kernel after an error of the disk, .* or a command of an operator/);
});
